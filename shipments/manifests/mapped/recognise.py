"""Find which of a company's formats a workbook has, and how the workbook differs from it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

from shipments.manifests.cells import LONGEST_HEADING, Cell, Row, Sheet, Workbook, text_of
from shipments.manifests.mapped.spec import NUMBERS, FormatInUse, FormatSpec, Key, MappedColumn, heading_key
from shipments.manifests.sheets.candidates import values_of
from shipments.manifests.sheets.encodings import Repairs, repaired
from shipments.manifests.sheets.headers import SEARCHED_ROWS, spread_groups
from shipments.manifests.words.headings import read_grouped_heading
from shipments.manifests.words.lexicon import Field
from shipments.manifests.words.units import is_currency_word, is_unit_word

_FEWEST_TEXTS = 3
_MOST_DIGITS = 4
_QUALIFIERS: frozenset[Field] = frozenset({"weight_unit", "currency", "check_digit", "consignee_document_type"})
"""What a new column may mean so that mapped columns no longer mean what they did."""
_MAY_TELL_UNITS: frozenset[Field] = frozenset({"unused", "packages_count"})
"""Meanings of headings such as `UNIDAD`, whose values may be units or currencies all the same."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How a sheet's headings differ from a format's. Headings are as written in the sheet, or in the format.

    missing: required columns that are not there. repeated: mapped headings that are there more often than they should
    be. qualifiers: new columns that change what others mean. lost: optional mapped columns that are not there.
    competing: new columns that the vocabulary takes for a mapped field. new: all other new columns.
    """

    missing: tuple[MappedColumn, ...] = ()
    repeated: tuple[str, ...] = ()
    qualifiers: tuple[str, ...] = ()
    lost: tuple[MappedColumn, ...] = ()
    competing: tuple[tuple[str, str], ...] = ()
    new: tuple[str, ...] = ()

    @property
    def refuses(self) -> bool:
        """Whether nothing may be read."""
        return bool(self.missing or self.repeated or self.qualifiers)


@dataclass(frozen=True, slots=True)
class Match:
    """A sheet that has a format's headings, or most of them.

    first_row, last_row: of the headings, as the spreadsheet numbers them. places: index of a column of the format ->
    column of the sheet, from 0. texts: column -> heading as written, with the group above it. rows: the first ones
    below the headings. is_read: false for a sheet that is only searched for guides that no other sheet has.
    """

    format: FormatInUse
    sheet: str
    first_row: int
    last_row: int
    places: Mapping[int, int]
    texts: Mapping[int, str]
    difference: Difference
    rows: Sequence[Sequence[Cell]] = field(default=(), repr=False)  # personal
    is_read: bool = True

    @property
    def spec(self) -> FormatSpec:
        """The format's content."""
        return self.format.spec

    def has_hawbs(self) -> bool:
        """Whether the column of the HAWBs is there."""
        return any(self.spec.columns[index].field == "hawb" for index in self.places)

    def mapped_count(self) -> int:
        """How many columns that serve a field are there."""
        return sum(bool(self.spec.columns[index].field) for index in self.places)


class Recognition(NamedTuple):
    """full: formats, best first, each with its sheets, those that are read first. changed: one match for a format."""

    full: tuple[tuple[Match, ...], ...] = ()
    changed: tuple[Match, ...] = ()


class _Headings(NamedTuple):
    """A row that may be headings: where each heading stands. rows: the first ones of the sheet."""

    sheet: str
    rows: Sequence[Row]
    first_row: int
    last_row: int
    texts: Mapping[int, str]
    keys: Mapping[Key, tuple[int, ...]]

    def below(self) -> list[Sequence[Cell]]:
        """The rows under the headings."""
        return [cells for number, cells in self.rows if number > self.last_row]


def recognise(book: Workbook, formats: Sequence[FormatInUse]) -> Recognition:
    """Compare the first rows of each visible sheet with each format.

    A sheet has a format in full when all its required headings are there once and nothing new changes their meaning. It
    is the format changed when it has half of its headings, and at least three.
    """
    if not formats:
        return Recognition()
    heads = [(sheet, list(islice(repaired(sheet, Repairs()).rows, SEARCHED_ROWS))) for sheet in book.sheets]
    candidates = {
        height: [[*_headings(sheet, rows, height)] for sheet, rows in heads]
        for height in {form.spec.header_rows for form in formats}
    }
    full: list[tuple[Match, ...]] = []
    changed: list[Match] = []
    for form in formats:
        matches = [found for rows in candidates[form.spec.header_rows] if (found := _best(form, rows))]
        whole = [match for match in matches if not match.difference.refuses]
        named = heading_key(form.spec.sheet)
        whole = [match for match in whole if form.spec.sheet and heading_key(match.sheet) == named] or whole
        like = [match for match in matches if match not in whole and _is_like(match)]
        if whole:
            full.append((*whole, *(replace(match, is_read=False) for match in like if match.has_hawbs())))
        elif like:
            changed.append(max(like, key=Match.mapped_count))
    full.sort(key=lambda matches: -matches[0].mapped_count())
    changed.sort(key=lambda match: -match.mapped_count())
    return Recognition(tuple(full), tuple(changed))


def _is_like(match: Match) -> bool:
    named = sum(bool(column.heading) for column in match.spec.columns)
    there = sum(bool(match.spec.columns[index].heading) for index in match.places)
    return there >= _FEWEST_TEXTS and there * 2 >= named


# --- one sheet --------------------------------------------------------------------------------------------------------


def _headings(sheet: Sheet, rows: Sequence[Row], height: int) -> Iterator[_Headings]:
    """The rows that may be headings of this height."""
    for position, (number, cells) in enumerate(rows):
        own = texts_of(cells)
        if len(own) < _FEWEST_TEXTS or not _has_mostly_words(cells):
            continue
        above = rows[position - 1] if height == 2 and position and rows[position - 1][0] == number - 1 else None
        texts: dict[int, str] = {}
        keys: dict[Key, tuple[int, ...]] = {}
        for column, (group, text) in with_groups(own, above, sheet).items():
            texts[column] = f"{group} / {text}" if group else text
            for key in dict.fromkeys((heading_key(text, group), heading_key(text))):
                keys[key] = (*keys.get(key, ()), column)
        yield _Headings(sheet.name, rows, number - (above is not None), number, texts, keys)


def _has_mostly_words(cells: Sequence[Cell]) -> bool:
    """Whether most cells are words, as in headings. Rows of guides have numbers; comparing those would take long."""
    filled = [cell for cell in cells if cell is not None]
    words = [cell for cell in filled if isinstance(cell, str) and sum(map(str.isdigit, cell[:200])) < _MOST_DIGITS]
    return len(words) * 5 >= len(filled) * 3


def texts_of(cells: Sequence[Cell]) -> dict[int, str]:
    """Column -> text, of a row that may be headings."""
    return {
        column: text
        for column, cell in enumerate(cells)
        if isinstance(cell, str) and len(cell) <= LONGEST_HEADING and (text := text_of(cell))
    }


def with_groups(own: Mapping[int, str], above: Row | None, sheet: Sheet) -> Mapping[int, tuple[str, str]]:
    """Column -> the group above it and its heading. A heading over both rows has no group.

    own: the headings of a row. above: the row of the groups, if there is one.
    """
    groups = spread_groups(above, sheet.merged, own) if above and own else {}
    names = {column: (groups.get(column, ""), own.get(column, "")) for column in sorted(own.keys() | groups.keys())}
    return {column: (group, text) if text else ("", group) for column, (group, text) in names.items()}


def repeats(cells: Sequence[Cell], match: Match) -> bool:
    """Whether a row further down repeats the headings, as page breaks do."""
    names = [(place, match.spec.columns[index]) for index, place in match.places.items()]
    told = [(place, column) for place, column in names if column.heading]
    first_place, first = told[0]
    if first_place >= len(cells) or not _is_heading(cells[first_place], first):
        return False
    same = sum(place < len(cells) and _is_heading(cells[place], column) for place, column in told)
    return same * 2 > len(told)


def _is_heading(cell: Cell, column: MappedColumn) -> bool:
    if not isinstance(cell, str) or len(cell) > LONGEST_HEADING:
        return False
    return heading_key(text_of(cell)) in {heading_key(text) for text in (column.heading, *column.also)}


def _best(form: FormatInUse, candidates: Sequence[_Headings]) -> Match | None:
    wanted = [key for column in form.spec.columns for key in column.spellings()]
    scores = [sum(key in each.keys for key in wanted) for each in candidates]
    most = max(scores, default=0)
    return _match(form, candidates[scores.index(most)]) if most >= _FEWEST_TEXTS else None


def _match(form: FormatInUse, headings: _Headings) -> Match:
    spec = form.spec
    counts = Counter(column.spellings()[0] for column in spec.columns if column.heading)
    serving = {key for column in spec.mapped() for key in column.spellings()}
    places: dict[int, int] = {}
    repeated: list[str] = []
    taken: set[int] = set()
    for index, column in enumerate(spec.columns):
        found = sorted({place for key in column.spellings() for place in headings.keys.get(key, ())})
        free = [place for place in found if place not in taken]
        if column.heading and column.field and len(found) > counts[column.spellings()[0]]:
            repeated.append(column.name())
        if free:
            places[index] = free[0]
            taken.add(free[0])
        if not column.field and serving.isdisjoint(column.spellings()):
            taken.update(found)  # any number of columns that are not read may have this heading
    _place_unnamed(spec, places, taken)
    new = [place for place in sorted(headings.texts) if place not in taken]
    below = headings.below()
    difference = _difference(spec, places, repeated, headings.texts, new, below)
    return Match(form, headings.sheet, headings.first_row, headings.last_row, places, headings.texts, difference, below)


def _place_unnamed(spec: FormatSpec, places: dict[int, int], taken: set[int]) -> None:
    """Place the columns without a heading, each right of the column that it was said to follow."""
    named = {column.heading: places[index] for index, column in enumerate(spec.columns) if index in places}
    for index, column in enumerate(spec.columns):
        if column.right_of and (left := named.get(column.right_of)) is not None and left + 1 not in taken:
            places[index] = left + 1
            taken.add(left + 1)


def _difference(
    spec: FormatSpec,
    places: Mapping[int, int],
    repeated: Sequence[str],
    texts: Mapping[int, str],
    new: Sequence[int],
    below: Sequence[Sequence[Cell]],
) -> Difference:
    gone = [column for index, column in enumerate(spec.columns) if index not in places]
    fields = {column.field for column in spec.columns if column.field}
    qualifiers, competing, others = _unnamed_units(spec, places, texts, below), [], []
    for place in new:
        text = texts[place]
        meant = _fields(text)
        if meant & _QUALIFIERS or (meant <= _MAY_TELL_UNITS and _tells_unit(place, below)):
            qualifiers.append(text)
        elif rival := sorted(meant & fields - {"unused"}):
            competing.append((text, rival[0]))
        else:
            others.append(text)
    return Difference(
        missing=tuple(column for column in gone if column.required),
        repeated=tuple(repeated),
        qualifiers=tuple(qualifiers),
        lost=tuple(column for column in gone if column.field and not column.required),
        competing=tuple(competing),
        new=tuple(others),
    )


def _fields(text: str) -> frozenset[Field]:
    group, _slash, heading = text.rpartition(" / ")
    return read_grouped_heading(group, heading).fields()


def _unnamed_units(
    spec: FormatSpec, places: Mapping[int, int], texts: Mapping[int, str], below: Sequence[Sequence[Cell]]
) -> list[str]:
    """New columns of units or currencies without a heading, beside the column of a measure."""
    known = texts.keys() | set(places.values())
    measured = {place: spec.columns[index] for index, place in places.items() if spec.columns[index].field in NUMBERS}
    return [
        f"({column.name()} {side:+d})"
        for place, column in measured.items()
        for side in (-1, 1)
        if place + side >= 0 and place + side not in known and _tells_unit(place + side, below)
    ]


def _tells_unit(place: int, below: Sequence[Sequence[Cell]]) -> bool:
    """Whether all values of an unknown column are units or currencies."""
    values = values_of(below, place)
    return bool(values) and all(
        isinstance(value, str) and (is_unit_word(value) or is_currency_word(value)) for value in values
    )
