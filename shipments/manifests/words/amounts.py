"""Numbers as people type them into manifests: weights, money and counts of packages.

A number typed as text may include its unit or currency, and be written the Chilean way (`1.234,50`) or the English way
(`1,234.50`). When both readings are possible, a fixed rule decides; for money, the ambiguity is reported.
"""

import math
import re
import unicodedata
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache, wraps
from typing import Literal, NamedTuple

from shipments.manifests.cells import Cell
from shipments.manifests.field_kinds import DecimalNumber
from shipments.manifests.guide_fields import PACKAGES, USD, WEIGHT_KG
from shipments.manifests.words import WORDS
from shipments.manifests.words.lexicon import CELL_WORDS, UNITS as WEIGHT_UNITS

Problem = Literal["", "invalid", "currency", "ambiguous", "unit"]

KILOGRAM = Decimal(1)
UNITS = {
    "kg": KILOGRAM,
    "lb": Decimal("0.45359237"),  # international avoirdupois pound, 1959
    "oz": Decimal("0.028349523125"),  # a sixteenth of it
    "g": Decimal("0.001"),
    "mg": Decimal("0.000001"),
    "t": Decimal(1000),
}
"""Units of weight a manifest may use, in kilograms."""

_SMALL_UNITS = frozenset({"g", "mg"})

_LONGEST = 40
_LONGEST_UNIT = 8
_UNIT_OF_WORD = {word.upper(): unit for word, unit in WEIGHT_UNITS.items()} | {
    "T": "t",
    "L": "lb",
}  # IATA's codes are K and L
_DOLLARS = {"", *(" ".join(each.split()) for each in WORDS["cells"]["dollars"].split(","))}
_CUSTOMS_DOLLAR = "13"
"""The dollar in the currency table of Chile's customs (Compendio de Normas Aduaneras, Anexo 51-20)."""
_PACKAGE_WORDS = CELL_WORDS["packages"] | {""}

_PLAIN = re.compile(r"[0-9.,]{0,39}[0-9]")
_NUMBER = re.compile(r"([^0-9.,()+-]*)([0-9.,](?:[0-9., ']*?[0-9.,])??)([^0-9.,()+-]*)\.?")
_GROUPED_BY_BLANKS = re.compile(r"[0-9]{1,3}(?:[ '][0-9]{3})+(?:[.,][0-9]+)?")
_GROUPED = {mark: re.compile(rf"[0-9]{{1,3}}(?:\{mark}[0-9]{{3}})+") for mark in ".,"}


_Parts = tuple[str, str, str]
_NO_PARTS = ("", "", "")
_Decimal = tuple[Decimal | None, bool]


class Amount(NamedTuple):
    """The content of a cell: its value, None when it is empty or unreadable, and the problem found.

    problem: `invalid`, `currency` and `unit` have no value; `ambiguous` has the value that the rule chose.
    """

    value: Decimal | None
    problem: Problem = ""


_EMPTY = Amount(None)
_INVALID = Amount(None, "invalid")
_OTHER_CURRENCY = Amount(None, "currency")


def _reader(read: Callable[..., Amount]) -> Callable[..., Amount]:
    """A function that reads a cell, of one that reads its decimal number and the parts of its text.

    Equal numbers are read only once: a manifest repeats weights, prices and counts. Texts are not kept in memory.
    """

    @lru_cache(maxsize=4096, typed=True)  # typed: 1, 1.0 and True are equal, and read differently
    def of_number(cell: Cell, *how: str) -> Amount:
        number = _number(cell)
        if number is None:
            return _EMPTY if cell is None else _INVALID
        return read((number, False), _NO_PARTS, *how)

    @wraps(read)
    def of_cell(cell: Cell, *how: str) -> Amount:
        if type(cell) is not str:
            return of_number(cell, *how)
        parts = _parts(cell)
        if parts is None:
            return _INVALID if cell.strip() else _EMPTY
        return read(_decimal(parts[1]), parts, *how)

    return of_cell


@_reader
def read_weight(read: _Decimal, parts: _Parts, unit: str = "kg", mark: str = "") -> Amount:
    """A weight in kilograms, to the gram. Called with the cell, and perhaps unit and mark.

    unit: the column's, a key of `UNITS`; a unit typed into the cell overrides it. mark: the column's decimal mark,
    empty when none of its cells decides. In that case a single separator before exactly three digits is the decimal
    mark: a parcel weighs 1.234 kg rather than a ton. In grams it groups thousands.
    """
    (number, is_ambiguous), (before, digits, after) = read, parts
    if before + after:
        unit = _UNIT_OF_WORD.get(before + after, "")
    if number is None or not unit:
        return _INVALID
    if is_ambiguous and (mark not in digits if mark else unit in _SMALL_UNITS):
        number *= 1000
    return _within(number if unit == "kg" else number * UNITS[unit], WEIGHT_KG)


@_reader
def read_money(read: _Decimal, parts: _Parts, mark: str = "") -> Amount:
    """An amount of US dollars, to the cent. Called with the cell, and perhaps the mark.

    A currency typed into the cell must be the dollar. mark: the column's decimal mark, empty when none of its cells
    decides. In that case a single separator before exactly three digits groups thousands and is reported as
    `ambiguous`, except after a leading zero, where it can only be a decimal mark.
    """
    (number, is_ambiguous), (before, digits, after) = read, parts
    if before not in _DOLLARS or after not in _DOLLARS:
        return _OTHER_CURRENCY
    if number is None:
        return _INVALID
    if is_ambiguous and not (mark and mark in digits):
        number *= 1000
    amount = _within(number, USD)
    return amount._replace(problem="ambiguous") if is_ambiguous and not mark and amount.value is not None else amount


@_reader
def read_packages(read: _Decimal, parts: _Parts) -> Amount:
    """A count of packages, as the field table bounds it. A fraction is invalid unless it is all zeros (`2,00`)."""
    number, is_ambiguous = read
    if number is None or parts[0] + parts[2] not in _PACKAGE_WORDS:
        return _INVALID
    if is_ambiguous and number != int(number):
        number *= 1000
    if number != int(number) or not PACKAGES.minimum <= number <= PACKAGES.maximum:
        return _INVALID
    return Amount(Decimal(int(number)), "ambiguous" if is_ambiguous else "")


def decimal_mark(text: str) -> str:
    """The decimal mark of a number typed as text: `.`, `,`, empty, or `either` when it can be read as both."""
    digits = (_parts(text) or _NO_PARTS)[1]
    last = max(digits.rfind("."), digits.rfind(","))
    number, ambiguous = _decimal(digits) if last >= 0 else (None, False)
    if number is None:
        return ""
    if ambiguous:
        return "either"
    is_grouping = digits.count(digits[last]) > 1
    return digits[last] if not is_grouping else {".": ",", ",": "."}[digits[last]]


def is_dollars(text: str) -> bool:
    """Whether a currency cell says US dollars. An empty cell says nothing; the heading then decides."""
    return _capitals(text) in _DOLLARS or text.strip() == _CUSTOMS_DOLLAR


def unit_of(text: str) -> str | None:
    """The key of `UNITS` that a unit cell names, also as air waybills do (`K`, `L`); None for no known unit."""
    plain = _capitals(text).rstrip(".")
    return "lb" if plain == "L" else _UNIT_OF_WORD.get(plain)


def reads_as_number(cell: Cell) -> bool:
    """Whether a cell holds a number, alone or with a unit or currency. Instructions and headings never do."""
    if isinstance(cell, str):
        parts = _parts(cell)
        return parts is not None and len(parts[0] + parts[2]) <= _LONGEST_UNIT and _decimal(parts[1])[0] is not None
    return _number(cell) is not None


def _number(cell: Cell) -> Decimal | None:
    if type(cell) is int:  # not isinstance: a bool is not an amount
        return Decimal(cell)
    if type(cell) is float and math.isfinite(cell):
        # repr gives the shortest decimal equal to this float: 0.1, not 0.1000000000000000055...
        return Decimal(repr(cell))
    return None


def _within(number: Decimal, kind: DecimalNumber) -> Amount:
    """The number rounded as its field is. A weight of 0 is judged once the rows of a guide are together."""
    if not 0 <= number <= kind.maximum:
        return _INVALID
    return Amount(abs(number).quantize(kind.step, ROUND_HALF_UP))  # abs: a float can be minus zero


def _parts(text: str) -> _Parts | None:
    """Split `US$ 1.200 ` into the word before, the digits and the word after; None if the text is not such a number.

    A number with a sign in front is not accepted: no weight, cost or count in a manifest is negative.
    """
    plain = text.strip()
    if _PLAIN.fullmatch(plain):
        return "", plain, ""  # nearly every cell: the steps below would change nothing
    if len(plain) > _LONGEST:
        return None
    if not plain.isascii() and any(unicodedata.category(letter) == "No" for letter in plain):
        return None  # a superscript 2 is not a 2, but would become one when decomposed
    match = _NUMBER.fullmatch(_capitals(plain).removeprefix("+"))
    if match is None:
        return None
    before, digits, after = (part.strip() for part in match.groups())
    return before.rstrip(":").strip(), digits, after


def _capitals(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text).upper().replace("\u2019", "'")
    return "".join(letter for letter in decomposed if unicodedata.category(letter) not in {"Mn", "Cf"}).strip()


def _decimal(digits: str) -> _Decimal:
    """The number written with digits and separators, and whether its only separator may also group thousands.

    For an ambiguous number the separator is read as the decimal mark.
    """
    if _GROUPED_BY_BLANKS.fullmatch(digits):
        digits = digits.replace(" ", "").replace("'", "")
    if " " in digits or "'" in digits:
        return None, False
    last = max(digits.rfind("."), digits.rfind(","))
    if last < 0:
        return Decimal(digits), False
    whole, mark, fraction = digits[:last], digits[last], digits[last + 1 :]
    other = "," if mark == "." else "."
    if mark in whole:
        grouped = _GROUPED[mark].fullmatch(digits)
        return (Decimal(digits.replace(mark, "")) if grouped else None), False
    if other in whole:
        if not _GROUPED[other].fullmatch(whole):
            return None, False
        whole = whole.replace(other, "")
        return Decimal(f"{whole}.{fraction or 0}"), False
    if not whole and not fraction:
        return None, False
    ambiguous = len(fraction) == 3 and 1 <= len(whole) <= 3 and not whole.startswith("0")
    return Decimal(f"{whole or 0}.{fraction or 0}"), ambiguous
