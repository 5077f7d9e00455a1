"""The words by which operators find a consignee: names without accents and case, e-mail and phone as a whole.

A stored line of words is `maria jose ibanez +56955500101 @mji@example.com`. The sign before an e-mail or a phone keeps
it apart from names, so that no part of it is found.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from itertools import filterfalse

from shipments.manifests.guide_fields import GUIDE_FIELDS, Search

WORDS_LENGTH = 640
"""Enough for the longest name, e-mail and phone. A name that grows when it is folded loses its last words."""

_LONGEST_WORD = 255
"""PostgreSQL indexes words of up to 2,046 bytes; a longer one would refuse the row, or the search."""

_SEPARATORS = re.compile(r"[\W_]+")
_APOSTROPHES = re.compile("['\u2019\u00b4`]")  # O'Higgins is one word
_PHONE = re.compile(r"[+(]?[0-9][0-9 ().\-/]{5,}")
_SHORTEST_PHONE, _LONGEST_PHONE = 6, 15  # ITU-T E.164 allows 15 digits
_NOT_A_DIGIT = re.compile("[^0-9]+")
_NOT_IN_A_WORD = re.compile(r"[\s\0]+")


def consignee_words(values: Mapping[str, str | None]) -> str:
    """Return the line of words of a consignee. values: field -> text, of the fields in `SEARCHED_FIELDS`."""
    words = [word for name, folded in _FOLDED.items() for word in folded(values[name] or "")]
    line = " ".join(dict.fromkeys(words))
    return line if len(line) <= WORDS_LENGTH else line[: WORDS_LENGTH + 1].rpartition(" ")[0]


def extract_search_words(text: str) -> list[str]:
    """Return what to look for: an e-mail, a phone of six digits or more, or else each word of a name; maybe nothing."""
    if "@" in text:
        return _of_email(text)
    return _of_phone(text) if is_phone(text) else _of_name(text)


def is_whole(word: str) -> bool:
    """Return whether the stored word must be equal to a searched one, as an e-mail or a phone; or may only begin so."""
    return word.startswith(("@", "+"))


def is_phone(text: str) -> bool:
    """Return whether `text` may be a phone as people write it."""
    return bool(_PHONE.fullmatch(text.strip())) and sum(map(str.isdigit, text)) <= _LONGEST_PHONE


def _of_name(text: str) -> list[str]:
    plain = _APOSTROPHES.sub("", text).casefold()
    if not plain.isascii():
        plain = "".join(filterfalse(unicodedata.combining, unicodedata.normalize("NFKD", plain)))
    return [word[:_LONGEST_WORD] for word in _SEPARATORS.split(plain) if word]


def _of_stored_name(text: str) -> list[str]:
    """Return the words of a name, and those around its apostrophes: O'Higgins is looked for as Higgins, too."""
    words = _of_name(text)
    return [*words, *_of_name(_APOSTROPHES.sub(" ", text))] if _APOSTROPHES.search(text) else words


def _of_email(text: str) -> list[str]:
    email = _NOT_IN_A_WORD.sub("", text).casefold()
    return [f"@{email}"[:_LONGEST_WORD]] if email else []


def _of_phone(text: str) -> list[str]:
    digits = _NOT_A_DIGIT.sub("", unicodedata.normalize("NFKC", text))
    return [f"+{digits}"] if len(digits) >= _SHORTEST_PHONE else []


_FOLDING: Mapping[Search, Callable[[str], list[str]]] = {
    "name": _of_stored_name,
    "email": _of_email,
    "phone": _of_phone,
}
_FOLDED = {field.name: _FOLDING[field.search] for field in GUIDE_FIELDS if field.search}

SEARCHED_FIELDS = tuple(_FOLDED)
"""The fields whose words are stored."""
