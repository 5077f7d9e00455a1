"""What a person can say of a layout: the fields that a column can be, and what no answer can have."""

from collections.abc import Mapping
from functools import cache
from zoneinfo import available_timezones

from base.errors import Translatable
from companies.countries import SERVED
from shipments.manifests.cells import tokens
from shipments.manifests.countries import COUNTRIES
from shipments.manifests.destinations import airport_country
from shipments.manifests.guide_fields import GUIDE_FIELDS
from shipments.manifests.sheets.answers import Answer
from shipments.manifests.words.amounts import UNITS
from shipments.manifests.words.lexicon import CURRENCIES

WEIGHT_UNITS = tuple(UNITS)
KNOWN_CURRENCIES = tuple(sorted({code for code in CURRENCIES.values() if len(code) == 3 and code.isupper()}))
DECIMAL_MARKS = ("comma", "point", "numeric")
"""The decimal mark of a column's texts. `numeric`: only numeric cells are read."""

PARTS: Mapping[str, str] = {
    **dict.fromkeys(("given_name", "middle_name", "surname", "second_surname"), "consignee_name"),
    "check_digit": "consignee_document",
    "address_number": "consignee_address",
    "address_more": "consignee_address",
    "weight_unit": "weight_kg",
    "currency": "fob_usd",
}
"""Part of a guide's field -> the field."""

LABEL_FIELDS = ("mawb", "flight_number", "origin", "destination", "scheduled_departure", "scheduled_arrival")
"""What stands outside the table, or is repeated by each of its rows."""

TOLD_FIELDS: tuple[str, ...] = (
    *(field.name for field in GUIDE_FIELDS if field.in_workbook),
    "category",
    "platform_name",
    *PARTS,
    *LABEL_FIELDS,
)
"""What a column can be: fields of a guide, parts of them, and values of the manifest that each row repeats."""

JOINED_FIELDS = tokens("consignee_name consignee_address")
"""Fields that several columns may be: they are joined, in the sheet's order."""

_MONEY = tokens("fob_usd product_value")
_NUMBERS = _MONEY | {"weight_kg"}
_TRANSLATED = tokens("consignee_document_type category")
_TIMES = tokens("scheduled_departure scheduled_arrival")
_ENDS = ("origin", "destination")
"""The ends of a flight, whose clocks times can show."""
CONSTANTS = (*_ENDS, "zone")
"""What can be the same in every workbook. zone: whose clock its times show."""


def answer_problems(answer: Answer, country: str) -> dict[str, str]:
    """Attribute of an answer about a column -> why it cannot have it in this country; empty if it can."""
    name = answer.field
    problems: dict[str, str] = {}
    if name == "category" and COUNTRIES[country].categories is None:
        problems["field"] = Translatable("%(country)s has no express categories.", country=SERVED[country].name)
    if answer.key and name:
        problems["key"] = Translatable("Only a column that is kept has a key.")
    if answer.key.startswith("asked_"):
        problems["key"] = Translatable("Keys that begin like this are reserved; choose another one.")
    if answer.unit and name != "weight_kg":
        problems["unit"] = Translatable("Only for weight_kg.")
    if answer.currency and name not in _MONEY:
        problems["currency"] = Translatable("Only for fob_usd and product_value.")
    if answer.decimals and name not in _NUMBERS:
        problems["decimals"] = Translatable("Only for fob_usd, product_value and weight_kg.")
    if answer.month_first and name not in _TIMES:
        problems["month_first"] = _ONLY_TIMES
    if problem := zone_problem(answer.zone, name):
        problems["zone"] = problem
    if answer.values and name not in _TRANSLATED:
        problems["values"] = Translatable("Only for category and consignee_document_type.")
    elif not set(answer.values.values()) <= {*(meanings := meanings_of(name, country))}:
        problems["values"] = Translatable("Each must mean one of %(meanings)s.", meanings=", ".join(meanings))
    return problems


def meanings_of(name: str, country: str) -> list[str]:
    """What a value of a document type or a category can mean in a country; nothing for other fields."""
    if name == "category":
        return [*"1234"]
    return [kind.name for kind in COUNTRIES[country].documents] if name == "consignee_document_type" else []


def zone_problem(zone: str, name: str) -> str:
    """Why times of a field cannot show this clock; empty if they can."""
    if not zone:
        return ""
    if name not in _TIMES:
        return _ONLY_TIMES
    return "" if zone in {*_ENDS, *time_zones()} else _NO_ZONE


def constant_problem(name: str, value: str, country: str) -> str:
    """Why a value cannot be the same in every workbook for this country; empty if it can."""
    if name == "zone":
        return "" if value in {*_ENDS, *time_zones()} else _NO_ZONE
    if name == "destination" and airport_country(value) != country:
        return Translatable("Send the IATA code of an airport in %(country)s.", country=SERVED[country].name)
    return "" if airport_country(value) else Translatable("Send the IATA code of an airport.")


_NO_ZONE: str = Translatable("Send origin, destination or an IANA time zone such as America/Lima.")
_ONLY_TIMES: str = Translatable("Only for scheduled_arrival and scheduled_departure.")


@cache
def time_zones() -> frozenset[str]:
    """The IANA time zones with a region in their name, such as America/Lima, and UTC. Others depend on the machine."""
    return frozenset({"UTC", *(name for name in available_timezones() if "/" in name)})
