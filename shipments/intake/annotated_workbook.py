"""The annotated workbook: a client's rows as they were read, each cell with its problems, and a list of them all.

It is a copy, never the client's file. Its rows are written as XML: openpyxl takes ten times as long for each cell.
"""

import re
import tempfile
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
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

from shipments.intake.workbook_reading import ReadWorkbook, WorkbookReading
from shipments.manifests.cells import Cell, Sheet, Workbook, text_of
from shipments.manifests.findings import Collecting
from shipments.manifests.manifest import LeftOut, Notice, RowWarning
from shipments.manifests.sheets.row_reader import ASKED
from shipments.manifests.sheets.rows import ORDINARY, WARNED
from shipments.manifests.sheets.surveys import GuideTable
from shipments.wording.rendering import in_words

MOST_PROBLEMS = 50_000
"""Problems in the list. A workbook of 50,000 rows may have many times as many, and writing them would take minutes."""
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

Colour = Literal["refused", "warned", "unknown"]
Highlight = Literal["", "heading", "refused", "warned", "unknown"]
"""Of a cell; the last three are the colours of problems."""

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


@dataclass(slots=True)
class Problem:
    """One line of the list.

    colour: None for a notice. sheet, row: empty and None if it concerns the whole workbook. columns: from 0; none if no
    cell has the value. heading: of these columns. value: what the cells hold, filled in while they are written.
    """

    colour: Colour | None
    code: str
    sentence: str
    sheet: str = ""
    row: int | None = None
    columns: tuple[int, ...] = ()
    heading: str = ""
    value: str = ""


@dataclass(slots=True)
class CellMark:
    """A coloured cell. sentences: those of its comment."""

    colour: Colour
    sentences: list[str] = field(default_factory=list)


@dataclass(slots=True)
class SheetMarks:
    """The marks of one sheet. cells: row -> column, from 0 -> mark. by_row: row -> problems. headings: rows of them."""

    cells: dict[int, dict[int, CellMark]] = field(default_factory=dict)
    by_row: dict[int, list[Problem]] = field(default_factory=dict)
    headings: set[int] = field(default_factory=set)

    def colour(self, row: int, column: int, colour: Colour, sentence: str) -> None:
        """Colour a cell. A refusal wins over a warning."""
        mark = self.cells.setdefault(row, {}).setdefault(column, CellMark(colour))
        mark.colour = "refused" if "refused" in {mark.colour, colour} else mark.colour
        if sentence not in mark.sentences:
            mark.sentences.append(sentence)


class Problems:
    """What a trial found.

    listed: the problems, those of the whole workbook first, then by sheet and row. omitted_count: further ones.
    sheets: name of a sheet -> its marks.
    """

    def __init__(self, collecting: Collecting, reading: WorkbookReading | None, read: ReadWorkbook | None) -> None:
        """reading, read: as far as the reading came."""
        self.listed = [Problem("refused", refusal.code, refusal.message) for refusal in collecting.refusals]
        self.omitted_count = collecting.findings_count - len(collecting.findings)
        self.sheets: dict[str, SheetMarks] = {}
        sheets = reading.survey.sheets if reading and reading.survey else ()
        self._tables = {tables.sheet.name: tables.guide_tables() for tables in sheets}
        for name, each in self._tables.items():
            self._mark_headings(self._marks(name), each)
        places = {name: place for place, name in enumerate(self._tables)}
        account = read.parsed.rows if read else None
        found = [*map(self._problem, collecting.findings), *self._rows_left_out(account.named if account else ())]
        found.sort(key=lambda problem: (places.get(problem.sheet, -1), problem.row or 0))
        for problem in found:
            self._place(problem)

    def _marks(self, sheet: str) -> SheetMarks:
        return self.sheets.setdefault(sheet, SheetMarks())

    # --- headings ---------------------------------------------------------------------------------------------------

    def _mark_headings(self, marks: SheetMarks, tables: Sequence[GuideTable]) -> None:
        kept = gettext("This column is not read as a field; its values are kept as extra data.")
        asked = gettext("This column is in doubt, and is not read until somebody answers.")
        for table in tables:
            header = table.header
            marks.headings.update(range(header.first_row, header.last_row + 1), table.heading_rows)
            for column, key in table.columns.kept.items():
                if column in header.headings:
                    marks.colour(header.last_row, column, "unknown", asked if key.startswith(ASKED) else kept)

    # --- rows -------------------------------------------------------------------------------------------------------

    def _problem(self, finding: RowWarning | Notice) -> Problem:
        sentence = in_words(finding.reason.sentence, finding.reason.params)
        if isinstance(finding, Notice):
            return Problem(None, finding.code, sentence, finding.sheet, finding.row_index)
        colour: Colour = "refused" if finding.code in WARNED else "warned"
        columns, heading = self._columns(finding.sheet, finding.row_index, finding.field)
        return Problem(colour, finding.code, sentence, finding.sheet, finding.row_index, columns, heading)

    def _rows_left_out(self, rows: Iterable[LeftOut]) -> Iterator[Problem]:
        """Rows without a guide, apart from those of which warnings report the same."""
        for row in rows:
            if row.reason not in ORDINARY | WARNED:
                columns, heading = self._columns(row.sheet, row.row_index, "hawb")
                sentence = in_words(f"left_out_{row.reason}", {"rows": str(row.row_index), "count": 1})
                yield Problem("refused", row.reason, sentence, row.sheet, row.row_index, columns, heading)

    def _columns(self, sheet: str, row: int, name: str) -> tuple[tuple[int, ...], str]:
        """The columns of a field in the table that has the row, and their headings."""
        tables = self._tables.get(sheet, ())
        place = bisect_right(tables, row, key=lambda table: table.header.first_row) - 1
        if place < 0:
            return (), ""
        columns = tables[place].columns.serving(name)
        return columns, " + ".join(filter(None, map(tables[place].heading, columns)))

    def _place(self, problem: Problem) -> None:
        self.listed.append(problem)
        if problem.row is None or not problem.sheet:
            return
        marks = self._marks(problem.sheet)
        marks.by_row.setdefault(problem.row, []).append(problem)
        if problem.colour:
            for column in problem.columns:
                marks.colour(problem.row, column, problem.colour, problem.sentence)


# --- writing ---------------------------------------------------------------------------------------------------------


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
        self._styles: dict[tuple[type, bool, Highlight], str] = {}
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

    def style(self, value: Cell, highlight: Highlight, *, is_quoted: bool) -> str:
        """The attribute of a cell that names its style; each style is made once. is_quoted: it remains text."""
        key = (type(value), is_quoted, highlight)
        if key not in self._styles:
            cell: Any = NewCell(self._frame.worksheets[0], 1, 1)
            if isinstance(value, date | time):
                cell.value = value  # sets the format of dates
            if is_quoted:
                cell.quotePrefix = True
            if highlight == "heading":
                cell.font = Font(bold=True)
            elif highlight:
                cell.fill = _FILLS[highlight]
            self._styles[key] = f' s="{cell.style_id}"' if cell.has_style else ""
        return self._styles[key]


class _Sheet:
    """A sheet that is being written."""

    def __init__(self, book: _Book, frame: Any, rows: BinaryIO) -> None:  # noqa: ANN401  # openpyxl's stub lacks its columns
        self._book, self._frame, self._rows = book, frame, rows

    def append(self, number: int, cells: Sequence[Cell], highlights: Mapping[int, Highlight] | None = None) -> None:
        """Write a row; the numbers ascend. highlights: column, from 0, also past the last cell -> its highlight."""
        highlights = highlights or {}
        filled = "".join(self._cells(number, cells, highlights))
        self._rows.write(f'<row r="{number}">{filled}</row>'.encode())

    def comment(self, number: int, column: int, comment: Comment) -> None:
        """Comment a cell, whether it has been written or not."""
        self._frame.cell(number, column + 1).comment = comment

    def _cells(self, number: int, cells: Sequence[Cell], highlights: Mapping[int, Highlight]) -> Iterable[str]:
        for column, value in enumerate(cells):
            highlight = highlights.get(column, "")
            if value is not None or highlight:
                yield self._cell(f"{get_column_letter(column + 1)}{number}", value, highlight)
        for column in sorted(column for column in highlights if column >= len(cells)):
            yield self._cell(f"{get_column_letter(column + 1)}{number}", None, highlights[column])

    def _cell(self, place: str, value: Cell, highlight: Highlight) -> str:
        if isinstance(value, date) and value.year < _FIRST_YEAR:
            value = text_of(value)
        if isinstance(value, str):
            text = _NOT_IN_XML.sub("", value)[:_LONGEST_TEXT]
            style = self._book.style("", highlight, is_quoted=text[:1] in _NEEDS_TEXT_STYLE)
            space = "" if text == text.strip() else ' xml:space="preserve"'
            return f'<c r="{place}"{style} t="inlineStr"><is><t{space}>{escape(text)}</t></is></c>'
        style = self._book.style(value, highlight, is_quoted=False)
        if value is None:
            return f'<c r="{place}"{style}/>'
        if isinstance(value, bool):
            return f'<c r="{place}"{style} t="b"><v>{value:d}</v></c>'
        number = to_excel(value) if isinstance(value, date | time) else value  # type: ignore[no-untyped-call]  # openpyxl
        return f'<c r="{place}"{style}><v>{number}</v></c>'
