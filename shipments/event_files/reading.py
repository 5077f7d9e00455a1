"""Reading event files, as couriers and customs send them every day: from CSV or XLSX to rows and their problems. Pure.

Everything below the heading (`column_headings`) is read, except totals and repeated headings. Headings, statuses and
sources may be the contract's own words or those in `words`, in Spanish and English.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timezone
from itertools import islice
from pathlib import Path

from django.utils.translation import gettext

from shipments.errors import EventFileUnreadable, WorkbookUnreadable
from shipments.event_files.column_headings import Header, Rows, find_header
from shipments.event_files.words import SOURCES, STATUSES, Column, folded
from shipments.manifests import waybills
from shipments.manifests.moments import Moment, read_moment
from shipments.manifests.workbook.cell_text import text_of
from shipments.manifests.xlsx import opening, parse_slots
from shipments.manifests.xlsx.opening import Cell
from shipments.statuses import GuideStatus, Source
from shipments.tracking.reasons import text_problem

MAX_ROWS = 50_000
"""The most event rows in one file. Larger files are refused and can be split."""
MAX_BYTES = 20 * 1024 * 1024

MAX_LINES = 1_048_576
"""The most lines of a CSV, including empty ones: as many as a spreadsheet has, read in about a second."""

_HEADING_RECORDS = 1_000  # the heading is looked for in these
_LONGEST_LINE = 200_000  # characters; rows of a table are shorter
_ZIP_MAGIC = b"PK\x03\x04"
_OLD_OFFICE_MAGIC = b"\xd0\xcf\x11\xe0"  # .xls, or an .xlsx with a password
_PDF_MAGIC = b"%PDF"
_SEPARATORS = (",", ";", "\t", "|")
_TOTAL = re.compile(r"(?:gran |sub)?total(?:es)?\b", re.IGNORECASE)
_MOST_SHOWN = 40


@dataclass(frozen=True, slots=True)
class EventRow:
    """One row: an event of the guide identified by `tracking_code`, or by `mawb` and `hawb`.

    row: its number as a spreadsheet shows it. moment: naive if the file gives no offset; None if it gives no time.
    """

    row: int
    tracking_code: str
    mawb: str
    hawb: str
    status: GuideStatus
    source: Source = Source.OPERATOR
    moment: Moment | None = None
    internal_note: str = ""
    client_note: str = ""

    @property
    def guide(self) -> str:
        """Return the guide's identifier as written in the row."""
        return self.tracking_code or f"{self.mawb} {self.hawb}"


@dataclass(frozen=True, slots=True)
class BadRow:
    """An invalid row, and why. guide: the text of the cells that should identify the guide."""

    row: int
    guide: str
    problem: str


def read_event_file(path: Path) -> Sequence[EventRow | BadRow]:
    """Return the rows of a CSV (UTF-8, UTF-16 or Windows-1252; separated by commas, semicolons or tabs) or XLSX file.

    The type is detected from the content, not from the name. Every row that is not empty is returned, valid or not.

    Raises `EventFileUnreadable` if the file cannot be used: file not found, damaged workbook, no header row, missing
    columns, too many rows. Raises `ParserBusy` if all slots for reading workbooks are in use.
    """
    beginning = _beginning(path)
    if beginning == _OLD_OFFICE_MAGIC:
        message = gettext("This is an old .xls workbook or has a password; save it as .xlsx without a password.")
        raise EventFileUnreadable(message)
    if beginning == _PDF_MAGIC:
        raise EventFileUnreadable(_no_table())
    if beginning != _ZIP_MAGIC:
        return _read_csv(path)
    try:
        return _read_workbook(path)
    except WorkbookUnreadable as refused:
        message = gettext("The workbook is damaged, too large or protected by a password; save it as .xlsx again.")
        raise EventFileUnreadable(message) from refused


def _beginning(path: Path) -> bytes:
    """Return the file's first bytes. Raises `EventFileUnreadable` if it is not a file or is too large."""
    try:
        size = path.stat().st_size if path.is_file() else None  # not a directory, nor a pipe, which is read only once
        if size is not None and size <= MAX_BYTES:
            with path.open("rb") as file:
                return file.read(len(_ZIP_MAGIC))
    except OSError:
        size = None
    if size is None:
        raise EventFileUnreadable(gettext("The file does not exist or cannot be read."))
    raise EventFileUnreadable(gettext("The file is larger than %d MB.") % (MAX_BYTES // 1024**2))


def _read_workbook(path: Path) -> Sequence[EventRow | BadRow]:
    with parse_slots.parse_slot(), opening.reading(path) as book:
        headed = [(sheet, header) for sheet in book.sheets if (header := find_header(sheet.rows))]
        useful = [(sheet, header) for sheet, header in headed if header.names_guides]
        if len(useful) > 1:
            names = ", ".join(sheet.name for sheet, _header in useful)
            raise EventFileUnreadable(gettext("Several sheets have events (%s); send each as its own file.") % names)
        if not useful:
            raise EventFileUnreadable(_no_guides() if headed else _no_header())
        ((sheet, header),) = useful
        if sheet.is_cut:
            raise EventFileUnreadable(_too_many())
        return _rows(sheet.rows, header)


# --- CSV --------------------------------------------------------------------------------------------------------


def _read_csv(path: Path) -> Sequence[EventRow | BadRow]:
    text = _decode(path.read_bytes())
    _require_a_table(text)
    problem = _no_header()
    for separator in _SEPARATORS:
        try:
            header = find_header(_records(text, separator, _HEADING_RECORDS))
        except _BrokenQuotes as broken:  # perhaps only because the separator is wrong
            problem = str(broken)
            continue
        if header and not header.names_guides:
            raise EventFileUnreadable(_no_guides())
        if header:
            return _read_records(text, separator, header)
    raise EventFileUnreadable(problem)


def _require_a_table(text: str) -> None:
    """Raise `EventFileUnreadable` if the csv module would take minutes, or read the whole text as one row."""
    if text.count("\n") + text.count("\r") - text.count("\r\n") > MAX_LINES:
        raise EventFileUnreadable(_too_many_lines())
    if "\0" in text or max(map(len, io.StringIO(text, newline="")), default=0) > _LONGEST_LINE:
        raise EventFileUnreadable(_no_table())


def _read_records(text: str, separator: str, header: Header) -> Sequence[EventRow | BadRow]:
    try:
        return _rows(_records(text, separator), header)
    except _BrokenQuotes as broken:
        raise EventFileUnreadable(str(broken)) from None


def _decode(content: bytes) -> str:
    """Decode a file as Excel and other programs save it, trying first the encodings in which a mismatch is detected."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


class _BrokenQuotes(Exception):
    """A quote is not closed. Everything after it would be read as one cell."""


def _records(text: str, separator: str, most: int | None = None) -> Iterator[tuple[int, Sequence[Cell]]]:
    """Yield the non-empty records among the first `most`, or all, numbered as in a spreadsheet."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        for number, record in enumerate(islice(reader, most), start=1):
            if any(map(str.strip, record)):
                yield number, record
    except csv.Error:
        message = gettext("Line %d of the file cannot be read: a quotation mark is not closed or is inside a value.")
        raise _BrokenQuotes(message % reader.line_num) from None


# --- rows -------------------------------------------------------------------------------------------------------


def _rows(rows: Rows, header: Header) -> Sequence[EventRow | BadRow]:
    if "occurred_at" not in header.columns and header.unread_times:
        raise EventFileUnreadable(_unread_time(header.unread_times[0]))
    found: list[EventRow | BadRow] = []
    for number, cells in rows:
        if number <= header.row:
            continue
        values = {column: cells[position] for column, position in header.columns.items() if position < len(cells)}
        words = {column: text_of(value) for column, value in values.items()}
        if not any(words.values()) or _is_total(words):
            continue
        if len(found) == MAX_ROWS:
            raise EventFileUnreadable(_too_many())
        row = _row(number, values, words, header.offset)
        if isinstance(row, EventRow) or not header.is_repeated_by(cells):
            found.append(row)
    return found


def _is_total(words: Mapping[Column, str]) -> bool:
    """Return whether a row is a total: it has a word for one in place of the guide, and no time."""
    named = (words.get(column, "") for column in ("tracking_code", "mawb", "hawb"))
    return not words.get("occurred_at") and any(_TOTAL.match(word) for word in named)


def _row(
    number: int, values: Mapping[Column, Cell], words: Mapping[Column, str], offset: timezone | None
) -> EventRow | BadRow:
    tracking_code, hawb = words.get("tracking_code", "").upper(), words.get("hawb", "").upper()
    mawb = waybills.normal_mawb(_number_or_text(values.get("mawb"))) or ""
    status = STATUSES.get(folded(words.get("status", "")))
    source = SOURCES.get(folded(words["source"])) if words.get("source") else Source.OPERATOR
    moment = _moment(values, offset)
    internal_note, client_note = words.get("internal_note", ""), words.get("client_note", "")
    problem = (
        _guide_problem(tracking_code, mawb, hawb, written_mawb=words.get("mawb", ""))
        or _moment_problem(moment, is_written=bool(words.get("occurred_at") or words.get("time")))
        or text_problem(internal_note)
        or text_problem(client_note)
    )
    if status is None:
        problem = problem or _status_problem(words.get("status", ""))
    if source is None:
        problem = problem or gettext("The source is unknown; use one of: %s.") % ", ".join(Source)
    if problem or status is None or source is None:
        guide = tracking_code or f"{words.get('mawb', '')} {hawb}".strip()
        return BadRow(number, guide, problem)
    return EventRow(number, tracking_code, mawb, hawb, status, source, moment, internal_note, client_note)


def _moment(values: Mapping[Column, Cell], offset: timezone | None) -> Moment | None:
    """Return a row's time, from one cell or from a date and a time of day. offset: the one in its heading."""
    cell = values.get("occurred_at")
    if text_of(values.get("time")):
        cell = f"{text_of(cell)} {text_of(values.get('time'))}"
    moment = read_moment(cell)
    if moment is None or offset is None or moment.value.tzinfo:
        return moment
    return replace(moment, value=moment.value.replace(tzinfo=offset))


def _number_or_text(cell: Cell) -> str | float:
    return cell if isinstance(cell, int | float) else text_of(cell)


def _guide_problem(tracking_code: str, mawb: str, hawb: str, *, written_mawb: str) -> str:
    if tracking_code or (mawb and hawb):
        return ""
    if written_mawb and not mawb:
        return gettext("Not a valid MAWB: enter three digits, a hyphen and eight digits.")
    return gettext("Enter the guide's tracking code, or its MAWB and HAWB.")


def _moment_problem(moment: Moment | None, *, is_written: bool) -> str:
    if is_written and moment is None:
        return gettext("The time cannot be read; use a format such as 2026-11-20 14:30 or 20/11/2026 14:30.")
    if moment and not moment.has_time:
        return gettext("The date has no time of day, which is needed to order a guide's events.")
    return ""


def _status_problem(word: str) -> str:
    if not word:
        return gettext("The status is missing; enter one such as in_transit or delivered.")
    message = gettext('The status "%s" is unknown; use one such as in_transit or delivered.')
    return message % (word if len(word) <= _MOST_SHOWN else f"{word[:_MOST_SHOWN]}…")


def _unread_time(heading: str) -> str:
    message = gettext(
        'No column has the time of the events. If it is "%s", rename that to occurred_at; if not, remove it.'
    )
    return message % heading[:_MOST_SHOWN]


def _no_table() -> str:
    return gettext("The file is neither CSV nor XLSX.")


def _no_header() -> str:
    return gettext("No header row was found: the columns status, and tracking_code or mawb and hawb, are required.")


def _no_guides() -> str:
    return gettext("The column tracking_code, or the columns mawb and hawb, are missing.")


def _too_many_lines() -> str:
    return gettext("The file has more than %d lines; delete the empty ones, or send it in parts.") % MAX_LINES


def _too_many() -> str:
    return gettext("The file has more than %d rows; send it in parts.") % MAX_ROWS
