"""What operators call the fields that a column can serve, in groups."""

from collections.abc import Mapping, Sequence

from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from shipments.manifests.countries import rules_for
from shipments.manifests.guide_fields import CONSIGNEE_FIELDS, GUIDE_FIELDS
from shipments.models import Guide

_SHIPMENT, _CONSIGNEE = _("Shipment"), _("Consignee")
_GROUPS: Sequence[tuple[str | Promise, Sequence[str]]] = (
    (
        _SHIPMENT,
        (
            "hawb", "description_original", "weight_kg", "weight_unit", "packages_count", "fob_usd", "currency",
            "product_value", "hs_code", "category",
        ),
    ),
    (
        _CONSIGNEE,
        (
            "consignee_name", "given_name", "middle_name", "surname", "second_surname", "consignee_document_type",
            "consignee_document", "check_digit", "consignee_address", "address_number", "address_more",
            "consignee_city", "consignee_region", "consignee_postal_code", "consignee_phone", "consignee_email",
        ),
    ),
    (_("Sender"), ("shipper_name", "platform_name")),
    (
        _("Waybill and flight"),
        ("mawb", "destination", "flight_number", "origin", "scheduled_departure", "scheduled_arrival"),
    ),
)  # fmt: skip

"""The usual order. A field that is in none of them comes last in the consignee's or the shipment's."""

_PLACED = {name for _title, names in _GROUPS for name in names}
_UNPLACED: Mapping[str | Promise, Sequence[str]] = {
    title: [
        each.name
        for each in GUIDE_FIELDS
        if each.in_workbook and each.name not in _PLACED and (each.name in CONSIGNEE_FIELDS) == (title is _CONSIGNEE)
    ]
    for title in (_SHIPMENT, _CONSIGNEE)
}

LABELS: Mapping[str, str | Promise] = {
    "given_name": _("first name"),
    "middle_name": _("middle name"),
    "surname": _("surname"),
    "second_surname": _("second surname"),
    "check_digit": _("check digit of the document"),
    "address_number": _("street number"),
    "address_more": _("rest of the address"),
    "weight_kg": _("weight"),
    "weight_unit": _("unit of weight"),
    "currency": _("currency"),
    "mawb": "MAWB",
    "destination": _("destination"),
    "flight_number": _("flight"),
    "origin": _("origin"),
    "scheduled_departure": _("departure"),
    "scheduled_arrival": _("arrival"),
    "brand": _("brand"),
    "model": _("model"),
    "condition": _("condition of the goods"),
    "commercial_quantity": _("commercial quantity"),
    "origin_country": _("country of origin"),
    "embarkation_country": _("country of embarkation"),
    "units": _("units of one kind"),
    "purpose": _("purpose (personal or commercial)"),
}
"""Labels of fields that are not columns of a guide, or named differently before they are read, and of extra data."""


def field_label(name: str) -> str:
    """The label of a field that a column can serve, as the first word of a sentence."""
    label = LABELS.get(name) or Guide._meta.get_field(name).verbose_name  # type: ignore[union-attr]  # a column
    return str(capfirst(str(label)))


def field_choices(country: str) -> list[tuple[str, object]]:
    """The choices of the drop-down of a column, in groups; the first two are always there.

    What customs asks for besides the fields of a guide is extra data: `+` and its key.
    """
    rules = rules_for(country)
    groups = [
        (
            str(title),
            [
                (name, field_label(name))
                for name in (*names, *_UNPLACED.get(title, ()))
                if name != "category" or rules.category is not None
            ],
        )
        for title, names in _GROUPS
    ]
    if keys := rules.extra_keys():
        groups.insert(1, (gettext("Customs' data"), [(f"+{key}", field_label(key)) for key in keys]))
    return [("", _("Do not read")), ("extra_data", _("Other data")), *groups]
