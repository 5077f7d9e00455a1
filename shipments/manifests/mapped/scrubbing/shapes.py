"""Other texts of the same shape: letters for letters of the same case, digits for digits, everything else as it was."""

import re
import unicodedata
from collections.abc import Callable, Collection
from functools import cache
from random import Random
from string import ascii_lowercase, ascii_uppercase

from shipments.manifests.sheets.row_kinds import names_sums
from shipments.manifests.waybills import has_valid_check_digit
from shipments.manifests.words.headings import is_currency_word, is_unit_word
from shipments.manifests.words.lexicon import CLASSES, TITLES, words_for
from shipments.manifests.words.spelling import fold

_ACCENTED = "áéíóúñ"
_OTHER_SCRIPT = "甲乙丙丁戊己庚辛"
_PIECES = re.compile(r"[^\W\d_]+|[0-9]+")
_CHECK_DIGITS = "0123456789K"
_MOST_DRAWS = 3_000


def redrawn(text: str, rng: Random) -> str:
    """Another text of this shape: no letter or digit stays, except zeros at the beginning of a number."""
    drawn = []
    before = ""
    for character in text:
        drawn.append(_other(character, rng, is_first=not before.isdigit()))
        before = character
    return "".join(drawn)


def _other(character: str, rng: Random, *, is_first: bool) -> str:
    if character in "0123456789":
        if is_first and character == "0":
            return character
        return rng.choice([digit for digit in ("123456789" if is_first else "0123456789") if digit != character])
    if not character.isalpha():
        return character
    letters = _letters_like(character)
    return rng.choice([letter for letter in letters if letter != character])


def _letters_like(character: str) -> str:
    if character in ascii_lowercase:
        return ascii_lowercase
    if character in ascii_uppercase:
        return ascii_uppercase
    if unicodedata.category(character) == "Lo":
        return _OTHER_SCRIPT
    return _ACCENTED.upper() if character.isupper() else _ACCENTED


def redrawn_wording(text: str, kept: Collection[str], rng: Random) -> str:
    """A text outside the guides, in which words of forms (labels, units, `TOTAL`) and the texts `kept` stay."""
    if text in kept or names_sums(text):
        return text
    longest_first = sorted(filter(None, kept), key=len, reverse=True)
    pattern = re.compile("|".join([*map(re.escape, longest_first), _PIECES.pattern]))
    return pattern.sub(lambda found: found[0] if found[0] in kept else _word(found[0], rng), text)


def _word(word: str, rng: Random) -> str:
    return word if is_wording(word) else redrawn(word, rng)


def is_wording(word: str) -> bool:
    """Whether a word belongs to forms: part of a heading or a label, a unit, a currency."""
    parts = fold(word)
    return bool(parts) and all(
        not part.isdigit() and (part in _form_words() or is_unit_word(part) or is_currency_word(part)) for part in parts
    )


@cache
def _form_words() -> frozenset[str]:
    listed = frozenset().union(*map(words_for, TITLES), CLASSES["connective"], CLASSES["article"])
    return listed.union({"ejemplo", "example", "manifiesto", "manifest", "totales", "subtotal"})


def redrawn_document(text: str, is_alike: Callable[[str], bool], kinds: Collection[str], rng: Random) -> str | None:
    """Another document of this shape for which `is_alike` is true; None if none was found.

    kinds: names of kinds of documents, which stay where they are part of the text. Eleven digits keep their first two:
    they tell persons from companies.
    """
    start = 2 if sum(map(str.isdigit, text)) == _DIGITS_WITH_PREFIX else 0
    for _ in range(_MOST_DRAWS):
        drawn = _document(text, start, kinds, rng)
        if drawn != text and is_alike(drawn):
            return drawn
    return None


_DIGITS_WITH_PREFIX = 11


def _document(text: str, keep: int, kinds: Collection[str], rng: Random) -> str:
    drawn, digits, position = [], 0, 0
    for piece in re.findall(r"[^\W\d_]+|[0-9]|.", text, re.DOTALL):
        position += len(piece)
        digits += piece.isdigit()
        if position == len(text) and piece.upper() in _CHECK_DIGITS:
            drawn.append(rng.choice(_CHECK_DIGITS))
        elif piece.upper() in kinds or (piece.isdigit() and digits <= keep):
            drawn.append(piece)
        else:
            drawn.append(redrawn(piece, rng) if piece != "0" else rng.choice("0123456789"))
    return "".join(drawn)


def redrawn_mawb(mawb: str, rng: Random) -> str:
    """Another MAWB of the same airline, whose check digit is as right or wrong. mawb: in the normal form."""
    is_valid = has_valid_check_digit(mawb)
    while True:
        serial = rng.randrange(10**6, 10**7)
        check = (serial % 7) if is_valid else (serial % 7 + rng.randrange(1, 7)) % 10
        drawn = f"{mawb[:4]}{serial}{check}"
        if drawn != mawb and has_valid_check_digit(drawn) == is_valid:
            return drawn


def mawb_pattern(mawb: str) -> re.Pattern[str]:
    """Finds the MAWB in any spelling. mawb: in the normal form."""
    digits = mawb.replace("-", "")
    stripped = digits.lstrip("0")
    zeros = len(digits) - len(stripped)
    body = r"[\s./-]*".join(stripped)
    return re.compile(rf"(?<![0-9])(?:0[\s./-]*){{0,{zeros + 1}}}{body}(?![0-9])")


def with_digits(text: str, digits: str) -> str:
    """The text with its last digits replaced by these, from the end."""
    rest = list(digits)
    drawn = [rest.pop() if character.isdigit() and rest else character for character in reversed(text)]
    return "".join(reversed(drawn))
