"""Workbook formats as JSON, strictly: unknown keys, duplicate keys and values out of range are refused by sentence."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, cast

from companies.countries import SERVED
from shipments.errors import FormatInvalid, InvalidBody
from shipments.manifests.destinations import airport_country
from shipments.manifests.mapped.column_json import column_json, read_column, read_zone
from shipments.manifests.mapped.kept_grid import MAX_COLUMNS, read_tests
from shipments.manifests.mapped.spec import (
    MAPPED_FIELDS,
    SHARED_FIELDS,
    DestinationRule,
    FieldProfile,
    FormatSpec,
    Labelled,
    MappedColumn,
    missing_fields,
)
from shipments.manifests.mapped.spec_values import (
    LONGEST_HEADING,
    LONGEST_NAME,
    read_flag,
    read_object,
    read_text,
)
from shipments.manifests.payload import strict_json

FILE_VERSION = 1
"""The value of `prealerts_format` that this code writes and reads."""

MAX_FILE_BYTES = 3 * 2**20

_FILE_KEYS = {
    "prealerts_format", "name", "country", "sheet", "header_rows", "columns", "mawb", "destination", "flight",
    "profile", "tests",
}  # fmt: skip
_FLIGHT_FIELDS = ("flight_number", "origin", "scheduled_departure", "scheduled_arrival")


def load(content: bytes) -> tuple[FormatSpec, list[dict[str, Any]]]:
    """The format of a file, and its kept tests.

    Raises `FormatInvalid` with what is wrong: the file's size, its JSON, or each part that no format can have.
    """
    if len(content) > MAX_FILE_BYTES:
        raise FormatInvalid(f"The file is larger than {MAX_FILE_BYTES // 2**20} MB.")
    try:
        value = strict_json.loads(content)
    except InvalidBody as error:
        raise FormatInvalid(str(error.message).replace("The body", "The file")) from None
    return from_json(value), read_tests(cast("Mapping[str, Any]", value).get("tests"))


def dump(spec: FormatSpec, tests: Sequence[Mapping[str, Any]] = ()) -> bytes:
    """The file of a format: keys sorted, UTF-8, one line for each value, so that versions can be compared."""
    content = {**to_json(spec), "tests": list(tests)}
    return (json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def digest(spec: FormatSpec) -> str:
    """The SHA-256 of a format's content, in hexadecimal. The name and the tests do not count."""
    content = {name: value for name, value in to_json(spec).items() if name != "name"}
    return _sha256(json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":")))


def fingerprint(spec: FormatSpec) -> str:
    """The SHA-256 of the required headings: two formats with the same ones could not be told apart."""
    return _sha256(json.dumps(spec.required_headings()))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


# --- writing ---------------------------------------------------------------------------------------------------------


def to_json(spec: FormatSpec) -> dict[str, Any]:
    """The format as JSON, without what is empty."""
    written = {
        "prealerts_format": FILE_VERSION,
        "name": spec.name,
        "country": spec.country,
        "sheet": spec.sheet or None,
        "header_rows": spec.header_rows,
        "columns": [column_json(column) for column in spec.columns],
        "mawb": {"label": spec.mawb} if spec.mawb else None,
        "destination": _destination_json(spec.destination),
        "flight": {name: _without_empty(_labelled_json(each)) for name, each in spec.flight.items()},
        "profile": {
            name: _without_none({"filled": each.filled, "readable": each.readable, "median": each.median})
            for name, each in spec.profile.items()
        },
    }
    return {name: value for name, value in written.items() if value not in (None, {})}


def _destination_json(rule: DestinationRule) -> dict[str, Any] | None:
    return _without_empty({"label": rule.label, "always": rule.always, "form": rule.is_form_only}) or None


def _labelled_json(each: Labelled) -> dict[str, Any]:
    return {"label": each.label, "month_first": each.month_first, "zone": each.zone}


def _without_empty(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value}


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


# --- reading ---------------------------------------------------------------------------------------------------------


def from_json(value: object) -> FormatSpec:
    """The format in a decoded JSON document. Raises `FormatInvalid`, naming the key."""
    content = read_object(value, _FILE_KEYS, "The file")
    if content.get("prealerts_format") != FILE_VERSION:
        raise FormatInvalid(
            f"prealerts_format is not {FILE_VERSION}: not a workbook format, or one of a newer version."
        )
    country = content.get("country")
    if country not in SERVED:
        raise FormatInvalid(f"country must be one of {', '.join(SERVED)}.")
    header_rows = content.get("header_rows", 1)
    if type(header_rows) is not int or header_rows not in {1, 2}:
        raise FormatInvalid("header_rows must be 1 or 2.")
    columns = _columns(content.get("columns"), str(country), header_rows)
    return FormatSpec(
        name=read_text(content, "name", LONGEST_NAME, is_required=True),
        country=str(country),
        columns=columns,
        sheet=read_text(content, "sheet", LONGEST_NAME),
        header_rows=header_rows,
        mawb=read_text(read_object(content.get("mawb") or {}, {"label"}, "mawb"), "label", LONGEST_HEADING),
        destination=_destination(content.get("destination") or {}, str(country)),
        flight=_flight(content.get("flight") or {}),
        profile=_profile(content.get("profile") or {}),
    )


def _columns(value: object, country: str, header_rows: int) -> tuple[MappedColumn, ...]:
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_COLUMNS:
        raise FormatInvalid(f"columns must be an array of 1 to {MAX_COLUMNS} objects.")
    columns = tuple(read_column(each, f"columns[{position}]", country) for position, each in enumerate(value))
    _check_together(columns, country, header_rows)
    return columns


def _check_together(columns: Sequence[MappedColumn], country: str, header_rows: int) -> None:
    served = [column.key or column.field for column in columns if column.field]
    repeated = {name for name in served if served.count(name) > 1 and name not in SHARED_FIELDS}
    if repeated:
        raise FormatInvalid(f"Several columns serve the same field: {', '.join(sorted(repeated))}.")
    if missing := missing_fields(country, columns):
        raise FormatInvalid(f"No column serves {', '.join(missing)}.")
    if header_rows == 1 and any(column.group for column in columns):
        raise FormatInvalid("A column has a group, so header_rows must be 2.")
    has_units = any(column.field == "weight_unit" for column in columns)
    if not has_units and any(column.field == "weight_kg" and not column.unit for column in columns):
        raise FormatInvalid("The column of weight_kg needs its unit.")
    headings = {column.heading for column in columns}
    if any(column.right_of and column.right_of not in headings for column in columns):
        raise FormatInvalid("right_of must be the heading of another column.")


def _destination(value: object, country: str) -> DestinationRule:
    content = read_object(value, {"label", "always", "form"}, "destination")
    if len(content) > 1:
        raise FormatInvalid("destination must have only one of label, always and form.")
    always = read_text(content, "always", 3).upper()
    if always and airport_country(always) != country:
        raise FormatInvalid(f"destination.always must be the IATA code of an airport in {SERVED[country].name}.")
    return DestinationRule(
        read_text(content, "label", LONGEST_HEADING), always, read_flag(content, "form", "destination")
    )


def _flight(value: object) -> Mapping[str, Labelled]:
    content = read_object(value, set(_FLIGHT_FIELDS), "flight")
    read = {}
    for name, each in content.items():
        place = f"flight.{name}"
        told = read_object(each, {"label", "month_first", "zone"}, place)
        label = read_text(told, "label", LONGEST_HEADING, place=place, is_required=True)
        read[name] = Labelled(label, read_flag(told, "month_first", place), read_zone(told, name, place))
    return read


def _profile(value: object) -> Mapping[str, FieldProfile]:
    content = read_object(value, MAPPED_FIELDS, "profile")
    read = {}
    for name, each in content.items():
        numbers = read_object(each, {"filled", "readable", "median"}, f"profile.{name}")
        if not all(type(number) in {int, Decimal, float} and number >= 0 for number in numbers.values()):
            raise FormatInvalid(f"profile.{name} must have numbers only.")
        median = numbers.get("median")
        read[name] = FieldProfile(
            filled=float(numbers.get("filled", 1)),
            readable=float(numbers.get("readable", 1)),
            median=None if median is None else float(median),
        )
    return read
