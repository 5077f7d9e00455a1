"""Sentences on columns: those understood, those not understood and their missing values; and on rows left out."""

from django.utils.translation import gettext_noop as _

from shipments.wording import Sentence, Sentences

_RENAME = _("Rename it to a listed header word if guides need it.")
_CHECK_ROWS = _("Check that none of them is a shipment.")
_PERHAPS = Sentence(
    _("It may be one of the columns that were not understood: %(maybe)s."),
    _("It may be one of the columns that were not understood."),
)
_ALL_MARKED = _("All guides are marked for review.")
_EMPTY_CELLS = _("Their cells are empty, hold an error, or a formula that was never calculated.")

_NO_COLUMN = {
    "consignee_name": _("No column was found for the consignee's name (consignee_name)."),
    "consignee_rut": _("No column was found for the RUT (consignee_rut)."),
    "consignee_document": _("No column was found for the consignee's document (consignee_document)."),
    "description_original": _("No column was found for the description (description_original)."),
    "packages_count": _("No column was found for the number of packages (packages_count)."),
    "weight_kg": _("No column was found for the weight (weight_kg)."),
    "fob_usd": _("No column was found for the FOB value (fob_usd)."),
}
_MISSING = {
    "consignee_name": Sentence(
        _("The consignee's name (consignee_name) is missing in %(missing_count)s of %(count)s guides."),
        _("The consignee's name (consignee_name) is missing in some guides."),
    ),
    "consignee_rut": Sentence(
        _("The RUT (consignee_rut) is missing in %(missing_count)s of %(count)s guides."),
        _("The RUT (consignee_rut) is missing in some guides."),
    ),
    "consignee_document": Sentence(
        _("The consignee's document (consignee_document) is missing in %(missing_count)s of %(count)s guides."),
        _("The consignee's document (consignee_document) is missing in some guides."),
    ),
    "description_original": Sentence(
        _("The description (description_original) is missing in %(missing_count)s of %(count)s guides."),
        _("The description (description_original) is missing in some guides."),
    ),
    "packages_count": Sentence(
        _("The number of packages (packages_count) is missing in %(missing_count)s of %(count)s guides."),
        _("The number of packages (packages_count) is missing in some guides."),
    ),
    "weight_kg": Sentence(
        _("The weight (weight_kg) is missing in %(missing_count)s of %(count)s guides."),
        _("The weight (weight_kg) is missing in some guides."),
    ),
    "fob_usd": Sentence(
        _("The FOB value (fob_usd) is missing in %(missing_count)s of %(count)s guides."),
        _("The FOB value (fob_usd) is missing in some guides."),
    ),
}

COLUMNS: Sentences = {
    "column_not_understood": Sentence(
        _("Column %(column)s, “%(heading)s”, was not understood and not read."),
        _("A column was not understood and not read."),
        _RENAME,
    ),
    "column_without_heading": Sentence(
        _("Column %(column)s has values and no heading; it was not read."),
        _("A column has values and no heading; it was not read."),
        _("Give it a heading if guides need it."),
    ),
    "headings_shifted": Sentence(
        _("Column %(column)s, right beside the headings, has values and no heading; it was not read."),
        _("A column right beside the headings has values and no heading; it was not read."),
        _("Check that every heading stands above its own values: if they are shifted, every field is wrong."),
    ),
    "columns_not_read": Sentence(
        _(
            "These columns were understood and not read: %(columns)s. An arrow points to the column that was read "
            "instead."
        ),
        _("Some columns were understood and not read, because others were read instead."),
        _("Check that the right ones were read."),
    ),
    "house_from_order_number": Sentence(
        _(
            "The HAWB was read from %(heading)s, which is named after orders or references, or counts the rows; "
            "%(other)s differs on every guide, too."
        ),
        _("The HAWB was read from a number of orders or of rows, and another column differs on every guide, too."),
        _("Name the right column HAWB."),
    ),
    "fob_of_one_piece": Sentence(
        _("The FOB value was read from %(heading)s beside %(other)s: it may be the price of one piece."),
        _("The FOB value was read from a price beside a quantity: it may be the price of one piece."),
        _("Name the value of all pieces Total FOB."),
    ),
    "equal_headings": Sentence(
        _(
            "Columns %(columns)s have the same heading, “%(heading)s”, and different values; none was read as "
            "%(field)s."
        ),
        _("Columns with the same heading have different values; none was read."),
        _("Say in the headings what each holds."),
    ),
    "weight_unit_unknown": Sentence(
        _("The unit of column %(column)s, “%(heading)s”, is not known; no weight was read."),
        _("The unit of the weights is not known; no weight was read."),
        _("Name one unit in the heading: kg, lb, oz or g."),
    ),
    "currency_unknown": Sentence(
        _("Column %(column)s, “%(heading)s”, is not known to be in US dollars; no value was read."),
        _("The values are not known to be in US dollars; no value was read."),
        _("Send FOB in US dollars and name USD in the heading."),
    ),
    "weight_unit_unclear": Sentence(
        _("Column %(column)s, “%(heading)s”, was not read as the weight: the word “%(word)s” is not known."),
        _("A word in the heading of the weights is not known; no weight was read."),
        _("Leave the word out, or use another."),
    ),
    "currency_unclear": Sentence(
        _("Column %(column)s, “%(heading)s”, was not read as the FOB value: the word “%(word)s” is not known."),
        _("A word in the heading of the values is not known; no value was read."),
        _("Leave the word out, or use another."),
    ),
    "weight_unit_contradicted": Sentence(
        _(
            "The unit of column %(column)s, “%(heading)s”, is not known, because the workbook says “%(stated)s”; "
            "no weight was read."
        ),
        _("The workbook contradicts itself on the unit of the weights; no weight was read."),
        _("Name one unit: kg, lb, oz or g."),
    ),
    "currency_contradicted": Sentence(
        _(
            "The currency of column %(column)s, “%(heading)s”, is not known, because the workbook says "
            "“%(stated)s”; no value was read."
        ),
        _("The workbook contradicts itself on the currency of the values; no value was read."),
        _("Send FOB in US dollars and name USD in the heading."),
    ),
    "value_not_fob": Sentence(
        _("Column %(column)s, “%(heading)s”, is not FOB, because the workbook says “%(stated)s”; no value was read."),
        _("The workbook names terms of delivery other than FOB; no value was read."),
        _("Name the FOB value in US dollars FOB in its heading."),
    ),
    **{f"no_column_{name}": sentence for name, sentence in _NO_COLUMN.items()},
    **{f"no_column_{name}_perhaps": (sentence, _PERHAPS) for name, sentence in _NO_COLUMN.items()},
    **{f"values_missing_{name}": (sentence, _EMPTY_CELLS) for name, sentence in _MISSING.items()},
    "weight_unlikely": Sentence(
        _("Half of the guides weigh more than %(typical)s kg a package."),
        _("Half of the guides weigh more than parcels do."),
        _("Check the unit of the weights."),
    ),
    "fob_unlikely": Sentence(
        _("Half of the guides are worth more than %(typical)s US dollars a kilogram."),
        _("Half of the guides are worth more for their weight than goods are."),
        _("Check the currency of the values and the unit of the weights."),
    ),
    "left_out_too_few_values": Sentence(
        _("Rows %(rows)s have a HAWB and fewer than two more values; they made no guide."),
        _("Some rows have a HAWB and fewer than two more values; they made no guide."),
        _CHECK_ROWS,
    ),
    "left_out_no_consignee": Sentence(
        _("Rows %(rows)s have neither a consignee, a RUT nor a description; they made no guide."),
        _("Some rows have neither a consignee, a RUT nor a description; they made no guide."),
        _CHECK_ROWS,
    ),
    "left_out_hawb_unlike_others": Sentence(
        _("Rows %(rows)s have a HAWB unlike all others; they made no guide."),
        _("Some rows have a HAWB unlike all others; they made no guide."),
        _CHECK_ROWS,
    ),
    "left_out_other_table": Sentence(
        _("Rows %(rows)s are under headings of another table; they made no guide."),
        _("Some rows are under headings of another table; they made no guide."),
        _CHECK_ROWS,
    ),
    "left_out_sum": Sentence(
        _("Rows %(rows)s hold the sums of the rows above and were taken for totals."),
        _("Some rows hold the sums of the rows above and were taken for totals."),
        _CHECK_ROWS,
    ),
    "format_not_recognised": Sentence(
        _("The workbook does not have the columns of the format “%(format)s”; it was read by its headings."),
        _("The workbook does not have the columns of the format; it was read by its headings."),
        _("Check what was read."),
    ),
    "format_column_missing": Sentence(
        _("The column “%(heading)s” of the format “%(format)s” is missing; %(field)s was not read."),
        _("An optional column of the format is missing; its field was not read."),
    ),
    "format_column_new": Sentence(
        _("These columns are not in the format “%(format)s” and were not read: %(headings)s."),
        _("Some columns are not in the format and were not read."),
    ),
    "format_column_competes": Sentence(
        _(
            "The new column “%(heading)s” may be %(field)s, which the format “%(format)s” reads from another column. "
            "The other column was read."
        ),
        _("A new column may be a field that the format reads from another column, which was read."),
    ),
    "median_unlike_format_weight_kg": Sentence(
        _("Half of the guides weigh more than %(found)s kg; usual for this format: %(usual)s kg."),
        _("The weights are unlike those that are usual for this format."),
        _ALL_MARKED,
    ),
    "median_unlike_format_fob_usd": Sentence(
        _("Half of the guides are worth more than US$ %(found)s; usual for this format: US$ %(usual)s."),
        _("The values are unlike those that are usual for this format."),
        _ALL_MARKED,
    ),
    "filled_unlike_format": Sentence(
        _("%(field)s is filled in %(found)s of the guides; usual for this format: %(usual)s."),
        _("A field is filled in fewer guides than usual for this format."),
    ),
    "readable_unlike_format": Sentence(
        _("%(field)s is valid in %(found)s of the guides; usual for this format: %(usual)s."),
        _("A field is valid in fewer guides than usual for this format."),
    ),
    "median_unlike_format_packages_count": Sentence(
        _("Half of the guides have more than %(found)s packages; usual for this format: %(usual)s."),
        _("The packages are unlike those that are usual for this format."),
        _ALL_MARKED,
    ),
    "median_perhaps_unlike_format": Sentence(
        _("Half of the values of %(field)s are above %(found)s; usual for this format: %(usual)s. Check the unit."),
        _("A measure is more than twice or less than half of what is usual for this format."),
    ),
    "distinct_unlike_format": Sentence(
        _("%(found)s of the values of %(field)s differ from each other; usual for this format: %(usual)s."),
        _("A field differs from guide to guide less than usual for this format."),
    ),
    "digits_unlike_format": Sentence(
        _("%(found)s of the values of %(field)s have a digit; usual for this format: %(usual)s."),
        _("A field has digits in fewer guides than usual for this format."),
    ),
    "letters_unlike_format": Sentence(
        _("%(found)s of the values of %(field)s are without a digit; usual for this format: %(usual)s."),
        _("A field has digits in more guides than usual for this format."),
    ),
    "kind_unlike_format": Sentence(
        _("Most values of %(field)s are of another kind, as if columns were swapped. Check all guides."),
        _("Most values of a field are of another kind, as if columns were swapped."),
    ),
    "consignees_unlike_format": Sentence(
        _(
            "Most guides have the same %(field)s with %(count)s different values of %(other)s, as if a column were an "
            "agent's instead of the consignee's. Check all guides."
        ),
        _("Most guides have one consignee's name with several documents, or one document with several names."),
    ),
    "statement_unlike_format": Sentence(
        _(
            "The workbook says “%(stated)s”; its format gives another unit or currency, which was used. "
            "Check all guides."
        ),
        _("The workbook names another unit or currency than its format, whose own was used."),
    ),
    "decimals_unlike_format_weight_kg": _(
        "Some weights have another decimal mark than the format says; check all of them."
    ),
    "decimals_unlike_format_fob_usd": _(
        "Some FOB values have another decimal mark than the format says; check all of them."
    ),
    "decimals_unlike_format_product_value": _(
        "Some product values have another decimal mark than the format says; check all of them."
    ),
    "value_not_in_format": _("The format does not say what this value means; it was left out."),
    **{
        f"{name}_ambiguous_left_out": _(
            "The number can be read in two ways, and the format does not decide; it was left out."
        )
        for name in ("weight_kg", "fob_usd", "product_value")
    },
}
