"""Write the annotated workbook: a copy of the rows as they were read, never the client's file itself.

The rows are written as XML: openpyxl takes ten times as long for each cell.
"""

import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from datetime import date, time
from io import BytesIO
from itertools import islice
from shutil import copyfileobj
from typing import Any, BinaryIO, Literal, cast
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile

from django.utils.translation import gettext
from openpyxl import Workbook as NewWorkbook
from openpyxl.cell import Cell as NewCell
from openpyxl.comments import Comment
from openpyxl.styles import Font, PatternFill
from openpyxl.utils import get_column_letter
from openpyxl.utils.datetime import to_excel

from shipments.intake.annotated.problems import Problems, SheetMarks
from shipments.manifests.cells import Cell, Sheet, Workbook, text_of

MAX_WHOLE_ROWS = 10_000
"""A workbook with more rows is copied without those that have no problems."""
MAX_CELLS = 300_000
MAX_COMMENTS = 2_000
"""Spreadsheets draw each comment; Excel needs seconds for more."""
MAX_SHEETS = 20

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

_LIST_WIDTHS = (8, 10, 24, 28, 28, 100, 20)
_LONGEST_VALUE = 80
_LONGEST_COMMENT = 2_000
_LONGEST_TITLE = 28
"""Spreadsheets allow 31 characters; equal titles get a number."""
_CODE_COLUMN = 4
_SAMPLED_ROWS = 100
_NARROWEST, _WIDEST = 8, 50
_NOT_IN_A_TITLE = re.compile(r"[\\*?:/\[\]]")

Look = Literal["", "heading", "refused", "warned", "unknown"]
"""How a cell looks; the last three are the colours of problems."""

_FILLS: Mapping[str, PatternFill] = {
    "refused": PatternFill("solid", start_color="F8B4B4"),
    "warned": PatternFill("solid", start_color="FFE08A"),
    "unknown": PatternFill("solid", start_color="B7D4F5"),
}
_NEEDS_TEXT_STYLE = frozenset("=+-@#\t\r")
"""What makes a text a formula or an error once the cell is edited."""
_FIRST_YEAR = 1900
"""Of the dates that spreadsheets have."""
_LONGEST_TEXT = 32_767
"""Characters that a cell may have."""
_NOT_IN_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ROWS = re.compile(rb"<sheetData ?/>|<sheetData>.*</sheetData>", re.DOTALL)
_SIZE = re.compile(rb"<dimension [^>]*>")
_IN_MEMORY = 1 << 20


def annotate_workbook(book: Workbook, problems: Problems) -> bytes:
    """Return the .xlsx: a list of all problems, then the sheets with their cells coloured and commented.

    The list is in the active language. Numbers and dates are written as such, any text as text: a formula is never
    computed. Of a workbook with more than `MAX_WHOLE_ROWS` rows or `MAX_CELLS` cells only headings and rows with
    problems are copied; rows keep their numbers. The first `MAX_COMMENTS` coloured cells have a comment.
    """
    with ExitStack() as files:
        new = _Book(files)
        list_sheet = new.add_sheet(gettext("Problems"), dict(enumerate(_LIST_WIDTHS)), frozen_rows=1)
        copier = _Copier(new, problems, is_whole=_is_small(book))
        # If there are too many, those that were read.
        by_use = sorted(book.sheets, key=lambda sheet: sheet.name not in problems.sheets)[:MAX_SHEETS]
        chosen = {id(sheet) for sheet in by_use}
        for sheet in book.sheets:
            if id(sheet) in chosen:
                copier.copy(sheet)
        _write_list(list_sheet, problems)
        return new.content()


def _is_small(book: Workbook) -> bool:
    rows = cells = 0
    for sheet in book.sheets:
        for _, row in sheet.rows:
            rows += 1
            cells += len(row)
            if rows > MAX_WHOLE_ROWS or cells > MAX_CELLS:
                return False
    return True


class _Copier:
    """Copies sheets. The limits apply to all of them together."""

    def __init__(self, new: "_Book", problems: Problems, *, is_whole: bool) -> None:
        self._new = new
        self._problems = problems
        self._is_whole = is_whole
        self._cells_left = MAX_CELLS
        self._comments_left = MAX_COMMENTS

    def copy(self, sheet: Sheet) -> None:
        """Copy the rows of a sheet, each to the row of its number, and fill in the values of its problems."""
        marks = self._problems.sheets.get(sheet.name, SheetMarks())
        first = min(marks.headings, default=0)
        title = _NOT_IN_A_TITLE.sub("_", _NOT_IN_XML.sub("", sheet.name))[:_LONGEST_TITLE] or "_"
        written = self._new.add_sheet(title, _widths(sheet), frozen_rows=first if first < _SAMPLED_ROWS else 0)
        for number, cells in sheet.rows:
            for problem in marks.by_row.get(number, ()):
                texts = (text_of(cells[column]) for column in problem.columns if column < len(cells))
                problem.value = " ".join(filter(None, texts))[:_LONGEST_VALUE]
            is_wanted = self._is_whole or number in marks.cells or number in marks.headings
            if not is_wanted or self._cells_left < len(cells):
                continue
            self._cells_left -= len(cells)
            marked = marks.cells.get(number, {})
            written.append(number, cells, {column: mark.colour for column, mark in marked.items()})
            for column, mark in islice(marked.items(), self._comments_left):
                text = _NOT_IN_XML.sub("", "\n".join(mark.sentences))[:_LONGEST_COMMENT]
                written.comment(number, column, Comment(text, "Pre-Alerts", height=120, width=300))
                self._comments_left -= 1


def _widths(sheet: Sheet) -> Mapping[int, int]:
    widths: dict[int, int] = {}
    for _, cells in islice(sheet.rows, _SAMPLED_ROWS):
        for column, cell in enumerate(cells):
            widths[column] = max(widths.get(column, _NARROWEST), min(len(text_of(cell)) + 2, _WIDEST))
    return widths


def _write_list(sheet: "_Sheet", problems: Problems) -> None:
    headings = (
        gettext("Row"),
        gettext("Column"),
        gettext("Heading"),
        gettext("Value read"),
        gettext("Code"),
        gettext("Problem"),
        gettext("Sheet"),
    )
    sheet.append(1, headings, dict.fromkeys(range(len(headings)), "heading"))
    number = 1
    for number, problem in enumerate(problems.listed, start=2):
        letters = " + ".join(get_column_letter(column + 1) for column in problem.columns)
        texts = (letters, problem.heading, problem.value, problem.code, problem.sentence, problem.sheet)
        line = [problem.row, *(text or None for text in texts)]
        sheet.append(number, line, {_CODE_COLUMN: problem.colour} if problem.colour else None)
    remarks = [] if problems.listed else [gettext("No problems were found.")]
    if problems.omitted_count:
        more = gettext("%(count)s more problems are not listed.")
        remarks.append(more % {"count": f"{problems.omitted_count:,}"})
    for remark in remarks:
        number += 1
        sheet.append(number, [*[None] * 5, remark])


# --- the new workbook -----------------------------------------------------------------------------------------------


class _Book:
    """A new .xlsx. Its frame, styles and comments are openpyxl's."""

    def __init__(self, files: ExitStack) -> None:
        """files: closes the temporary files."""
        self._frame = NewWorkbook()
        self._frame.remove(self._frame.worksheets[0])
        self._rows: list[BinaryIO] = []
        self._styles: dict[tuple[type, bool, Look], str] = {}
        self._files = files

    def add_sheet(self, title: str, widths: Mapping[int, int], *, frozen_rows: int = 0) -> "_Sheet":
        """Add a sheet; equal titles get a number. widths: column, from 0 -> characters."""
        frame: Any = self._frame.create_sheet(title)
        for column, width in widths.items():
            frame.column_dimensions[get_column_letter(column + 1)].width = width
        if frozen_rows:
            frame.freeze_panes = f"A{frozen_rows + 1}"
        file = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115  # closed with the others
        rows = cast("BinaryIO", self._files.enter_context(file))
        self._rows.append(rows)
        return _Sheet(self, frame, rows)

    def content(self) -> bytes:
        """The file. Sheets are numbered in the order in which they were added."""
        framed, output = BytesIO(), BytesIO()
        self._frame.save(framed)
        rows = {f"xl/worksheets/sheet{number}.xml": file for number, file in enumerate(self._rows, start=1)}
        with ZipFile(framed) as source, ZipFile(output, "w", ZIP_DEFLATED, compresslevel=3) as target:
            for name in source.namelist():
                if name in rows:
                    before, after = _ROWS.split(source.read(name), maxsplit=1)
                    with target.open(name, "w") as part:
                        part.write(_SIZE.sub(b"", before) + b"<sheetData>")
                        rows[name].seek(0)
                        copyfileobj(rows[name], part)
                        part.write(b"</sheetData>" + after)
                else:
                    target.writestr(name, source.read(name))
        return output.getvalue()

    def style(self, value: Cell, look: Look, *, is_quoted: bool) -> str:
        """The attribute of a cell that names its style; each style is made once. is_quoted: it remains text."""
        key = (type(value), is_quoted, look)
        if key not in self._styles:
            cell: Any = NewCell(self._frame.worksheets[0], 1, 1)
            if isinstance(value, date | time):
                cell.value = value  # sets the format of dates
            if is_quoted:
                cell.quotePrefix = True
            if look == "heading":
                cell.font = Font(bold=True)
            elif look:
                cell.fill = _FILLS[look]
            self._styles[key] = f' s="{cell.style_id}"' if cell.has_style else ""
        return self._styles[key]


class _Sheet:
    """A sheet that is being written."""

    def __init__(self, book: _Book, frame: Any, rows: BinaryIO) -> None:  # noqa: ANN401  # openpyxl's stub lacks its columns
        self._book, self._frame, self._rows = book, frame, rows

    def append(self, number: int, cells: Sequence[Cell], looks: Mapping[int, Look] | None = None) -> None:
        """Write a row; the numbers ascend. looks: column, from 0, also past the last cell -> how it looks."""
        looks = looks or {}
        filled = "".join(self._cells(number, cells, looks))
        self._rows.write(f'<row r="{number}">{filled}</row>'.encode())

    def comment(self, number: int, column: int, comment: Comment) -> None:
        """Comment a cell, whether it has been written or not."""
        self._frame.cell(number, column + 1).comment = comment

    def _cells(self, number: int, cells: Sequence[Cell], looks: Mapping[int, Look]) -> Iterable[str]:
        for column, value in enumerate(cells):
            look = looks.get(column, "")
            if value is not None or look:
                yield self._cell(f"{get_column_letter(column + 1)}{number}", value, look)
        for column in sorted(column for column in looks if column >= len(cells)):
            yield self._cell(f"{get_column_letter(column + 1)}{number}", None, looks[column])

    def _cell(self, place: str, value: Cell, look: Look) -> str:
        if isinstance(value, date) and value.year < _FIRST_YEAR:
            value = text_of(value)
        if isinstance(value, str):
            text = _NOT_IN_XML.sub("", value)[:_LONGEST_TEXT]
            style = self._book.style("", look, is_quoted=text[:1] in _NEEDS_TEXT_STYLE)
            space = "" if text == text.strip() else ' xml:space="preserve"'
            return f'<c r="{place}"{style} t="inlineStr"><is><t{space}>{escape(text)}</t></is></c>'
        style = self._book.style(value, look, is_quoted=False)
        if value is None:
            return f'<c r="{place}"{style}/>'
        if isinstance(value, bool):
            return f'<c r="{place}"{style} t="b"><v>{value:d}</v></c>'
        number = to_excel(value) if isinstance(value, date | time) else value  # type: ignore[no-untyped-call]  # openpyxl
        return f'<c r="{place}"{style}><v>{number}</v></c>'
