"""Labelled cells outside the table: the MAWB and the flight, beside, above, below or inside their labels."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from shipments.manifests.headings.guide_words import Field, tokens
from shipments.manifests.headings.header_words import CONTRACT_NAMES, FLIGHT, WAYBILLS
from shipments.manifests.headings.headers import read_heading
from shipments.manifests.headings.heading_tokens import ARTICLES, fold
from shipments.manifests.headings.vocabulary import without_articles
from shipments.manifests.moments import read_moment
from shipments.manifests.waybills import labelled_mawbs, unlabelled_mawbs
from shipments.manifests.workbook.cell_text import text_of
from shipments.manifests.workbook.flight_values import read_flight_number, read_place
from shipments.manifests.xlsx.opening import Cell, Row

LONGEST_LABELLED = 300
"""Characters of a cell that is searched for labels; longer texts are terms and conditions."""

_NUMBER = r"(?:n[o\u00b0\u00ba]?\.?|nro\.?|num\.?|numero|number|#)"
_GAP = r"[\s._/-]*"
_ARTICLES = rf"(?:(?:{'|'.join(sorted(ARTICLES))})[\s._/-]+)*"
_FILLERS = re.compile(r"[\s:;=.#|>_*-]*")

_READS: Mapping[Field, Callable[[Cell], object]] = {
    "mawb": lambda cell: labelled_mawbs(text_of(cell)),
    "flight_number": read_flight_number,
    "origin": read_place,
    "destination": read_place,
    "scheduled_departure": read_moment,
    "scheduled_arrival": read_moment,
}


FLIGHT_FIELDS: tuple[Field, ...] = (
    "flight_number",
    "origin",
    "destination",
    "scheduled_departure",
    "scheduled_arrival",
)


@dataclass(slots=True)
class Labelled:
    """What the labelled cells of a workbook say, in the order found.

    master: MAWBs that a label names as such. hinted: those labelled `AWB` or `GUIA` only. loose: those without any
    label. flight: field -> cells that can be read as its value. unread: field -> cells beside its label that cannot.
    """

    master: list[str] = field(default_factory=list)
    hinted: list[str] = field(default_factory=list)
    loose: list[str] = field(default_factory=list)
    flight: dict[Field, list[Cell]] = field(default_factory=dict)
    unread: dict[Field, list[Cell]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Label:
    fields: tuple[Field, ...]
    is_master: bool
    value: str
    has_mark: bool  # a colon or the like tells label from value


def find_labelled(rows: Iterable[Row], into: Labelled) -> None:
    """Add what the labelled cells of these rows say.

    rows: any rows outside the table of guides; values are looked for to the right of a label (over blanks and colons),
    below it and above it.
    """
    cells = dict(rows)
    claimed: set[tuple[int, int]] = set()
    for number, row in cells.items():
        for column, cell in enumerate(row):
            if not isinstance(cell, str) or len(cell) > LONGEST_LABELLED:
                continue
            for label in _labels_in(cell):
                claimed.add((number, column))
                if label.value:
                    _take(label, [label.value], into)
                else:
                    places = list(_around(cells, number, column))
                    taken = _take(label, [value for _, value in places], into)
                    claimed.update(place for place, value in places if taken is not None and value is taken)
    for number, row in cells.items():
        for column, cell in enumerate(row):
            if isinstance(cell, str) and (number, column) not in claimed and len(cell) <= LONGEST_LABELLED:
                into.loose.extend(unlabelled_mawbs(cell))


def has_label(text: str) -> bool:
    """Whether a text is a label of the waybill or the flight, or begins with one."""
    return len(text) <= LONGEST_LABELLED and bool(_labels_in(text))


def _take(label: _Label, values: Sequence[Cell], into: Labelled) -> Cell:
    """Keep the first value that one of the label's fields can read; give it, or None."""
    for name in label.fields:
        readable = next((value for value in values if reads(name, value)), None)
        if readable is None:
            continue
        if name == "mawb":
            (into.master if label.is_master else into.hinted).extend(labelled_mawbs(text_of(readable)))
        else:
            into.flight.setdefault(name, []).append(readable)
        return readable
    beside = next(iter(values), None)
    if label.fields == ("hawb",):
        return beside  # spoken for, although nothing outside the table is read from it
    if beside is not None and (label.has_mark or not label.value) and not _is_wording(beside):
        into.unread.setdefault(label.fields[0], []).append(beside)
    return None


def _is_wording(cell: Cell) -> bool:
    """Whether a cell is a label or a heading itself, so that it cannot be the value of the one before it."""
    return isinstance(cell, str) and (has_label(cell) or bool(read_heading(cell).meanings))


def _around(cells: Mapping[int, Sequence[Cell]], number: int, column: int) -> Iterator[tuple[tuple[int, int], Cell]]:
    """The cells that may hold a label's value, nearest first: to the right, below, above."""
    row = cells[number]
    for right in range(column + 1, len(row)):
        cell = row[right]
        if cell is None or (isinstance(cell, str) and _FILLERS.fullmatch(cell)):
            continue
        if not _is_label(cell):
            yield (number, right), cell
        break
    for near in (number + 1, number + 2, number - 1):
        cell = cells[near][column] if column < len(cells.get(near, ())) else None
        if cell is not None and not _is_label(cell):
            yield (near, column), cell


def _is_label(cell: Cell) -> bool:
    """Whether a cell is a label and no more; ETD, POL and AWB are airports as well."""
    if not isinstance(cell, str) or len(cell) > LONGEST_LABELLED:
        return False
    return any(not label.value for label in _labels_in(cell))


# --- labels inside a text -----------------------------------------------------------------------------------------


def _labels_in(text: str) -> list[_Label]:
    """The labels of a cell, each with the text up to the next one: `MAWB: 045-12345675  VUELO: LA501`."""
    labels: list[_Label] = []
    plain = _plain(text)
    end = len(text)
    for match in reversed(list(_pattern().finditer(plain))):
        meaning = _meanings().get(_key(match["label"]))
        if meaning is None:
            continue
        value = _FILLERS.sub("", text[match.end() : end], count=1).strip()
        label = _Label(*meaning, value, has_mark=bool(match["mark"]))
        is_first = not _FILLERS.sub("", plain[: match.start()], count=1)
        # In the middle of a sentence a word is a label when it has its colon, or is followed by what it announces.
        if is_first or label.has_mark or (value and any(reads(name, value) for name in label.fields)):
            labels.append(label)
            end = match.start()
    return labels[::-1]


def reads(name: Field, value: Cell) -> bool:
    """Whether a cell can be read as the value of a field of the waybill or the flight."""
    reader = _READS.get(name)
    return bool(reader and reader(value))


def _plain(text: str) -> str:
    """The text without accents and case, letter for letter, so that places in it are places in the text."""
    return "".join(unicodedata.normalize("NFKD", letter)[0].lower()[0] for letter in text)


@cache
def _meanings() -> Mapping[str, tuple[tuple[Field, ...], bool]]:
    """Label, folded and without blanks -> its fields, and whether it names the master beyond doubt."""
    words: dict[str, list[tuple[Field, int]]] = {}
    for entry in (*WAYBILLS, *FLIGHT):
        for word in entry.listed():
            words.setdefault(_key(word), []).append((entry.field, entry.rank))
    for name, named in CONTRACT_NAMES.items():
        if named in _READS:
            words.setdefault(_key(name), []).append((named, 0))
    meanings: dict[str, tuple[tuple[Field, ...], bool]] = {}
    for word, meant in words.items():
        fields = tuple(dict.fromkeys(name for name, _ in meant))
        # `AWB` heads houses as well as masters; outside a table it is the master's.
        if "mawb" in fields:
            meanings[word] = (("mawb",), ("mawb", 0) in meant)
        else:
            meanings[word] = (fields, False)
    return meanings


@cache
def _pattern() -> re.Pattern[str]:
    words = {word for entry in (*WAYBILLS, *FLIGHT) for word in entry.listed()} | {
        name for name, named in CONTRACT_NAMES.items() if named in _READS
    }
    spellings = sorted({_spelling(word) for word in words if word not in _NO_LABELS}, key=len, reverse=True)
    return re.compile(
        rf"(?<![a-z0-9])(?:{_NUMBER}{_GAP}(?:de\s+|del\s+)?)?(?P<label>{'|'.join(spellings)})(?![a-z0-9])"
        rf"(?:{_GAP}{_NUMBER}(?![a-z]))?(?:\s*\([^()]{{0,30}}\))?\s*(?P<mark>[:=])?"
    )


_NO_LABELS = tokens("from hija house id numero paquete ref reference referencia source track")
"""Headings that are too common in running text to label anything outside a table."""


def _spelling(label: str) -> str:
    words = without_articles(fold(label))
    return (_GAP + _ARTICLES).join(_NUMBER if word == "numero" else re.escape(word) for word in words)


def _key(label: str) -> str:
    return "".join(without_articles(fold(label)))
