"""Write the annotated workbook: a copy of the rows as they were read, never the client's file itself."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from io import BytesIO
from itertools import islice
from typing import Any

from django.utils.translation import gettext
from openpyxl import Workbook as NewWorkbook
from openpyxl.cell import Cell as NewCell
from openpyxl.cell import WriteOnlyCell
from openpyxl.comments import Comment
from openpyxl.styles import Font, PatternFill
from openpyxl.utils import get_column_letter
from openpyxl.worksheet._write_only import WriteOnlyWorksheet

from shipments.annotated.problems import CellMark, Problem, Problems, SheetMarks
from shipments.manifests.workbook.cell_text import text_of
from shipments.manifests.xlsx.opening import Cell, Sheet, Workbook

MAX_WHOLE_ROWS = 10_000
"""A workbook with more rows is copied without those that have no problems."""
MAX_CELLS = 300_000
MAX_COMMENTS = 2_000
"""Spreadsheets draw each comment; Excel needs seconds for more."""
MAX_SHEETS = 20
MAX_EMPTY_ROWS = 100_000
"""Rows keep their numbers, so a stray cell far below the table would cost as many empty rows."""

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

_FILLS = {
    "refused": PatternFill("solid", start_color="F8B4B4"),
    "warned": PatternFill("solid", start_color="FFE08A"),
    "unknown": PatternFill("solid", start_color="B7D4F5"),
}
_BOLD = Font(bold=True)
_LIST_WIDTHS = (8, 10, 24, 28, 28, 100, 20)
_LONGEST_VALUE = 80
_LONGEST_COMMENT = 2_000
_LONGEST_TITLE = 28
"""Spreadsheets allow 31 characters; equal titles get a number."""
_SAMPLED_ROWS = 100
_NARROWEST, _WIDEST = 8, 50
_NOT_IN_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOT_IN_A_TITLE = re.compile(r"[\\*?:/\[\]]")
_NEEDS_TEXT_CELL = frozenset("=+-@#\t\r")
"""What makes a text a formula or an error, here or when the cell is edited."""
_FIRST_YEAR = 1900
"""Of the dates that spreadsheets have."""


def annotated_workbook(book: Workbook, problems: Problems) -> bytes:
    """Return the .xlsx: a list of all problems, then the sheets with their cells coloured and commented.

    The list is in the active language. Numbers and dates are written as such, any text as text: a formula is never
    computed. Of a workbook with more than `MAX_WHOLE_ROWS` rows or `MAX_CELLS` cells only headings and rows with
    problems are copied; rows keep their numbers. The first `MAX_COMMENTS` coloured cells have a comment.
    """
    new = NewWorkbook(write_only=True)
    output = BytesIO()
    try:
        list_sheet: WriteOnlyWorksheet = new.create_sheet(gettext("Problems"))
        copier = _Copier(new, problems, is_whole=_is_small(book))
        for sheet in _copied(book, problems):
            copier.copy(sheet)
        _write_list(list_sheet, problems)
    finally:
        new.save(output)  # also after an error: openpyxl has no other way to remove its temporary files
    return output.getvalue()


def _copied(book: Workbook, problems: Problems) -> list[Sheet]:
    """The sheets to copy, in their order. If there are too many, those that were read."""
    by_use = sorted(book.sheets, key=lambda sheet: sheet.name not in problems.sheets)[:MAX_SHEETS]
    chosen = {id(sheet) for sheet in by_use}
    return [sheet for sheet in book.sheets if id(sheet) in chosen]


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

    def __init__(self, new: NewWorkbook, problems: Problems, *, is_whole: bool) -> None:
        self._new = new
        self._problems = problems
        self._is_whole = is_whole
        self._cells_left = MAX_CELLS
        self._comments_left = MAX_COMMENTS
        self._empty_left = MAX_EMPTY_ROWS

    def copy(self, sheet: Sheet) -> None:
        """Copy the rows of a sheet, each to the row of its number, and fill in the values of its problems."""
        marks = self._problems.sheets.get(sheet.name, SheetMarks())
        written: WriteOnlyWorksheet = self._new.create_sheet(_title(sheet.name))
        _set_widths(written, sheet)
        if marks.headings and (first := min(marks.headings)) < _SAMPLED_ROWS:
            written.freeze_panes = f"A{first + 1}"
        number = 0
        for row_number, cells in sheet.rows:
            _fill_in_values(marks.by_row.get(row_number, ()), cells)
            gap = row_number - number - 1
            is_wanted = self._is_whole or row_number in marks.cells or row_number in marks.headings
            if not is_wanted or self._cells_left < len(cells) or self._empty_left < gap:
                continue
            for _ in range(gap):
                written.append(())
            written.append(self._row(written, cells, marks.cells.get(row_number)))
            number = row_number
            self._cells_left -= len(cells)
            self._empty_left -= gap
        written.close()

    def _row(self, sheet: WriteOnlyWorksheet, cells: Sequence[Cell], marks: Mapping[int, CellMark] | None) -> list[Any]:
        row: list[Any] = [_value(sheet, cell) for cell in cells]
        for column, mark in marks.items() if marks else ():
            row.extend([None] * (column + 1 - len(row)))
            value = row[column]
            cell = value if isinstance(value, NewCell) else WriteOnlyCell(sheet, value)
            cell.fill = _FILLS[mark.colour]
            if self._comments_left:
                self._comments_left -= 1
                cell.comment = _comment(mark)
            row[column] = cell
        return row


def _comment(mark: CellMark) -> Comment:
    text = _NOT_IN_XML.sub("", "\n".join(mark.sentences))[:_LONGEST_COMMENT]
    return Comment(text, "Pre-Alerts", height=120, width=300)


def _value(sheet: WriteOnlyWorksheet, cell: Cell) -> object:
    """A value as it is written: a text stays one, whatever it begins with."""
    if isinstance(cell, str):
        text = _NOT_IN_XML.sub("", cell)
        return _text_cell(sheet, text) if text[:1] in _NEEDS_TEXT_CELL else text
    if isinstance(cell, date) and cell.year < _FIRST_YEAR:
        return text_of(cell)
    return cell


def _text_cell(sheet: WriteOnlyWorksheet, text: str) -> NewCell:
    cell = WriteOnlyCell(sheet, text)
    cell.data_type = "s"
    cell.quotePrefix = True  # remains text after the cell is edited
    return cell


def _fill_in_values(problems: Iterable[Problem], cells: Sequence[Cell]) -> None:
    for problem in problems:
        texts = (text_of(cells[column]) for column in problem.columns if column < len(cells))
        problem.value = " ".join(filter(None, texts))[:_LONGEST_VALUE]


def _set_widths(written: WriteOnlyWorksheet, sheet: Sheet) -> None:
    widths: dict[int, int] = {}
    for _, cells in islice(sheet.rows, _SAMPLED_ROWS):
        for column, cell in enumerate(cells):
            widths[column] = max(widths.get(column, _NARROWEST), min(len(text_of(cell)) + 2, _WIDEST))
    _widen(written, widths)


def _widen(sheet: Any, widths: Mapping[int, int]) -> None:  # noqa: ANN401  # the sheet's stub lacks its columns
    for column, width in widths.items():
        sheet.column_dimensions[get_column_letter(column + 1)].width = width


def _title(name: str) -> str:
    return _NOT_IN_A_TITLE.sub("_", _NOT_IN_XML.sub("", name))[:_LONGEST_TITLE] or "_"


def _write_list(sheet: WriteOnlyWorksheet, problems: Problems) -> None:
    headings = (
        gettext("Row"),
        gettext("Column"),
        gettext("Heading"),
        gettext("Value read"),
        gettext("Code"),
        gettext("Problem"),
        gettext("Sheet"),
    )
    _widen(sheet, dict(enumerate(_LIST_WIDTHS)))
    sheet.freeze_panes = "A2"
    sheet.append([_styled(sheet, heading, font=_BOLD) for heading in headings])
    for problem in problems.listed:
        sheet.append(_line(sheet, problem))
    if not problems.listed:
        sheet.append([None] * 5 + [gettext("No problems were found.")])
    if problems.omitted_count:
        more = gettext("%(count)s more problems are not listed.") % {"count": f"{problems.omitted_count:,}"}
        sheet.append([None] * 5 + [more])


def _line(sheet: WriteOnlyWorksheet, problem: Problem) -> list[object]:
    code: object = problem.code
    if problem.colour:
        code = _styled(sheet, problem.code, fill=_FILLS[problem.colour])
    letters = " + ".join(get_column_letter(column + 1) for column in problem.columns)
    quoted = (_value(sheet, text) for text in (problem.heading, problem.value))
    sentence = _value(sheet, problem.sentence)
    return [problem.row, letters, *quoted, code, sentence, _value(sheet, problem.sheet)]


def _styled(sheet: WriteOnlyWorksheet, text: str, **styles: object) -> NewCell:
    cell = WriteOnlyCell(sheet, text)
    for name, style in styles.items():
        setattr(cell, name, style)
    return cell
