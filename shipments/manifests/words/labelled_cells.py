"""Labelled cells outside the table: the MAWB and the flight, beside, above, below or inside their labels."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from shipments.manifests.cells import Cell, Row, text_of
from shipments.manifests.waybills import has_valid_check_digit, labelled_mawbs, unlabelled_mawbs
from shipments.manifests.words.cell_labels import (
    FILLERS,
    LONGEST_LABELLED,
    Label,
    has_label,
    labels_in,
    plain_letters,
    reads,
)
from shipments.manifests.words.guide_words import Field
from shipments.manifests.words.headings import heads_field

_MOST_LABEL_WORDS = 8
_MOST_BARE = 5
_DIGIT = re.compile(r"[0-9]")
_ELEVEN_DIGITS = re.compile(r"[0-9]{3} ?[0-9]{4} ?[0-9]{4}")
_MASTER = re.compile(
    r"(?<![a-z])(?:mawb|m\.?a\.?w\.?b|(?:guia|awb|documento|conocimiento)[\s\w]*?(?:master|madre)|master\s+(?:awb|air\s*way))"
    r"(?![a-z])"
)
"""The master waybill, named anywhere in a text."""


@dataclass(slots=True)
class LabelledValues:
    """The contents of a workbook's labelled cells, in the order found.

    master: MAWBs labelled as the master. hinted: those labelled only `AWB` or `GUIA`. loose: those without a label.
    bare: cells (`B3`) with eleven digits and no label. flight: field -> cells that can be read as its value.
    unread: field -> cells beside its label that cannot.
    """

    master: list[str] = field(default_factory=list)
    hinted: list[str] = field(default_factory=list)
    loose: list[str] = field(default_factory=list)
    bare: list[str] = field(default_factory=list)
    flight: dict[Field, list[Cell]] = field(default_factory=dict)
    unread: dict[Field, list[Cell]] = field(default_factory=dict)


def find_labelled(rows: Iterable[Row], into: LabelledValues) -> None:
    """Add the contents of the labelled cells in these rows.

    rows: any rows outside the guide table. Values are looked for to the right of a label (skipping blanks and colons),
    below it and above it.
    """
    cells = dict(rows)
    claimed: set[tuple[int, int]] = set()
    for number, row in cells.items():
        for column, cell in enumerate(row):
            if not isinstance(cell, str) or len(cell) > LONGEST_LABELLED:
                continue
            labels = labels_in(cell)
            for label in labels:
                claimed.add((number, column))
                if label.value:
                    _take(label, [label.value], into)
                else:
                    places = list(_around(cells, number, column))
                    taken = _take(label, [value for _, value in places], into)
                    claimed.update(place for place, value in places if taken is not None and value is taken)
            if not any(label.is_master and not label.value for label in labels) and _MASTER.search(plain_letters(cell)):
                _take_beside(cells, number, column, into)
    for number, row in cells.items():
        for column, cell in enumerate(row):
            if (number, column) in claimed or (isinstance(cell, str) and len(cell) > LONGEST_LABELLED):
                continue
            if isinstance(cell, str):
                into.loose.extend(unlabelled_mawbs(cell))
            if _ELEVEN_DIGITS.fullmatch(text_of(cell)) and len(into.bare) < _MOST_BARE:
                into.bare.append(f"{_letters(column)}{number}")


def _take_beside(cells: Mapping[int, Sequence[Cell]], number: int, column: int, into: LabelledValues) -> None:
    """Read the MAWB beside a text that contains the word among others, such as `MAWB del embarque`.

    Such a text may be about something else, so digits count only if the last is their check digit.
    """
    text = plain_letters(text_of(cells[number][column]))
    if _DIGIT.search(text) or len(text.split()) > _MOST_LABEL_WORDS:
        return
    for _, value in _around(cells, number, column):
        mawbs = labelled_mawbs(text_of(value))
        if len(mawbs) == 1 and has_valid_check_digit(mawbs[0]):
            into.master.extend(mawbs)
            return


def _letters(column: int) -> str:
    """A column's letters as the spreadsheet shows them; column: from 0."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _take(label: Label, values: Sequence[Cell], into: LabelledValues) -> Cell:
    """Keep the first value that one of the label's fields can read. Return it, or None."""
    for name in label.fields:
        readable = next((value for value in values if reads(name, value)), None)
        if readable is None:
            continue
        if name == "mawb":
            (into.master if label.is_master else into.hinted).extend(labelled_mawbs(text_of(readable)))
        else:
            into.flight.setdefault(name, []).append(readable)
        return readable
    if label.fields == ("hawb",):
        return next(iter(values), None)  # belongs to the label, although HAWBs are not read outside the table
    beside = next((value for value in values if not _is_wording(value)), None)
    if beside is not None and not label.is_weak and (label.has_mark or not label.value):
        into.unread.setdefault(label.fields[0], []).append(beside)
    return None


def _is_wording(cell: Cell) -> bool:
    """Whether a cell is itself a label or a heading, so that it cannot be the value of the one before it."""
    return isinstance(cell, str) and (has_label(cell) or heads_field(cell))


def _around(cells: Mapping[int, Sequence[Cell]], number: int, column: int) -> Iterator[tuple[tuple[int, int], Cell]]:
    """The cells that may hold a label's value, nearest first: to the right, below, above."""
    row = cells[number]
    for right in range(column + 1, len(row)):
        cell = row[right]
        if cell is None or (isinstance(cell, str) and FILLERS.fullmatch(cell)):
            continue
        if not _is_label(cell):
            yield (number, right), cell
        break
    for near in (number + 1, number + 2, number - 1):
        cell = cells[near][column] if column < len(cells.get(near, ())) else None
        if cell is not None and not _is_label(cell):
            yield (near, column), cell


def values_around(cells: Mapping[int, Sequence[Cell]], number: int, column: int) -> Iterator[Cell]:
    """The values that may belong to a label, nearest first. cells: row number -> cells; column: the label's, from 0."""
    return (value for _, value in _around(cells, number, column))


def _is_label(cell: Cell) -> bool:
    """Whether a cell is only a label. ETD, POL and AWB are also airports."""
    if not isinstance(cell, str) or len(cell) > LONGEST_LABELLED:
        return False
    return any(not label.value for label in labels_in(cell))
