"""Keep at most 1,000 warnings and 1,000 notices with a manifest, as new ones do; a notice says how many were left out."""

from django.db import migrations, transaction
from django.db.models import F, Func, IntegerField, Q

MOST = 1_000
BATCH_MANIFESTS = 500
"""Manifests whose findings are counted by one statement. Those with too many are cut one by one, each under its lock."""


def cut(apps, schema_editor):
    Manifest = apps.get_model('shipments', 'Manifest')  # noqa: N806  # a class
    database = schema_editor.connection
    function = 'jsonb_array_length' if database.vendor == 'postgresql' else 'json_array_length'
    manifests = Manifest.objects.using(database.alias)
    counted = manifests.order_by('pk').annotate(
        warnings_length=Func(F('warnings'), function=function, output_field=IntegerField()),
        notices_length=Func(F('notices'), function=function, output_field=IntegerField()),
    )
    last = None
    while True:
        rest = manifests.order_by('pk') if last is None else manifests.order_by('pk').filter(pk__gt=last)
        batch = list(rest.values_list('pk', flat=True)[:BATCH_MANIFESTS])
        if not batch:
            return
        too_long = Q(warnings_length__gt=MOST) | Q(notices_length__gt=MOST)
        for pk in counted.filter(too_long, pk__in=batch).values_list('pk', flat=True):
            with transaction.atomic(using=database.alias):
                for manifest in manifests.select_for_update(no_key=True).only('warnings', 'notices').filter(pk=pk):
                    cut_one(manifest)
        last = batch[-1]


def cut_one(manifest):
    """As the reader does it: the first by row; notices about the whole manifest come before those of rows."""
    warnings, notices = sorted(manifest.warnings, key=row_of), sorted(manifest.notices, key=row_of)
    omitted = []
    if (more := len(warnings) - MOST) > 0:
        omitted.append(notice('warnings_omitted', f'There are {more:,} more warnings; the first {MOST:,} by row are reported.'))
    if len(notices) + len(omitted) > MOST:
        kept = MOST - len(omitted) - 1
        more = len(notices) - kept
        omitted.append(notice('notices_omitted', f'There are {more:,} more notices; the first {kept:,} by row are reported.'))
    manifest.warnings = warnings[:MOST]
    manifest.notices = [*omitted, *notices[: MOST - len(omitted)]]
    manifest.save(update_fields=['warnings', 'notices'])


def row_of(finding):
    row_index = finding.get('row_index')
    return -1 if row_index is None else row_index


def notice(code, message):
    return {'code': code, 'message': message, 'row_index': None, 'hawb': None}


class Migration(migrations.Migration):

    atomic = False  # a manifest at a time is locked, while uploads go on

    dependencies = [
        ('shipments', '0005_anonymised'),
    ]

    operations = [
        migrations.RunPython(cut, migrations.RunPython.noop),
    ]
