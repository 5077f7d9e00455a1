"""Turn stored sentences into code and parameters; what no sentence matches keeps its words as `legacy_text`.

The sentences are those that earlier versions wrote: they stay here as they were, whatever the catalogue says today.
"""

import re

from django.db import migrations, transaction

BATCH_MANIFESTS = 50
"""Manifests locked by one transaction; each has at most two thousand findings."""
BATCH_GUIDES = 10_000
"""Ids that one statement goes through. No index knows the reasons."""

FOR_REVIEW = ' The guide was created and is marked for review.'
WITHOUT = ' The guide was created without it.'
TYPE_IT = ' Type it as a number, or with two decimals.'
LEFT_OUT = '; it was left out.'

# What was written, as a template, with the key of its sentence. A name that ends in `#` is a number.
SENTENCES = (
    ('The RUT is missing.' + FOR_REVIEW, 'rut_missing_for_review'),
    ('The RUT has characters other than digits and a check digit of 0 to 9 or K.' + FOR_REVIEW, 'rut_characters_for_review'),
    ('The RUT has the wrong length: write 7 or 8 digits and the check digit.' + FOR_REVIEW, 'rut_length_for_review'),
    ('The check digit of the RUT does not match its number.' + FOR_REVIEW, 'rut_check_digit_for_review'),
    ('The weight is no number that can be read, or is negative or too large.' + WITHOUT, 'weight_kg_invalid'),
    ('The value is no amount that can be read, or is negative or too large.' + WITHOUT, 'fob_usd_invalid'),
    ('The value is not in US dollars.' + WITHOUT, 'fob_usd_currency'),
    ("The value's one separator stands before three digits; it was read as thousands." + TYPE_IT, 'fob_usd_ambiguous'),
    ('The product value is no amount that can be read.' + WITHOUT, 'product_value_invalid'),
    ('The product value is not in US dollars.' + WITHOUT, 'product_value_currency'),
    ("The product value's one separator stands before three digits; it was read as thousands." + TYPE_IT, 'product_value_ambiguous'),
    ('The number of packages is no whole number from 1 to 1,000,000; 1 was taken.', 'packages_count_invalid'),
    ('The number of packages has a separator before three digits; check what was read.', 'packages_count_ambiguous'),
    ('The rows of this guide add up to more than can be; it was left out.', 'rows_sum_too_large'),
    ('An HS code has 6 to 12 digits; this one was kept as sent.', 'hs_code_invalid'),
    ('The text is longer than {longest#} characters; the rest was cut off.', 'text_truncated'),
    ("The products' texts exceed {longest#} characters together; the guide shows the first of them.", 'products_text_shortened'),
    ('The row has no HAWB, so no guide was created for it.', 'hawb_missing'),
    ('The row is marked as an example and was not read.', 'example_row_ignored'),
    ('Row {row} has the same HAWB for another consignee; that guide stays and this row was left out. Give each consignee a HAWB of their own.', 'duplicate_hawb'),
    ('Rows {rows} have the same HAWB and consignee; they became one guide with {count#} products.', 'hawb_rows_merged'),
    ('{count#} HAWBs are numbers of more than {digits#} digits; spreadsheets round those. Check them, and format the column as text before typing them.', 'hawb_digits_rounded'),
    ('There are {count#} more warnings; the first {reported_count#} by row are reported.', 'warnings_omitted'),
    ('There are {count#} more notices; the first {reported_count#} by row are reported.', 'notices_omitted'),
    ('The last digit of {mawb} is not the check digit of its serial number; if it was typed wrong, the flight will not be found under it.', 'mawb_check_digit_mismatch'),
    ("The sheet '{sheet}' has guides too; they were not read. Guides come from the first visible sheet that has any, '{taken}': send the others as a manifest of their own.", 'sheet_ignored'),
    ("What the workbook says there is not a carrier's flight number, such as LA2369" + LEFT_OUT, 'flight_number_ignored'),
    ('What the workbook says there is not the IATA code of an airport, such as MIA, or a country' + LEFT_OUT, 'origin_airport_ignored'),
    ('What the workbook says there is not the IATA code of an airport, such as SCL, or a country' + LEFT_OUT, 'destination_airport_ignored'),
    ('What the workbook says there is not a date with its time, such as 25/11/2026 14:30' + LEFT_OUT, ''),  # the code tells which
    ("The workbook's arrival does not go with the departure" + LEFT_OUT, 'arrival_before_departure'),
    ("The workbook's departure does not go with the arrival" + LEFT_OUT, 'departure_after_arrival'),
    ('The workbook names more than one; {taken} was taken.', 'flight_number_ambiguous'),
    ('FOB above US$ 2,000: customs retains the shipment until its import declaration is cleared.', 'retention_required'),
    ('FOB above US$ 3,000: the shipment is outside the simplified courier regime.', 'courier_value_exceeded'),
    ('More than 50 kg per package: the shipment is outside the simplified courier regime.', 'courier_weight_exceeded'),
)
REASONS = (
    ('retention_reason', 'FOB above US$ 2,000: customs retains the shipment until its import declaration is cleared.', 'retention_required'),
    ('retention_lifted_reason', 'Released by customs.', 'released_by_customs'),
)
NAME = re.compile(r'\\\{(\w+)(\\\#)?\\\}')  # as re.escape leaves it


def pattern(template):
    return re.compile(
        NAME.sub(lambda name: f'(?P<{name[1]}>[0-9,]+)' if name[2] else f'(?P<{name[1]}>.+?)', re.escape(template)),
        re.DOTALL,
    )


PATTERNS = [
    (pattern(template), key, frozenset(re.findall(r'\{(\w+)#\}', template))) for template, key in SENTENCES
]


def turned(finding):
    """The finding as it is kept now; as it was where it was turned before."""
    if 'message' not in finding:
        return finding
    code = finding.get('error_code') or finding.get('code', '')
    kept = {name: finding.get(name) for name in ('row_index', 'hawb', 'field') if name in finding} | {'code': code}
    message = finding['message']
    if not message:  # anonymised
        return kept | {'sentence': code, 'params': {}}
    for known, key, numbers in PATTERNS:
        if match := known.fullmatch(message):
            params = {
                name: int(value.replace(',', '')) if name in numbers else value
                for name, value in match.groupdict().items()
            }
            return kept | {'sentence': key or code, 'params': params}
    return kept | {'params': {}, 'legacy_text': message}


def turn_manifests(apps, schema_editor):
    database = schema_editor.connection.alias
    manifests = apps.get_model('shipments', 'Manifest').objects.using(database)
    ids = manifests.order_by('pk').values_list('pk', flat=True)
    last = None
    while batch := list((ids if last is None else ids.filter(pk__gt=last))[:BATCH_MANIFESTS]):
        with transaction.atomic(using=database):
            rows = manifests.filter(pk__in=batch).exclude(warnings=[], notices=[]).order_by('pk')
            for manifest in rows.select_for_update(no_key=True).only('warnings', 'notices'):
                manifest.warnings = [turned(finding) for finding in manifest.warnings]
                manifest.notices = [turned(finding) for finding in manifest.notices]
                manifest.save(update_fields=['warnings', 'notices'])
        last = batch[-1]


def turn_guides(apps, schema_editor):
    guides = apps.get_model('shipments', 'Guide').objects.using(schema_editor.connection.alias)
    first, last = (guides.order_by(order).values_list('pk', flat=True).first() or 0 for order in ('pk', '-pk'))
    for start in range(first, last + 1, BATCH_GUIDES):
        part = guides.filter(pk__gte=start, pk__lt=start + BATCH_GUIDES)
        for field, sentence, key in REASONS:
            part.filter(**{field: sentence}).update(**{field: key})


class Migration(migrations.Migration):

    atomic = False  # in parts, while uploads go on

    dependencies = [
        ('shipments', '0006_bounded_findings'),
    ]

    operations = [
        migrations.RunPython(turn_manifests, migrations.RunPython.noop),
        migrations.RunPython(turn_guides, migrations.RunPython.noop),
    ]
