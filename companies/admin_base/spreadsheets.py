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
from tempfile import TemporaryFile
from typing import IO

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.worksheet._write_only import WriteOnlyWorksheet

Value = str | int | float | Decimal | bool | date | datetime | None
"""A datetime must be aware. It is written in UTC."""

CSV_CONTENT_TYPE = "text/csv; charset=utf-8"
XLSX_CONTENT_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

MAX_SHEET_ROWS = 100_000
"""The most rows of one XLSX, including the header: the file is complete before it is sent, and takes half a minute."""

_MAX_TEXT = 32_767
_BYTE_ORDER_MARK = "\ufeff"  # without it Excel reads UTF-8 as Windows-1252
_LINE_BREAK = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")  # the line breaks of `str.splitlines`
_FORMULA_START = re.compile(r"[\s\x00-\x1f]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\x00]")
_SEPARATORS = ",;\t"
_INNER_FORMULA_START = {
    ours: re.compile(rf"([{_SEPARATORS.replace(ours, '')}][\s\x00-\x1f\"]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")
    for ours in _SEPARATORS
}
_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class TooManyRows(Exception):
    """There are more rows than one XLSX may have. CSV has no such limit."""


def on_one_line(text: str) -> str:
    return _LINE_BREAK.sub(" ", text)


def defused(text: str, separator: str = ",") -> str:
    """Return the text as a CSV cell that no spreadsheet evaluates as a formula, whichever separator it expects."""
    text = _INNER_FORMULA_START[separator].sub(r"\1'", on_one_line(text))
    return f"'{text}" if _FORMULA_START.match(text) else text


def csv_chunks(header: Sequence[str], rows: Iterable[Sequence[Value]], *, separator: str = ",") -> Iterator[str]:
    """Yield a CSV file in UTF-8 with a byte order mark, row by row, for a streaming response.

    separator: use a semicolon for Excel in Spanish, which reads the comma as the decimal sign and 1.500 as one thousand
    five hundred. Decimals are then written with a comma.
    """
    echo = csv.writer(_Echo(), delimiter=separator, quoting=csv.QUOTE_MINIMAL)
    yield _BYTE_ORDER_MARK + echo.writerow([defused(word, separator) for word in header])
    for row in rows:
        yield echo.writerow([_csv_cell(value, separator) for value in row])


class _Echo:
    """A file-like object whose `write` returns the line."""

    def write(self, line: str) -> str:
        return line


def _csv_cell(value: Value, separator: str) -> str:
    match value:
        case None:
            return ""
        case str():
            return defused(value, separator)
        case bool():
            return "true" if value else "false"
        case datetime():
            return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        case date():
            return value.isoformat()
        case _:
            return str(value).replace(".", "," if separator == ";" else ".")


def xlsx_file(header: Sequence[str], rows: Iterable[Sequence[Value]], *, title: str) -> IO[bytes]:
    """Return an .xlsx as an open temporary file, positioned at its start. Memory use does not grow with the rows.

    title: the sheet's name. Excel shows 31 characters.

    Raises `TooManyRows` past `MAX_SHEET_ROWS`.
    """
    output = TemporaryFile()  # noqa: SIM115  # the caller closes it
    try:
        _write_book(output, header, rows, title[:31])
    except BaseException:
        output.close()
        raise
    output.seek(0)
    return output


def _write_book(output: IO[bytes], header: Sequence[str], rows: Iterable[Sequence[Value]], title: str) -> None:
    book = Workbook(write_only=True)
    sheet = book.create_sheet(title)
    try:
        sheet.append([_xlsx_cell(sheet, word) for word in header])
        for number, row in enumerate(rows, start=2):
            if number > MAX_SHEET_ROWS:
                raise TooManyRows
            sheet.append([_xlsx_cell(sheet, value) for value in row])
    finally:
        book.save(output)  # also if the rows fail: it is the only way to remove openpyxl's temporary file


def _xlsx_cell(sheet: WriteOnlyWorksheet, value: Value) -> object:
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None)  # spreadsheets do not support offsets
    if not isinstance(value, str):
        return value
    text = _NOT_IN_XML.sub("", on_one_line(value))[:_MAX_TEXT]
    if not (_FORMULA_START.match(text) or text.startswith("#")):
        return text
    cell = WriteOnlyCell(sheet, value=text)
    cell.data_type = "s"
    cell.quotePrefix = True  # remains text after the cell is edited
    return cell
