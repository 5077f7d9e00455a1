"""Kept tests: made-up guides, written as a format says that its client writes them. Nothing in them was ever anybody's.

A test expects what was made up, not what a format happens to read, so that a version that reads one column for another,
another unit or another decimal mark is found by it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from decimal import Decimal
from itertools import islice
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from companies.countries import SERVED
from companies.errors import DomainError
from shipments.errors import WorkbookFormatChanged
from shipments.manifests.cells import Cell, Sheet, Workbook, text_of, tokens
from shipments.manifests.countries import rules_for
from shipments.manifests.countries.rules import DocumentKind
from shipments.manifests.destinations import airport_timezone
from shipments.manifests.guide_fields import GUIDE_FIELDS
from shipments.manifests.manifest import ParsedManifest
from shipments.manifests.mapped.house.house_layouts import DESTINATION, LAYOUTS
from shipments.manifests.mapped.reading import read_by, survey_by
from shipments.manifests.mapped.recognise import Match, recognise
from shipments.manifests.mapped.spec import (
    DECIMALS,
    MAX_TEST_ROWS,
    NUMBERS,
    TIMES,
    FormatInUse,
    FormatSpec,
    Grid,
    GridCell,
    KeptTest,
    Labelled,
    MappedColumn,
    Moment,
)
from shipments.manifests.sheets.candidates import values_of
from shipments.manifests.sheets.row_kinds import names_sums
from shipments.manifests.words.amounts import UNITS, decimal_mark

MAWB, ORIGIN, FLIGHT_NUMBER = "045-12345675", "MIA", "LA2369"
_MOMENTS = {"scheduled_departure": datetime(2026, 12, 3, 22, 10), "scheduled_arrival": datetime(2026, 12, 4, 6, 45)}  # noqa: DTZ001  # spreadsheets have no time zones
"""Days that can be read in two ways."""

_NAMES = (
    ("Antonia", "Paz", "Fuentes", "Rojas"),
    ("Bruno", "Luis", "Quispe", "Soto"),
    ("Carla", "Eva", "Gomez", "Lagos"),
)
_NAME_PARTS = ("given_name", "middle_name", "surname", "second_surname")
_WEIGHTS = (Decimal("1.234"), Decimal("0.56"), Decimal("12.5"))
_VALUES = (Decimal("59.9"), Decimal("934.5"), Decimal("105.25"))
_SCALES = {"g": Decimal(100), "mg": Decimal(1_000_000), "t": Decimal("0.001")}
"""Unit -> how many of it a parcel weighs, for each of `_WEIGHTS`."""
_IDENTIFIERS = ("hawb", "consignee_document", "consignee_phone", "consignee_postal_code", "hs_code")
_NEVER_EMPTY = tokens("hawb consignee_document consignee_name check_digit packages_count").union(_NAME_PARTS)
_PLAIN = tokens("category platform_name").union(each.name for each in GUIDE_FIELDS if each.in_workbook)
_PLAIN -= tokens("consignee_name consignee_address consignee_document_type")
"""Fields that are read as they are written."""
_FEWEST_GUIDES, _MOST_GUIDES = 3, 30
_MOST_DIFFERENCES = 10


class Habits(NamedTuple):
    """What a test takes over from a client's sample, besides what the format says.

    above: rows above the headings. texts: field of numbers or times -> that its cells are texts, with their decimal
    mark. numeric: fields of identifiers whose cells are numbers. has_totals: whether a row of totals follows.
    """

    above: int = 0
    texts: Mapping[str, str] = {}
    numeric: frozenset[str] = frozenset()
    has_totals: bool = False


_NO_HABITS = Habits()


def habits_of(match: Match, book: Workbook) -> Habits:
    """The habits seen in the first rows of a sample."""
    sheet = book.sheet(match.sheet)
    rows = islice(sheet.rows, MAX_TEST_ROWS) if sheet else ()
    below = [cells for number, cells in rows if number > match.last_row]
    texts: dict[str, str] = {}
    numeric = set()
    for index, place in match.places.items():
        name = match.spec.columns[index].field or ""
        cells = values_of(below, place)
        typed = [cell for cell in cells if isinstance(cell, str)]
        if name in NUMBERS | TIMES and len(typed) * 2 > len(cells):
            texts[name] = next((mark for cell in typed if (mark := decimal_mark(cell)) in {".", ","}), ".")
        elif name in _IDENTIFIERS and len(typed) * 2 < len(cells):
            numeric.add(name)
    has_totals = any(isinstance(cell, str) and names_sums(text_of(cell)) for cells in below for cell in cells)
    return Habits(min(match.first_row, MAX_TEST_ROWS // 2) - 1, texts, frozenset(numeric), has_totals)


def made_up(spec: FormatSpec, habits: Habits = _NO_HABITS, name: str = "made up") -> KeptTest:
    """A test of made-up guides in a format: with each text of its tables of values, and one of two rows."""
    count = max(_FEWEST_GUIDES, *(len(column.values) for column in spec.columns))
    guides = [_guide(spec, habits, at) for at in range(min(count, _MOST_GUIDES))]
    first = guides[-1]
    more = {name: first[name] * 2 for name in NUMBERS} | {"description_original": "Repuestos", "at": first["at"]}
    of_two = [first, {**first, **more}]
    emptied = [{**_guide(spec, habits, len(guides)), "is_emptied": True}]
    rows = [*guides[:-1], *of_two, *(emptied if any(map(_may_be_empty, spec.columns)) else [])]
    columns = _in_order(spec)
    grid = _head(spec, habits) + [[_cell(column, spec, row, habits) for column in columns] for row in rows]
    if habits.has_totals:
        grid.append(["Total"])
    expected = [_expected(spec, of_two if row is first else [row]) for row in rows if row is not of_two[1]]
    return KeptTest(name, grid, {"mawb": MAWB, "flight": _flight(spec), "guides": expected, "warnings": []})


# --- reading a test ---------------------------------------------------------------------------------------------------


def workbook_of(grid: Sequence[Sequence[Any]]) -> Workbook:
    """A workbook with the grid, as JSON, as its only sheet."""

    def read(cell: GridCell) -> Cell:
        return cell.datetime or cell.date or cell.time if isinstance(cell, Moment) else cell

    rows = [(number, tuple(map(read, row))) for number, row in enumerate(msgspec.convert(grid, Grid), start=1)]
    return Workbook(sheets=(Sheet("1", [row for row in rows if any(cell is not None for cell in row[1])]),))


def differences(spec: FormatSpec, grid: Sequence[Sequence[Any]], expected: Mapping[str, Any]) -> list[str]:
    """What a format reads of a grid otherwise than expected: a few names of fields, with their HAWBs.

    expected: `refused` with the kind of the refusal, or what must be equal of `mawb`, `flight`, `guides` and
    `warnings`; of each guide the fields that are named.
    """
    book = workbook_of(grid)
    found = recognise(book, [FormatInUse(0, spec.name, 0, spec)])
    refused = WorkbookFormatChanged.__name__ if found.changed else "not_recognised"
    if found.full:
        try:
            parsed = read_by(spec, survey_by(book, found.full[0]))
        except DomainError as refusal:
            refused = type(refusal).__name__
        else:
            unlike = ["refused"] if "refused" in expected else _differences(parsed, expected)
            return [*islice(unlike, _MOST_DIFFERENCES)]
    return [] if expected.get("refused") == refused else [refused]


def _differences(parsed: ParsedManifest, expected: Mapping[str, Any]) -> Iterator[str]:
    if expected.get("mawb", parsed.mawb) != parsed.mawb:
        yield "mawb"
    flight = asdict(parsed.flight)
    yield from (name for name, value in expected.get("flight", {}).items() if _as_json(flight.get(name)) != value)
    warned = [[each.row_index, each.field, each.code] for each in parsed.warnings]
    if expected.get("warnings", warned) != warned:
        yield from (f"{name}: {code}" for _row, name, code in warned)
        yield "warnings"
    wanted = expected.get("guides", ())
    if len(wanted) != len(parsed.guides):
        yield "guides"
        return
    for guide, values in zip(parsed.guides, wanted, strict=True):
        for name, value in values.items():
            if _as_json(getattr(guide, name, None)) != (None if value in ("", [], {}) else value):
                yield f"{name} of {guide.hawb}"


def _as_json(value: object) -> object:
    """A value as a test has it; None for whatever is empty."""
    if value in ("", None, (), {}):
        return None
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value if isinstance(value, int) else str(value)


# --- guides -----------------------------------------------------------------------------------------------------------


def _guide(spec: FormatSpec, habits: Habits, at: int) -> dict[str, Any]:
    """Field -> what the client writes of a guide. The weight is in the format's unit."""
    rules = rules_for(spec.country)
    kind = _document_kind(spec, at)
    category, value = _category(spec, at)
    first, middle, last, second = _NAMES[at % len(_NAMES)]
    examples = {each.name: f"{each.example} {at + 1}" for each in GUIDE_FIELDS if isinstance(each.example, str)}
    return {
        **examples,
        "at": at,
        "hawb": str(7_000_000_001 + at) if "hawb" in habits.numeric else f"PA{at + 1:010d}",
        "consignee_name": f"{first} {last}",
        "given_name": first,
        "middle_name": middle,
        "surname": last,
        "second_surname": second,
        "consignee_document_type": kind.name if kind else "",
        "consignee_document": rules.identify(kind.name, kind.example).document if kind else "",
        "consignee_postal_code": str(7_510_001 + at),
        "consignee_phone": str(56_955_550_101 + at),
        "consignee_email": f"nobody{at + 1}@example.com",
        "address_number": str(101 + at),
        "address_more": f"Depto {at + 1}",
        "hs_code": str(640_411 + at),
        "packages_count": at % 3 + 1,
        "weight_kg": _WEIGHTS[at % len(_WEIGHTS)] * _SCALES.get(_unit(spec), Decimal(1)),
        "fob_usd": value,
        "product_value": value + 1,
        "category": category,
        "vat_collected": False,  # true has warnings of its own
        "mawb": MAWB,
        "weight_unit": "KG",
        "currency": "USD",
        "flight_number": FLIGHT_NUMBER,
        "origin": ORIGIN,
        "destination": _airport(spec.country),
    }


def _document_kind(spec: FormatSpec, at: int) -> DocumentKind | None:
    """The kind of a guide's document. Where no column tells it, one that its number tells."""
    rules, column = rules_for(spec.country), spec.column("consignee_document_type")
    kinds = [kind for kind in rules.documents if kind.example]
    if column is None:
        kinds = [kind for kind in kinds if rules.identify("", kind.example).document_type == kind.name]
    elif column.values:
        kinds = [kind for kind in kinds if kind.name == _meaning(column, at)]
    return kinds[at % len(kinds)] if kinds else None


def _category(spec: FormatSpec, at: int) -> tuple[int | None, Decimal]:
    """The category that a guide claims, if a column has it, and a value that allows it."""
    column = spec.column("category")
    claimed = (int(_meaning(column, at)) if column.values else 3) if column else None
    return claimed, _VALUES[0 if claimed in {1, 2} else at % len(_VALUES)]


def _meaning(column: MappedColumn, at: int) -> str:
    return [*column.values.values()][at % len(column.values)]


def _airport(country: str) -> str:
    """An airport of the country; its capital for one without a template of ours."""
    return str(LAYOUTS[country].labels[DESTINATION]) if country in LAYOUTS else SERVED[country].capital


def _unit(spec: FormatSpec) -> str:
    """The unit in which weights are written."""
    column = spec.column("weight_kg")
    return "kg" if column is None or spec.column("weight_unit") else column.unit or "kg"


def _expected(spec: FormatSpec, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What must be read of a guide, of one row or more: whatever a column of the format serves."""
    guide = rows[0]
    columns = [column for column in spec.mapped() if not (guide.get("is_emptied") and _may_be_empty(column))]
    fields = {column.field for column in columns if column.field}
    parts = [guide[name] for name in _NAME_PARTS if name in fields]
    names = [_text_of(column, spec, guide) for column in columns if column.field == "consignee_name"]
    address = [_text_of(column, spec, guide) for column in columns if column.field == "consignee_address"]
    address += [guide["address_more"]] if "address_more" in fields else []
    if "address_number" in fields:
        address[:1] = [" ".join([*address[:1], guide["address_number"]])]
    kilograms = [_rounded(row["weight_kg"] * UNITS[_unit(spec)], "0.001") for row in rows]
    told: dict[str, Any] = {name: guide[name] for name in _PLAIN} | {
        "description_original": ", ".join(row["description_original"] for row in rows),
        "weight_kg": sum(kilograms),
        **{name: _rounded(sum(row[name] for row in rows), "0.01") for name in ("fob_usd", "product_value")},
    }
    read = {name: value for name, value in told.items() if name in fields}
    read |= {"consignee_name": " ".join(names or parts), "consignee_address": ", ".join(address)}
    if "consignee_document" in fields:
        read["consignee_document_type"] = guide["consignee_document_type"]
    if "extra_data" in {column.field for column in spec.columns}:
        read["extra_data"] = {column.key: _text_of(column, spec, guide) for column in columns if column.key}
    emptied = {column.field: None for column in spec.mapped() if column not in columns and column.field in _PLAIN}
    return {name: _as_json(each) for name, each in (read | emptied).items()}


def _rounded(number: Decimal | int, step: str) -> Decimal:
    return Decimal(number).quantize(Decimal(step))


# --- cells ------------------------------------------------------------------------------------------------------------


def _may_be_empty(column: MappedColumn) -> bool:
    return bool(column.empty and column.field) and column.field not in _NEVER_EMPTY


def _in_order(spec: FormatSpec) -> list[MappedColumn]:
    """The columns as the sheet has them, each without a heading right of the one that it follows."""
    ordered = [column for column in spec.columns if column.heading]
    for column in (column for column in spec.columns if not column.heading):
        left = next(at for at, each in enumerate(ordered) if each.heading == column.right_of)
        ordered.insert(left + 1, column)
    return ordered


def _head(spec: FormatSpec, habits: Habits) -> list[list[GridCell]]:
    """The labels, empty rows down to where the sample has its headings, and the headings."""
    destination = _airport(spec.country)
    grid: list[list[GridCell]] = []
    if spec.column("mawb") is None or spec.mawb.label:
        grid.append([f"{spec.mawb.label or 'MAWB'}:", MAWB])
    if spec.destination.label:
        grid.append([f"{spec.destination.label}:", destination])
    for name, each in spec.flight.items():
        known = {"flight_number": FLIGHT_NUMBER, "origin": ORIGIN}
        grid.append([f"{each.label}:", known.get(name) or _moment(name, each)])
    grid += [[] for _ in range(max(len(grid) > 0, habits.above - len(grid)))]
    columns = _in_order(spec)
    groups: list[list[GridCell]] = [[column.group or None for column in columns]] if spec.header_rows == 2 else []
    return [*grid, *groups, [column.heading or None for column in columns]]


def _cell(column: MappedColumn, spec: FormatSpec, guide: Mapping[str, Any], habits: Habits) -> GridCell:
    name, at = column.field or "", guide["at"]
    if guide.get("is_emptied") and _may_be_empty(column):
        return column.empty[0]
    if name in TIMES:
        return _moment(name, column, is_text=name in habits.texts)
    if name in NUMBERS:
        mark = "" if column.decimals == "numeric" else DECIMALS.get(column.decimals, "") or habits.texts.get(name, "")
        is_of_two_readings = bool(column.decimals) and not at
        return _typed(guide[name], mark, is_of_two_readings=is_of_two_readings) if mark else float(guide[name])
    if column.values:
        return str([*column.values][at % len(column.values)])
    if name in {"packages_count", "category"}:
        return int(guide[name])
    text = _text_of(column, spec, guide)
    is_number = name in habits.numeric and text.isdecimal() and not text.startswith("0")
    return int(text) if is_number else text


def _text_of(column: MappedColumn, spec: FormatSpec, guide: Mapping[str, Any]) -> str:
    """A text of a guide. Of several columns of names or addresses, each has its own."""
    name = column.field or ""
    if not name:
        return "x"
    if name == "extra_data":
        return f"{column.key} {guide['at'] + 1}"
    if name == "check_digit":
        return str(guide["consignee_document"][-1:])
    if name == "consignee_document" and spec.column("check_digit"):
        return str(guide[name][:-1].rstrip("-"))
    if at := [id(each) for each in spec.columns if each.field == name].index(id(column)):
        return f"{guide[name]} {at}"
    return str(guide[name])


def _typed(number: Decimal, mark: str, *, is_of_two_readings: bool) -> str:
    """A number as text, with two decimals or more; with three of them, a point or comma can be either mark."""
    places = max(3 if is_of_two_readings else 2, -int(number.normalize().as_tuple().exponent))
    return f"{number:.{places}f}".replace(".", mark)


def _moment(name: str, source: MappedColumn | Labelled, *, is_text: bool = False) -> GridCell:
    """A time as its column or label has it: as text if the format says how texts are read."""
    moment = _MOMENTS[name]
    if source.month_first:
        return f"{moment:%m/%d/%Y %H:%M}"
    return f"{moment:%d/%m/%Y %H:%M}" if source.zone or is_text else Moment(datetime=moment)


def _flight(spec: FormatSpec) -> dict[str, str]:
    """What must be read of the flight."""
    told = {column.field: column for column in spec.columns if column.field} | dict(spec.flight)
    found = {}
    if "flight_number" in told:
        found["flight_number"] = FLIGHT_NUMBER
    if "origin" in told:
        found["origin_airport"] = ORIGIN
    if ("destination" in told or spec.destination.label) and spec.country in LAYOUTS:
        found["destination_airport"] = _airport(spec.country)
    destination, origin = SERVED[spec.country].clock, airport_timezone(ORIGIN) if "origin" in told else None
    for name in TIMES & told.keys():
        usual = origin or destination if name == "scheduled_departure" else destination
        clocks = {"": usual, "destination": destination, "origin": origin}
        zone = told[name].zone
        if clock := clocks[zone] if zone in clocks else ZoneInfo(zone):
            found[name] = str(_MOMENTS[name].replace(tzinfo=clock))
    return found
