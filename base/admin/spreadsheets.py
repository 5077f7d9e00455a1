"""Exports as CSV and XLSX, written row by row and safe from formula injection. Pure.

A spreadsheet that opens a CSV evaluates any text that begins like a formula, and manifests contain untrusted text. In a
CSV such text is prefixed with an apostrophe. So is text that would become a formula in a separate cell in another
locale, where the separator differs. Some programs split lines before they look at quotes, so line breaks in text are
replaced by spaces. In an XLSX every text has the text type.
Source: OWASP, CSV Injection; OWASP ASVS 5.0, V1.2.10.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import chain, islice
from tempfile import TemporaryFile
from typing import IO, NamedTuple

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.utils import get_column_letter
from openpyxl.worksheet._write_only import WriteOnlyWorksheet


class Formatted(NamedTuple):
    """A number or a local time of an XLSX, with the number format in which its cell shows it."""

    value: Decimal | date
    number_format: str


Value = str | int | float | Decimal | bool | date | datetime | Formatted | None
"""An aware datetime is written in UTC; one without an offset as it is, for people whose heading names the clock."""

CSV_CONTENT_TYPE = "text/csv; charset=utf-8"
XLSX_CONTENT_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

MAX_SHEET_ROWS = 100_000
"""The most rows of one XLSX, including the header: the file is complete before it is sent, and takes half a minute."""

_MAX_TEXT = 32_767
_MEASURED_ROWS = 200
_WIDEST = 50
"""The widest column, in characters, and the rows whose values are measured."""
_FILTER_BUTTON = 3
_BYTE_ORDER_MARK = "\ufeff"  # without it Excel reads UTF-8 as Windows-1252
_LINE_BREAK = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")  # the line breaks of `str.splitlines`
_SIGNS = r"=+\-@\uff1d\uff0b\uff0d\uff20"
_FORMULA_START = re.compile(rf"[\s\x00-\x1f]*[{_SIGNS}]|[\t\r\n\x00]")
_SEPARATORS = ",;\t"
_BLANKS = r"\s\x00-\x1f\""
_INNER_FORMULA_START = {
    ours: re.compile(
        # Only from where blanks and separators begin, and never back: a thousand tabs are looked at once.
        rf"(?<![{_BLANKS}{others}])(?>[{_BLANKS}]*?[{others}])[{_BLANKS}{others}]*+(?=[{_SIGNS}])"
    )
    for ours in _SEPARATORS
    for others in [_SEPARATORS.replace(ours, "")]
}
_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class TooManyRows(Exception):
    """There are more rows than one XLSX may have. CSV has no such limit."""


def on_one_line(text: str) -> str:
    return _LINE_BREAK.sub(" ", text)


def escape_formulas(text: str, separator: str = ",") -> str:
    """Return the text as a CSV cell that no spreadsheet evaluates as a formula, whichever separator it expects."""
    text = _INNER_FORMULA_START[separator].sub(r"\g<0>'", on_one_line(text))
    return f"'{text}" if _FORMULA_START.match(text) else text


def _prepend_apostrophe(text: str, _separator: str) -> str:
    """Return the text, after an apostrophe if it begins like a formula, or with one."""
    return f"'{text}" if text.startswith("'") or _FORMULA_START.match(text) else text


def csv_chunks(
    header: Sequence[str], rows: Iterable[Sequence[Value]], *, separator: str = ",", is_exact: bool = False
) -> Iterator[str]:
    """Yield a CSV file in UTF-8 with a byte order mark, row by row, for a streaming response.

    separator: use a semicolon for Excel in Spanish, which reads the comma as the decimal sign and 1.500 as one thousand
    five hundred. Decimals are then written with a comma.

    is_exact: each text is the same once one leading apostrophe is taken off, line breaks included. Nothing within a
    text is escaped: a spreadsheet that expects another separator may find a formula there.
    """
    echo = csv.writer(_Echo(), delimiter=separator, quoting=csv.QUOTE_MINIMAL)
    write = _prepend_apostrophe if is_exact else escape_formulas
    yield _BYTE_ORDER_MARK + echo.writerow([write(word, separator) for word in header])
    for row in rows:
        yield echo.writerow([
            write(value, separator) if isinstance(value, str) else _csv_cell(value, separator) for value in row
        ])  # fmt: skip


class _Echo:
    """A file-like object whose `write` returns the line."""

    def write(self, line: str) -> str:
        return line


def _csv_cell(value: Value, separator: str) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case datetime() if value.tzinfo is None:
            return value.strftime("%Y-%m-%d %H:%M")
        case datetime():
            return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        case date():
            return value.isoformat()
        case _:
            return str(value).replace(".", "," if separator == ";" else ".")


def xlsx_file(
    header: Sequence[str], rows: Iterable[Sequence[Value]], *, title: str, keeps_lines: bool = False
) -> IO[bytes]:
    """Return an .xlsx as an open temporary file, positioned at its start. Memory use does not grow with the rows.

    Its headings stay in sight and can filter; columns are as wide as their first values. title: the sheet's name. Excel
    shows 31 characters. keeps_lines: text may have line breaks.

    Raises `TooManyRows` past `MAX_SHEET_ROWS`.
    """
    output = TemporaryFile()  # noqa: SIM115  # the caller closes it
    try:
        _write_book(output, header, rows, title[:31], keeps_lines=keeps_lines)
    except BaseException:
        output.close()
        raise
    output.seek(0)
    return output


def _write_book(
    output: IO[bytes], header: Sequence[str], rows: Iterable[Sequence[Value]], title: str, *, keeps_lines: bool
) -> None:
    book = Workbook(write_only=True)
    sheet = book.create_sheet(title)
    try:
        rows = iter(rows)
        first = list(islice(rows, _MEASURED_ROWS))
        _lay_out(sheet, header, first)
        sheet.append([_xlsx_cell(sheet, word, keeps_lines=keeps_lines) for word in header])
        number = 1
        for number, row in enumerate(chain(first, rows), start=2):
            if number > MAX_SHEET_ROWS:
                raise TooManyRows
            sheet.append([_xlsx_cell(sheet, value, keeps_lines=keeps_lines) for value in row])
        sheet.auto_filter.ref = f"A1:{get_column_letter(len(header))}{number}"
    finally:
        book.save(output)  # also if the rows fail: it is the only way to remove openpyxl's temporary file


def _lay_out(sheet: WriteOnlyWorksheet, header: Sequence[str], rows: Sequence[Sequence[Value]]) -> None:
    """Freeze the headings and set the widths; a streamed sheet takes both before its rows only."""
    sheet.freeze_panes = "A2"
    for place, heading in enumerate(header):
        longest = max((_width(row[place]) for row in rows), default=0)
        width = max(len(heading) + _FILTER_BUTTON, min(longest, _WIDEST))
        sheet.column_dimensions[get_column_letter(place + 1)].width = width + 1  # type: ignore[attr-defined]  # of any sheet


def _width(value: Value) -> int:
    if isinstance(value, Formatted):
        value = value.value
    return len("2026-11-20 14:30") if isinstance(value, datetime) else len(str(value))


def _xlsx_cell(sheet: WriteOnlyWorksheet, value: Value, *, keeps_lines: bool) -> object:
    if isinstance(value, Formatted):
        formatted = WriteOnlyCell(sheet, value=value.value)  # type: ignore[arg-type]  # it also takes decimals and dates
        formatted.number_format = value.number_format
        return formatted
    if isinstance(value, datetime):
        cell = WriteOnlyCell(sheet, value=(value.astimezone(UTC) if value.tzinfo else value).replace(tzinfo=None))
        cell.number_format = "yyyy-mm-dd hh:mm"
        return cell
    if not isinstance(value, str):
        return value
    text = _NOT_IN_XML.sub("", value if keeps_lines else on_one_line(value))[:_MAX_TEXT]
    if not (_FORMULA_START.match(text) or text.startswith("#")):
        return text
    cell = WriteOnlyCell(sheet, value=text)
    cell.data_type = "s"
    cell.quotePrefix = True  # remains text after the cell is edited
    return cell
