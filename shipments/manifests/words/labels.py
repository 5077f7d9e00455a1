"""Labels outside the table, and their values: the MAWB and the flight, beside, above, below or inside their labels.

A text may hold several, such as `MAWB: 045-12345675  VUELO: LA501`.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import time
from functools import cache
from itertools import islice
from typing import NamedTuple

from openpyxl.utils import get_column_letter

from base.errors import Translatable
from shipments.errors import MawbNotFoundInFile
from shipments.manifests.cells import Cell, Row, text_of, tokens
from shipments.manifests.findings import MAX_QUOTED
from shipments.manifests.moments import read_moment, read_time_of_day
from shipments.manifests.places import names_place, read_destination, read_flight_number, read_origin
from shipments.manifests.waybills import find_labelled_mawbs, find_unlabelled_mawbs, has_valid_check_digit
from shipments.manifests.words import WORDS
from shipments.manifests.words.headings import heads_field
from shipments.manifests.words.lexicon import CLASSES, UNITS, Field, api_names, has, phrases, without_articles
from shipments.manifests.words.spelling import SIMPLIFIED, fold, spell

LONGEST_LABELLED = 300
"""The longest cell that is searched for labels; longer texts are terms and conditions."""

_NUMBER = r"(?:n[o\u00b0\u00ba]?\.?|nro\.?|num\.?|numero|number|#)"
_GAP = r"[\s._/-]*"
_ARTICLES = rf"(?:(?:{'|'.join(sorted(CLASSES['article']))})[\s._/-]+)*"
FILLERS = re.compile(r"[\s:;=.#|>_*/-]*")
_PLACE_FIRST = re.compile(r"([A-Za-z]{3})\b[\s:]*")

_READS: Mapping[Field, Callable[[Cell], object]] = {
    "mawb": lambda cell: find_labelled_mawbs(text_of(cell)),
    "flight_number": read_flight_number,
    "origin": read_origin,
    "destination": read_destination,
    "scheduled_departure": read_moment,
    "scheduled_arrival": read_moment,
}

FLIGHT_FIELDS: tuple[Field, ...] = tuple(name for name in _READS if name != "mawb")
_LABELLED: tuple[Field, ...] = ("mawb", "hawb", *FLIGHT_FIELDS)
_WEAK_LABELS: Mapping[str, Field] = {
    " ".join(word.split()): name
    for name in ("flight_number", "origin", "destination")
    for word in WORDS["labels"][f"weak_{name}"].split(",")
}
"""Labels that count outside a table only, and only beside a readable value: a route may be a street's."""
_CHINESE_LABELS: Mapping[str, Field] = {
    word: name for name in _LABELLED for word in WORDS["labels"].get(name, "").split()
}
_NO_LABELS = tokens(WORDS["labels"]["only_in_tables"])
"""Headings that are too common in running text to be labels outside a table."""


@dataclass(frozen=True, slots=True)
class Label:
    """One label and the text after it. fields: what it may mean; is_master: whether it clearly means the master."""

    fields: tuple[Field, ...]
    is_master: bool
    value: str
    has_mark: bool  # a colon or similar mark separates label and value
    is_weak: bool  # an unreadable cell beside it is not reported


def labels_in(text: str) -> list[Label]:
    """The labels of a cell, each with the text up to the next one: `MAWB: 045-12345675  VUELO: LA501`."""
    labels: list[Label] = []
    plain = plain_letters(text)
    end = len(text)
    for match in reversed(list(_pattern().finditer(plain))):
        found = match["label"]
        key = _key(found)
        meaning = _meanings().get(key or found)
        if meaning is None:
            continue
        value = FILLERS.sub("", text[match.end() : end], count=1).strip()
        place = _PLACE_FIRST.match(value)
        if place and not _MOMENTS.isdisjoint(meaning[0]) and names_place(place[1]):
            value = value[place.end() :]  # `ETA SCL`
        if key in _WEAK_KEYS and _leads_nowhere(value):
            value = ""  # `From / To`
        fields, is_master = meaning
        if "/" in found and "scheduled_departure" in fields:
            fields = ("flight_number", *fields)  # `Flight/Date`
        label = Label(fields, is_master, value, has_mark=bool(match["mark"]), is_weak=key in _WEAK_KEYS)
        before = plain[: match.start()].rstrip()
        is_first = before.endswith("/") or not FILLERS.sub("", before, count=1)  # `Carrier / Flight`
        # In the middle of a sentence a word is a label only with a colon, or before a value that fits it.
        if is_first or label.has_mark or (value and any(reads(name, value) for name in label.fields)):
            labels.append(label)
            end = match.start()
    return labels[::-1]


def has_label(text: str) -> bool:
    """Whether a text is a label of the waybill or the flight, or begins with one."""
    return len(text) <= LONGEST_LABELLED and bool(labels_in(text))


def label_and_value(text: str) -> tuple[str, str]:
    """The label of a cell and what follows it there: after a colon, or as a MAWB: `Guía aérea 045-12345675`."""
    own, colon, inside = text.partition(":")
    found = None if colon else _LABEL_AND_MAWB.fullmatch(text)
    return (found["label"].rstrip(), found["mawb"]) if found else (own.strip(), inside.strip())


def reads(name: Field, value: Cell) -> bool:
    """Whether a cell can be read as the value of a field of the waybill or the flight."""
    reader = _READS.get(name)
    return bool(reader and reader(value))


def plain_letters(text: str) -> str:
    """The text without accents and case, letter for letter, so that positions are the same as in the text."""
    return "".join(unicodedata.normalize("NFKD", letter)[0].lower()[0] for letter in text.translate(SIMPLIFIED))


@cache
def _meanings() -> Mapping[str, tuple[tuple[Field, ...], bool]]:
    """Label, folded and without blanks -> its fields, and whether it clearly means the master."""
    words: dict[str, list[tuple[Field, int]]] = {}
    for name in _LABELLED:
        for rank, listed in enumerate(phrases(name)):
            for word in listed:
                words.setdefault(_key(word), []).append((name, rank))
    for name, named in api_names():
        if named in _READS:
            words.setdefault(_key(name), []).append((named, 0))
    for name, named in (*_WEAK_LABELS.items(), *_CHINESE_LABELS.items()):
        words.setdefault(_key(name) or name, []).append((named, 0))
    # In a table `AWB` heads HAWBs as well as MAWBs; outside a table it means the MAWB.
    return {
        word: (("mawb",), ("mawb", 0) in meant)
        if any(name == "mawb" for name, _ in meant)
        else (tuple(dict.fromkeys(name for name, _ in meant)), False)
        for word, meant in words.items()
    }


@cache
def _pattern() -> re.Pattern[str]:
    words = {word for name in _LABELLED for listed in phrases(name) for word in listed}
    words |= {name for name, named in api_names() if named in _READS} | _WEAK_LABELS.keys()
    listed = (without_articles(fold(word)) for word in words if word not in _NO_LABELS)
    parts = ([_NUMBER if part == "numero" else re.escape(part) for part in label] for label in listed)
    spellings = sorted({(_GAP + _ARTICLES).join(label) for label in parts}, key=len, reverse=True)
    labels = "|".join([*spellings, *_CHINESE_LABELS])
    return re.compile(
        rf"(?<![a-z0-9])(?:{_NUMBER}{_GAP}(?:de\s+|del\s+)?)?(?P<label>{labels})(?![a-z0-9])"
        rf"(?:{_GAP}{_NUMBER}(?![a-z]))?(?:\s+[1-9](?=\s*(?:[:=]|$)))?(?:\s*/\s*(?:date|fecha|data)(?![a-z]))?(?:\s*\([^()]{{0,30}}\))?\s*(?P<mark>[:=])?"
    )


def _key(label: str) -> str:
    return "".join(without_articles(fold(label)))


_WEAK_KEYS = frozenset(map(_key, _WEAK_LABELS))


# --- in the cells of a sheet -----------------------------------------------------------------------------------------

_MOMENTS: frozenset[Field] = frozenset({"scheduled_departure", "scheduled_arrival"})
_BEHIND_A_NAME: frozenset[Field] = frozenset({"mawb", "flight_number"})
"""Fields whose value may follow the carrier's name."""
_LONGEST_CODE = 3
_NO_VALUES = frozenset({"si", "sim", "yes"}).union(
    UNITS, *(CLASSES[name] for name in ("article", "connective", "not", "unit_word"))
)
_NEAR_A_DATE = 3
"""Cells to the right of a label among which the time of day may be."""
_MOST_LABEL_WORDS = 8
_MOST_BESIDE = 2
_MOST_BARE = 5
_DIGIT = re.compile(r"[0-9]")
_LABEL_AND_MAWB = re.compile(r"(?P<label>[^\W\d][^\d:]*)(?<=\s)(?P<mawb>\d{3}[- ]?\d{4} ?\d{4})")
_ELEVEN_DIGITS = re.compile(r"[0-9]{3} ?[0-9]{4} ?[0-9]{4}")
_MASTER = re.compile(
    r"(?<![a-z])(?:mawb|m\.?a\.?w\.?b|(?:guia|awb|documento|conocimiento)[\s\w]{0,60}?(?:master|madre)|master\s+(?:awb|air\s*way))"
    r"(?![a-z])"
)
"""The master waybill, named anywhere in a text."""


@dataclass(slots=True)
class LabelledValues:
    """What a workbook says about its MAWB and its flight, in the order found.

    master: MAWBs labelled as the master, beside the cell or over the column. hinted: those labelled only `AWB` or
    `GUIA`. loose: those without a label, but with the hyphen. bare: cells (`B3`) with eleven digits and no label.
    flight: field -> cells that can be read as its value. unread: field -> cells beside its label that cannot.
    places: text of a value -> the cell that it was first found in (`C2`), or its column. uncalculated: field -> the
    cell beside its label with a formula whose result is not in the file.
    times: field of a moment -> the time of day beside its label or its date. clocks: field of a time typed as text ->
    whose clock it shows, if a client's format says it: an end of the flight or an IANA time zone.
    """

    master: list[str] = field(default_factory=list)
    hinted: list[str] = field(default_factory=list)
    loose: list[str] = field(default_factory=list)
    bare: list[str] = field(default_factory=list)
    flight: dict[Field, list[Cell]] = field(default_factory=dict)
    unread: dict[Field, list[Cell]] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    uncalculated: dict[Field, str] = field(default_factory=dict)
    times: dict[Field, time] = field(default_factory=dict)
    clocks: dict[Field, str] = field(default_factory=dict)

    def quote(self, text: str) -> str:
        """A value that a refusal quotes, with its cell: `C2, 'No'`."""
        place = self.places.get(text)
        return f"{place}, {text[:MAX_QUOTED]!r}" if place else repr(text[:MAX_QUOTED])

    def names_one(self) -> bool:
        """Whether there is exactly one MAWB among the most reliable ones."""
        return len(set(self.master or self.hinted or self.loose)) == 1

    def mawb(self) -> str:
        """The workbook's MAWB.

        Raises MawbNotFoundInFile, naming the closest candidate, when there is none or when equally reliable ones
        disagree.
        """
        for found in (self.master, self.hinted, self.loose):
            mawbs = list(dict.fromkeys(found))
            if len(mawbs) > 1:
                raise MawbNotFoundInFile(
                    Translatable(
                        "The workbook names more than one MAWB: %(mawbs)s. Send one MAWB per workbook.",
                        mawbs=", ".join(mawbs[:5]),
                    )
                )
            if mawbs:
                return mawbs[0]
        if "mawb" in self.unread:
            raise MawbNotFoundInFile(
                Translatable(
                    "%(quoted)s, which is next to the MAWB's label, is not a MAWB: enter three digits, a hyphen and "
                    "eight digits, such as 045-12345675.",
                    quoted=self.quote(text_of(self.unread["mawb"][0])),
                )
            )
        if "mawb" in self.uncalculated:
            raise MawbNotFoundInFile(
                Translatable(
                    "Cell %(cell)s, next to the MAWB's label, contains a formula whose result is not in the file: "
                    "open the workbook in Excel or LibreOffice and save it again, or type the MAWB.",
                    cell=self.uncalculated["mawb"],
                )
            )
        if self.bare:
            raise MawbNotFoundInFile(
                Translatable(
                    "Cell %(cell)s has eleven digits, which may be a MAWB or a tax number, and no label says that "
                    "they are the MAWB: write MAWB next to them, or a hyphen after the first three digits.",
                    cell=self.bare[0],
                )
            )
        raise MawbNotFoundInFile


def find_labelled(
    rows: Iterable[Row], into: LabelledValues, uncalculated: Collection[tuple[int, int]] = frozenset()
) -> None:
    """Add the contents of the labelled cells in these rows.

    rows: any rows outside the guide table. Values are looked for to the right of a label (skipping blanks and colons),
    below it and above it. uncalculated: (row, column) of formulas without a result.
    """
    cells = dict(rows)
    claimed: set[tuple[int, int]] = set()
    for number, row in cells.items():
        for column, cell in enumerate(row):
            if isinstance(cell, str) and len(cell) <= LONGEST_LABELLED:
                labels = labels_in(cell)
                claimed.update(_take_all(labels, cells, (number, column), into, uncalculated))
                has_bare_master = any(label.is_master and not label.value for label in labels)
                if not has_bare_master and _MASTER.search(plain_letters(cell)):
                    if has(fold(cell), "former"):  # `MAWB anterior`
                        claimed.update(each.place for each in _cells_near(cells, number, column))
                    else:
                        _take_beside(cells, number, column, into)
    for number, row in cells.items():
        for column, cell in enumerate(row):
            if (number, column) in claimed or (isinstance(cell, str) and len(cell) > LONGEST_LABELLED):
                continue
            if isinstance(cell, str):
                into.loose.extend(find_unlabelled_mawbs(cell))
            if _ELEVEN_DIGITS.fullmatch(text_of(cell)) and len(into.bare) < _MOST_BARE:
                into.bare.append(cell_name(number, column))


def _take_all(
    labels: Sequence[Label],
    cells: Mapping[int, Sequence[Cell]],
    place: tuple[int, int],
    into: LabelledValues,
    uncalculated: Collection[tuple[int, int]],
) -> Iterator[tuple[int, int]]:
    """Keep the values of a cell's labels. Gives the cells that hold them, and the labels' own."""
    bare = [label for label in labels if not label.value]
    values = list(_cells_near(cells, *place)) if bare else []
    of_each = _pair_values(bare, values)
    for label in labels:
        yield place
        if label.value:
            _take(label, [_Nearby(place, label.value, is_second=False)], into)
        elif lost := _find_lost(uncalculated, cells[place[0]], *place):
            into.uncalculated.setdefault(label.fields[0], lost)
        else:
            taken = _take(label, of_each.get(label.fields, values), into)
            yield from (each.place for each in values if taken is not None and each.value is taken)
        beside = () if label.value else (each.value for each in values)
        _take_time(label, [*_right_of(cells, *place), *beside], into)


def cell_name(number: int, column: int) -> str:
    """A cell as the spreadsheet names it: `B3`. column: from 0."""
    return f"{get_column_letter(column + 1)}{number}"


class _Nearby(NamedTuple):
    """A cell near a label. is_second: whether another value stands between."""

    place: tuple[int, int]
    value: Cell
    is_second: bool


def _pair_values(bare: Sequence[Label], values: Sequence[_Nearby]) -> Mapping[tuple[Field, ...], Sequence[_Nearby]]:
    """The value of each of several labels in one cell, if as many values follow: `Origen/Destino`, `MIA`, `SCL`."""
    pairs = list(zip(bare, values, strict=False))
    if len(pairs) < max(len(bare), 2) or not all(reads(label.fields[0], each.value) for label, each in pairs):
        return {}
    return {label.fields: [each._replace(is_second=False)] for label, each in pairs}


def _find_lost(uncalculated: Collection[tuple[int, int]], row: Sequence[Cell], number: int, column: int) -> str:
    """The cell of a formula without a result that stands right of a label before any value, or below it."""
    if not uncalculated:
        return ""
    for right in range(column + 1, column + 1 + _NEAR_A_DATE):
        if (number, right) in uncalculated:
            return cell_name(number, right)
        if right < len(row) and not FILLERS.fullmatch(text_of(row[right])):
            return ""
    return cell_name(number + 1, column) if (number + 1, column) in uncalculated else ""


def _take_beside(cells: Mapping[int, Sequence[Cell]], number: int, column: int, into: LabelledValues) -> None:
    """Read the MAWB beside a text that contains the word among others, such as `MAWB del embarque`.

    Such a text may be about something else, so digits count only if the last is their check digit.
    """
    text = plain_letters(text_of(cells[number][column]))
    if _DIGIT.search(text) or len(text.split()) > _MOST_LABEL_WORDS:
        return
    for each in _cells_near(cells, number, column):
        mawbs = find_labelled_mawbs(text_of(each.value))
        if len(mawbs) == 1 and has_valid_check_digit(mawbs[0]):
            into.master.extend(mawbs)
            return


def _take(label: Label, values: Sequence[_Nearby], into: LabelledValues) -> Cell:
    """Keep the first value that one of the label's fields can read. Return it, or None."""
    for name in label.fields:
        possible = (each for each in values if name in _BEHIND_A_NAME or not each.is_second)
        found = next((each for each in possible if reads(name, each.value)), None)
        if found is None:
            continue
        into.places.setdefault(text_of(found.value), cell_name(*found.place))
        if name == "mawb":
            (into.master if label.is_master else into.hinted).extend(find_labelled_mawbs(text_of(found.value)))
        else:
            into.flight.setdefault(name, []).extend(_values_of_legs(name, found, values, into))
        return found.value
    if label.fields == ("hawb",):
        return (
            values[0].value if values else None
        )  # belongs to the label, although HAWBs are not read outside the table
    is_moment = not _MOMENTS.isdisjoint(label.fields)
    beside = next(
        (each for each in values if not (is_wording(each.value) or (is_moment and read_time_of_day(each.value)))), None
    )
    if beside is not None and not label.is_weak and (label.has_mark or not label.value):
        into.places.setdefault(text_of(beside.value), cell_name(*beside.place))
        into.unread.setdefault(label.fields[0], []).append(beside.value)
    return None


def _values_of_legs(name: Field, found: _Nearby, values: Sequence[_Nearby], into: LabelledValues) -> Sequence[Cell]:
    """The value of a label, and of a second leg the one below it. Of two legs the last one leads to the destination."""
    row, column = found.place
    below = next((each.value for each in values if each.place == (row + 1, column) and reads(name, each.value)), None)
    if below is None or name == "origin":
        return (found.value,)
    if name != "destination":
        return (found.value, below)
    return (below if len(into.flight.get("flight_number", ())) > 1 else found.value,)


def _take_time(label: Label, values: Sequence[Cell], into: LabelledValues) -> None:
    """Keep a time of day beside the label of a departure or an arrival: `Hora de llegada`, or right of its date."""
    for name in label.fields:
        found = (value for value in (label.value, *values) if not is_wording(value))
        clock = next((clock for value in found if (clock := read_time_of_day(value))), None)
        if name in _MOMENTS and clock is not None:
            into.times.setdefault(name, clock)


def _right_of(cells: Mapping[int, Sequence[Cell]], number: int, column: int) -> Iterator[Cell]:
    """The cells right of a label up to the next one, each with the one below it."""
    below = cells.get(number + 1, ())
    for right in range(column + 1, min(len(cells[number]), column + 1 + _NEAR_A_DATE)):
        if _is_label(cells[number][right]):
            return
        yield from (cells[number][right], *below[right : right + 1])


def is_wording(cell: Cell) -> bool:
    """Whether a cell is itself a label or a heading, so that it cannot be the value of the one before it."""
    return isinstance(cell, str) and (has_label(cell) or _is_heading(cell))


def _cells_near(cells: Mapping[int, Sequence[Cell]], number: int, column: int) -> Iterator[_Nearby]:
    """The cells that may hold a label's value, nearest first: to the right, below, above.

    A heading ends the search to the right. A word that says yes or no, leads to a place or is a unit is the value only
    directly beside the label, where a refusal quotes it.
    """
    row = cells[number]
    beside = (right for right in range(column + 1, len(row)) if not FILLERS.fullmatch(text_of(row[right])))
    for count, right in enumerate(islice(beside, _MOST_BESIDE)):  # `Vuelo`, `LATAM`, `LA8071`
        if _is_label(row[right]) or _is_heading(row[right]):
            break
        if right == column + 1 or not _leads_nowhere(row[right]):
            yield _Nearby((number, right), row[right], is_second=count > 0)
    is_between = False
    for near in (number + 1, number + 2, number - 1):
        cell = cells[near][column] if column < len(cells.get(near, ())) else None
        is_blank = cell is None or FILLERS.fullmatch(text_of(cell)) is not None
        is_second, is_between = is_between and near == number + 2, not is_blank
        if not is_blank and not _is_label(cell) and not _is_heading(cell):
            yield _Nearby((near, column), cell, is_second=is_second)


def _is_heading(cell: Cell) -> bool:
    """Whether a cell heads a column of guides, and is not the full name of a place: `Poland` is no port of loading."""
    if not isinstance(cell, str) or not heads_field(cell) or CLASSES["not"].issuperset(spell(cell)):
        return False  # a bare `No` is an answer
    return len(cell.strip()) <= _LONGEST_CODE or not names_place(text_of(cell))


def _leads_nowhere(cell: Cell) -> bool:
    return isinstance(cell, str) and bool(cell.strip()) and all(word in _NO_VALUES for word in spell(cell))


def value_near(cells: Mapping[int, Sequence[Cell]], number: int, column: int) -> Cell:
    """The nearest value that may belong to a label. cells: row number -> cells; column: the label's, from 0."""
    return next((each.value for each in _cells_near(cells, number, column)), None)


def _is_label(cell: Cell) -> bool:
    """Whether a cell is only a label. ETD, POL and AWB are also airports."""
    return isinstance(cell, str) and len(cell) <= LONGEST_LABELLED and any(not each.value for each in labels_in(cell))
