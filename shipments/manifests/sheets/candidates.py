"""What values tell: whether a row is data or words, and how well a column fits a field.

A second row of headings, units or instructions never has a waybill number, a document, a measure or a person's name. A
row that has one is data, even if its weight says `kilos` or its value `USD`.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from shipments.manifests.cells import Cell, cell_at, text_of
from shipments.manifests.documents import check_rut
from shipments.manifests.places import names_place
from shipments.manifests.words.amounts import Amount, reads_as_number
from shipments.manifests.words.headings import Heading, heads_field
from shipments.manifests.words.lexicon import CELL_WORDS, Meaning, has
from shipments.manifests.words.spelling import fold

_FEWEST_COLUMNS = 4
_LONGEST_HAWB_WORD = 4
_LONGEST_PARTICLE = 3  # de la, dos, van
_INSTRUCTION = re.compile(
    r"""\W*(?:instruc\w+|obligatori[oa]s?|mandatory|required|requerid[oa]|opcional|optional|formato?|texto?|num[eé]rico|numeric|
    alfanum[eé]rico|alphanumeric|string|varchar|char|m[aá]x(?:imo|imum)?|m[ií]n(?:imo|imum)?|sin|con|only|s[oó]lo|
    (?:ejemplos?|example|sample)(?![a-z])|(?:ej|e\.g|eg)(?=[.:)\s]))(?=\W|$)""",
    re.IGNORECASE | re.VERBOSE,
)
_DIGIT = re.compile(r"[0-9]")
_COLUMN_NUMBER = re.compile(r"\(?([0-9]{1,3})\)?")


class ValueColumns(NamedTuple):
    """Where a row of a table would have values of its own, by column from 0."""

    house: int | None
    documents: tuple[int, ...] = ()
    measures: tuple[int, ...] = ()
    names: tuple[int, ...] = ()


def has_own_values(cells: Sequence[Cell], columns: ValueColumns) -> bool:
    """Whether a row has a HAWB, a document, a number in a measure column, or a person's name."""
    if numbers_columns(cells):
        return False
    has_number = any(reads_as_number(cell_at(cells, column)) for column in columns.measures)
    return has_number or _has_house(cells, columns) or _names_somebody(cells, columns)


def looks_like_guide(cells: Sequence[Cell], columns: ValueColumns) -> bool:
    """Whether a row has a HAWB together with a document or a person's name."""
    return _has_house(cells, columns) and _names_somebody(cells, columns)


def _has_house(cells: Sequence[Cell], columns: ValueColumns) -> bool:
    return columns.house is not None and is_identifier(text_of(cell_at(cells, columns.house)))


def _names_somebody(cells: Sequence[Cell], columns: ValueColumns) -> bool:
    has_document = any(_is_document(cell_at(cells, column)) for column in columns.documents)
    return has_document or any(is_persons_name(cell_at(cells, column)) for column in columns.names)


def is_identifier(text: str) -> bool:
    """Whether a text can be a waybill number: it has a digit, and only short words (`CL 0001`, `PA-77`)."""
    if not _DIGIT.search(text) or ":" in text or "(" in text or _INSTRUCTION.match(text):
        return False
    return all(_DIGIT.search(word) or len(word) <= _LONGEST_HAWB_WORD for word in text.split())


def is_persons_name(cell: Cell) -> bool:
    """Whether a cell has two or more capitalised words that are not wording of a form."""
    if not isinstance(cell, str):
        return False
    text = text_of(cell)
    words = text.split()
    if len(words) < 2 or _DIGIT.search(text) or _INSTRUCTION.match(text):
        return False
    if not CELL_WORDS["forms"].isdisjoint(fold(text)) or heads_field(text):
        return False
    return not any(word[0].islower() for word in words if len(word) > _LONGEST_PARTICLE)


def is_instruction(text: str) -> bool:
    """Whether a text begins like an instruction on how to fill a column."""
    return _INSTRUCTION.match(text) is not None


def numbers_columns(cells: Sequence[Cell]) -> bool:
    """Whether a row only numbers the columns: (1) (2) (3) ..."""
    texts = [text for cell in cells if (text := text_of(cell))]
    matches = [_COLUMN_NUMBER.fullmatch(text) for text in texts]
    numbers = [int(match[1]) for match in matches if match]
    return len(numbers) == len(texts) >= _FEWEST_COLUMNS and numbers == list(
        range(numbers[0], numbers[0] + len(numbers))
    )


def _is_document(cell: Cell) -> bool:
    return cell is not None and not isinstance(cell, bool) and not check_rut(text_of(cell)).problem


def values_of(rows: Iterable[Sequence[Cell]], column: int) -> list[Cell]:
    """The filled cells of a column."""
    return [cell for cells in rows if text_of(cell := cell_at(cells, column))]


# At most 64 characters before the sign (RFC 5321, 4.5.3.1.1): unbounded, a long text takes time by its square.
_EMAIL = re.compile(r"[^\s@;,/|<>()]{1,64}@[^\s@;,/|<>()]+")
_PHONE = re.compile(r"\+?\(?[0-9][0-9 ().-]{5,}[0-9]")
_FRACTION = re.compile(r"^[0-9]+[.,][0-9]{1,2}$")
_SPOILT = re.compile(r"[0-9]+\.0")
_POSTAL = re.compile(r"[A-Z]{2}[0-9]{9}[A-Z]{2}")
_RUT_SHAPED = re.compile(r"[0-9]{1,2}\.?[0-9]{3}\.?[0-9]{3}-?[0-9Kk]")
_RUT_INSIDE = re.compile(r"\b[0-9]{1,2}\.?[0-9]{3}\.?[0-9]{3}-[0-9Kk]\b")
_THREE_DIGITS = re.compile(r"[0-9]{3}")
_PARTICIPLE = re.compile(r"[a-z]{3,}[ai]d[ao]s?|list[ao]s?")
_LETTER = re.compile(r"[^\W\d_]")
_HOUSE_NUMBER = re.compile(r"(?<![^\s#.,])[0-9]{1,5}(?![^\s,.-])")
_STREET = re.compile(
    r"\b(?:av|avda|avenida|avenue|ave|calle|pasaje|psje|pje|camino|ruta|street|st|road|rd|depto|dpto|casa|block|km|jr|jir[oó]n|urb|mz|rua)\b",
    re.IGNORECASE,
)
_REPEATED_BY_PROGRAM = re.compile(r"\.[0-9]$")
"""How pandas tells equal headings apart: `Name`, `Name.1`."""
_FEWEST_BARE_RUTS = 3
_LONGEST_COUNT = 5


@dataclass(frozen=True, slots=True)
class ColumnCandidate:
    """A column whose heading makes it a candidate for a field."""

    column: int
    meaning: Meaning
    heading: Heading
    values: Sequence[Cell] = field(repr=False)  # may be personal

    def is_mostly(self, test: Callable[[Cell], bool]) -> bool:
        return are_mostly(self.values, test)

    def texts(self) -> list[str]:
        return [text_of(value) for value in self.values]

    def has_digits(self) -> bool:
        return any(map(_DIGIT.search, self.texts()))

    def distinct(self) -> int:
        """The number of different values."""
        return len({text.upper() for text in self.texts()})

    def is_customers(self) -> bool:
        """Whether its heading is about a customer, who may be a different person."""
        return self.heading.party == "customer"


def counts_rows(values: Sequence[Cell]) -> bool:
    """Whether these count the rows: 1, 2, 3 ..."""
    texts = [text_of(value) for value in values]
    if len(texts) < 2 or not all(text.isascii() and text.isdigit() and len(text) <= 5 for text in texts):
        return texts == ["1"]
    numbers = [int(text) for text in texts]
    return numbers[0] <= 2 and all(0 <= after - before <= 1 for before, after in pairwise(numbers))


def count_rows(values: Sequence[Cell]) -> bool:
    """The same for a column's numbers, if every other value is one: it may have instructions, headings and a footer."""
    numbers = [value for value in values if reads_as_number(value)]
    return counts_rows(numbers if len(numbers) * 2 >= len(values) else values)


def are_all_spoilt(values: Sequence[Cell]) -> bool:
    """Whether these are digits that all end in `.0`, as programs write identifiers that they took for numbers."""
    return bool(values) and all(isinstance(value, str) and _SPOILT.fullmatch(text_of(value)) for value in values)


def is_postal_identifier(value: Cell) -> bool:
    """Whether a cell holds an identifier of the postal union (UPU S10): two letters, nine digits, two letters."""
    return isinstance(value, str) and _POSTAL.fullmatch(text_of(value).replace(" ", "").upper()) is not None


def is_status(value: Cell) -> bool:
    """Whether a cell holds a status (`released`, `Recibido en bodega`) or a code, which no region is."""
    text = text_of(value)
    words = fold(text)
    is_said = any(map(_PARTICIPLE.fullmatch, words)) or not CELL_WORDS["shipped"].isdisjoint(words)
    return any(map(str.isdigit, text)) or "_" in text or is_said or all(has((w,), "status_word") for w in words)


def is_code(value: Cell) -> bool:
    """Whether a cell holds one word with a digit, which is neither a place nor an address."""
    text = text_of(value)
    return " " not in text and _DIGIT.search(text) is not None


def is_code_or_number(value: Cell) -> bool:
    return is_code(value) or reads_as_number(value)


def has_no_letter(value: Cell) -> bool:
    """Whether a cell holds a number or a date, which is nobody's name."""
    return _LETTER.search(text_of(value)) is None


def is_email(value: Cell) -> bool:
    return "@" in text_of(value)


def is_contact(value: Cell) -> bool:
    """Whether a cell holds both a phone number and an e-mail address."""
    phone, email = contact_in(text_of(value))
    return bool(phone and email)


def contact_in(text: str) -> tuple[str, str]:
    """The phone number and the e-mail address of a text, each as it is written; a text with neither is the number."""
    phone, email = _PHONE.search(_EMAIL.sub(" ", text)), _EMAIL.search(text)
    return phone[0] if phone else "" if email else text, email[0] if email else ""


def is_fraction(value: Cell) -> bool:
    """Whether a cell holds an amount with decimals, which cannot be an identifier."""
    return _FRACTION.search(text_of(value)) is not None


def is_short_number(value: Cell) -> bool:
    text = text_of(value)
    return text.isascii() and text.isdigit() and len(text) <= _LONGEST_COUNT


def preference(candidate: ColumnCandidate) -> tuple[bool, bool, int, bool, bool, bool, int]:
    """The sort key for candidates of one field, best first. Between equal headings the column decides."""
    heading, meaning = candidate.heading, candidate.meaning
    return (
        not candidate.values,
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
        and _REPEATED_BY_PROGRAM.sub("", one.heading.text).casefold().split()
        == _REPEATED_BY_PROGRAM.sub("", other.heading.text).casefold().split()
        and one.texts() != other.texts()
    )


def multiplies(
    rows: Sequence[Sequence[Cell]], count: int, one: int, whole: int, read: Callable[[Cell], Amount]
) -> bool:
    """Whether a column of counts turns another into a third on nearly all rows, and on some by more than one."""
    found = [[read(row[column]).value for column in (count, one, whole)] for row in rows]
    known = [(many, each, total) for many, each, total in found if many and each and total]
    return (
        len(known) * 5 >= len(rows) * 4
        and any(many > 1 for many, _, _ in known)
        and all(abs(many * each - total) * 100 <= many * max(total / 100, Decimal(1)) for many, each, total in known)
    )


def name_others(one: Sequence[Cell], other: Sequence[Cell]) -> bool:
    """Whether two columns, row by row, mostly name different people: their names share no word."""
    pairs = [({*fold(text_of(left))}, {*fold(text_of(right))}) for left, right in zip(one, other, strict=True)]
    filled = [left.isdisjoint(right) for left, right in pairs if left and right]
    return sum(filled) * 2 > len(filled)


def distinct_first(candidates: list[ColumnCandidate]) -> list[ColumnCandidate]:
    """HAWB candidates, without those that distinguish guides much less well than another."""
    useful = [each for each in candidates if each.meaning.rank < 3 or not counts_rows(each.values)]
    most = max((each.distinct() for each in useful), default=0)
    # Parcels with several products repeat their HAWB. A value that is the same on every row identifies nothing.
    return [each for each in useful if each.distinct() * 2 >= most or (each.meaning.rank == 0 and each.distinct() > 1)]


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
    if not are_mostly(values, lambda value: is_rut_shaped(value) and not check_rut(text_of(value)).problem):
        return False
    bare = {text_of(value) for value in values if "-" not in text_of(value)}
    return len(bare) < len(values) or len(bare) >= _FEWEST_BARE_RUTS


def is_not_a_name(value: Cell) -> bool:
    """Whether a cell cannot be a person's name: a number, a code, a RUT, an e-mail address, or a street's number."""
    text = text_of(value)
    if not isinstance(value, str) or not _LETTER.search(text) or "@" in text or is_rut_shaped(value):
        return True
    if is_code(value) and _THREE_DIGITS.search(text):
        return True
    is_street = is_address(value) or (has_house_number(value) and len(text.split()) > 2)  # not `Cliente 7`
    return is_street or _RUT_INSIDE.search(text) is not None


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
