"""Find the headings of a sheet: in one row or two, among the first rows, and again further down."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter

from shipments.manifests.cells import Cell, Row, cell_at, text_of, tokens
from shipments.manifests.guide_fields import GUIDE_FIELDS
from shipments.manifests.sheets.answers import NOTHING_TOLD, Told
from shipments.manifests.sheets.candidates import (
    ValueColumns,
    has_letter,
    has_own_values,
    is_identifier,
    looks_like_guide,
    may_count_guides,
    numbers_columns,
)
from shipments.manifests.sheets.evidence import all_evidence, best_of
from shipments.manifests.sheets.table import Table
from shipments.manifests.waybills import has_valid_check_digit, normal_mawb
from shipments.manifests.words.amounts import reads_as_number, unit_of
from shipments.manifests.words.headings import UNKNOWN, Heading, heads_field, read_grouped_heading, read_heading
from shipments.manifests.words.levels import Level
from shipments.manifests.words.lexicon import CELL_WORDS, NEVER_WITH, Field, group_party, has, party_of, words_of
from shipments.manifests.words.nouns import UNREADABLE, currency_named, unit_named
from shipments.manifests.words.spelling import fold

SEARCHED_ROWS = 60
"""How many rows from the top are searched for headings, not counting empty ones."""

_MOST_OTHERS = 2

_GUIDE_FIELDS: frozenset[Field] = tokens("given_name surname").union(
    field.name for field in GUIDE_FIELDS if field.is_usual
)
_WORST_HAWB_RANK = 3
FEWEST_KNOWN = 2
"""How many headings of a row must be understood for it to be one of headings."""
_BETTER = 250
"""By how much further headings must be better than the first: by a column that would at least be asked."""
_TRIED_ROWS = 20
_FEWEST_WITHOUT_HOUSE = 3
"""Fields of a guide that must be known where no heading is the HAWB's."""
_NEEDED = {
    "HAWB": "hawb",
    "Consignatario": "consignee_name given_name surname",
    "RUT": "consignee_document",
    "Descripción": "description_original",
    "Peso (kg)": "weight_kg",
    "Valor FOB (USD)": "fob_usd",
}
"""What headings of guides have, in words -> the fields of which one is enough."""

_MEASURED: frozenset[Field] = tokens("weight_kg fob_usd product_value")
_MOST_REMARK_ROWS = 3
"""How many further heading rows, such as a second language or the units, may follow the first."""


@dataclass(frozen=True, slots=True)
class HeaderBlock:
    """The headings of a sheet.

    first_row, last_row: numbers as the spreadsheet shows them; guides are below.
    headings: column (from 0) -> what its heading means, including columns with unknown words.
    texts: column -> the heading as written; the lower one of two.
    """

    first_row: int
    last_row: int
    headings: Mapping[int, Heading]
    texts: Mapping[int, str] = field(default_factory=dict)

    def score(self) -> int:
        """How many different fields its headings name."""
        return len({(heading.fields(), heading.party) for heading in self.headings.values() if heading.meanings})

    def count_known(self) -> int:
        """How many of its headings are understood."""
        return sum(bool(heading.meanings) for heading in self.headings.values())

    def fields(self) -> frozenset[Field]:
        """Every field that one of its headings can mean."""
        return frozenset().union(*(heading.fields() for heading in self.headings.values()))

    def lacks(self) -> tuple[str, ...]:
        """What it lacks to head guides, in words, the HAWB first."""
        fields = self.fields()
        return tuple(word for word, needed in _NEEDED.items() if fields.isdisjoint(needed.split()))

    def has_guide(self, cells: Sequence[Cell]) -> bool:
        """Whether a row below has a HAWB beside a text or a number of a guide.

        Sums above the guides have none: a MAWB is no HAWB, and a number of guides has few digits and no text beside it.
        """
        columns = value_columns(self.headings)
        house = None if columns.house is None else cell_at(cells, columns.house)
        hawb = text_of(house)
        if looks_like_guide(cells, columns):
            return hawb.isdigit() or not _is_mawb(house)  # digits alone may be a HAWB, beside a person
        if self.has_weak_house() or not is_identifier(hawb) or _is_mawb(house):
            return False
        is_number = any(reads_as_number(cell_at(cells, column)) for column in columns.measures)
        return (is_number and not may_count_guides(hawb)) or self.has_text(cells)

    def has_text(self, cells: Sequence[Cell]) -> bool:
        """Whether a row below has a text of a guide beside the HAWB: no number, no date and no label."""
        house = value_columns(self.headings).house
        texts = (
            text_of(cell)
            for column, heading in self.headings.items()
            if column != house and heading.fields() & _GUIDE_FIELDS
            if has_letter(cell := cell_at(cells, column))
        )
        return any(CELL_WORDS["forms"].isdisjoint(fold(text)) and not heads_field(text) for text in texts if text)

    def heads_guides(self) -> bool:
        """Whether guides can be read under it: a column that can be the HAWB, and two more fields of a guide."""
        others = self.fields() & _GUIDE_FIELDS
        return "hawb" in self.fields() and len(others) >= (3 if self.has_weak_house() else 2)

    def has_weak_house(self) -> bool:
        """Whether `No.`, `Ref` or `ID` alone are its evidence of a HAWB, so that more of a manifest is required."""
        meanings = [meaning for heading in self.headings.values() for meaning in heading.meanings]
        ranks = [meaning.rank for meaning in meanings if meaning.field == "hawb"]
        return bool(ranks) and min(ranks) == _WORST_HAWB_RANK


def find_header(
    rows: Sequence[Row], merged: Sequence[tuple[int, int, int, int]], told: Told = NOTHING_TOLD
) -> HeaderBlock | None:
    """The block of headings under which guides can be read, or None.

    rows: the first rows of a sheet that are not empty. merged: its merged ranges, as `Sheet` gives them.
    told: what a person has said of the layout.
    Of several blocks the one with the best columns wins, as long as there is no guide between them.
    """
    best: HeaderBlock | None = None
    highest = 0.0
    rows = rows[:SEARCHED_ROWS]
    for position, row in enumerate(rows):
        if best and row[0] > best.last_row and best.has_guide(row[1]):
            break
        above = rows[position - 1] if position else None
        for block in heading_blocks(row, above, merged, told):
            if block.count_known() < FEWEST_KNOWN or (best and block.texts == best.texts):  # the same on another page
                continue
            total = _total(block, rows[position + 1 :], told)
            if total > highest + (_BETTER if best else 0):
                best, highest = block, total
    return with_remarks(best, rows) if best else None


def _total(block: HeaderBlock, below: Sequence[Row], told: Told) -> float:
    """How good the columns of a block are for guides: one that can be the HAWB, and two more fields of a guide.

    0 for a block without them. `No.`, `Ref` or `ID` alone are weak evidence of a HAWB, and so are values without a
    heading: more fields of a manifest are then required.
    """
    width = max(block.headings) + 1
    rows = [(*cells, *(None,) * (width - len(cells))) for number, cells in below if number > block.last_row]
    filled = (cells for cells in rows if len(cells) - cells.count(None) > FEWEST_KNOWN)
    sample = [cells for cells in filled if not is_heading_row(cells, block.headings)][:_TRIED_ROWS]
    # What stands below the headings of another table says nothing of these columns, once a guide stands above it.
    end = next((at for at, cells in enumerate(sample) if _heads_others(cells)), 0)
    place = value_columns(block.headings).house
    guides = (cells for cells in sample[:end] if block.has_guide(cells) and not _is_mawb(cell_at(cells, place or 0)))
    if not block.has_weak_house() and any(guides):
        sample = sample[:end]
    best = best_of(all_evidence(Table(block.headings, block.texts, sample), told))
    house = best.get("hawb")
    is_weak = house is not None and (house.meaning.rank == _WORST_HAWB_RANK or house.words.level == Level.NONE)
    others = block.fields() & _GUIDE_FIELDS
    if house is None or len(others) < (3 if is_weak else 2):
        return 0
    return sum(each.score for name, each in best.items() if name in _GUIDE_FIELDS or name == "hawb")


def _heads_others(cells: Sequence[Cell]) -> bool:
    """Whether a row below headings heads another table: values under it say nothing of the columns above."""
    if not _can_be_headings(cells):
        return False
    return sum(bool(heading.meanings) for heading in _read_all(_texts(cells)).values()) > FEWEST_KNOWN


def hint_in(rows: Sequence[Row]) -> str:
    """Why no headings are found in a sheet that has some: they are below each other, or in one cell."""
    sideways = [(number, cells) for number, cells in rows if len(cells) > 1 and isinstance(cells[0], str)]
    fields = {field for _, cells in sideways for field in read_heading(text_of(cells[0])).fields()}
    if len(fields & _GUIDE_FIELDS) >= _FEWEST_WITHOUT_HOUSE and "hawb" in fields:
        return (
            f"The headings are below each other in the first column, from row {sideways[0][0]}: turn the table, so "
            "that they are in one row and each guide is a row below it."
        )
    for number, cells in rows:
        filled = [text_of(cell) for cell in cells if cell is not None]
        for separator, name in _SEPARATORS.items():
            parts = filled[0].split(separator) if len(filled) == 1 else []
            if sum(heads_field(part) for part in parts) >= _FEWEST_WITHOUT_HOUSE:
                return f"Row {number} is one cell with {name}: split the text into columns."
    return ""


_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars", ",": "commas"}


def nearest_headings(rows: Sequence[Row], merged: Sequence[tuple[int, int, int, int]]) -> HeaderBlock | None:
    """The block most similar to headings in rows without guide headings; None when no row is similar."""
    blocks = [
        block
        for position, row in enumerate(rows[:SEARCHED_ROWS])
        for block in heading_blocks(row, rows[position - 1] if position else None, merged)
        if block.count_known() >= _FEWEST_NEAR
    ]
    return max(blocks, key=HeaderBlock.score, default=None)


_FEWEST_NEAR = 2


def with_remarks(block: HeaderBlock, below: Iterable[Row]) -> HeaderBlock:
    """The block, extended by the heading rows directly below it: a second language, units, instructions.

    A row that has a value of its own belongs to a guide, whatever else it contains, and ends the headings.
    """
    columns, first = value_columns(block.headings), block.last_row
    for number, cells in (row for row in below if row[0] > first):
        is_next = number == block.last_row + 1 <= first + _MOST_REMARK_ROWS
        if not is_next or has_own_values(cells, columns):
            break
        is_numbering = numbers_columns(cells)
        extended = block if is_numbering else _with_units(block, (number, cells))
        if extended is block and not is_numbering and not is_heading_row(cells, block.headings):
            break
        block = replace(extended, last_row=number)
    return block


def with_formats(block: HeaderBlock, formats: Mapping[int, str]) -> HeaderBlock:
    """The block, with the units and currencies that the number formats of its columns show.

    formats: as `Sheet` has them. One that contradicts the heading makes its unit or its currency unknown.
    """

    def combine(named: str, shown: str) -> str:
        return named if not shown or shown == named else UNREADABLE if named else shown

    headings = dict(block.headings)
    for column, words in formats.items():
        heading = headings.get(column, UNKNOWN)
        if heading.fields() & _MEASURED:
            unit = (unit_named(fold(words)) or unit_of(words) or "") if "weight_kg" in heading.fields() else ""
            currency = currency_named(fold(words)) if heading.fields() & {"fob_usd", "product_value"} else ""
            headings[column] = replace(
                heading, unit=combine(heading.unit, unit), currency=combine(heading.currency, currency)
            )
    return replace(block, headings=headings)


def value_columns(headings: Mapping[int, Heading]) -> ValueColumns:
    """The columns whose values distinguish a row of data from a row of words, according to their headings."""

    def of(*names: Field) -> tuple[int, ...]:
        return tuple(column for column, heading in headings.items() if not heading.fields().isdisjoint(names))

    houses = [
        (meaning.rank, column)
        for column, heading in headings.items()
        for meaning in heading.meanings
        if meaning.field == "hawb"
    ]
    named = of("consignee_name", "given_name", "surname")
    return ValueColumns(
        house=min(houses, key=itemgetter(0))[1] if houses else None,
        documents=of("consignee_document"),
        measures=of("weight_kg", "packages_count", "fob_usd", "product_value"),
        names=tuple(column for column in named if headings[column].party not in {"shipper", "other"}),
    )


def _is_mawb(cell: Cell) -> bool:
    """Whether a cell holds a MAWB: in its own form, or digits alone with its check digit, as HAWBs seldom are."""
    mawb = normal_mawb(cell) if isinstance(cell, str | int) else None
    return mawb is not None and (not text_of(cell).isdigit() or has_valid_check_digit(mawb))


def is_heading_row(cells: Sequence[Cell], headings: Mapping[int, Heading]) -> bool:
    """Whether a row below repeats the headings, as page breaks and second languages do."""
    same, other = 0, 0
    for column, heading in headings.items():
        cell = cell_at(cells, column)
        if cell is None or not heading.meanings:
            continue
        repeats = isinstance(cell, str) and not read_heading(text_of(cell)).fields().isdisjoint(heading.fields())
        same, other = same + repeats, other + (not repeats)
        if other > same + _MOST_OTHERS:
            return False
    return same >= 2 and same >= other


def has_same_columns(block: HeaderBlock, reference: HeaderBlock) -> bool:
    """Whether headings further down name the same fields, units and currencies over the same columns.

    An unknown word or a missing heading does not contradict. A heading without a unit agrees with one in kilograms,
    because the reader assumes kilograms, and with itself above a row of units.
    """
    for column, heading in block.headings.items():
        before = reference.headings.get(column)
        if not heading.meanings:
            continue
        if before is None or before.fields().isdisjoint(heading.fields()):
            return False
        is_same = block.texts.get(column) == reference.texts.get(column)
        if heading.fields() & _MEASURED and (heading.unit or "kg") != (before.unit or "kg") and not is_same:
            return False
    return True


def heading_blocks(
    row: Row, above: Row | None, merged: Sequence[tuple[int, int, int, int]], told: Told = NOTHING_TOLD
) -> list[HeaderBlock]:
    """The possible headings in a row: by itself, and with a row of groups directly above it. Empty if none.

    Of the two, those that somebody has answered for are the headings.
    """
    number, cells = row
    if not _can_be_headings(cells):
        return []
    texts = _texts(cells)
    single = HeaderBlock(number, number, told.meanings(_read_all(texts)), texts)
    if above is None or above[0] != number - 1 or single.count_known() < 2:
        return [single]
    if any(
        not isinstance(cell, str) or len(cell) > 60 or sum(map(str.isdigit, cell)) > 2 or ":" in cell
        for cell in above[1]
        if cell is not None
    ):
        return [single]  # no groups
    upper = {column: read_heading(text) for column, text in _texts(above[1]).items()}
    if has_own_values(cells, value_columns(upper)):
        return [single]  # the first guide, with `kilos` in its weight and `USD` in its value
    groups = spread_groups(above, merged, texts)
    both = HeaderBlock(
        above[0],
        number,
        told.meanings(
            {
                column: read_grouped_heading(groups.get(column, ""), texts.get(column, ""))
                for column in sorted(groups.keys() | texts.keys())
            }
        ),
        groups | texts,
    )
    told_both, told_single = (len(told.of(each.headings)) for each in (both, single))
    if told_both != told_single:
        return [both] if told_both > told_single else [single]
    return [both] if _divides(both, single) else [single, both]


_PATH = re.compile(r"([^\W\d_]{2}\w*)(?:\[?[./][\w\]]+)+")
_STEP = re.compile(r"[./\[\]]+(?:[0-9]+(?![^./\]]))?|_id(?=[./])")
_OF_VALUES = frozenset({"amount", "name", "value"})
"""The last steps of paths that may say nothing: `weight.value`, `state.name`."""


def _read_all(texts: Mapping[int, str]) -> dict[int, Heading]:
    """What the headings of a row mean. If two paths begin alike, as programs export them, all are read as paths."""
    found = {column: path for column, text in texts.items() if (path := _PATH.fullmatch(text))}
    paths = {
        column: path for column, path in found.items() if not has(words_of(path[1]), "delivered")
    }  # the consignee's
    are_paths = len({path[1].casefold() for path in paths.values()}) < len(paths)
    return {
        column: _read_path(text) if are_paths and column in paths else read_heading(text)
        for column, text in texts.items()
    }


def _read_path(text: str) -> Heading:
    """What the steps of a path mean, from the person it names on: `shipment.recipient.address.city`."""
    steps = [step for step in _STEP.split(text) if step]
    persons = (position for position, step in enumerate(steps) if party_of(words_of(step)) or group_party(step))
    steps = steps[next(persons, 1 if len(steps) > 2 else 0) :]
    found = read_heading(" ".join(steps))
    if len(steps) == 2 and has(words_of(steps[0]), "of_guide") and not any(each.is_exact for each in found.meanings):
        of_guide = read_heading(steps[1])  # `hawb.packageCount` is no HAWB
        found = of_guide if of_guide.meanings and of_guide.fields() <= _MEASURED | {"packages_count"} else found
    if found.fields() <= {"unused"} and steps[-1].casefold() in _OF_VALUES:
        found = read_heading(" ".join(steps[:-1]))
    return replace(found, text=text)


def _divides(both: HeaderBlock, single: HeaderBlock) -> bool:
    """Whether the groups say of anybody's headings below that they are different persons', or rule measures out."""
    grouped = [column for column, each in single.headings.items() if both.headings[column].text != each.text]
    measures = ((name, column) for column in grouped for name in single.headings[column].fields() & _MEASURED)
    if len(grouped) < len(single.headings) and any(
        both.headings[column].fields() == {"unused"} and NEVER_WITH[name] & {*words_of(both.headings[column].text)}
        for name, column in measures
    ):
        return True  # `VALOR CIF` over `Total`, and not a title over all columns
    parties: dict[Field, set[str]] = {}
    for column, heading in single.headings.items():
        for meaning in heading.meanings:
            if meaning.is_anybodys:
                parties.setdefault(meaning.field, set()).add(both.headings[column].party)
    return any(len(named - {""}) > 1 for named in parties.values())


def _can_be_headings(cells: Sequence[Cell]) -> bool:
    filled = [cell for cell in cells if cell is not None]
    words = [cell for cell in filled if isinstance(cell, str) and sum(map(str.isdigit, cell[:200])) < 4]
    return len(words) >= 2 and len(words) * 5 >= len(filled) * 4


def _texts(cells: Sequence[Cell]) -> dict[int, str]:
    return {column: text.strip() for column, text in enumerate(cells) if isinstance(text, str) and text.strip()}


def spread_groups(row: Row, merged: Sequence[tuple[int, int, int, int]], lower: Mapping[int, str]) -> dict[int, str]:
    """A row's group headings over every column below them: as merged, or up to the next one when nothing is merged.

    lower: column -> the heading below.
    """
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
        texts = _move_to_starts(texts, lower)
        ends = dict(zip(texts, [following - 1 for following in [*texts, max(lower) + 1][1:]], strict=True))
    return {column: text for start, text in texts.items() for column in range(start, ends[start] + 1)}


def _move_to_starts(texts: dict[int, str], lower: Mapping[int, str]) -> dict[int, str]:
    """The group headings, moved left together where persons' are written in the middle of the columns they are about.

    Then all of them have the same heading to their left: `Nombre`, which is the first of each.
    """
    people = [column for column, text in texts.items() if group_party(text)]
    beside = {lower.get(column - 1, "").casefold() for column in people}
    if len(people) < 2 or len(beside) > 1 or "" in beside or any(column - 1 in texts for column in people):
        return texts
    moved = {column - (column in people): text for column, text in texts.items()}
    return _move_to_starts(moved, lower)


def _with_units(block: HeaderBlock, below: Row) -> HeaderBlock:
    """The block with the units (`KG`, `USD`) that a row of remarks under it gives to its weights and values.

    Returns the same block when the row names none.
    """
    headings = dict(block.headings)
    for column, text in _texts(below[1]).items():
        heading, reading = headings.get(column, UNKNOWN), read_heading(text)
        if heading.fields() & _MEASURED and (reading.unit or reading.currency):
            unit, currency = reading.unit or heading.unit, reading.currency or heading.currency
            headings[column] = replace(heading, unit=unit, currency=currency)
    return block if headings == block.headings else replace(block, headings=headings)
