"""Sentences on columns: those understood, those not understood and their missing values; and on rows left out."""

from django.utils.translation import gettext_noop

from shipments.wording import Sentence, Sentences

_RENAME = Sentence(gettext_noop("Rename it to a listed header word if guides need it."))
_CHECK_ROWS = Sentence(gettext_noop("Check that none of them is a shipment."))
_PERHAPS = Sentence(
    gettext_noop("It may be one of the columns that were not understood: %(maybe)s."),
    gettext_noop("It may be one of the columns that were not understood."),
)
_EMPTY_CELLS = Sentence(gettext_noop("Their cells are empty, hold an error, or a formula that was never calculated."))

_NO_COLUMN = {
    "consignee_name": Sentence(gettext_noop("No column was found for the consignee's name (consignee_name).")),
    "consignee_rut": Sentence(gettext_noop("No column was found for the RUT (consignee_rut).")),
    "consignee_document": Sentence(
        gettext_noop("No column was found for the consignee's document (consignee_document).")
    ),
    "description_original": Sentence(gettext_noop("No column was found for the description (description_original).")),
    "packages_count": Sentence(gettext_noop("No column was found for the number of packages (packages_count).")),
    "weight_kg": Sentence(gettext_noop("No column was found for the weight (weight_kg).")),
    "fob_usd": Sentence(gettext_noop("No column was found for the FOB value (fob_usd).")),
}
_MISSING = {
    "consignee_name": Sentence(
        gettext_noop("The consignee's name (consignee_name) is missing in %(missing_count)s of %(count)s guides."),
        gettext_noop("The consignee's name (consignee_name) is missing in some guides."),
    ),
    "consignee_rut": Sentence(
        gettext_noop("The RUT (consignee_rut) is missing in %(missing_count)s of %(count)s guides."),
        gettext_noop("The RUT (consignee_rut) is missing in some guides."),
    ),
    "consignee_document": Sentence(
        gettext_noop(
            "The consignee's document (consignee_document) is missing in %(missing_count)s of %(count)s guides."
        ),
        gettext_noop("The consignee's document (consignee_document) is missing in some guides."),
    ),
    "description_original": Sentence(
        gettext_noop("The description (description_original) is missing in %(missing_count)s of %(count)s guides."),
        gettext_noop("The description (description_original) is missing in some guides."),
    ),
    "packages_count": Sentence(
        gettext_noop("The number of packages (packages_count) is missing in %(missing_count)s of %(count)s guides."),
        gettext_noop("The number of packages (packages_count) is missing in some guides."),
    ),
    "weight_kg": Sentence(
        gettext_noop("The weight (weight_kg) is missing in %(missing_count)s of %(count)s guides."),
        gettext_noop("The weight (weight_kg) is missing in some guides."),
    ),
    "fob_usd": Sentence(
        gettext_noop("The FOB value (fob_usd) is missing in %(missing_count)s of %(count)s guides."),
        gettext_noop("The FOB value (fob_usd) is missing in some guides."),
    ),
}

COLUMNS: Sentences = {
    "column_not_understood": (
        Sentence(
            gettext_noop("Column %(column)s, “%(heading)s”, was not understood and not read."),
            gettext_noop("A column was not understood and not read."),
        ),
        _RENAME,
    ),
    "column_without_heading": (
        Sentence(
            gettext_noop("Column %(column)s has values and no heading; it was not read."),
            gettext_noop("A column has values and no heading; it was not read."),
        ),
        Sentence(gettext_noop("Give it a heading if guides need it.")),
    ),
    "columns_not_read": (
        Sentence(
            gettext_noop(
                "These columns were understood and not read: %(columns)s. An arrow points to the column that was read "
                "instead."
            ),
            gettext_noop("Some columns were understood and not read, because others were read instead."),
        ),
        Sentence(gettext_noop("Check that the right ones were read.")),
    ),
    "house_from_order_number": (
        Sentence(
            gettext_noop(
                "The HAWB was read from %(heading)s, which is named after orders or references; %(other)s differs on "
                "every guide, too."
            ),
            gettext_noop("The HAWB was read from a number of orders, and another column differs on every guide, too."),
        ),
        Sentence(gettext_noop("Name the right column HAWB.")),
    ),
    "equal_headings": (
        Sentence(
            gettext_noop(
                "Columns %(columns)s have the same heading, “%(heading)s”, and different values; none was read as "
                "%(field)s."
            ),
            gettext_noop("Columns with the same heading have different values; none was read."),
        ),
        Sentence(gettext_noop("Say in the headings what each holds.")),
    ),
    "weight_unit_unknown": (
        Sentence(
            gettext_noop("The unit of column %(column)s, “%(heading)s”, is not known; no weight was read."),
            gettext_noop("The unit of the weights is not known; no weight was read."),
        ),
        Sentence(gettext_noop("Name one unit in the heading: kg, lb, oz or g.")),
    ),
    "currency_unknown": (
        Sentence(
            gettext_noop("Column %(column)s, “%(heading)s”, is not known to be in US dollars; no value was read."),
            gettext_noop("The values are not known to be in US dollars; no value was read."),
        ),
        Sentence(gettext_noop("Send FOB in US dollars and name USD in the heading.")),
    ),
    "weight_unit_unclear": (
        Sentence(
            gettext_noop(
                "Column %(column)s, “%(heading)s”, was not read as the weight: the word “%(word)s” is not known."
            ),
            gettext_noop("A word in the heading of the weights is not known; no weight was read."),
        ),
        Sentence(gettext_noop("Leave the word out, or use another.")),
    ),
    "currency_unclear": (
        Sentence(
            gettext_noop(
                "Column %(column)s, “%(heading)s”, was not read as the FOB value: the word “%(word)s” is not known."
            ),
            gettext_noop("A word in the heading of the values is not known; no value was read."),
        ),
        Sentence(gettext_noop("Leave the word out, or use another.")),
    ),
    "weight_unit_contradicted": (
        Sentence(
            gettext_noop(
                "The unit of column %(column)s, “%(heading)s”, is not known, because the workbook says “%(stated)s”; "
                "no weight was read."
            ),
            gettext_noop("The workbook contradicts itself on the unit of the weights; no weight was read."),
        ),
        Sentence(gettext_noop("Name one unit: kg, lb, oz or g.")),
    ),
    "currency_contradicted": (
        Sentence(
            gettext_noop(
                "The currency of column %(column)s, “%(heading)s”, is not known, because the workbook says "
                "“%(stated)s”; no value was read."
            ),
            gettext_noop("The workbook contradicts itself on the currency of the values; no value was read."),
        ),
        Sentence(gettext_noop("Send FOB in US dollars and name USD in the heading.")),
    ),
    **{f"no_column_{name}": sentence for name, sentence in _NO_COLUMN.items()},
    **{f"no_column_{name}_perhaps": (sentence, _PERHAPS) for name, sentence in _NO_COLUMN.items()},
    **{f"values_missing_{name}": (sentence, _EMPTY_CELLS) for name, sentence in _MISSING.items()},
    "weight_unlikely": (
        Sentence(
            gettext_noop("Half of the guides weigh more than %(typical)s kg a package."),
            gettext_noop("Half of the guides weigh more than parcels do."),
        ),
        Sentence(gettext_noop("Check the unit of the weights.")),
    ),
    "fob_unlikely": (
        Sentence(
            gettext_noop("Half of the guides are worth more than %(typical)s US dollars a kilogram."),
            gettext_noop("Half of the guides are worth more for their weight than goods are."),
        ),
        Sentence(gettext_noop("Check the currency of the values and the unit of the weights.")),
    ),
}

LEFT_OUT: Sentences = {
    "left_out_too_few_values": (
        Sentence(
            gettext_noop("Rows %(rows)s have a HAWB and fewer than two more values; they made no guide."),
            gettext_noop("Some rows have a HAWB and fewer than two more values; they made no guide."),
        ),
        _CHECK_ROWS,
    ),
    "left_out_no_consignee": (
        Sentence(
            gettext_noop("Rows %(rows)s have neither a consignee, a RUT nor a description; they made no guide."),
            gettext_noop("Some rows have neither a consignee, a RUT nor a description; they made no guide."),
        ),
        _CHECK_ROWS,
    ),
    "left_out_hawb_unlike_others": (
        Sentence(
            gettext_noop("Rows %(rows)s have a HAWB unlike all others; they made no guide."),
            gettext_noop("Some rows have a HAWB unlike all others; they made no guide."),
        ),
        _CHECK_ROWS,
    ),
    "left_out_other_table": (
        Sentence(
            gettext_noop("Rows %(rows)s are under headings of another table; they made no guide."),
            gettext_noop("Some rows are under headings of another table; they made no guide."),
        ),
        _CHECK_ROWS,
    ),
    "left_out_sum": (
        Sentence(
            gettext_noop("Rows %(rows)s hold the sums of the rows above and were taken for totals."),
            gettext_noop("Some rows hold the sums of the rows above and were taken for totals."),
        ),
        _CHECK_ROWS,
    ),
}

FORMATS: Sentences = {
    "format_not_recognised": (
        Sentence(
            gettext_noop(
                "The workbook does not have the columns of the format “%(format)s”; it was read by its headings."
            ),
            gettext_noop("The workbook does not have the columns of the format; it was read by its headings."),
        ),
        Sentence(gettext_noop("Check what was read.")),
    ),
    "format_column_missing": Sentence(
        gettext_noop("The column “%(heading)s” of the format “%(format)s” is missing; %(field)s was not read."),
        gettext_noop("An optional column of the format is missing; its field was not read."),
    ),
    "format_column_new": Sentence(
        gettext_noop("These columns are not in the format “%(format)s” and were not read: %(headings)s."),
        gettext_noop("Some columns are not in the format and were not read."),
    ),
    "format_column_competes": Sentence(
        gettext_noop(
            "The new column “%(heading)s” may be %(field)s, which the format “%(format)s” reads from another column. "
            "The other column was read."
        ),
        gettext_noop("A new column may be a field that the format reads from another column, which was read."),
    ),
    **{
        f"median_unlike_format_{name}": (sentence, Sentence(gettext_noop("All guides are marked for review.")))
        for name, sentence in (
            (
                "weight_kg",
                Sentence(
                    gettext_noop(
                        "Half of the guides weigh more than %(found)s kg; usual for this format: %(usual)s kg."
                    ),
                    gettext_noop("The weights are unlike those that are usual for this format."),
                ),
            ),
            (
                "fob_usd",
                Sentence(
                    gettext_noop(
                        "Half of the guides are worth more than US$ %(found)s; usual for this format: US$ %(usual)s."
                    ),
                    gettext_noop("The values are unlike those that are usual for this format."),
                ),
            ),
        )
    },
    "filled_unlike_format": Sentence(
        gettext_noop("%(field)s is filled in %(found)s of the guides; usual for this format: %(usual)s."),
        gettext_noop("A field is filled in fewer guides than usual for this format."),
    ),
    "readable_unlike_format": Sentence(
        gettext_noop("%(field)s is valid in %(found)s of the guides; usual for this format: %(usual)s."),
        gettext_noop("A field is valid in fewer guides than usual for this format."),
    ),
    "kind_unlike_format": Sentence(
        gettext_noop("Most values of %(field)s are of another kind, as if columns were swapped. Check all guides."),
        gettext_noop("Most values of a field are of another kind, as if columns were swapped."),
    ),
    "decimals_unlike_format_weight_kg": Sentence(
        gettext_noop("Some weights have another decimal mark than the format says; check all of them.")
    ),
    "decimals_unlike_format_fob_usd": Sentence(
        gettext_noop("Some FOB values have another decimal mark than the format says; check all of them.")
    ),
    "decimals_unlike_format_product_value": Sentence(
        gettext_noop("Some product values have another decimal mark than the format says; check all of them.")
    ),
    "value_not_in_format": Sentence(gettext_noop("The format does not say what this value means; it was left out.")),
    **{
        f"{name}_ambiguous_left_out": Sentence(
            gettext_noop("The number can be read in two ways, and the format does not decide; it was left out.")
        )
        for name in ("weight_kg", "fob_usd", "product_value")
    },
}
