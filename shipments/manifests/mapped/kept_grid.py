"""The grid of a kept test: the rows of one sheet as JSON, and how a format reads them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date, datetime, time
from typing import Any

from companies.errors import DomainError
from shipments.manifests.cells import Cell, Sheet, Workbook
from shipments.manifests.guide_fields import GUIDE_FIELDS
from shipments.manifests.manifest import FlightFields, ParsedManifest
from shipments.manifests.mapped.mapped_reading import format_changed, read_by, survey_by
from shipments.manifests.mapped.recognise import recognise
from shipments.manifests.mapped.spec import FormatInUse, FormatSpec

Grid = Sequence[Sequence[Any]]
"""Rows of cells, from row 1 on. A cell is text, a number, true, false or null; a date or time is `{"date": text}`,
`{"datetime": text}` or `{"time": text}` in ISO 8601."""

MOMENTS: Mapping[str, type[date] | type[time]] = {"datetime": datetime, "date": date, "time": time}

_EMPTY: tuple[object, ...] = ("", None, (), {})
_BESIDES = ("category", "platform_name", "extra_data", "review_reasons", "retention_reason")
_COMPARED = ("row_index", *(each.name for each in GUIDE_FIELDS if each.in_workbook), *_BESIDES)


def cell_as_json(cell: Cell) -> Any:  # noqa: ANN401  # JSON
    """A cell as a grid has it."""
    for kind, moment in MOMENTS.items():  # a datetime is also a date
        if isinstance(cell, moment):
            return {kind: cell.isoformat()}
    return cell


def cell_of_json(value: Any) -> Cell:  # noqa: ANN401  # JSON
    """The cell that a grid has as JSON. Raises ValueError if an object is not a date or time."""
    if not isinstance(value, dict):
        cell: Cell = value
        return cell
    ((kind, text),) = value.items()
    if kind not in MOMENTS or not isinstance(text, str):
        raise ValueError(kind)
    return MOMENTS[kind].fromisoformat(text)


def workbook_of(grid: Grid) -> Workbook:
    """A workbook with the grid as its only sheet."""
    rows = [(number, tuple(map(cell_of_json, cells))) for number, cells in enumerate(grid, start=1)]
    return Workbook(sheets=(Sheet("1", [row for row in rows if any(cell is not None for cell in row[1])]),))


def parsed_grid(spec: FormatSpec, grid: Grid) -> ParsedManifest | str:
    """The manifest that a format reads from a grid, or the kind of refusal."""
    book = workbook_of(grid)
    found = recognise(book, [FormatInUse(0, spec.name, 0, spec)])
    if not found.full:
        return type(format_changed(found.changed[0])).__name__ if found.changed else "not_recognised"
    try:
        return read_by(survey_by(book, found.full[0]), FlightFields())
    except DomainError as refusal:
        return type(refusal).__name__


def outcome(spec: FormatSpec, grid: Grid) -> dict[str, Any]:
    """How a format reads a grid, as JSON: the manifest, or the kind of refusal."""
    parsed = parsed_grid(spec, grid)
    return {"refused": parsed} if isinstance(parsed, str) else as_expected(parsed)


def as_expected(parsed: ParsedManifest) -> dict[str, Any]:
    """What a kept test expects of a manifest, as JSON, without what is empty."""
    return {
        "mawb": parsed.mawb,
        "flight": {name: _as_json(value) for name, value in asdict(parsed.flight).items() if value},
        "guides": [
            {name: _as_json(value) for name in _COMPARED if (value := getattr(guide, name)) not in _EMPTY}
            for guide in parsed.guides
        ],
        "warnings": [[each.row_index, each.field, each.code] for each in parsed.warnings],
        "notices": [notice.code for notice in parsed.notices],
    }


def _as_json(value: object) -> object:
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value if isinstance(value, int) else str(value)
