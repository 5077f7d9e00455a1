"""The heading of a table of events: the meaning of each column. Pure.

The heading has one row, or two where a program groups its columns: `Guía` above `MAWB` and `HAWB`, `Evento` above
`Estado` and `Fecha`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta, timezone
from itertools import islice
from typing import NamedTuple

from shipments.manifests.cells import Cell, text_of
from shipments.manifests.words.spelling import IN_BRACKETS
from shipments.tracking.event_files.words import HEADINGS, Column, folded_heading

Rows = Iterable[tuple[int, Sequence[Cell]]]

_HEADER_ROWS = 20
_OFFSET = re.compile(r"\b(?:utc|gmt)\b\s*(?:([+-])\s*([0-9]{1,2})(?::?([0-5][0-9]))?)?", re.IGNORECASE)
_TIMES = {"fecha", "hora", "date", "datetime", "time", "timestamp"}


class Header(NamedTuple):
    """The heading of a table.

    row: the number of its last row. columns: column -> position.
    offset: the UTC offset that a heading gives for its times (`Fecha (UTC)`), if any.
    unread_times: headings that mention a time but are not recognised.
    """

    row: int
    columns: Mapping[Column, int]
    offset: timezone | None = None
    unread_times: Sequence[str] = ()

    @property
    def names_guides(self) -> bool:
        return "tracking_code" in self.columns or {"mawb", "hawb"} <= self.columns.keys()

    def is_repeated_by(self, cells: Sequence[Cell]) -> bool:
        """Return whether a row below repeats the heading, as at the top of each printed page."""
        headed = ((column, cells[place]) for column, place in self.columns.items() if place < len(cells))
        if sum(_column(text_of(cell)) == column for column, cell in headed) < 2:  # a quick exit for most rows
            return False
        read = _read(cells)
        return len(read) > 1 and all(self.columns.get(column) == position for column, position in read.items())


def find_header(rows: Rows) -> Header | None:
    """Return the first heading in the top rows that names guides, else the first heading of any kind, else None.

    A heading has a status column and at least one other column.
    """
    uppermost = list(islice(rows, _HEADER_ROWS))
    partial = None
    for place, (number, cells) in enumerate(uppermost):
        below_number, below = uppermost[place + 1] if place + 1 < len(uppermost) else (0, ())
        is_double = below_number == number + 1 and _read(cells) and len(_read(below)) > 1
        header = _header(below_number, [cells, below]) if is_double else _header(number, [cells])
        if header and header.names_guides:
            return header
        partial = partial or header
    return partial


def _header(number: int, rows: Sequence[Sequence[Cell]]) -> Header | None:
    """Return the heading that these rows form together. Lower rows are more specific."""
    columns: dict[Column, int] = {}
    for cells in reversed(rows):
        taken = set(columns.values())
        for column, position in _read(cells).items():
            if position not in taken:
                columns.setdefault(column, position)
    if not columns:
        return None
    columns = _settled(columns)
    if "status" not in columns or len(columns) == 1:
        return None
    headings = [(position, text_of(cell)) for cells in rows for position, cell in enumerate(cells)]
    times = [text for position, text in headings if position in {columns.get("occurred_at"), columns.get("time")}]
    offset = next((offset for text in times if (offset := _offset(text))), None)
    unread = [text for position, text in headings if position not in columns.values() and _speaks_of_a_time(text)]
    return Header(number, columns, offset, unread)


def _read(cells: Sequence[Cell]) -> Mapping[Column, int]:
    """Return the columns that the cells of one row name. The first of two equal headings is used."""
    columns: dict[Column, int] = {}
    for position, cell in enumerate(cells):
        column = _column(text_of(cell))
        if column:
            columns.setdefault(column, position)
    return columns


def _column(text: str) -> Column | None:
    """Return the column of a heading. If the whole text is unknown, text in brackets and the offset are ignored."""
    return HEADINGS.get(folded_heading(text)) or HEADINGS.get(
        folded_heading(_OFFSET.sub(" ", IN_BRACKETS.sub(" ", text)))
    )


def _settled(columns: dict[Column, int]) -> dict[Column, int]:
    """Resolve the headings whose meaning depends on the other headings."""
    rest = dict(columns)
    guide, time_of_event = rest.pop("guide", None), rest.pop("event_time", None)
    if guide is not None:
        # Next to a MAWB, `Guía` is the HAWB; next to a HAWB it is the MAWB; alone it is our tracking code.
        if "mawb" in rest:
            rest.setdefault("hawb", guide)
        elif "hawb" in rest:
            rest["mawb"] = guide
        else:
            rest.setdefault("tracking_code", guide)
    if time_of_event is not None:
        rest.setdefault("time" if "occurred_at" in rest else "occurred_at", time_of_event)
    if "time" in rest and "occurred_at" not in rest:
        rest["occurred_at"] = rest.pop("time")
    return rest


def _offset(text: str) -> timezone | None:
    found = _OFFSET.search(text)
    if found is None:
        return None
    ahead = timedelta(hours=int(found[2] or 0), minutes=int(found[3] or 0))
    return timezone(-ahead if found[1] == "-" else ahead) if ahead < timedelta(hours=24) else None


def _speaks_of_a_time(text: str) -> bool:
    return not _TIMES.isdisjoint(folded_heading(text).split())
