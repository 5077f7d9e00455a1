"""A workbook format: which heading of a client's layout serves which field, and how its cells are read.

Frozen data without regular expressions, formulas or scripts. The classes are the file: `msgspec` refuses unknown keys,
wrong types and lengths; `_problems` says what no format can have, by heading.
"""

import datetime as dt
import hashlib
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Annotated, Any, NamedTuple, TypeVar
from zoneinfo import available_timezones

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import force_setattr, replace

from companies.countries import SERVED
from shipments.errors import FormatInvalid, InvalidBody
from shipments.manifests.cells import LONGEST_HEADING, MAX_COLUMNS, text_of, tokens
from shipments.manifests.countries import rules_for
from shipments.manifests.destinations import airport_country
from shipments.manifests.guide_fields import GUIDE_FIELDS
from shipments.manifests.payload import strict_json
from shipments.manifests.sheets.surveys import normal_value
from shipments.manifests.words.amounts import UNITS
from shipments.manifests.words.spelling import fold

FILE_VERSION = 1
"""The value of `prealerts_format` that this code writes and reads."""

MAX_FILE_BYTES = 3 * 2**20
MAX_TESTS, MAX_TEST_ROWS, MAX_TEST_BYTES = 10, 200, 256 * 1024
"""Tests kept with a format, and the rows and bytes of each."""
LONGEST_NAME, MOST_TEXTS = 100, 20

DECIMALS: Mapping[str, str] = {"comma": ",", "point": ".", "numeric": "numeric"}
"""The decimal mark of a column's texts. `numeric`: only numeric cells are read. Without one, the cells decide."""

PARTS: Mapping[str, str] = {
    **dict.fromkeys(("given_name", "middle_name", "surname", "second_surname"), "consignee_name"),
    "check_digit": "consignee_document",
    "address_number": "consignee_address",
    "address_more": "consignee_address",
    "weight_unit": "weight_kg",
    "currency": "fob_usd",
}
"""Part of a guide's field -> the field."""

MAPPED_FIELDS: frozenset[str] = tokens(
    "category platform_name extra_data mawb flight_number origin destination scheduled_departure scheduled_arrival"
).union(PARTS, (each.name for each in GUIDE_FIELDS if each.in_workbook))
"""What a column can serve: fields of a guide, parts of them, and values of the manifest that each row repeats."""

SHARED_FIELDS: frozenset[str] = tokens("consignee_name consignee_address extra_data")
"""Fields that several columns may serve: names and addresses are joined, extra data has a key for each column."""

NUMBERS: frozenset[str] = tokens("weight_kg fob_usd product_value")
TRANSLATED: frozenset[str] = tokens("consignee_document_type category")
TIMES: frozenset[str] = tokens("scheduled_departure scheduled_arrival")
ENDS: frozenset[str] = tokens("origin destination")
"""The ends of a flight, whose clocks times can show."""

_FLIGHT = ("flight_number", "origin", *sorted(TIMES))
NAME_PARTS = tokens("consignee_name given_name surname")
"""Fields of which one at least is a consignee's name."""
_ALWAYS_REQUIRED = ("hawb", "description_original", "weight_kg", "fob_usd")
_MOST_PROBLEMS = 10
_COLUMN = re.compile(r"\$\.columns\[(\d+)\](.*)")

_Part = TypeVar("_Part", bound=Struct)

Name = Annotated[str, Meta(max_length=LONGEST_NAME)]
Heading = Annotated[str, Meta(max_length=LONGEST_HEADING)]
Text = Annotated[str, Meta(min_length=1, max_length=LONGEST_HEADING)]
Texts = Annotated[tuple[Text, ...], Meta(max_length=MOST_TEXTS)]
Share = Annotated[float, Meta(ge=0)]

Key = tuple[str, ...]
"""A heading in the form in which headings are compared: its tokens, after those of the group above it."""


class Strict(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of a format's file."""


class MappedColumn(Strict, frozen=True):
    """A column of the layout, known by its heading and never by its position.

    heading: as written in the sample; empty for a column without one, then `right_of` is the heading to its left.
    group: the heading above it, in layouts with two rows of headings. also: other spellings accepted later.
    field: one of `MAPPED_FIELDS`, or none for a column that is known and not read. key: of extra data.
    unit: of weights, a key of `UNITS`. decimals: a key of `DECIMALS`. values: text in the sheet, in the form of
    `normal_value`, -> its meaning, for `TRANSLATED` fields. empty: texts that mean an empty cell. required: without
    this column the workbook is refused; decided by the country where it is None in the file.
    month_first: dates in text have the month before the day. zone: whose clock times in text show, for `TIMES`: an end
    of the flight (`ENDS`) or an IANA time zone; empty for the clock of the field's own airport.
    """

    heading: Heading = ""
    field: str | None = None
    group: Heading = ""
    also: Texts = ()
    key: Annotated[str, Meta(max_length=64)] = ""
    unit: str = ""
    decimals: str = ""
    values: Annotated[dict[Text, str], Meta(max_length=200)] = {}
    empty: Texts = ()
    required: bool | None = None
    right_of: Heading = ""
    month_first: bool = False
    zone: str = ""

    def __post_init__(self) -> None:
        if self.values:
            force_setattr(self, "values", {normal_value(key): each for key, each in self.values.items()})

    def spellings(self) -> tuple[Key, ...]:
        """The spellings that name this column."""
        return tuple(dict.fromkeys(heading_key(text, self.group) for text in (self.heading, *self.also) if text))

    def name(self) -> str:
        """The heading as people read it, with the group above it."""
        heading = self.heading or f"({self.right_of} +1)"
        return f"{self.group} / {heading}" if self.group else heading


class Labelled(Strict, frozen=True):
    """A value beside a label outside the table. month_first, zone: as for a column."""

    label: Text
    month_first: bool = False
    zone: str = ""


class MawbRule(Strict, frozen=True):
    """The label beside which the MAWB is, where the known labels and columns do not give it."""

    label: Heading = ""


class DestinationRule(Strict, frozen=True):
    """Where the destination comes from: the cell beside `label`, `always` the same airport, or the `form` only.

    Without any of them the labels and columns known as a destination give it.
    """

    label: Heading = ""
    always: str = ""
    is_form_only: bool = msgspec.field(default=False, name="form")


class FieldProfile(Strict, frozen=True):
    """What the values of a column were like in the sample.

    filled: share of guides with a value. readable: share of those that could be read, or were valid. median: of a
    number. distinct, digits: of texts, the share of different ones, and of those that have a digit.
    """

    filled: Share = 1
    readable: Share = 1
    median: Share | None = None
    distinct: Share | None = None
    digits: Share | None = None


class FormatSpec(Strict, frozen=True):
    """A client's layout.

    country: alpha-2. sheet: if several sheets have the headings, the only one that is read; empty for all of them.
    header_rows: 1, or 2 with a row of groups above the headings. flight: field -> its label. profile: guide field ->
    its values in the sample, if there was one.
    """

    prealerts_format: int
    name: Name
    country: str
    columns: Annotated[tuple[MappedColumn, ...], Meta(min_length=1, max_length=MAX_COLUMNS)]
    sheet: Name = ""
    header_rows: int = 1
    mawb: MawbRule = MawbRule()
    destination: DestinationRule = DestinationRule()
    flight: dict[str, Labelled] = {}
    profile: dict[str, FieldProfile] = {}

    def mapped(self) -> tuple[MappedColumn, ...]:
        """The columns that serve a field."""
        return tuple(column for column in self.columns if column.field)

    def column(self, name: str) -> MappedColumn | None:
        """The first column that serves a field."""
        return next((column for column in self.columns if column.field == name), None)

    def labels(self) -> tuple[str, ...]:
        """The labels outside the table that the format names."""
        named = (self.mawb.label, self.destination.label, *(each.label for each in self.flight.values()))
        return tuple(dict.fromkeys(filter(None, named)))


class Moment(Strict, frozen=True):
    """A date or time in a cell of a kept test: one of the three, in ISO 8601."""

    datetime: dt.datetime | None = None
    date: dt.date | None = None
    time: dt.time | None = None


GridCell = str | int | float | bool | None | Moment
Grid = Annotated[
    list[Annotated[list[GridCell], Meta(max_length=MAX_COLUMNS)]], Meta(min_length=1, max_length=MAX_TEST_ROWS)
]
"""Rows of cells, from row 1 on."""


class KeptTest(Strict, frozen=True):
    """A test kept with a format. expected: what of the manifest must be read from the grid."""

    name: Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
    grid: Grid
    expected: dict[str, Any]


for _kind in (FormatSpec, KeptTest):
    # msgspec describes a class when it is first used, and crashes in a second thread that finds it half described.
    msgspec.json.Decoder(_kind)


class FormatInUse(NamedTuple):
    """A version of a company's format, as it was when the upload began.

    reference: the caller's own id of the version. is_only: workbooks that this format does not recognise are refused,
    where the country would read them anyway.
    """

    reference: int
    name: str
    number: int
    spec: FormatSpec
    is_only: bool = False


def load(content: bytes) -> tuple[FormatSpec, list[dict[str, Any]]]:
    """The format of a file, and its kept tests as JSON.

    Raises `FormatInvalid` with what is wrong: the file's size, its JSON, or each part that no format can have.
    """
    if len(content) > MAX_FILE_BYTES:
        raise FormatInvalid(f"The file is larger than {MAX_FILE_BYTES // 2**20} MB.")
    try:
        value = strict_json.loads(content)
    except InvalidBody as error:
        raise FormatInvalid(str(error.message).replace("The body", "The file")) from None
    tests = value.pop("tests", []) if isinstance(value, dict) else []
    return from_json(value), [msgspec.to_builtins(test) for test in _tests(tests)]


def from_json(value: object) -> FormatSpec:
    """The format in a decoded JSON document. Raises `FormatInvalid`, naming the headings and keys."""
    if isinstance(value, dict) and value.get("prealerts_format") != FILE_VERSION:
        raise FormatInvalid(
            f"prealerts_format is not {FILE_VERSION}: not a workbook format, or one of a newer version."
        )
    spec = _converted(value, FormatSpec, "")
    if spec.country not in SERVED:
        raise FormatInvalid(f"country must be one of {', '.join(SERVED)}.")
    for column in spec.columns:
        locked = is_locked(spec.country, column.field)
        if not column.required and (column.required is None) == locked:  # said in one way, whoever wrote the file
            force_setattr(column, "required", True if locked else None)
    if problems := [f"{each}." for each in _problems(spec)]:
        more = f" (+{len(problems) - _MOST_PROBLEMS})" if len(problems) > _MOST_PROBLEMS else ""
        raise FormatInvalid(" ".join(problems[:_MOST_PROBLEMS]) + more)
    return spec


def to_json(spec: FormatSpec) -> dict[str, Any]:
    """The format as JSON, without what is empty."""
    columns = [{"heading": each.heading, "field": each.field} | msgspec.to_builtins(each) for each in spec.columns]
    return {**msgspec.to_builtins(spec), "columns": columns}


def dump(spec: FormatSpec, tests: Iterable[Mapping[str, Any]] = ()) -> bytes:
    """The file of a format: keys sorted, UTF-8, one line for each value, so that versions can be compared."""
    content = {**to_json(spec), "tests": list(tests)}
    return (json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def digest(spec: FormatSpec) -> str:
    """The SHA-256 of a format's content, in hexadecimal. The name and the tests do not count."""
    return hashlib.sha256(msgspec.json.encode(replace(spec, name=""), order="sorted")).hexdigest()


def fingerprint(spec: FormatSpec) -> str:
    """The SHA-256 of the required headings: two formats with the same ones could not be told apart."""
    required = sorted(column.spellings()[0] for column in spec.columns if column.required and column.spellings())
    return hashlib.sha256(msgspec.json.encode(required)).hexdigest()


def _tests(value: object) -> list[KeptTest]:
    if not isinstance(value, list) or len(value) > MAX_TESTS:
        raise FormatInvalid(f"tests must be an array of at most {MAX_TESTS} objects.")
    tests = []
    for position, each in enumerate(value):
        test = _converted(each, KeptTest, f"tests[{position}].")
        cells = (cell for row in test.grid for cell in row if isinstance(cell, Moment))
        if any([cell.datetime, cell.date, cell.time].count(None) != 2 for cell in cells):
            raise FormatInvalid(f"tests[{position}].grid has a cell that is not one date, datetime or time.")
        if len(msgspec.json.encode(test)) > MAX_TEST_BYTES:
            raise FormatInvalid(f"tests[{position}] is larger than {MAX_TEST_BYTES // 1024} KB.")
        tests.append(test)
    return tests


def _converted(value: object, kind: type[_Part], place: str) -> _Part:
    """A part of a file, in its class. Raises `FormatInvalid` with the heading instead of a column's number."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        problem, _at, path = str(error).replace("`", "").partition(" - at ")
    found = _COLUMN.match(path)
    if "unknown field" in problem and (found is not None or not path):
        problem += f"; it can have {', '.join(MappedColumn.__struct_fields__ if found else kind.__struct_fields__)}"
    if found and isinstance(value, Mapping):
        column = value["columns"][int(found[1])]
        heading = (column.get("heading") or column.get("right_of")) if isinstance(column, Mapping) else ""
        path = f"“{str(heading)[:LONGEST_HEADING]}”{found[2]}" if heading else path
    path = path.removeprefix("$").removeprefix(".")
    raise FormatInvalid(f"{place}{path}: {problem}." if place or path else f"{problem}.")


# --- what no format can be --------------------------------------------------------------------------------------------


def _problems(spec: FormatSpec) -> Iterator[str]:
    """What is wrong, in the words of the headings."""
    if not spec.name.strip() or spec.name != spec.name.strip():
        yield f"name must be a text of at most {LONGEST_NAME} characters, without blanks around it"
    if spec.header_rows not in {1, 2}:
        yield "header_rows must be 1 or 2"
    for column in spec.columns:
        yield from (f"“{column.name()}”: {each}" for each in _column_problems(column, spec.country))
    yield from _problems_together(spec)
    rule, country = spec.destination, SERVED[spec.country].name
    if sum(map(bool, (rule.label, rule.always, rule.is_form_only))) > 1:
        yield "destination must have only one of label, always and form"
    if rule.always and airport_country(rule.always.upper()) != spec.country:
        yield f"destination.always must be the IATA code of an airport in {country}"
    for name, labelled in spec.flight.items():
        if name not in _FLIGHT:
            yield f"flight has {name[:40]!r}; it can have {', '.join(_FLIGHT)}"
        elif problem := _zone_problem(name, labelled.zone):
            yield f"flight.{name}: {problem}"
    if unknown := sorted(spec.profile.keys() - MAPPED_FIELDS):
        yield f"profile has {unknown[0][:40]!r}, which is not a field that a column can serve"


def _problems_together(spec: FormatSpec) -> Iterator[str]:
    columns, fields = spec.columns, {column.field for column in spec.columns}
    served = Counter(column.key or column.field for column in columns if column.field)
    if repeated := sorted(name for name, count in served.items() if count > 1 and name not in SHARED_FIELDS):
        yield f"Several columns serve the same field: {', '.join(map(str, repeated))}"
    if missing := missing_fields(spec.country, fields):
        yield f"No column serves {', '.join(missing)}"
    if spec.header_rows == 1 and any(column.group for column in columns):
        yield "A column has a group, so header_rows must be 2"
    if "weight_unit" not in fields and any(each.field == "weight_kg" and not each.unit for each in columns):
        yield f"The column of weight_kg needs its unit: one of {', '.join(UNITS)}"
    if {column.right_of for column in columns if column.right_of} - {column.heading for column in columns}:
        yield "right_of must be the heading of another column"


def _column_problems(column: MappedColumn, country: str) -> Iterator[str]:
    """What this column cannot have in this country."""
    name = column.field or ""
    if name and name not in MAPPED_FIELDS:
        yield f"{name[:40]!r} is not a field that a column can serve; these are {', '.join(sorted(MAPPED_FIELDS))}"
        return
    if bool(column.heading) == bool(column.right_of):
        yield "a column needs a heading, or right_of if it has none"
    if column.also and not column.heading:
        yield "also needs a heading"
    if column.required and not name:
        yield "it is required but serves no field"
    if not column.required and is_locked(country, name):
        yield f"{name} is always required"
    if column.unit and (name != "weight_kg" or column.unit not in UNITS):
        yield f"unit must be one of {', '.join(UNITS)}, and only for weight_kg"
    if column.decimals and (name not in NUMBERS or column.decimals not in DECIMALS):
        yield f"decimals must be one of {', '.join(DECIMALS)}, and only for {', '.join(sorted(NUMBERS))}"
    if bool(column.key) != (name == "extra_data"):
        yield "key is for extra_data, which needs it"
    if name == "category" and rules_for(country).category is None:
        yield f"{SERVED[country].name} has no express categories"
    if problem := _values_problem(column.values, name, country) or _zone_problem(name, column.zone):
        yield problem


def _values_problem(values: Mapping[str, str], name: str, country: str) -> str:
    if not values:
        return ""
    if name not in TRANSLATED:
        return f"values is for {' and '.join(sorted(TRANSLATED))} only"
    meanings = meanings_of(name, country)
    return "" if set(values.values()) <= set(meanings) else f"values must each mean one of {', '.join(meanings)}"


def meanings_of(name: str, country: str) -> list[str]:
    """What a value of one of the `TRANSLATED` fields can mean in a country."""
    return [*"1234"] if name == "category" else [kind.name for kind in rules_for(country).documents]


def _zone_problem(name: str, zone: str) -> str:
    if not zone or (name in TIMES and zone in ENDS | time_zones()):
        return ""
    return (
        f"zone must be {' or '.join(sorted(ENDS))} or an IANA time zone such as America/Lima, and only for "
        f"{' and '.join(sorted(TIMES))}"
    )


def missing_fields(country: str, served: Collection[str | None]) -> list[str]:
    """The fields without which no format of this country can be used, and that are not among those `served`."""
    missing = [name for name in required_fields(country) if name not in served]
    return missing if NAME_PARTS.intersection(served) else [*missing, "consignee_name"]


@cache
def required_fields(country: str) -> tuple[str, ...]:
    """The fields whose columns a format of this country must have. The consignee's name may be in several columns."""
    # Chile's guides are created without a RUT, as the contract says.
    needs_document = rules_for(country).missing_document_code != "rut_invalid_format"
    return (*_ALWAYS_REQUIRED, *(("consignee_document",) if needs_document else ()))


def is_locked(country: str, name: str | None) -> bool:
    """Whether a column that serves this field is always required."""
    return name in required_fields(country) or name in NAME_PARTS


def heading_key(heading: str, group: str = "") -> Key:
    """A heading in the form in which headings are compared, whatever its case, accents and punctuation."""
    own = _folded(heading)
    return (*_folded(group), "/", *own) if group else own


@lru_cache(maxsize=2048)
def _folded(text: str) -> Key:
    return fold(text) or (text_of(text).casefold(),)


@cache
def time_zones() -> frozenset[str]:
    """The IANA time zones with a region in their name, such as America/Lima, and UTC. Others depend on the machine."""
    return frozenset({"UTC", *(name for name in available_timezones() if "/" in name)})
