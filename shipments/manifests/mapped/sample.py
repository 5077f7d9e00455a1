"""A client's sample workbook: where its headings are, the rows below them, and the labelled values around them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from openpyxl.utils import get_column_letter

from shipments.manifests.cells import LONGEST_HEADING, Cell, Row, Sheet, Workbook, text_of
from shipments.manifests.mapped.recognise import texts_of, with_groups
from shipments.manifests.moments import read_moment
from shipments.manifests.sheets.candidates import values_of
from shipments.manifests.sheets.headers import SEARCHED_ROWS, HeaderBlock, find_header, heading_blocks, with_remarks
from shipments.manifests.sheets.sections import padded
from shipments.manifests.words.amounts import decimal_mark
from shipments.manifests.words.headings import read_grouped_heading, read_heading
from shipments.manifests.words.labels import LONGEST_LABELLED, label_and_value, reads, value_near
from shipments.manifests.words.lexicon import Field

LABELLED_FIELDS: Sequence[Field] = (
    "mawb", "destination", "flight_number", "origin", "scheduled_departure", "scheduled_arrival",
)  # fmt: skip
"""What may be beside a label outside the table."""

_SAMPLED = 500
_NUMERIC_DATE = re.compile(r"\s*(\d{1,2})[./-](\d{1,2})[./-](?:\d{4}|\d{2})\b")
_MONTHS = 12
_FEWEST_TEXTS = 4
_MOST_DIGITS = 4


class HeadingPlace(NamedTuple):
    """Where a sample's headings are.

    row: the row of the headings, as the spreadsheet numbers it. rows: 1, or 2 with a row of groups directly above.
    """

    sheet: str
    row: int
    rows: int = 1

    @property
    def key(self) -> str:
        """The place as one text."""
        return f"{self.row}/{self.rows}/{self.sheet}"


class SampledHeading(NamedTuple):
    """A column with a heading, or one without that has values. left: for the latter, the heading to its left."""

    column: int
    heading: str
    group: str = ""
    left: str = ""


class SampleTable(NamedTuple):
    """The table of a sample.

    header: its headings with their meanings. headings: the same as written. rows: the first rows below, of equal width.
    """

    header: HeaderBlock
    headings: Sequence[SampledHeading]
    rows: Sequence[Sequence[Cell]]

    def values(self, column: int) -> list[Cell]:
        """The filled cells of a column."""
        return values_of(self.rows, column)


class LabelledCell(NamedTuple):
    """A value beside a label. field: one of `LABELLED_FIELDS`. place: of the label, like B2. is_known: the label is
    one of our own words for the field.
    """

    field: str
    label: str
    place: str
    value: Cell
    is_known: bool


def find_headings(book: Workbook) -> HeadingPlace | None:
    """The row that looks most like headings on the first sheet that has one; None without any."""
    for sheet in book.sheets:
        rows = list(islice(sheet.rows, SEARCHED_ROWS))
        if header := find_header(rows, sheet.merged) or _likeliest(rows, sheet):
            is_grouped = any(heading.text != header.texts.get(at) for at, heading in header.headings.items())
            return HeadingPlace(sheet.name, header.first_row + is_grouped, 2 if is_grouped else 1)
    return None


def sample_at(book: Workbook, place: HeadingPlace) -> SampleTable | None:
    """The table under the headings at `place`; None if there is no such sheet or row, or it has no texts."""
    sheet = book.sheet(place.sheet)
    rows = dict(islice(sheet.rows, SEARCHED_ROWS + _SAMPLED)) if sheet else {}
    if sheet is None or place.row not in rows:
        return None
    above = rows.get(place.row - 1) if place.rows == 2 else None
    names = with_groups(texts_of(rows[place.row]), (place.row - 1, above) if above else None, sheet)
    if not names:
        return None
    meant = {at: read_grouped_heading(group, heading) for at, (group, heading) in names.items()}
    texts = {at: heading for at, (_group, heading) in names.items()}
    block = HeaderBlock(place.row - (above is not None), place.row, meant, texts)
    header = with_remarks(block, [row for row in rows.items() if row[0] > place.row])
    width = max(len(cells) for number, cells in rows.items() if number >= place.row)
    below = [padded(cells, width) for number, cells in rows.items() if number > header.last_row]
    return SampleTable(header, [*_headings(names, below, width)], below)


def labelled_cells(book: Workbook, place: HeadingPlace) -> list[LabelledCell]:
    """The labels above the headings with a value beside, below or after them that can be read, by field."""
    sheet = book.sheet(place.sheet)
    rows = islice(sheet.rows, SEARCHED_ROWS) if sheet else ()
    cells = {number: row for number, row in rows if number <= place.row - place.rows}
    return [found for number, row in cells.items() for found in _labels_of(cells, number, row)]


def texts_of_column(book: Workbook, place: HeadingPlace, column: int) -> Iterator[str]:
    """The text of each filled cell of a column below the headings."""
    sheet = book.sheet(place.sheet)
    below = (cells for number, cells in (sheet.rows if sheet else ()) if number > place.row)
    return map(text_of, values_of(below, column))


def is_undecided(values: Sequence[Cell]) -> bool:
    """Whether a number typed as text can be read in two ways, and no cell of the column decides."""
    return {decimal_mark(value) for value in values if isinstance(value, str)} - {""} == {"either"}


def has_two_orders(value: Cell) -> bool:
    """Whether a date typed as text differs between day first and month first."""
    return isinstance(value, str) and read_moment(value) != read_moment(value, month_first=True)


def is_month_first(value: Cell) -> bool:
    """Whether a date typed as text can only have the month first, as then others of its kind have too."""
    written = _NUMERIC_DATE.match(value) if isinstance(value, str) else None
    return written is not None and int(written[1]) <= _MONTHS < int(written[2])


def lacks_zone(value: Cell) -> bool:
    """Whether a cell is a time typed as text that does not say whose clock it shows."""
    moment = read_moment(value) if isinstance(value, str) else None
    return moment is not None and moment.has_time and moment.value.tzinfo is None


# --- headings --------------------------------------------------------------------------------------------------------


def _likeliest(rows: Sequence[Row], sheet: Sheet) -> HeaderBlock | None:
    """The row with most texts, where no row has known headings."""
    blocks = [block for row in rows for block in heading_blocks(row, None, sheet.merged)[:1]]
    wide = [block for block in blocks if len(block.texts) >= _FEWEST_TEXTS]
    return max(wide, key=lambda block: len(block.texts), default=None)


def _headings(
    names: Mapping[int, tuple[str, str]], below: Sequence[Sequence[Cell]], width: int
) -> Iterator[SampledHeading]:
    for at in range(width):
        if at in names:
            group, heading = names[at]
            yield SampledHeading(at, heading, group)
        elif at - 1 in names and any(text_of(row[at]) for row in below):
            yield SampledHeading(at, "", left=names[at - 1][1])


# --- labels ----------------------------------------------------------------------------------------------------------


def _labels_of(cells: Mapping[int, Sequence[Cell]], number: int, row: Sequence[Cell]) -> Iterator[LabelledCell]:
    for column, cell in enumerate(row):
        if not isinstance(cell, str) or not (text := text_of(cell)) or len(cell) > LONGEST_LABELLED:
            continue
        label, inside = label_and_value(text)
        if not label or len(label) > LONGEST_HEADING or sum(map(str.isdigit, label)) >= _MOST_DIGITS:
            continue
        value: Cell = inside or value_near(cells, number, column)
        meanings = read_heading(label).fields()
        for name in LABELLED_FIELDS:
            if value is not None and reads(name, value):
                yield LabelledCell(name, label, f"{get_column_letter(column + 1)}{number}", value, name in meanings)
