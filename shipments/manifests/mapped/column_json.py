"""A mapped column as JSON, strictly; see `spec_json`."""

from collections.abc import Mapping
from typing import Any, cast

from companies.countries import SERVED
from shipments.errors import FormatInvalid
from shipments.manifests.countries import rules_for
from shipments.manifests.mapped.spec import (
    ENDS,
    MAPPED_FIELDS,
    NUMBERS,
    TIMES,
    TRANSLATED,
    Decimals,
    MappedColumn,
    is_locked,
)
from shipments.manifests.mapped.spec_values import (
    LONGEST_HEADING,
    LONGEST_NAME,
    normal_value,
    read_flag,
    read_object,
    read_text,
    read_texts,
    time_zones,
)
from shipments.manifests.words.amounts import UNITS

_MOST_VALUES = 200

_COLUMN_KEYS = {
    "heading", "group", "also", "field", "key", "unit", "decimals", "values", "empty", "required", "right_of",
    "month_first", "zone",
}  # fmt: skip
_DECIMALS = ("comma", "point", "numeric")


def column_json(column: MappedColumn) -> dict[str, Any]:
    """The column as JSON, without what is empty."""
    given = {name: getattr(column, name) for name in _COLUMN_KEYS - {"heading", "field"}}
    written = {name: value for name, value in given.items() if value}
    written = {name: list(value) if isinstance(value, tuple) else value for name, value in written.items()}
    return {"heading": column.heading, "field": column.field or None, **written}


def read_column(value: object, place: str, country: str) -> MappedColumn:
    """The column in a decoded JSON document. Raises `FormatInvalid`, naming its `place` and the key."""
    content = read_object(value, _COLUMN_KEYS, place)
    name = content.get("field") or ""
    if name not in MAPPED_FIELDS | {""}:
        raise FormatInvalid(f"{place}.field is not a field that a column can serve.")
    column = MappedColumn(
        heading=read_text(content, "heading", LONGEST_HEADING, place=place),
        group=read_text(content, "group", LONGEST_HEADING, place=place),
        also=read_texts(content, "also", place),
        field=name,
        key=read_text(content, "key", 64, place=place),
        unit=read_text(content, "unit", 8, place=place),
        decimals=_decimals(content, name, place),
        values=_values(content, name, place, country),
        empty=read_texts(content, "empty", place),
        required=read_flag(content, "required", place, default=is_locked(country, name)),
        right_of=read_text(content, "right_of", LONGEST_HEADING, place=place),
        month_first=read_flag(content, "month_first", place),
        zone=read_zone(content, name, place),
    )
    _check_column(column, place, country)
    return column


def _check_column(column: MappedColumn, place: str, country: str) -> None:
    if bool(column.heading) == bool(column.right_of):
        raise FormatInvalid(f"{place} needs a heading, or right_of if it has none.")
    if column.also and not column.heading:
        raise FormatInvalid(f"{place}.also needs a heading.")
    if column.required and not column.field:
        raise FormatInvalid(f"{place} is required but serves no field.")
    if is_locked(country, column.field) and not column.required:
        raise FormatInvalid(f"{place}.required: {column.field} is always required.")
    if column.unit and (column.field != "weight_kg" or column.unit not in UNITS):
        raise FormatInvalid(f"{place}.unit must be one of {', '.join(UNITS)}, and only for weight_kg.")
    if bool(column.key) != (column.field == "extra_data"):
        raise FormatInvalid(f"{place}.key is for extra_data, which needs it.")
    if column.field == "category" and rules_for(country).category is None:
        raise FormatInvalid(f"{place}: {SERVED[country].name} has no express categories.")


def _values(content: Mapping[str, Any], name: str, place: str, country: str) -> Mapping[str, str]:
    value = content.get("values") or {}
    if not isinstance(value, dict) or len(value) > _MOST_VALUES:
        raise FormatInvalid(f"{place}.values must be an object of at most {_MOST_VALUES} texts.")
    if value and name not in TRANSLATED:
        raise FormatInvalid(f"{place}.values is for {' and '.join(sorted(TRANSLATED))} only.")
    documents = {kind.name for kind in rules_for(country).documents}
    meanings = {"1", "2", "3", "4"} if name == "category" else documents
    if any(meaning not in meanings for meaning in value.values()):
        raise FormatInvalid(f"{place}.values must each mean one of {', '.join(sorted(meanings))}.")
    return {normal_value(text): str(meaning) for text, meaning in value.items()}


def _decimals(content: Mapping[str, Any], name: str, place: str) -> Decimals:
    value = content.get("decimals") or ""
    if value and (name not in NUMBERS or value not in _DECIMALS):
        raise FormatInvalid(f"{place}.decimals must be one of {', '.join(_DECIMALS)}, and only for numbers.")
    return cast("Decimals", value)


def read_zone(content: Mapping[str, Any], name: str, place: str) -> str:
    """The clock of a time typed as text, in the field called `name`. Raises `FormatInvalid`."""
    value = read_text(content, "zone", LONGEST_NAME, place=place)
    if value and (name not in TIMES or value not in ENDS | time_zones()):
        raise FormatInvalid(
            f"{place}.zone must be {' or '.join(sorted(ENDS))} or an IANA time zone such as America/Lima, and only for "
            f"{' and '.join(sorted(TIMES))}."
        )
    return value
