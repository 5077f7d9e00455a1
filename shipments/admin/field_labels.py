"""What a column can serve: each field in its group, with its label."""

from collections.abc import Mapping, Sequence

from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from shipments.manifests.countries import COUNTRIES
from shipments.manifests.guide_fields import CONSIGNEE_FIELDS, GUIDE_FIELDS
from shipments.models import Guide

Labels = Mapping[str, str | Promise]

_SHIPMENT: Labels = {
    "hawb": "", "description_original": "", "weight_kg": _("weight"), "weight_unit": _("unit of weight"),
    "packages_count": "", "fob_usd": "", "currency": _("currency"), "product_value": "", "hs_code": "", "category": "",
}  # fmt: skip
_CUSTOMS: Labels = {
    "brand": _("brand"), "model": _("model"), "condition": _("condition of the goods"),
    "commercial_quantity": _("commercial quantity"),
    "embarkation_country": _("country of embarkation"), "units": _("units of one kind"),
    "purpose": _("purpose (personal or commercial)"),
}  # fmt: skip
"""Extra data that the rules of a country name."""
_CONSIGNEE: Labels = {
    "consignee_name": "", "given_name": _("first name"), "middle_name": _("middle name"), "surname": _("surname"),
    "second_surname": _("second surname"), "consignee_document_type": "", "consignee_document": "",
    "check_digit": _("check digit of the document"), "consignee_address": "", "address_number": _("street number"),
    "address_more": _("rest of the address"), "consignee_city": "", "consignee_region": "",
    "consignee_postal_code": "", "consignee_phone": "", "consignee_email": "",
}  # fmt: skip
_SENDER: Labels = {
    "shipper_name": "", "shipper_address": "", "shipper_city": "", "shipper_country": "", "platform_name": "",
}  # fmt: skip
_FLIGHT: Labels = {
    "mawb": "MAWB", "destination": _("destination"), "flight_number": _("flight"), "origin": _("origin"),
    "scheduled_departure": _("departure"), "scheduled_arrival": _("arrival"),
}  # fmt: skip
"""Field -> its label, in the usual order; empty for a column of a guide whose own name is meant."""

_ALL: Labels = {**_SHIPMENT, **_CUSTOMS, **_CONSIGNEE, **_SENDER, **_FLIGHT}
LABELS: Labels = {name: label for name, label in _ALL.items() if label}

_UNPLACED: Sequence[str] = [each.name for each in GUIDE_FIELDS if each.in_workbook and each.name not in _ALL]
"""Fields that come last in the consignee's group or the shipment's."""


def field_label(name: str) -> str:
    """The label of a field that a column can serve, as the first word of a sentence; of extra data with `+` its key."""
    key = name.removeprefix("+")
    if key != name and key not in LABELS:
        return key
    label = LABELS.get(key) or Guide._meta.get_field(key).verbose_name  # type: ignore[union-attr]  # a column
    return str(capfirst(str(label)))


def field_choices(country: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """The choices of the drop-down of a column, in groups.

    What customs asks for besides the fields of a guide is extra data: `+` and its key.
    """
    rules = COUNTRIES[country]
    shipment = [name for name in (*_SHIPMENT, *_UNPLACED) if name not in CONSIGNEE_FIELDS]
    groups: Sequence[tuple[str | Promise, Sequence[str]]] = (
        (_("Shipment"), [name for name in shipment if name != "category" or rules.categories is not None]),
        (_("Customs' data"), [f"+{key}" for key in rules.extra_keys()]),
        (_("Consignee"), [*_CONSIGNEE, *(name for name in _UNPLACED if name in CONSIGNEE_FIELDS)]),
        (_("Sender"), [*_SENDER]),
        (_("Waybill and flight"), [*_FLIGHT]),
    )
    return [(str(title), [(name, field_label(name)) for name in names]) for title, names in groups if names]
