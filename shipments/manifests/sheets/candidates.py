"""Candidate columns for a field, and how well their values fit."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise

from shipments.manifests.cells import Cell, text_of
from shipments.manifests.documents import check_rut
from shipments.manifests.places import names_place
from shipments.manifests.words.headings import Heading
from shipments.manifests.words.lexicon import Meaning, has
from shipments.manifests.words.spelling import fold

_SPOILT = re.compile(r"[0-9]+\.0")
_POSTAL = re.compile(r"[A-Z]{2}[0-9]{9}[A-Z]{2}")
_RUT_SHAPED = re.compile(r"[0-9]{1,2}\.?[0-9]{3}\.?[0-9]{3}-?[0-9Kk]")
_LETTER = re.compile(r"[^\W\d_]")
_HOUSE_NUMBER = re.compile(r"(?<![^\s#.,])[0-9]{1,5}(?![^\s,.-])")
_STREET = re.compile(
    r"\b(?:av|avda|avenida|avenue|ave|calle|pasaje|psje|pje|camino|ruta|street|st|road|rd|depto|dpto|casa|block|km|jr|jir[oó]n|urb|mz|rua)\b",
    re.IGNORECASE,
)
_FEWEST_BARE_RUTS = 3
_LONGEST_COUNT = 5


@dataclass(frozen=True, slots=True)
class ColumnCandidate:
    """A column whose heading makes it a candidate for a field."""

    column: int
    meaning: Meaning
    heading: Heading
    values: Sequence[Cell] = field(repr=False)  # may be personal

    def is_filled(self) -> bool:
        return bool(self.values)

    def is_mostly(self, test: Callable[[Cell], bool]) -> bool:
        return are_mostly(self.values, test)

    def distinct(self) -> int:
        return len({text_of(value).upper() for value in self.values})

    def is_customers(self) -> bool:
        """Whether its heading is about a customer, who may be a different person."""
        return self.heading.party == "customer"

    def is_ordinal(self) -> bool:
        return counts_rows(self.values)


def counts_rows(values: Sequence[Cell]) -> bool:
    """Whether these count the rows: 1, 2, 3 ..."""
    texts = [text_of(value) for value in values]
    if len(texts) < 2 or not all(text.isascii() and text.isdigit() and len(text) <= 5 for text in texts):
        return texts == ["1"]
    numbers = [int(text) for text in texts]
    return numbers[0] <= 2 and all(0 <= after - before <= 1 for before, after in pairwise(numbers))


def are_all_spoilt(values: Sequence[Cell]) -> bool:
    """Whether these are digits that all end in `.0`, as programs write identifiers that they took for numbers."""
    return bool(values) and all(isinstance(value, str) and _SPOILT.fullmatch(text_of(value)) for value in values)


def is_postal_identifier(value: Cell) -> bool:
    """Whether a cell holds an identifier of the postal union (UPU S10): two letters, nine digits, two letters."""
    return isinstance(value, str) and _POSTAL.fullmatch(text_of(value).replace(" ", "").upper()) is not None


def is_status(value: Cell) -> bool:
    """Whether a cell holds a status (`released`, `en tránsito`) or a code, which no region is."""
    text = text_of(value)
    return any(map(str.isdigit, text)) or "_" in text or all(has((word,), "status_word") for word in fold(text))


def is_short_number(value: Cell) -> bool:
    text = text_of(value)
    return text.isascii() and text.isdigit() and len(text) <= _LONGEST_COUNT


def preference(candidate: ColumnCandidate) -> tuple[bool, bool, int, bool, bool, bool, int]:
    """The sort key for candidates of one field, best first. Between equal headings the column decides."""
    heading, meaning = candidate.heading, candidate.meaning
    return (
        not candidate.is_filled(),
        meaning.field == "consignee_name" and not (meaning.says_name and not candidate.is_customers()),
        meaning.rank,
        meaning.field == "weight_kg" and heading.unit not in {"", "kg"},
        meaning.field == "fob_usd" and heading.currency != "USD",
        not meaning.is_exact,
        candidate.column,
    )


def nothing_tells_apart(one: ColumnCandidate, other: ColumnCandidate) -> bool:
    """Whether two columns have the same heading for a field, and different values."""
    return (
        preference(one)[:-1] == preference(other)[:-1]
        and one.heading.text.casefold().split() == other.heading.text.casefold().split()
        and [text_of(value) for value in one.values] != [text_of(value) for value in other.values]
    )


def distinct_first(candidates: list[ColumnCandidate]) -> list[ColumnCandidate]:
    """HAWB candidates, without those that distinguish guides much less well than another."""
    useful = [candidate for candidate in candidates if candidate.meaning.rank < 3 or not candidate.is_ordinal()]
    most = max((candidate.distinct() for candidate in useful), default=0)
    return [
        candidate
        for candidate in useful
        # Parcels with several products repeat their HAWB. A value that is the same on every row identifies nothing.
        if candidate.distinct() * 2 >= most or (candidate.meaning.rank == 0 and candidate.distinct() > 1)
    ]


def are_mostly(values: Sequence[Cell], test: Callable[[Cell], bool]) -> bool:
    """Whether at least four in five values pass a test; false without values."""
    return bool(values) and sum(map(test, values)) * 5 >= len(values) * 4


def is_place(value: Cell) -> bool:
    """Whether a cell names a country, an airport, or a city that identifies its country."""
    return isinstance(value, str) and names_place(text_of(value))


def is_rut_shaped(value: Cell) -> bool:
    return not isinstance(value, date) and _RUT_SHAPED.fullmatch(text_of(value)) is not None


def are_ruts(values: Sequence[Cell]) -> bool:
    """Whether these are RUTs with valid check digits. Without hyphens, several are needed to rule out phone numbers."""
    if not are_mostly(values, _is_valid_rut):
        return False
    bare = {text_of(value) for value in values if "-" not in text_of(value)}
    return len(bare) < len(values) or len(bare) >= _FEWEST_BARE_RUTS


def is_not_a_name(value: Cell) -> bool:
    """Whether a cell cannot be a person's name: a number, a RUT, an e-mail address, or a street with its number."""
    text = text_of(value)
    if not isinstance(value, str) or not _LETTER.search(text) or "@" in text or is_rut_shaped(value):
        return True
    return is_address(value)


def has_house_number(value: Cell) -> bool:
    """Whether a cell has words and a number by itself, as a street has and no person's name."""
    text = text_of(value)
    return _HOUSE_NUMBER.search(text) is not None and _LETTER.search(text) is not None


def has_words_only(value: Cell) -> bool:
    text = text_of(value)
    return len(text.split()) > 1 and not any(map(str.isdigit, text))


def is_address(value: Cell) -> bool:
    """Whether a cell looks like a street with a number."""
    text = text_of(value)
    if not isinstance(value, str) or not _HOUSE_NUMBER.search(text) or not _LETTER.search(text):
        return False
    return "," in text or _STREET.search(text) is not None


def _is_valid_rut(value: Cell) -> bool:
    return is_rut_shaped(value) and not check_rut(text_of(value)).problem
