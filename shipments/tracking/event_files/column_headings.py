"""The heading of a table of events: the meaning of each column. Pure.

The heading has one row, or two where a program groups its columns: `Guía` above `MAWB` and `HAWB`, `Evento` above
`Estado` and `Fecha`.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta, timezone
from itertools import islice
from typing import NamedTuple

from shipments.manifests.cells import Cell, text_of
from shipments.manifests.moments import read_moment
from shipments.manifests.words.spelling import IN_BRACKETS
from shipments.tracking.event_files.words import HEADINGS, Column, fold_heading

Rows = Iterable[tuple[int, Sequence[Cell]]]

_HEADER_ROWS = 20
_OFFSET = re.compile(r"\b(?:utc|gmt)\b\s*(?:([+-])\s*([0-9]{1,2})(?::?([0-5][0-9]))?)?", re.IGNORECASE)
CHOSEN_COLUMNS: Mapping[str, Column] = {"code": "guide", "status": "status", "date": "occurred_at", "time": "time"}
"""What a person says of a heading that is not understood -> its column."""
_LIKE_CODES = {
    "codigo", "guia", "tracking", "seguimiento", "envio", "encomienda", "pieza", "code", "parcel", "shipment",
}  # fmt: skip
_LIKE_STATUSES = {"estado", "situacion", "evento", "status", "resultado", "motivo", "gestion"}
_DIGITS_OF_A_VALUE = 5
_TIMES = {"fecha", "hora", "date", "datetime", "time", "timestamp"}


class Header(NamedTuple):
    """The heading of a table.

    row: the number of its last row. columns: column -> position.
    offset: the UTC offset that a heading gives for its times (`Fecha (UTC)`), if any.
    unread_times: headings that mention a time but are not recognised. unread: all headings whose columns are not read.
    """

    row: int
    columns: Mapping[Column, int]
    offset: timezone | None = None
    unread_times: Sequence[str] = ()
    unread: Sequence[str] = ()

    @property
    def names_guides(self) -> bool:
        return "tracking_code" in self.columns or {"mawb", "hawb"} <= self.columns.keys()

    def is_repeated_by(self, cells: Sequence[Cell]) -> bool:
        """Return whether a row below repeats the heading, as at the top of each printed page."""
        headed = ((column, cells[place]) for column, place in self.columns.items() if place < len(cells))
        if sum(_column_of(text_of(cell)) == column for column, cell in headed) < 2:  # a quick exit for most rows
            return False
        read = _read_columns(cells)
        return len(read) > 1 and all(self.columns.get(column) == position for column, position in read.items())


def find_header(rows: Rows) -> Header | None:
    """Return the first heading in the top rows that names guides, else the first heading of any kind, else None.

    A heading has a status column and at least one other column.
    """
    uppermost = list(islice(rows, _HEADER_ROWS))
    partial = None
    for place, (number, cells) in enumerate(uppermost):
        below_number, below = uppermost[place + 1] if place + 1 < len(uppermost) else (0, ())
        is_double = below_number == number + 1 and _read_columns(cells) and len(_read_columns(below)) > 1
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
        for column, position in _read_columns(cells).items():
            if position not in taken:
                columns.setdefault(column, position)
    if not columns:
        return None
    columns = _resolve_columns(columns)
    if "status" not in columns or len(columns) == 1:
        return None
    return _describe_header(number, rows, columns)


def _describe_header(number: int, rows: Sequence[Sequence[Cell]], columns: Mapping[Column, int]) -> Header:
    """Return the heading with these columns, and what its other cells say."""
    headings = [(position, text_of(cell)) for cells in rows for position, cell in enumerate(cells)]
    times = [text for position, text in headings if position in {columns.get("occurred_at"), columns.get("time")}]
    offset = next((offset for text in times if (offset := _read_offset(text))), None)
    unread = [text for position, text in headings if text and position not in columns.values()]
    unread_times = [text for text in unread if not _TIMES.isdisjoint(fold_heading(text).split())]
    return Header(number, columns, offset, unread_times, unread)


def header_as_chosen(number: int, cells: Sequence[Cell], told: Mapping[str, int]) -> Header:
    """Return the heading of which a person has said some columns. told: a key of `CHOSEN_COLUMNS` -> its position.

    The others are read as always. Beside a MAWB the code is a HAWB.
    """
    said = {column: told[name] for name, column in CHOSEN_COLUMNS.items() if name in told}
    replaced, places = {*said, "tracking_code", "hawb", "event_time"}, {*said.values()}
    read = _read_columns(cells).items()
    rest = {column: place for column, place in read if column not in replaced and place not in places}
    return _describe_header(number, [cells], _resolve_columns({**rest, **said}))


def propose_columns(cells: Sequence[Cell]) -> Mapping[str, int]:
    """Return what the columns of a heading seem to be, as `header_as_chosen` takes it."""
    columns = _read_columns(cells)
    words = [{*fold_heading(text_of(cell)).split()} for cell in cells]
    free = [place for place in range(len(cells)) if place not in columns.values()]

    def first(*known: Column, like: Collection[str]) -> int | None:
        named = next((columns[column] for column in known if column in columns), None)
        if named is None:
            named = next((place for place in free if not words[place].isdisjoint(like)), None)
        if named in free:
            free.remove(named)
        return named

    found = {
        "status": first("status", like=_LIKE_STATUSES),
        "time": first("time", like={"hora", "time"}),
        "date": first("occurred_at", "event_time", like=_TIMES),
        "code": first("tracking_code", "guide", "hawb", like=_LIKE_CODES),
    }
    if found["date"] is None:  # `Hora` may have the day too
        found["date"], found["time"] = found["time"], None
    return {name: place for name, place in found.items() if place is not None}


def heading_place(rows: Rows) -> int | None:
    """Return at which place of the top rows the heading stands if no word of it is known; None if there is none.

    It is as wide as the rows below it, and has no values.
    """
    top = [[cell for cell in cells if text_of(cell)] for _number, cells in islice(rows, _HEADER_ROWS)]
    widest = max(map(len, top), default=0)
    wide = [place for place, cells in enumerate(top) if len(cells) > 1 and len(cells) * 2 >= widest]
    if not wide or len(top) == wide[0] + 1 or any(map(_is_value, top[wide[0]])):
        return None
    return wide[0]


def _is_value(cell: Cell) -> bool:
    text = text_of(cell)
    is_text = isinstance(cell, str)
    return not is_text or sum(map(str.isdigit, text)) >= _DIGITS_OF_A_VALUE or read_moment(text) is not None


def _read_columns(cells: Sequence[Cell]) -> Mapping[Column, int]:
    """Return the columns that the cells of one row name. The first of two equal headings is used."""
    columns: dict[Column, int] = {}
    for position, cell in enumerate(cells):
        column = _column_of(text_of(cell))
        if column:
            columns.setdefault(column, position)
    return columns


def _column_of(text: str) -> Column | None:
    """Return the column of a heading. If the whole text is unknown, text in brackets and the offset are ignored."""
    return HEADINGS.get(fold_heading(text)) or HEADINGS.get(fold_heading(_OFFSET.sub(" ", IN_BRACKETS.sub(" ", text))))


def _resolve_columns(columns: dict[Column, int]) -> dict[Column, int]:
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


def _read_offset(text: str) -> timezone | None:
    found = _OFFSET.search(text)
    if found is None:
        return None
    ahead = timedelta(hours=int(found[2] or 0), minutes=int(found[3] or 0))
    return timezone(-ahead if found[1] == "-" else ahead) if ahead < timedelta(hours=24) else None
