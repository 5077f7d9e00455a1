"""The guide rows of a workbook's tables, in order. Every other row is counted with its reason."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache, partial
from itertools import chain, groupby

from base.errors import Translatable
from shipments.errors import ManifestTooLarge
from shipments.manifests.cells import EXACT_DIGITS, Cell, Row, text_of
from shipments.manifests.findings import MAX_QUOTED, Findings
from shipments.manifests.guide_fields import GUIDE_FIELDS
from shipments.manifests.manifest import MAX_GUIDES, MOST_NAMED, LeftOut, LeftOutReason, RowAccount
from shipments.manifests.sheets.answers import RowsWithoutHawb
from shipments.manifests.sheets.row_kinds import RowKind, RowKinds, may_be_packing, names_no_goods, says_not_shipped
from shipments.manifests.sheets.row_reader import GuideDraft, GuideLine, RowReader
from shipments.manifests.sheets.sections import pad
from shipments.manifests.sheets.surveys import GuideTable, OtherTable, SheetTables
from shipments.manifests.waybills import normal_mawb
from shipments.manifests.words.amounts import read_money, read_weight
from shipments.manifests.words.lexicon import Field
from shipments.manifests.words.spelling import fold

ORDINARY: frozenset[LeftOutReason] = frozenset({"example", "heading", "instructions", "note"})
WARNED: frozenset[LeftOutReason] = frozenset({"hawb_missing", "duplicate_hawb"})
_ROWS_QUOTED = 10


class RowTally:
    """How the rows of a manifest were counted. The code that reads the rows increments in_table and products."""

    def __init__(self) -> None:
        self.in_table = 0
        self.products = 0
        self.duplicates = 0
        self._totals = 0
        self._left_out = 0
        self._named: list[LeftOut] = []
        self._ordinary: list[LeftOut] = []
        self._said: dict[str, list[tuple[int, str]]] = {}

    def total(self, row_index: int, hawb: str = "", *, is_labelled: bool = True) -> None:
        """Count a row of totals. One without a word for totals is reported, unless it holds only sums."""
        self._totals += 1
        if not is_labelled:
            self._said.setdefault("sum", []).append((row_index, hawb))

    def leave_out(self, row_index: int, reason: LeftOutReason, hawb: str = "", sheet: str = "") -> None:
        """Count a row that is not a guide, with its reason."""
        self._left_out += 1
        self.duplicates += reason == "duplicate_hawb" and bool(hawb)
        kept = self._ordinary if reason in ORDINARY else self._named
        if len(kept) < MOST_NAMED:
            quoted = "" if reason in ORDINARY else hawb[:MAX_QUOTED]
            kept.append(LeftOut(row_index, reason, quoted, sheet))
        if reason not in ORDINARY and reason not in WARNED:
            self._said.setdefault(reason, []).append((row_index, hawb))

    def account(self, guides: int) -> RowAccount:
        """The counts of rows. guides: rows that began a guide."""
        return RowAccount(
            in_table=self.in_table,
            guides=guides,
            products=self.products,
            totals=self._totals,
            left_out=self._left_out,
            named=tuple([*self._named, *self._ordinary][:MOST_NAMED]),
        )

    def tell(self, findings: Findings) -> None:
        """Add a notice for each reason why rows were left out, unless warnings report them."""
        for reason, rows in self._said.items():
            findings.notice("rows_left_out", f"left_out_{reason}", rows=_quote(rows), count=len(rows))


def _quote(rows: list[tuple[int, str]]) -> str:
    named = [f"{row} ({hawb[:MAX_QUOTED]})" if hawb else str(row) for row, hawb in rows[:_ROWS_QUOTED]]
    return ", ".join(named) + (", ..." if len(rows) > _ROWS_QUOTED else "")


_ROUNDING = (Decimal("0.001"), Decimal("0.01"), Decimal(0))
"""The rounding error allowed for each guide's weight, value and packages."""


@dataclass(slots=True)
class Sums:
    """The sums of the rows so far, by which a row of totals is recognised: kilograms, US dollars, packages."""

    rows: int = 0
    amounts: list[Decimal] = field(default_factory=lambda: [Decimal(0)] * len(_ROUNDING))

    def add(self, line: GuideLine) -> None:
        """Add a row of a guide."""
        self.rows += 1
        amounts = self.amounts
        if line.weight_kg is not None:
            amounts[0] += line.weight_kg
        if line.fob_usd is not None:
            amounts[1] += line.fob_usd
        if line.packages_count is not None:
            amounts[2] += line.packages_count

    def plus(self, other: "Sums") -> "Sums":
        """The sums of both."""
        return Sums(self.rows + other.rows, [one + two for one, two in zip(self.amounts, other.amounts, strict=True)])

    def match(self, line: GuideLine) -> int:
        """How many measures of a row equal these sums; 0 if any of them differs, or there is none."""
        matches = self.compare(line) if self.rows else []
        return len(matches) if all(matches) else 0

    def compare(self, line: GuideLine) -> list[bool]:
        """Whether each measure of a row equals these sums."""
        compared = zip((line.weight_kg, line.fob_usd, line.packages_count), self.amounts, _ROUNDING, strict=True)
        # Sheets add up unrounded values, and may show the sum with fewer decimals.
        return [
            abs(amount - summed) <= rounding * max(self.rows, 5)
            for amount, summed, rounding in compared
            if amount is not None
        ]


_REPEATED: tuple[Field, ...] = (*(field.name for field in GUIDE_FIELDS if field.repeats), "check_digit")
"""Fields that a vertically merged cell repeats for each of its rows. Money and counts apply once."""

_SCIENTIFIC = re.compile(r"[0-9](?:[.,][0-9]+)?E\+[0-9]+")
_FEWEST_SUMMED = 2


class GuideRows:
    """Reads the tables of a manifest.

    without_hawb: what a person has said of rows without a HAWB; empty: the rows decide. mawb: the manifest's.
    tally: how each row was counted. doubts: HAWB -> reasons for review. filled: keys of extra data that a row has. All
    are complete once `read` is exhausted.
    """

    def __init__(
        self, sheets: Sequence[SheetTables], findings: Findings, without_hawb: RowsWithoutHawb = "", mawb: str = ""
    ) -> None:
        self.tally = RowTally()
        self.doubts: dict[str, dict[str, None]] = {}
        self.filled: set[str] = set()
        self._sheets = sheets
        self._findings = findings
        self._without_hawb = without_hawb
        self._mawb = mawb
        self._rows_read = 0
        self._rounded = 0
        self._hawbs: set[str] = set()
        self._all, self._table, self._page = Sums(), Sums(), Sums()
        self._sums_of_tables: list[Sums] = []
        self._undecided: list[tuple[int, GuideLine]] = []
        self._not_shipped: list[tuple[int, int | None, str]] = []
        self._differing: tuple[int, GuideLine] | None = None

    def read(self) -> Iterator[GuideDraft]:
        """The guides' rows in order. One without a HAWB is a further product of the row before it.

        Raises ManifestTooLarge at the guide row after the `MAX_GUIDES`th.
        """
        for sheet in self._sheets:
            self._sheet_name = self._findings.sheet = sheet.sheet.name
            is_not_shipped = says_not_shipped(self._sheet_name)
            self._not_shipped = [(self._rows_read, None, self._sheet_name)] if is_not_shipped else []
            for table, rows in _split_by_table(sheet):
                if isinstance(table, GuideTable):
                    yield from self._read_table(sheet, table, rows)
                    continue
                for number, _ in rows:
                    self.tally.in_table += 1
                    self.tally.leave_out(number, "other_table", sheet=self._sheet_name)
            for rows_before, row_index, title in self._not_shipped:
                if self._rows_read > rows_before:
                    self._findings.notice("may_not_travel", row_index=row_index, title=title)
        self._finish()

    def _read_table(self, sheet: SheetTables, table: GuideTable, rows: Iterator[Row]) -> Iterator[GuideDraft]:
        self._reader = RowReader(table.columns, self._findings)
        self._silent_reader = RowReader(table.columns, Findings())
        self._kinds = RowKinds(table.header, table.columns)
        self._columns = table.columns
        self._last: tuple[int, GuideDraft] | None = None
        self._followers = cache(partial(Followers, sheet, table))
        self._table = Sums()
        for kind, number, hawb, cells in _classify(table, rows, self._reader, self._kinds):
            self.tally.in_table += 1
            if kind == "guide" and self._rows_read and self._is_mawb(hawb):
                self._leave_out(number, "hawb_unlike_others", hawb)  # the flight's sums; an only guide may be called so
            elif self._counts_guides(kind, number, hawb, cells):
                self._count_total(number, hawb, is_labelled=False)
            elif kind == "guide":
                yield self._read_guide(number, hawb, cells)
            elif draft := self._read_other(kind, number, hawb, cells):
                yield draft
        self._reader.finish()
        self.filled |= self._reader.filled
        for hawb, reasons in self._reader.doubts.items():
            self.doubts.setdefault(hawb, {}).update(reasons)
        self._close_page()
        self._sums_of_tables.append(self._table)

    def _read_guide(self, number: int, hawb: str, cells: Sequence[Cell]) -> GuideDraft:
        """Read a row of a guide."""
        self._rows_read += 1
        if self._rows_read > MAX_GUIDES:
            raise ManifestTooLarge(
                Translatable("The sheet has more than %(most)s guide rows; split the manifest.", most=f"{MAX_GUIDES:,}")
            )
        draft = self._reader.read(number, hawb, cells)
        if (len(hawb) > EXACT_DIGITS and isinstance(cells[self._columns.single["hawb"]], int | float)) or (
            "E+" in hawb and _SCIENTIFIC.fullmatch(hawb)
        ):
            self._rounded += 1
        self._hawbs.add(draft.hawb)
        self._last = (number, draft)
        self._page.add(draft.line)
        return draft

    def _read_other(self, kind: RowKind, number: int, hawb: str, cells: Sequence[Cell]) -> GuideDraft | None:
        """Handle a row that is not plainly a guide: a product of one, a total, or a row left out with its reason."""
        if hawb in self._hawbs and self._kinds.has_content(cells) and kind in _SCANT:
            return self._read_guide(number, hawb, cells)
        if kind in _MAY_BE_SUMS and self._are_sums(kind, number, hawb, cells):
            return None
        if kind == "product" and (self._last is None or self._last[0] != number - 1):
            kind = "hawb_missing"
        if kind == "product" and self._last:
            above = self._last[1]
            reason = self._why_apart(number, cells)
            if not reason:
                draft = self._read_guide(number, above.hawb, cells)
                draft.hawb, self._last = "", (number, above)
                return draft
            if reason == "belongs_unclear":
                self.doubts.setdefault(above.hawb, {})[reason] = None
            self._last = (number, above)
            self._leave_out(number, reason)
            return None
        if kind == "total":
            line = self._silent_reader.measures(number, hawb, cells)
            compared = [sums.compare(line) for sums in self._sums()]
            is_off = len(compared[0]) >= _FEWEST_SUMMED and not any(map(any, compared))
            self._differing = (number, line) if is_off else None
            self._count_total(number)
        elif kind == "measures":
            self._undecided.append((number, self._silent_reader.measures(number, "", cells)))
        elif kind != "guide" and kind != "product":  # noqa: PLR1714  # mypy narrows it so
            self._leave_out(number, kind, hawb)
            texts = list(filter(None, map(text_of, cells)))
            if kind == "note" and len(texts) == 1 and says_not_shipped(texts[0]):
                self._not_shipped.append((self._rows_read, number, texts[0]))
        return None

    def _are_sums(self, kind: RowKind, number: int, hawb: str, cells: Sequence[Cell]) -> bool:
        """Count a row as totals if its measures are the sums of all rows so far or of those since the last totals."""
        line = self._silent_reader.measures(number, hawb, cells)
        is_bare = kind == "measures"
        for sums in self._sums():
            matched = sums.match(line)
            if matched and (is_bare or (matched >= _FEWEST_SUMMED and sums.rows >= _FEWEST_SUMMED)):
                self._count_total(number, hawb, is_labelled=is_bare)
                return True
        return False

    def _is_mawb(self, hawb: str) -> bool:
        return self._mawb != "" and hawb.endswith(self._mawb[-4:]) and normal_mawb(hawb) == self._mawb

    def _counts_guides(self, kind: RowKind, number: int, hawb: str, cells: Sequence[Cell]) -> bool:
        """Whether a row whose HAWB is the number of guides so far has their sums, though a guide may be called so."""
        if hawb not in {str(self._rows_read), str(self._page.rows)}:
            return False  # nearly every row
        line = self._silent_reader.measures(number, hawb, cells)
        compared = [sums.compare(line) for sums in self._sums()]
        are_sums = any(sum(each) >= (1 if kind in _SCANT and all(each) else _FEWEST_SUMMED) for each in compared)
        return self._rows_read >= _FEWEST_SUMMED and are_sums

    def _sums(self) -> tuple[Sums, Sums, Sums]:
        return self._all.plus(self._page), self._table.plus(self._page), self._page

    def _count_total(self, number: int, hawb: str = "", *, is_labelled: bool = True) -> None:
        self.tally.total(number, hawb, is_labelled=is_labelled)
        self._close_page()

    def _close_page(self) -> None:
        """Add the rows since the last totals to those of the table and of the manifest."""
        self._all, self._table = self._all.plus(self._page), self._table.plus(self._page)
        self._page = Sums()

    def _why_apart(self, number: int, cells: Sequence[Cell]) -> LeftOutReason | None:
        """Why content without a HAWB, below a guide, is no product of it; None if it is one."""
        goods = self._columns.single.get("description_original")
        words = fold(text_of(cells[goods])) if goods is not None else ()
        if self._without_hawb == "left_out" or not self._kinds.names_consignees or names_no_goods(words):
            return "hawb_missing"
        if self._without_hawb == "products":
            return None
        return None if self._followers().are_like(number) else "belongs_unclear"

    def _leave_out(self, number: int, reason: LeftOutReason, hawb: str = "") -> None:
        if reason == "hawb_missing":
            self._findings.warn(number, "", "hawb", "hawb_missing")
        elif reason == "example":
            self._findings.notice("example_row_ignored", row_index=number)
        self.tally.leave_out(number, reason, hawb, self._sheet_name)

    def _finish(self) -> None:
        """Complete what depends on all rows, and add the notices about the manifest as a whole."""
        for number, line in self._undecided:
            if any(sums.match(line) for sums in (self._all, *self._sums_of_tables)):
                self.tally.total(number)
            else:
                self.tally.leave_out(number, "no_consignee")
        if self._differing:
            number, line = self._differing
            if not any(any(sums.compare(line)) for sums in (self._all, *self._sums_of_tables)):  # totals come first
                self._findings.notice("totals_differ", row_index=number)
        if self._rounded:
            self._findings.notice("hawb_digits_rounded", count=self._rounded, digits=EXACT_DIGITS)


_SCANT: frozenset[RowKind] = frozenset({"no_consignee", "hawb_unlike_others", "too_few_values"})
_MAY_BE_SUMS: frozenset[RowKind] = frozenset(
    {"product", "hawb_missing", "no_consignee", "hawb_unlike_others", "measures"}
)


class Followers:
    """The rows of a table that have content and no HAWB, below their guides.

    A row is a further product of its guide where other guides have such rows, too: with the same cells filled, and a
    value. After the last guide, where sums and remarks stand, it needs two others. Without a value it needs three, with
    other goods, and a guide below. It is none if it weighs more than any guide, or if such rows add up to what their
    guides' own rows have.
    """

    def __init__(self, sheet: SheetTables, table: GuideTable) -> None:
        columns, single = table.columns, table.columns.single
        self._filled = [single[name] for name in _OF_PRODUCTS if name in single]
        self._values = [single[name] for name in ("fob_usd", "product_value") if name in single]
        self._weight, self._goods = single.get("weight_kg"), single.get("description_original")
        self._followers: dict[int, _Follower] = {}
        self._guides: dict[str | tuple[bool, ...], set[int]] = {}
        self._names: set[str] = set()
        self._heaviest, self._in_parts = Decimal(0), set[int]()
        self._last_guide = above = 0
        own: list[Decimal] = []
        summed: list[Decimal] = []
        reader, kinds = RowReader(columns, Findings()), RowKinds(table.header, columns)
        rows = chain.from_iterable(rows for each, rows in _split_by_table(sheet) if each is table)
        for kind, number, _, cells in _classify(table, rows, reader, kinds):
            if kind == "guide":
                self._last_guide = above = number
                own = self._amounts(cells)
                summed = [Decimal(0)] * len(own)
                self._heaviest = max(self._heaviest, own[0])
            elif kind == "product" and number == above + 1:
                above = number
                words = fold(text_of(cells[self._goods])) if self._goods is not None else ()
                if names_no_goods(words) or may_be_packing(words):
                    continue
                amounts = self._amounts(cells)
                follower = self._followers[number] = self._follower(words, cells, amounts[0])
                self._names.add("".join(filter(str.isalpha, words)))
                for what in (follower.kind, follower.label):
                    self._guides.setdefault(what, set()).add(self._last_guide)
                summed = [one + other for one, other in zip(summed, amounts, strict=True)]
                is_whole = any(mine and mine == theirs for mine, theirs in zip(own, summed, strict=True))
                (self._in_parts.add if is_whole else self._in_parts.discard)(self._last_guide)
        self._every = len({follower.guide for follower in self._followers.values()})

    def are_like(self, number: int) -> bool:
        """Whether other guides have rows like this one, which is no label of a section such as `Jaula 2`."""
        row = self._followers.get(number)
        if row is None or (row.label and len(self._guides[row.label]) > 1) or row.weight > self._heaviest:
            return False
        every, alike = self._every, len(self._guides[row.kind])
        if row.guide in self._in_parts or len(self._in_parts) * 2 >= every or alike * 3 < every:
            return False
        if not row.has_value:
            is_usual = alike > _FEWEST_WITHOUT_VALUE and len(self._names) >= _FEWEST_WITHOUT_VALUE
            return is_usual and number < self._last_guide
        return alike >= (2 if number < self._last_guide else 3)

    def _follower(self, words: Sequence[str], cells: Sequence[Cell], weight: Decimal) -> "_Follower":
        given = {column: bool(text_of(cells[column]).strip("0.,")) for column in self._filled}  # zero is no value
        label = words[0] if len(words) == 2 and words[1].isdigit() else ""
        has_value = any(given[column] for column in self._values)
        return _Follower(self._last_guide, tuple(given.values()), label, weight, has_value)

    def _amounts(self, cells: Sequence[Cell]) -> list[Decimal]:
        """The weight and the values of a row, zero where it has none."""
        read = [read_money(cells[column]).value for column in self._values]
        weight = read_weight(cells[self._weight]).value if self._weight is not None else None
        return [amount or Decimal(0) for amount in (weight, *read)]


@dataclass(frozen=True, slots=True)
class _Follower:
    """A row below a guide. kind: which of its cells are filled. label: a word that a number follows, else empty."""

    guide: int
    kind: tuple[bool, ...]
    label: str
    weight: Decimal
    has_value: bool


_FEWEST_WITHOUT_VALUE = 3
_OF_PRODUCTS: tuple[Field, ...] = ("description_original", "weight_kg", "packages_count", "fob_usd", "product_value")


def _classify(
    table: GuideTable, rows: Iterator[Row], reader: RowReader, kinds: RowKinds
) -> Iterator[tuple[RowKind, int, str, Sequence[Cell]]]:
    """The kind of each row of a table, its number, what stands in its HAWB column, and its cells."""
    previous, is_after_end = 0, False
    for number, cells in _fill_down(table, rows):
        is_after_end = is_after_end or number != previous + 1
        previous = number
        if number in table.heading_rows:
            yield "heading", number, "", cells
            continue
        hawb = reader.hawb(cells)
        kind = kinds.kind(hawb, cells, is_after_end=is_after_end)
        is_after_end = kind == "total" or (is_after_end and kind != "guide")
        yield kind, number, hawb, cells


def _split_by_table(sheet: SheetTables) -> Iterator[tuple[GuideTable | OtherTable, Iterator[Row]]]:
    """A sheet's tables that have rows, each with its rows, in one pass. Repeated headings belong to their table."""
    first, *further = sheet.tables
    starts = [table.header.first_row for table in further]
    below = (row for row in sheet.sheet.rows if row[0] > first.header.last_row)
    for place, rows in groupby(below, lambda row: bisect_right(starts, row[0])):
        yield sheet.tables[place], rows


def _fill_down(table: GuideTable, rows: Iterator[Row]) -> Iterator[Row]:
    """The rows of a table, with the values of vertically merged cells repeated in each of their rows.

    Money and counts are not repeated: they apply once, in the first row of the merged range.
    """
    width = max(table.header.headings) + 1
    single = table.columns.single
    joined = chain(*table.columns.names, table.columns.address)
    repeated = {*joined, *(single[name] for name in _REPEATED if name in single)}
    starts: dict[int, list[tuple[int, int]]] = {}
    for first_row, column, last_row, _ in table.sheet.merged:
        if column in repeated and first_row > table.header.last_row and last_row > first_row:
            starts.setdefault(first_row, []).append((column, last_row))
    open_ranges: dict[int, tuple[int, Cell]] = {}
    for number, cells in rows:
        row = pad(cells, width)
        if open_ranges:
            copy = list(row)
            for column, (last_row, value) in list(open_ranges.items()):
                if number > last_row:
                    del open_ranges[column]
                elif copy[column] is None:
                    copy[column] = value
            row = copy
        for column, last_row in starts.get(number, ()):
            open_ranges[column] = (last_row, row[column])
        yield number, row
