"""Sentences on columns: those understood, those not understood and their missing values; and on rows left out."""

from django.utils.translation import gettext_noop as _

from shipments.manifests.guide_fields import MONEY
from shipments.wording import Sentence, Sentences

_CHECK_ROWS = _("Check that none of them is a shipment.")
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
    "column_in_doubt": Sentence(
        _("Column %(column)s, “%(heading)s”, may contain %(field)s, but we cannot be sure; it was not read."),
        _("A column may contain a field, but we cannot be sure; it was not read."),
        _("Answer the question, or rename the column to a heading from the list of headings."),
    ),
    "layout_not_confirmed": Sentence(
        _("The layout of this workbook, %(layout)s, has questions that nobody has answered."),
        _("The layout of this workbook has questions that nobody has answered."),
        _("Answer them once for all workbooks of this layout, or ask the operators."),
    ),
    "layout_columns_missing": Sentence(
        _("These columns of earlier workbooks are missing: %(columns)s."),
        _("Some columns of earlier workbooks are missing."),
    ),
    "layout_columns_new": Sentence(
        _("These columns are new in the layout: %(columns)s."),
        _("Some columns are new in the layout."),
    ),
    "columns_kept": Sentence(
        _("These columns were not read as a field; their values are kept in extra_data: %(columns)s."),
        _("Some columns were not read as a field; their values are kept in extra_data."),
    ),
    "columns_kept_beside": Sentence(
        _("These columns were not read as a field; their values are kept in extra_data: %(columns)s."),
        _("Some columns were not read as a field; their values are kept in extra_data."),
        _("One of them is next to the headings but has no heading: check that every heading is above its own values."),
    ),
    "extra_data_truncated": Sentence(
        _("The extra data of the guide is larger than 16 KiB; these columns were left out: %(columns)s."),
        _("The extra data of the guide is larger than 16 KiB; some columns were left out."),
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
        _("Write FOB in the heading of the column with the FOB value in US dollars."),
    ),
    **{f"no_column_{name}": sentence for name, sentence in _NO_COLUMN.items()},
    **{f"values_missing_{name}": (sentence, _EMPTY_CELLS) for name, sentence in _MISSING.items()},
    "weight_unlikely": Sentence(
        _("Half of the guides weigh more than %(typical)s kg a package."),
        _("Half of the guides weigh more than parcels usually do."),
        _("Check the unit of the weights."),
    ),
    "fob_unlikely": Sentence(
        _("Half of the guides are worth more than %(typical)s US dollars a kilogram."),
        _("Half of the guides are worth more for their weight than goods usually are."),
        _("Check the currency of the values and the unit of the weights."),
    ),
    "left_out_belongs_unclear": Sentence(
        _("Rows %(rows)s have no HAWB and may be products of the guides above, which are marked for review."),
        _("Some rows have no HAWB and may be products of the guides above, which are marked for review."),
        _("Write the HAWB on each row of a guide."),
    ),
    "left_out_too_few_values": Sentence(
        _("Rows %(rows)s have a HAWB and fewer than two other values; no guides were created from them."),
        _("Some rows have a HAWB and fewer than two other values; no guides were created from them."),
        _CHECK_ROWS,
    ),
    "left_out_no_consignee": Sentence(
        _("Rows %(rows)s have no consignee, RUT or description; no guides were created from them."),
        _("Some rows have no consignee, RUT or description; no guides were created from them."),
        _CHECK_ROWS,
    ),
    "left_out_hawb_unlike_others": Sentence(
        _("Rows %(rows)s have a HAWB unlike all the others; no guides were created from them."),
        _("Some rows have a HAWB unlike all the others; no guides were created from them."),
        _CHECK_ROWS,
    ),
    "left_out_other_table": Sentence(
        _("Rows %(rows)s are under the headings of another table; no guides were created from them."),
        _("Some rows are under the headings of another table; no guides were created from them."),
        _CHECK_ROWS,
    ),
    "left_out_sum": Sentence(
        _("Rows %(rows)s contain the sums of the rows above and were treated as totals."),
        _("Some rows contain the sums of the rows above and were treated as totals."),
        _CHECK_ROWS,
    ),
    "median_unlike_format_weight_kg": Sentence(
        _("Half of the guides weigh more than %(found)s kg; usual for this layout: %(usual)s kg."),
        _("The weights are unusual for this layout."),
        _ALL_MARKED,
    ),
    "median_unlike_format_fob_usd": Sentence(
        _("Half of the guides are worth more than US$ %(found)s; usual for this layout: US$ %(usual)s."),
        _("The values are unusual for this layout."),
        _ALL_MARKED,
    ),
    "filled_unlike_format": Sentence(
        _("%(field)s is filled in %(found)s of the guides; usual for this layout: %(usual)s."),
        _("A field is filled in fewer guides than usual for this layout."),
    ),
    "readable_unlike_format": Sentence(
        _("%(field)s is valid in %(found)s of the guides; usual for this layout: %(usual)s."),
        _("A field is valid in fewer guides than usual for this layout."),
    ),
    "median_unlike_format_packages_count": Sentence(
        _("Half of the guides have more than %(found)s packages; usual for this layout: %(usual)s."),
        _("The numbers of packages are unusual for this layout."),
        _ALL_MARKED,
    ),
    "median_perhaps_unlike_format": Sentence(
        _("Half of the values of %(field)s are above %(found)s; usual for this layout: %(usual)s. Check the unit."),
        _("A measure is more than twice or less than half of what is usual for this layout."),
    ),
    "distinct_unlike_format": Sentence(
        _("%(found)s of the values of %(field)s differ from each other; usual for this layout: %(usual)s."),
        _("A field differs from guide to guide less than usual for this layout."),
    ),
    "digits_unlike_format": Sentence(
        _("%(found)s of the values of %(field)s have a digit; usual for this layout: %(usual)s."),
        _("A field has digits in fewer guides than usual for this layout."),
    ),
    "letters_unlike_format": Sentence(
        _("%(found)s of the values of %(field)s have no digit; usual for this layout: %(usual)s."),
        _("A field has digits in more guides than usual for this layout."),
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
    "label_unlike_format": Sentence(
        _(
            "There is nothing next to “%(label)s”, where this layout has its %(field)s; we looked for it elsewhere in"
            " the workbook."
        ),
        _(
            "There is nothing next to the label where this layout has its MAWB; we looked for it elsewhere in the "
            "workbook."
        ),
    ),
    "constant_unlike_format": Sentence(
        _(
            "The workbook says “%(stated)s” for %(field)s, but its layout always has %(always)s; the workbook's value "
            "was not used."
        ),
        _(
            "The workbook names a different place than its layout, which always has the same; the workbook's was "
            "not used."
        ),
    ),
    "statement_unlike_format": Sentence(
        _(
            "The workbook says “%(stated)s”, but its layout has a different unit or currency; the layout's was used. "
            "Check all guides."
        ),
        _("The workbook names a different unit or currency than its layout; the layout's was used."),
    ),
    "decimals_unlike_format_weight_kg": _(
        "Some weights use a different decimal mark than the layout; check all of them."
    ),
    "decimals_unlike_format_fob_usd": _(
        "Some FOB values use a different decimal mark than the layout; check all of them."
    ),
    "decimals_unlike_format_product_value": _(
        "Some product values use a different decimal mark than the layout; check all of them."
    ),
    "decimals_unlike_format_freight_usd": _(
        "Some freights use a different decimal mark than the layout; check all of them."
    ),
    "decimals_unlike_format_insurance_usd": _(
        "Some insurances use a different decimal mark than the layout; check all of them."
    ),
    "value_not_in_format": _("The layout does not say what this value means; it was left out."),
    **{
        f"{name}_ambiguous_left_out": _(
            "The number can be read in two ways, and the layout does not say which is right; it was left out."
        )
        for name in ("weight_kg", *MONEY)
    },
}
