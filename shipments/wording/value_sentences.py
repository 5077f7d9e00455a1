"""Sentences on single values: documents, amounts, texts, and the fields of the JSON manifest."""

from django.utils.translation import gettext_noop as _

from shipments.wording import Sentence, Sentences

_CREATED_WITHOUT = _("The guide was created without it.")
_FOR_REVIEW = _("The guide was created and is marked for review.")
BEFORE_CREATING = {
    _CREATED_WITHOUT: _("The guide will be created without it."),
    _FOR_REVIEW: _("The guide will be marked for review."),
}
"""What the preview of a manifest says instead."""
_TYPE_IT = _("Type it as a number, or with two decimals.")

_RUT = {
    "rut_missing": _("The RUT is missing."),
    "rut_characters": _("The RUT has characters other than digits and a check digit of 0 to 9 or K."),
    "rut_length": _("The RUT has the wrong length: write 7 or 8 digits and the check digit."),
    "rut_check_digit": _("The check digit of the RUT does not match its number."),
}
_BARE_RUT = _("Most documents of the column have no check digit, so it may be missing here, too.")

VALUES: Sentences = {
    "document_missing": _("The consignee's document is missing."),
    "document_type_unknown": Sentence(
        _("This document type is unknown in the country; send one of: %(names)s."),
        _("This document type is unknown in the country."),
    ),
    "document_type_unclear": Sentence(
        _("The type cannot be derived from the document; send one of: %(names)s."),
        _("The type cannot be derived from the document."),
    ),
    **_RUT,
    **{f"{key}_for_review": (sentence, _FOR_REVIEW) for key, sentence in _RUT.items()},
    "rut_without_check_digit_for_review": (_BARE_RUT, _FOR_REVIEW),
    "ruc_shape": Sentence(
        _("A RUC has 11 digits and begins with %(numbers)s or %(last)s."),
        _("A RUC has 11 digits and begins with the number of a kind of taxpayer."),
    ),
    "ruc_check_digit": _("The check digit of the RUC does not match its number."),
    "cuit_shape": Sentence(
        _("A CUIT, CUIL or CDI has 11 digits and begins with %(numbers)s or %(last)s."),
        _("A CUIT, CUIL or CDI has 11 digits and begins with the number of a kind of taxpayer."),
    ),
    "cuit_check_digit": _("The check digit of the CUIT, CUIL or CDI does not match its number."),
    "dni_eight_digits": _("A DNI has 8 digits."),
    "dni_digits": Sentence(
        _("A DNI has %(least)s to %(most)s digits."),
        _("This is not the length of a DNI, or it has other characters than digits."),
    ),
    "ce_characters": Sentence(
        _("A CE (carné de extranjería) has %(least)s to %(most)s letters or digits."),
        _("This is not the length of a CE (carné de extranjería), or it has other characters."),
    ),
    "passport_characters": Sentence(
        _("A passport number has %(least)s to %(most)s letters or digits."),
        _("This is not the length of a passport number, or it has other characters."),
    ),
    "weight_kg_invalid": (_("The weight cannot be read as a number, is negative or is too large."), _CREATED_WITHOUT),
    "weight_kg_zero": (_("The weight is 0."), _CREATED_WITHOUT),
    "weight_kg_unit": (_("The unit of the weight cannot be read."), _CREATED_WITHOUT),
    "weight_kg_ambiguous": (
        _(
            "The only separator of the weight is before three digits, and other cells of the column use both "
            "separators; it was read as decimal."
        ),
        _("Type it as a number."),
    ),
    "fob_usd_invalid": (_("The value cannot be read as an amount, is negative or is too large."), _CREATED_WITHOUT),
    "fob_usd_currency": (_("The value is not in US dollars."), _CREATED_WITHOUT),
    "fob_usd_ambiguous": (
        _("The only separator of the value is before three digits; it was read as thousands."),
        _TYPE_IT,
    ),
    "product_value_invalid": (_("The product value cannot be read as an amount."), _CREATED_WITHOUT),
    "product_value_currency": (_("The product value is not in US dollars."), _CREATED_WITHOUT),
    "product_value_ambiguous": (
        _("The only separator of the product value is before three digits; it was read as thousands."),
        _TYPE_IT,
    ),
    "freight_usd_invalid": (_("The freight cannot be read as an amount."), _CREATED_WITHOUT),
    "freight_usd_currency": (_("The freight is not in US dollars."), _CREATED_WITHOUT),
    "freight_usd_ambiguous": (
        _("The only separator of the freight is before three digits; it was read as thousands."),
        _TYPE_IT,
    ),
    "insurance_usd_invalid": (_("The insurance cannot be read as an amount."), _CREATED_WITHOUT),
    "insurance_usd_currency": (_("The insurance is not in US dollars."), _CREATED_WITHOUT),
    "insurance_usd_ambiguous": (
        _("The only separator of the insurance is before three digits; it was read as thousands."),
        _TYPE_IT,
    ),
    "shipper_country_invalid": _("The shipper's country is not a country that we know; it was kept as extra data."),
    "goods_country_invalid": _("The country of the goods is not a country that we know; it was kept as extra data."),
    "packages_count_invalid": _("The number of packages is not a whole number from 1 to 1,000,000; 1 was used."),
    "packages_count_ambiguous": _("The number of packages has a separator before three digits; check what was read."),
    "rows_sum_too_large": _("The rows of this guide add up to more than the field can hold; it was left out."),
    "hs_code_invalid": _("An HS code has 6 to 12 digits; this one was kept as sent."),
    "text_truncated": Sentence(
        _("The text is longer than %(longest)s characters; the rest was cut off."),
        _("The text is too long for its field; the rest was cut off."),
    ),
    "products_text_shortened": Sentence(
        _("The products' texts exceed %(longest)s characters together; the guide shows the first of them."),
        _("The products' texts are too long together; the guide shows the first of them."),
    ),
    "required": _("This field is required."),
    "not_a_string": _("Send this as a string."),
    "text_too_long": Sentence(_("Write at most %(most)s characters."), _("Write fewer characters.")),
    "control_characters": _("Leave out control characters."),
    "hawb_characters": Sentence(_("Write 1 to %(most)s printable characters."), _("Write printable characters only.")),
    "hawb_repeated": Sentence(
        _("guides[%(first)s] has the same HAWB; each guide needs its own."),
        _("An earlier guide has the same HAWB; each guide needs its own."),
    ),
    "number_out_of_range": Sentence(
        _("The number must lie between %(minimum)s and %(maximum)s."), _("The number is too small or too large.")
    ),
    "products_out_of_range": Sentence(
        _("The products add up to a number outside %(minimum)s to %(maximum)s."),
        _("The products add up to a number that is too small or too large."),
    ),
    "not_a_number": _("Send a number with a decimal point, such as 12.50."),
    "not_a_country": _("Send a country as two letters, such as CL, or its name in Spanish or English."),
    "not_a_count": Sentence(_("Send a whole number from %(minimum)s to %(maximum_count)s."), _("Send a whole number.")),
    "follows_from_products": _("This follows from the guide's products: send products instead."),
    "not_yes_or_no": _("Send true or false, or leave it out."),
    "object_too_large": Sentence(_("Send an object of at most %(kibibytes)s KiB."), _("Send a smaller object.")),
    "nested_too_deep": _("Nest objects and arrays less deeply."),
    "too_many_items": Sentence(
        _("Send an array of at most %(maximum_count)s objects."), _("Send an array with fewer objects.")
    ),
    "guide_not_an_object": _("Send each guide as an object."),
    "product_not_an_object": _("Send each product as an object."),
    "category_too_low": Sentence(
        _("With this FOB value the category is %(derived)s or higher; correct category or value."),
        _("With this FOB value the category is higher; correct category or value."),
    ),
    "marketplace_identifier_required": _("This marketplace's guides need this identifier."),
    "marketplace_identifier_not_allowed": _("Only the marketplace's client sends this."),
}
