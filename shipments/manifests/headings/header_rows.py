"""Where the headings of a sheet stand: one row or two, wherever they are among the first rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from shipments.manifests.headings.guide_words import Field
from shipments.manifests.headings.headers import Heading, read_grouped_heading, read_heading
from shipments.manifests.workbook.cell_text import text_of
from shipments.manifests.xlsx.opening import Cell, Row

SEARCHED_ROWS = 60
"""Rows that are not empty, from the top, among which the headings are looked for."""

_SETTLED_SCORE = 6
_SETTLED_AFTER = 8
_MOST_OTHERS = 2

_GUIDE_FIELDS: frozenset[Field] = frozenset(
    {
        "consignee_name",
        "given_name",
        "surname",
        "consignee_document",
        "consignee_address",
        "consignee_city",
        "consignee_phone",
        "shipper_name",
        "description_original",
        "hs_code",
        "weight_kg",
        "packages_count",
        "fob_usd",
    }
)
_WORST_HAWB_RANK = 3

_MEASURED: frozenset[Field] = frozenset({"weight_kg", "fob_usd", "product_value"})


@dataclass(frozen=True, slots=True)
class HeaderBlock:
    """The headings of a sheet.

    first_row, last_row: numbers as the spreadsheet shows them; guides stand below.
    headings: column (from 0) -> what its heading means; columns with unknown words are there too.
    """

    first_row: int
    last_row: int
    headings: Mapping[int, Heading]

    def score(self) -> int:
        """How many different things its headings tell."""
        return len({(heading.fields(), heading.party) for heading in self.headings.values() if heading.meanings})

    def heads_guides(self) -> bool:
        """Whether guides can be read under it: a column that can be the HAWB, and two more fields of a guide."""
        hawb_ranks = [
            meaning.rank
            for heading in self.headings.values()
            for meaning in heading.meanings
            if meaning.field == "hawb"
        ]
        others = {field for heading in self.headings.values() for field in heading.fields() & _GUIDE_FIELDS}
        # `No.`, `Ref` or `ID` alone are weak evidence for a HAWB: more around them has to speak for a manifest.
        return bool(hawb_ranks) and len(others) >= (3 if min(hawb_ranks) == _WORST_HAWB_RANK else 2)


def find_header(rows: Sequence[Row], merged: Sequence[tuple[int, int, int, int]]) -> HeaderBlock | None:
    """The block of headings under which guides can be read; None when no row of these is one.

    rows: the first rows of a sheet that are not empty. merged: its merged ranges, as `Sheet` gives them.
    """
    best: HeaderBlock | None = None
    found_at = 0
    rows = rows[:SEARCHED_ROWS]
    for position, row in enumerate(rows):
        if best and best.score() >= _SETTLED_SCORE and position - found_at > _SETTLED_AFTER:
            break
        above = rows[position - 1] if position else None
        for block in _blocks(row, above, merged):
            if block.heads_guides() and (best is None or block.score() > best.score()):
                best, found_at = block, position
    if best is None:
        return None
    below = next((row for row in rows if row[0] == best.last_row + 1), None)
    return _with_units(best, below) if below else best


def is_heading_row(cells: Sequence[Cell], headings: Mapping[int, Heading]) -> bool:
    """Whether a row below repeats the headings, as page breaks and second languages do."""
    same, other = 0, 0
    for column, heading in headings.items():
        cell = cells[column] if column < len(cells) else None
        if cell is None or not heading.meanings:
            continue
        repeats = isinstance(cell, str) and not read_heading(text_of(cell)).fields().isdisjoint(heading.fields())
        same, other = (same + 1, other) if repeats else (same, other + 1)
        if other > same + _MOST_OTHERS:
            return False
    return same >= 2 and same >= other


def _blocks(row: Row, above: Row | None, merged: Sequence[tuple[int, int, int, int]]) -> list[HeaderBlock]:
    number, cells = row
    if not _can_be_headings(cells):
        return []
    texts = _texts(cells)
    single = HeaderBlock(number, number, {column: read_heading(text) for column, text in texts.items()})
    known = sum(bool(heading.meanings) for heading in single.headings.values())
    if above is None or above[0] != number - 1 or known < 2 or not _can_be_groups(above[1]):
        return [single]
    groups = _spread(above, merged, max(texts))
    both = HeaderBlock(
        above[0],
        number,
        {
            column: read_grouped_heading(groups.get(column, ""), texts.get(column, ""))
            for column in sorted(groups.keys() | texts.keys())
        },
    )
    return [single, both]


def _can_be_headings(cells: Sequence[Cell]) -> bool:
    filled = [cell for cell in cells if cell is not None]
    words = [cell for cell in filled if isinstance(cell, str) and sum(map(str.isdigit, cell[:200])) < 4]
    return len(words) >= 2 and len(words) * 5 >= len(filled) * 4


def _can_be_groups(cells: Sequence[Cell]) -> bool:
    return all(
        isinstance(cell, str)
        and len(cell) <= 60
        and sum(map(str.isdigit, cell)) < 3
        and not cell.rstrip().endswith(":")
        for cell in cells
        if cell is not None
    )


def _texts(cells: Sequence[Cell]) -> dict[int, str]:
    return {column: text.strip() for column, text in enumerate(cells) if isinstance(text, str) and text.strip()}


def _spread(row: Row, merged: Sequence[tuple[int, int, int, int]], last_column: int) -> dict[int, str]:
    """Group headings over every column they stand above: as merged, or up to the next one where nothing is merged."""
    number, cells = row
    texts = _texts(cells)
    spans = {
        first_column: last
        for first_row, first_column, last_row, last in merged
        if first_row == number and (last > first_column or last_row > number)
    }
    if spans:
        ends = {column: spans.get(column, column) for column in texts}
    else:
        ends = dict(zip(texts, [following - 1 for following in [*texts, last_column + 1][1:]], strict=True))
    return {column: text for start, text in texts.items() for column in range(start, ends[start] + 1)}


def _with_units(block: HeaderBlock, below: Row) -> HeaderBlock:
    """The block with the units (`KG`, `USD`) that a row of remarks under it gives to its weights and values."""
    number, cells = below
    readings = {
        column: read_heading(text)
        for column, text in _texts(cells).items()
        if column in block.headings and block.headings[column].fields() & _MEASURED
    }
    # A weight typed as `1,5 kg` has a unit as well, and is a guide's.
    has_numbers = any(letter.isdigit() for column in readings for letter in _texts(cells)[column])
    if has_numbers or not any(reading.unit or reading.has_dollars for reading in readings.values()):
        return block
    headings = dict(block.headings)
    for column, reading in readings.items():
        heading = headings[column]
        headings[column] = replace(
            heading, unit=reading.unit or heading.unit, has_dollars=heading.has_dollars or reading.has_dollars
        )
    return HeaderBlock(block.first_row, number, headings)
