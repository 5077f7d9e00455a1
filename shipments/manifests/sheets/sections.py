"""Split a sheet into tables: each row of headings further down begins a new table.

A row that repeats the headings over the same columns is a page break and begins nothing. A row of other headings ends
the table: the rows below it are read by their own columns or not at all, never by the columns of the table above.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, takewhile

from base.errors import Translatable
from shipments.errors import ManifestTooLarge
from shipments.manifests.cells import Cell, Row, Sheet, text_of
from shipments.manifests.sheets.account import account_for_columns
from shipments.manifests.sheets.answers import NOTHING_TOLD, Told
from shipments.manifests.sheets.assignment import assign
from shipments.manifests.sheets.candidates import has_own_values, looks_like_guide
from shipments.manifests.sheets.headers import (
    HeaderBlock,
    has_same_columns,
    heading_blocks,
    value_columns,
    with_formats,
    with_remarks,
)
from shipments.manifests.sheets.measures import Statement, find_changes, measures_of
from shipments.manifests.sheets.row_kinds import is_total
from shipments.manifests.sheets.surveys import Columns, GuideTable, OtherTable
from shipments.manifests.sheets.table import Table
from shipments.manifests.words.labels import FLIGHT_FIELDS, is_wording
from shipments.manifests.words.lexicon import Meaning

SAMPLED_ROWS = 500
"""Guide rows whose values decide which column serves which field."""

MOST_TABLES = 100
"""Tables with their own headings on one sheet."""

_GUIDE_CELLS = 3
_SPARSE_CELLS = 6
MOST_SPARSE_ROWS = 500
_MOST_VALUES = 20
_FEWEST_HEADINGS = 3
_NEVER_LISTS = (
    *FLIGHT_FIELDS, "consignee_document", "description_original", "hs_code", "weight_kg", "packages_count", "fob_usd",
    "product_value",
)  # fmt: skip
_THREE_DIGITS = re.compile(r"[0-9]{3}")
_DIGIT = re.compile(r"[0-9]")


@dataclass(slots=True)
class Section:
    """A table while its rows are processed.

    labelled: texts labelled as a MAWB outside. hawbs: contents of the HAWB column, for rows that may be guides.
    others: rows that may hold labels. told: what a person has said of the layout. seen: the headings with the cells of
    the first guides.
    distinct: column -> the different values of columns that carry the MAWB or the flight.
    """

    sheet: Sheet
    header: HeaderBlock
    labelled: Collection[str]
    told: Told
    is_further: bool = False
    is_others: bool = False
    columns: Columns | None = None
    guides: int = 0
    guide_row: int | None = None
    hawbs: set[str] = field(default_factory=set)
    seen: Table | None = None
    others: list[Row] = field(default_factory=list)
    distinct: dict[int, dict[Cell, None]] = field(default_factory=dict)
    heading_rows: set[int] = field(default_factory=set)
    _first: list[Row] = field(default_factory=list)
    _house: int = -1
    _width: int = 0

    def add(self, row: Row) -> None:
        if self.is_others:
            self._add_other(row)
        elif self.columns is not None:
            self._note(row)
        else:
            self._first.append(row)
            if len(self._first) == SAMPLED_ROWS:
                self.settle()

    def settle(self) -> None:
        """Choose the columns from the rows so far. Does nothing if they are already chosen."""
        if self.is_others or self.columns is not None:
            return
        if self.is_further:
            self.header = with_remarks(self.header, self._first)
            self.heading_rows.update(range(self.header.first_row, self.header.last_row + 1))
        if self.sheet.formats:
            self.header = with_formats(self.header, self.sheet.formats)
        width = max(self.header.headings) + 1
        first = [(number, pad(cells, width)) for number, cells in self._first if number > self.header.last_row]
        rows = (cells for number, cells in first if number not in self.heading_rows)
        sample = [cells for cells in rows if count_filled(cells) >= _GUIDE_CELLS]
        self.seen = Table(self.header.headings, self.header.texts, sample)
        self.columns = assign(self.seen, self.labelled, self.told)
        if lists := _lists_beside(self.header, first, self.columns) - self.told.of(self.header.headings).keys():
            unread = {
                column: replace(self.header.headings[column], meanings=(Meaning("unused", 0),), party="other")
                for column in lists
            }
            self.header = replace(self.header, headings={**self.header.headings, **unread})
            self.seen = Table(self.header.headings, self.header.texts, sample)
            self.columns = assign(self.seen, self.labelled, self.told)
        if "hawb" not in self.columns.single:
            self.is_others = True
            for row in first:
                self._add_other(row)
            return
        single = self.columns.single
        self._width = width
        self._house = single["hawb"]
        watched = [*self.columns.mawb, *(single[name] for name in FLIGHT_FIELDS if name in single)]
        self.distinct = {column: {} for column in watched}
        for row in first:
            self._note(row)
        self._first.clear()

    def settle_measures(self, stated: Sequence[Statement]) -> None:
        """Decide units and currencies, once all rows of the sheet are known."""
        columns = self.columns
        if self.is_others or columns is None or self.seen is None or not self.seen.sample:
            return
        rows = [row for row in self.others if row[0] > self.header.last_row]
        stated = (*stated, *find_changes(rows, columns.single, self.header.headings))
        if not stated:
            return
        headings = self.header.headings
        taken = headings.keys() - {*columns.loose, *columns.measures.columns()}
        self.columns = replace(columns, measures=measures_of(columns.single, headings, taken, self.seen.sample, stated))

    def names_consignees(self) -> bool:
        """Whether its guides have consignees. A summary that counts HAWBs has none."""
        return self.columns is not None and bool(self.columns.names or "consignee_document" in self.columns.single)

    def table(self) -> GuideTable | OtherTable:
        if self.columns is None or self.seen is None or self.is_others:
            return OtherTable(self.header, self.guide_row)
        columns = account_for_columns(self.columns, self.seen)
        return GuideTable(self.sheet, self.header, columns, self.seen, frozenset(self.heading_rows))

    def _note(self, row: Row) -> None:
        """Count a guide and record the values of the watched columns. Keep any other row that may hold labels."""
        number, cells = row
        if len(cells) < self._width:
            cells = pad(cells, self._width)
        hawb = text_of(cells[self._house])
        if not hawb or count_filled(cells) < _GUIDE_CELLS or is_total(hawb):
            if is_sparse((number, cells)) and len(self.others) < MOST_SPARSE_ROWS:
                self.others.append((number, cells))
            return
        if len(cells) > self._width and len(self.others) < MOST_SPARSE_ROWS:
            self.others.append((number, (*(None,) * self._width, *cells[self._width :])))  # a box beside the guides
        self.guides += 1
        self.hawbs.add(hawb.upper())
        for column, values in self.distinct.items():
            if cells[column] is not None and len(values) < _MOST_VALUES:
                values[cells[column]] = None

    def _add_other(self, row: Row) -> None:
        if len(self.others) < MOST_SPARSE_ROWS and is_sparse(row):
            self.others.append(row)
        if self.guide_row is None and self._may_be_guide(row[1]):
            self.guide_row = row[0]

    def _may_be_guide(self, cells: Sequence[Cell]) -> bool:
        """Whether a row under headings without a HAWB may be a guide: it contains a person's name or document."""
        columns = value_columns(self.header.headings)
        if not columns.names and not columns.documents:
            return False
        return bool(columns.measures) and has_own_values(cells, columns)


def _lists_beside(header: HeaderBlock, rows: Sequence[Row], columns: Columns) -> set[int]:
    """The columns of lists to look things up in, such as communes, beside the guides.

    A list goes on alone below the last guide; or ends before it, behind a column without a heading.
    """
    house = columns.single.get("hawb")
    houses = [text_of(cells[house]) if house is not None else "" for _, cells in rows]
    of_guides = [at for at, hawb in enumerate(houses) if hawb and not is_total(hawb)]
    if house is None or not of_guides:
        return set()
    guides = [rows[at][1] for at in of_guides]
    used = {house, *chain.from_iterable(columns.names), *columns.mawb, *map(columns.single.get, _NEVER_LISTS)}
    possible = [column for column in header.headings if column not in used and text_of(guides[0][column])]
    end = rows[of_guides[-1]][0]
    tail = [cells for at, (number, cells) in enumerate(rows[of_guides[-1] + 1 :], start=1) if number == end + at]
    below = [(column, cell) for cells in tail for column, cell in enumerate(cells) if text_of(cell)]
    alone = {column for column, _ in below}
    is_list = len(tail) > 1 and not any(is_total(text_of(cell)) or is_wording(cell) for _, cell in below)
    lists = alone if is_list and alone <= set(possible) else set()
    for column in possible:
        texts = [text_of(cells[column]) for cells in guides]
        some = [*takewhile(bool, texts)]
        if 1 < len(some) < len(texts) and not any(texts[len(some) :]):
            start = next(left for left in range(column, -2, -1) if left not in header.headings)
            if house < start and not any(text_of(cells[start]) for cells in guides):
                lists.add(column)
    return lists


class SectionSplitter:
    """Assigns each row below a sheet's first headings to its section.

    labelled: texts labelled as a MAWB outside the tables. told: what a person has said of the layout. found: the
    sections so far, in order. above: the previous row.
    """

    def __init__(self, sheet: Sheet, header: HeaderBlock, labelled: Collection[str], told: Told = NOTHING_TOLD) -> None:
        self.found = [Section(sheet, header, labelled, told)]
        self._told = told
        self._sheet = sheet
        self._labelled = labelled
        self.above: Row | None = None
        self._refer_to(header)

    def split(self, rows: Iterable[Row]) -> list[Section]:
        """The sections of all rows, each with its columns chosen.

        Raises ManifestTooLarge when there are more than `MOST_TABLES` tables.
        """
        add, is_plain = self.add, self.is_plain
        for row in rows:
            if is_plain(row[1]):  # nearly every row
                self.found[-1].add(row)
                self.above = row
            else:
                add(row)
        for section in self.found:
            section.settle()
        return self.found

    def add(self, row: Row) -> None:
        current = self.found[-1]
        block = self._headings_in(row)
        if block is None:
            if current.is_others and current.guide_row is None and looks_like_guide(row[1], self._columns):
                current.guide_row = row[0]
            current.add(row)
        elif not current.is_others and has_same_columns(block, self._reference):
            current.heading_rows.add(row[0])
            current.add(row)
        else:
            self._begin(block)
        self.above = row

    def is_plain(self, cells: Sequence[Cell]) -> bool:
        """Whether a row is plainly data in a guide table: it has a number in a measure column or in the HAWB column."""
        if self.found[-1].is_others:
            return False
        width = len(cells)
        for column in self._columns.measures:
            if column < width:
                cell = cells[column]
                if cell is not None and (type(cell) is not str or _DIGIT.search(cell)):
                    return True
        house = self._columns.house
        cell = cells[house] if house is not None and house < width else None
        return cell is not None and (type(cell) is not str or _THREE_DIGITS.search(cell) is not None)

    def _begin(self, block: HeaderBlock) -> None:
        is_others = not block.heads_guides()
        section = Section(self._sheet, block, self._labelled, self._told, is_further=True, is_others=is_others)
        self.found[-1].settle()
        if len(self.found) == MOST_TABLES:
            raise ManifestTooLarge(
                Translatable("A sheet has more than %(most)s tables under headings of their own.", most=MOST_TABLES)
            )
        section.heading_rows.update(range(block.first_row, block.last_row + 1))
        self.found.append(section)
        if not is_others:
            self._refer_to(block)

    def _refer_to(self, header: HeaderBlock) -> None:
        """Judge the following rows by these headings."""
        self._reference = header
        self._columns = value_columns(header.headings)

    def _headings_in(self, row: Row) -> HeaderBlock | None:
        """The headings in this row, below other headings, or None.

        More than half of its texts must be known headings, and it must not contain a value of a guide.
        """
        blocks = [
            block
            for block in heading_blocks(row, self.above, self._sheet.merged, self._told)
            if block.count_known() * 2 > len(block.headings)
            and (block.heads_guides() or block.count_known() >= _FEWEST_HEADINGS)
        ]
        if not blocks or has_own_values(row[1], self._columns):
            return None
        if has_same_columns(blocks[0], self._reference):
            return blocks[0]
        return max(blocks, key=lambda block: (block.heads_guides(), block.score()))


def pad(cells: Sequence[Cell], width: int) -> Sequence[Cell]:
    return cells if len(cells) >= width else (*cells, *(None,) * (width - len(cells)))


def count_filled(cells: Sequence[Cell]) -> int:
    """The number of cells in a row that are not empty."""
    return len(cells) - cells.count(None)


def is_sparse(row: Row) -> bool:
    """Whether a row has few enough cells to consist of labels and their values."""
    return count_filled(row[1]) <= _SPARSE_CELLS
