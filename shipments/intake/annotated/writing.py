"""Write the annotated workbook: a copy of the rows as they were read, never the client's file itself."""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice

from django.utils.translation import gettext
from openpyxl.comments import Comment
from openpyxl.utils import get_column_letter

from shipments.intake.annotated.problems import CellMark, Problem, Problems, SheetMarks
from shipments.intake.annotated.sheet_rows import AnnotatedBook, AnnotatedSheet, without_control_characters
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


def annotated_workbook(book: Workbook, problems: Problems) -> bytes:
    """Return the .xlsx: a list of all problems, then the sheets with their cells coloured and commented.

    The list is in the active language. Numbers and dates are written as such, any text as text: a formula is never
    computed. Of a workbook with more than `MAX_WHOLE_ROWS` rows or `MAX_CELLS` cells only headings and rows with
    problems are copied; rows keep their numbers. The first `MAX_COMMENTS` coloured cells have a comment.
    """
    with ExitStack() as files:
        new = AnnotatedBook(files)
        list_sheet = new.add_sheet(gettext("Problems"), dict(enumerate(_LIST_WIDTHS)), frozen_rows=1)
        copier = _Copier(new, problems, is_whole=_is_small(book))
        for sheet in _copied(book, problems):
            copier.copy(sheet)
        _write_list(list_sheet, problems)
        return new.content()


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

    def __init__(self, new: AnnotatedBook, problems: Problems, *, is_whole: bool) -> None:
        self._new = new
        self._problems = problems
        self._is_whole = is_whole
        self._cells_left = MAX_CELLS
        self._comments_left = MAX_COMMENTS

    def copy(self, sheet: Sheet) -> None:
        """Copy the rows of a sheet, each to the row of its number, and fill in the values of its problems."""
        marks = self._problems.sheets.get(sheet.name, SheetMarks())
        first = min(marks.headings, default=0)
        written = self._new.add_sheet(
            _title(sheet.name), _widths(sheet), frozen_rows=first if first < _SAMPLED_ROWS else 0
        )
        for number, cells in sheet.rows:
            _fill_in_values(marks.by_row.get(number, ()), cells)
            is_wanted = self._is_whole or number in marks.cells or number in marks.headings
            if not is_wanted or self._cells_left < len(cells):
                continue
            self._cells_left -= len(cells)
            self._copy_row(written, number, cells, marks.cells.get(number, {}))

    def _copy_row(
        self, written: AnnotatedSheet, number: int, cells: Sequence[Cell], marks: Mapping[int, CellMark]
    ) -> None:
        written.append(number, cells, {column: mark.colour for column, mark in marks.items()})
        for column, mark in islice(marks.items(), self._comments_left):
            text = without_control_characters("\n".join(mark.sentences))[:_LONGEST_COMMENT]
            written.comment(number, column, Comment(text, "Pre-Alerts", height=120, width=300))
            self._comments_left -= 1


def _fill_in_values(problems: Iterable[Problem], cells: Sequence[Cell]) -> None:
    for problem in problems:
        texts = (text_of(cells[column]) for column in problem.columns if column < len(cells))
        problem.value = " ".join(filter(None, texts))[:_LONGEST_VALUE]


def _widths(sheet: Sheet) -> Mapping[int, int]:
    widths: dict[int, int] = {}
    for _, cells in islice(sheet.rows, _SAMPLED_ROWS):
        for column, cell in enumerate(cells):
            widths[column] = max(widths.get(column, _NARROWEST), min(len(text_of(cell)) + 2, _WIDEST))
    return widths


def _title(name: str) -> str:
    return _NOT_IN_A_TITLE.sub("_", without_control_characters(name))[:_LONGEST_TITLE] or "_"


def _write_list(sheet: AnnotatedSheet, problems: Problems) -> None:
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
        sheet.append(number, _line(problem), {_CODE_COLUMN: problem.colour} if problem.colour else None)
    remarks = [] if problems.listed else [gettext("No problems were found.")]
    if problems.omitted_count:
        more = gettext("%(count)s more problems are not listed.")
        remarks.append(more % {"count": f"{problems.omitted_count:,}"})
    for remark in remarks:
        number += 1
        sheet.append(number, [*[None] * 5, remark])


def _line(problem: Problem) -> list[Cell]:
    letters = " + ".join(get_column_letter(column + 1) for column in problem.columns)
    cells = (letters, problem.heading, problem.value, problem.code, problem.sentence, problem.sheet)
    return [problem.row, *(text or None for text in cells)]
