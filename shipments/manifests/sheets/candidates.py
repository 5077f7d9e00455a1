"""What values tell: whether a row is data or words, and how well a column fits a field.

A second row of headings, units or instructions never has a waybill number, a document, a measure or a person's name. A
row that has one is data, even if its weight says `kilos` or its value `USD`.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from decimal import Decimal
from itertools import pairwise
from string import ascii_uppercase
from typing import NamedTuple

from shipments.manifests.cells import Cell, cell_at, text_of
from shipments.manifests.documents import check_rut
from shipments.manifests.places import names_place
from shipments.manifests.words.amounts import Amount, read_packages, reads_as_number
from shipments.manifests.words.headings import heads_field
from shipments.manifests.words.lexicon import CELL_WORDS, has
from shipments.manifests.words.spelling import fold

_FEWEST_COLUMNS = 4
_LONGEST_HAWB_WORD = 4
_FEWEST_HAWB_DIGITS = 5
_LONGEST_PARTICLE = 3  # de la, dos, van
_INSTRUCTION = re.compile(
    r"""\W*(?:instruc\w+|obligatori[oa]s?|mandatory|required|requerid[oa]|opcional|optional|formato?|texto?|num[eé]rico|numeric|
    alfanum[eé]rico|alphanumeric|string|varchar|char|[XA9]\([0-9]+\)|m[aá]x(?:imo|imum)?|m[ií]n(?:imo|imum)?|sin|con|only|s[oó]lo|
    (?:ejemplos?|example|sample)(?![a-z])|(?:ej|e\.g|eg)(?=[.:)\s]))(?=\W|$)|
    \W*(?:必填|必須|必须|选填|選填|可选|可選|最多|最少|整数|整數|数字|數字|文本|格式|示例|例如)""",
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
    documents = (cell for column in columns.documents if not isinstance(cell := cell_at(cells, column), bool))
    has_document = any(cell is not None and not check_rut(text_of(cell)).problem for cell in documents)
    return has_document or any(is_persons_name(cell_at(cells, column)) for column in columns.names)


def is_identifier(text: str) -> bool:
    """Whether a text can be a waybill number: it has a digit, and only short words (`CL 0001`, `PA-77`)."""
    if not _DIGIT.search(text) or ":" in text or "(" in text or _INSTRUCTION.match(text):
        return False
    return all(_DIGIT.search(word) or len(word) <= _LONGEST_HAWB_WORD for word in text.split())


def may_count_guides(hawb: str) -> bool:
    """Whether what stands where a HAWB does may be a number of guides, as on a cover."""
    return hawb.isdigit() and len(hawb) < _FEWEST_HAWB_DIGITS


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
    """Whether a row only numbers the columns: (1) (2) (3) ..., or has their letters."""
    texts = [text for cell in cells if (text := text_of(cell))]
    if len(texts) >= _FEWEST_COLUMNS and max(map(len, texts)) == 1 and "".join(texts).upper() in ascii_uppercase:
        return True
    matches = [_COLUMN_NUMBER.fullmatch(text) for text in texts]
    numbers = [int(match[1]) for match in matches if match]
    return len(numbers) == len(texts) >= _FEWEST_COLUMNS and numbers == list(
        range(numbers[0], numbers[0] + len(numbers))
    )


def values_of(rows: Iterable[Sequence[Cell]], column: int) -> list[Cell]:
    """The filled cells of a column."""
    return [cell for cells in rows if text_of(cell := cell_at(cells, column))]


# At most 64 characters before the sign (RFC 5321, 4.5.3.1.1): unbounded, a long text takes time by its square.
_EMAIL = re.compile(r"[^\s@;,/|<>()]{1,64}@[^\s@;,/|<>()]+")
_PHONE = re.compile(r"\+?\(?[0-9][0-9 ().-]{5,}[0-9]")
_FRACTION = re.compile(r"^[0-9]+[.,][0-9]{1,2}$")
_MOST_HAWB_WORDS = 3
_LONGEST_COUNT = 5
_HIGHEST_COUNT = 10_000
_NOT_IN_DOCUMENTS = re.compile(r"[+@/]")
_REGION_NUMBER = re.compile(r"(?:R\.?|Regi[oó]n)?\s?(?:[0-9]{1,2}|RM|[IVX]{1,4})", re.IGNORECASE)
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
_FEWEST_BARE_RUTS = 3


def count_rows(values: Sequence[Cell], texts: Sequence[str]) -> bool:
    """Whether a column counts the rows: 1, 2, 3 ... It may have instructions, headings and a footer besides.

    texts: of the values.
    """
    if sum(text.isdigit() and len(text) <= _LONGEST_COUNT for text in texts) * 2 < len(texts):
        return False  # nearly every column
    numbers = [text for value, text in zip(values, texts, strict=True) if reads_as_number(value)]
    counted = numbers if len(numbers) * 2 >= len(texts) else texts
    if len(counted) < 2 or not all(t.isascii() and t.isdigit() and len(t) <= _LONGEST_COUNT for t in counted):
        return counted == ["1"]
    rows = [int(text) for text in counted]
    return rows[0] <= 2 and all(0 <= after - before <= 1 for before, after in pairwise(rows))


def is_spoilt(value: Cell) -> bool:
    """Whether a cell holds digits that end in `.0`, as programs write identifiers that they took for numbers."""
    return isinstance(value, str) and _SPOILT.fullmatch(text_of(value)) is not None


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


def has_letter(value: Cell) -> bool:
    return isinstance(value, str) and _LETTER.search(value) is not None


def may_be_place_name(value: Cell) -> bool:
    return has_letter(value) and not is_email(value) and _THREE_DIGITS.search(text_of(value)) is None


def is_house(value: Cell) -> bool:
    """Whether a cell can be a waybill number: it has a digit, and is no amount, no moment and no sentence."""
    text = text_of(value)
    if isinstance(value, date | bool) or not _DIGIT.search(text) or "@" in text or ":" in text:
        return False
    is_amount = _FRACTION.search(text) is not None or (isinstance(value, float) and not value.is_integer())
    return not is_amount and len(text.split()) <= _MOST_HAWB_WORDS


def is_document_number(value: Cell) -> bool:
    """Whether a cell can be the number of a person's or a company's document."""
    text = text_of(value)
    digits, letters = sum(map(str.isdigit, text)), sum(map(str.isalpha, text))
    return not isinstance(value, date) and 6 <= digits <= 13 and letters <= 3 and not _NOT_IN_DOCUMENTS.search(text)


def may_be_phone(value: Cell) -> bool:
    text = text_of(value)
    return sum(map(str.isdigit, text)) >= 6 and (is_email(value) or sum(map(str.isalpha, text)) <= 12)


def is_short_number(value: Cell) -> bool:
    text = text_of(value)
    return text.isascii() and text.isdigit() and len(text) <= _LONGEST_COUNT


def is_count(value: Cell) -> bool:
    amount = read_packages(value)
    return amount.value is not None and not amount.problem and amount.value <= _HIGHEST_COUNT


def is_region(value: Cell) -> bool:
    """Whether a cell names a region of one of the countries, or gives its number: `XIII`, `RM`."""
    text = text_of(value)
    return not CELL_WORDS["regions"].isdisjoint(fold(text)) or _REGION_NUMBER.fullmatch(text) is not None


def may_be_named(value: Cell) -> bool:
    """Whether a cell has a name beside whatever else: `Ana Soto 10452`."""
    text = text_of(value)
    words = sum(word.strip(".,-").isalpha() and len(word) > 1 for word in text.split())
    return words > 1 and not is_address(value) and "@" not in text and not _RUT_INSIDE.search(text)


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
    texts = {text_of(value) for value in values}
    return any("-" in text for text in texts) or len(texts) >= _FEWEST_BARE_RUTS


def is_not_a_name(value: Cell) -> bool:
    """Whether a cell is no person's name: a number, an e-mail address, a code, a street, or has a RUT in it."""
    text = text_of(value)
    if not has_letter(value) or "@" in text or is_rut_shaped(value) or _RUT_INSIDE.search(text):
        return True
    if is_address(value) or (has_house_number(value) and len(text.split()) > 2):  # not `Cliente 7`
        return True
    return is_code(value) and _THREE_DIGITS.search(text) is not None


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
