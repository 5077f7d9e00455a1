"""Reading event files, as couriers and customs send them every day: from CSV or XLSX to rows and their problems. Pure.

Everything below the heading (`column_headings`) is read, except totals and repeated headings. Headings, statuses and
sources may be the contract's own words or those in `words`, in Spanish and English.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from django.utils.translation import gettext

from shipments.errors import EventFileUnreadable, ReadingTooLong, WorkbookUnreadable
from shipments.manifests.cells import LONGEST_CELL, Cell
from shipments.manifests.xlsx import opening
from shipments.tracking.event_files.column_headings import Rows, find_header, heading_place
from shipments.tracking.event_files.event_rows import (
    MAX_ROWS,
    BadRow,
    EventRow,
    read_rows,
    too_many_rows,
    unread_time,
)

MAX_BYTES = 20 * 1024 * 1024

MAX_LINES = 1_048_576
"""The most lines of a CSV, including empty ones: as many as a spreadsheet has, read in about a second."""

_HEADING_RECORDS = 1_000  # the heading is looked for in these
_LONGEST_LINE = 200_000  # characters; rows of a table are shorter
_ZIP_MAGIC = b"PK\x03\x04"
_OLD_OFFICE_MAGIC = b"\xd0\xcf\x11\xe0"  # .xls, or an .xlsx with a password
_PDF_MAGIC = b"%PDF"
_SEPARATORS = (",", ";", "\t", "|")


Table = list[tuple[int, Sequence[Cell]]]


class Events(NamedTuple):
    """The rows of a file, and the headings of the columns that were not read."""

    rows: Sequence[EventRow | BadRow]
    unread: Sequence[str]


def read_event_file(path: Path) -> Events:
    """Return the rows of a CSV (UTF-8, UTF-16 or Windows-1252; separated by commas, semicolons or tabs) or XLSX file.

    The type is detected from the content, not from the name. Every row that is not empty is returned, valid or not.

    Raises `EventFileUnreadable` if the file cannot be used: file not found, damaged workbook, no header row, missing
    columns, too many rows; with its rows if only the meaning of its columns is unclear. Raises `ParserBusy` if all
    slots for reading workbooks are in use.
    """
    beginning = _read_first_bytes(path)
    if beginning == _OLD_OFFICE_MAGIC:
        message = gettext("This is an old .xls workbook or has a password; save it as .xlsx without a password.")
        raise EventFileUnreadable(message)
    if beginning == _PDF_MAGIC:
        raise EventFileUnreadable(_no_table())
    try:
        return _read_workbook(path) if beginning == _ZIP_MAGIC else _read_csv(path, opening.ReadingTime())
    except ReadingTooLong as refused:
        message = gettext(refused.default_message) % {"rows": refused.rows, "longest": refused.longest}
        raise EventFileUnreadable(message) from None
    except WorkbookUnreadable as refused:
        message = gettext("The workbook is damaged, too large or protected by a password; save it as .xlsx again.")
        raise EventFileUnreadable(message) from refused


def _read_first_bytes(path: Path) -> bytes:
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


def _read_workbook(path: Path) -> Events:
    with opening.reading(path) as book:
        headed = [(sheet, header) for sheet in book.sheets if (header := find_header(sheet.rows))]
        useful = [(sheet, header) for sheet, header in headed if header.names_guides]
        if len(useful) > 1:
            names = ", ".join(sheet.name for sheet, _header in useful)
            raise EventFileUnreadable(gettext("Several sheets have events (%s); send each as its own file.") % names)
        if not useful:
            likely = [sheet for sheet, _header in headed] or [
                each for each in book.sheets if heading_place(each.rows) is not None
            ]
            raise _with_table(_no_guides() if headed else _no_header(), likely[0].rows if likely else ())
        ((sheet, header),) = useful
        if sheet.is_cut:
            raise EventFileUnreadable(too_many_rows())
        if problem := unread_time(header):
            raise _with_table(problem, sheet.rows)
        return Events(read_rows(sheet.rows, header), header.unread)


def _with_table(message: str, rows: Rows) -> EventFileUnreadable:
    """Return the refusal of a file that is a table, with its rows from the heading on."""
    refused = EventFileUnreadable(message)
    place = heading_place(rows)
    table: Table = list(islice(rows, place, place + MAX_ROWS + 2)) if place is not None else []
    if len(table) > MAX_ROWS + 1:
        return EventFileUnreadable(too_many_rows())
    refused.table = table
    return refused


# --- CSV --------------------------------------------------------------------------------------------------------


def _read_csv(path: Path, time: opening.ReadingTime) -> Events:
    text = _decode(path.read_bytes())
    _require_a_table(text)
    problem, widest = _no_header(), (0, "")
    for separator in _SEPARATORS:
        try:
            top = list(_records(text, separator, time, _HEADING_RECORDS))
        except _BrokenQuotes as broken:  # perhaps only because the separator is wrong
            problem = str(broken)
            continue
        widest = max(widest, (max((len(cells) for _number, cells in top), default=0), separator))
        header = find_header(top)
        if header is None:
            continue
        try:
            if unclear := unread_time(header) if header.names_guides else _no_guides():
                raise _with_table(unclear, list(_records(text, separator, time)))
            return Events(read_rows(_records(text, separator, time), header), header.unread)
        except _BrokenQuotes as broken:
            raise EventFileUnreadable(str(broken)) from None
    try:
        rows = list(_records(text, widest[1], time)) if widest[1] else []
    except _BrokenQuotes as broken:
        raise EventFileUnreadable(str(broken)) from None
    raise _with_table(problem, rows)


def _require_a_table(text: str) -> None:
    """Raise `EventFileUnreadable` if the csv module would take minutes, or read the whole text as one row."""
    if text.count("\n") + text.count("\r") - text.count("\r\n") > MAX_LINES:
        message = gettext("The file has more than %d lines; delete the empty ones, or send it in parts.")
        raise EventFileUnreadable(message % MAX_LINES)
    if "\0" in text or max(map(len, io.StringIO(text, newline="")), default=0) > _LONGEST_LINE:
        raise EventFileUnreadable(_no_table())


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


def _records(
    text: str, separator: str, time: opening.ReadingTime, most: int | None = None
) -> Iterator[tuple[int, Sequence[Cell]]]:
    """Yield the non-empty records among the first `most`, or all, numbered as in a spreadsheet. Long cells are cut."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        for number, record in enumerate(islice(reader, most), start=1):
            if any(map(str.strip, record)):
                time.rows, time.longest = number, max(time.longest, *map(len, record))
                time.check()
                yield number, [cell[:LONGEST_CELL] for cell in record]
    except csv.Error:
        message = gettext("Line %d of the file cannot be read: a quotation mark is not closed or is inside a value.")
        raise _BrokenQuotes(message % reader.line_num) from None


# --- refusals ---------------------------------------------------------------------------------------------------


def _no_table() -> str:
    return gettext("The file is neither CSV nor XLSX.")


def _no_header() -> str:
    return gettext("No header row was found: the columns status, and tracking_code or mawb and hawb, are required.")


def _no_guides() -> str:
    return gettext("The column tracking_code, or the columns mawb and hawb, are missing.")
