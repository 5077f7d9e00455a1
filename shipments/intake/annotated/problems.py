"""The problems of a workbook, each at its cells."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from django.utils.translation import gettext

from shipments.intake.workbook_reading import ReadWorkbook, WorkbookReading
from shipments.manifests.findings import Collecting
from shipments.manifests.manifest import LeftOut, Notice, RowWarning
from shipments.manifests.sheets.row_reader import ASKED
from shipments.manifests.sheets.rows import ORDINARY, WARNED
from shipments.manifests.sheets.surveys import GuideTable
from shipments.wording.rendering import in_words

MOST_PROBLEMS = 50_000
"""Problems in the list. A workbook of 50,000 rows may have many times as many, and writing them would take minutes."""

Colour = Literal["refused", "warned", "unknown"]


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
