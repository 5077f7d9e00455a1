"""Look headings up in the listed words: whole, by their beginning, or by a word they contain."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from shipments.manifests.words.guide_words import Field
from shipments.manifests.words.header_words import CONTRACT_NAMES, EXACT_ONLY, VOCABULARY
from shipments.manifests.words.heading_measures import (
    CURRENCY_CODES,
    GOODS_NOUNS,
    PACKAGE_NOUNS,
    QUALIFIERS,
    UNITS,
    VALUE_NOUNS,
    WEIGHT_NOUNS,
)
from shipments.manifests.words.heading_tokens import ARTICLES, CONNECTIVES, PARTY_TOKENS, STRAYING
from shipments.manifests.words.spelling import fold, run_together, spell

_LEADERS = frozenset({"rut", "run", "fob", "eta", "etd", "dni"})
"""Short words that may begin a longer heading, as whole tokens."""
_TELLING = frozenset({"hawb", "mawb", "rut", "fob"})
"""Words with the same meaning anywhere in a heading."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """One thing a heading can mean. Of competing columns the lowest rank wins, then the exact one.

    says_name: whether it means a person's name, and not only which person.
    """

    field: Field
    rank: int
    is_exact: bool = True
    is_anybodys: bool = False
    says_name: bool = False


def words_of(text: str) -> tuple[str, ...]:
    """The tokens of a heading, each once; words that are run together are split."""
    words = [word for token in fold(text) for word in run_together(token, _all_words(), _ENDINGS)]
    return tuple(dict.fromkeys(words))


@cache
def words_for(field: Field) -> frozenset[str]:
    """All tokens of the listed words of a field."""
    return frozenset(
        token for words in VOCABULARY if words.field == field for word in words.listed() for token in fold(word)
    )


def may_be_personal(text: str) -> bool:
    """Whether a heading that is to be kept may be a person's data, of a row that was taken for headings.

    It has an `@`, six digits or more, or more than eight words, and a word that is not listed; or an e-mail address.
    """
    if _EMAIL.search(text):
        return True
    digits = sum(map(str.isdigit, text))
    is_unlike_headings = "@" in text or digits >= _FEWEST_DIGITS or len(text.split()) > _MOST_WORDS
    return is_unlike_headings and not (words_of(text) and _heading_words().issuperset(words_of(text)))


def exactly(tokens: tuple[str, ...]) -> tuple[Meaning, ...]:
    """The meanings of a heading that is a listed word, ignoring articles, units, currency and the word number."""
    index = _index()
    for form in _forms(tokens):
        meanings = index.get(" ".join(form)) or index.get("".join(form))
        if form and meanings:
            return meanings
    return ()


def written_together(text: str) -> tuple[Meaning, ...]:
    """The meanings of a heading written without its blanks and dots: `M.A.W.B.`, `rutconsignatario`."""
    return _index().get("".join(spell(text)), ())


def beginning(tokens: tuple[str, ...]) -> tuple[Meaning, ...]:
    """The meanings of the longest listed word that the heading begins with, unless the rest contradicts them."""
    index = _index()
    for form in _forms(tokens):
        for length in range(len(form) - 1, 0, -1):
            word = " ".join(form[:length])
            may_begin = word in _LEADERS or (len(word.replace(" ", "")) > 3 and word not in EXACT_ONLY)
            if may_begin and word in index and STRAYING.isdisjoint(form[length:]):
                return tuple(replace(meaning, is_exact=False) for meaning in index[word])
    return ()


def holding(tokens: tuple[str, ...]) -> tuple[Meaning, ...]:
    """The meanings of an unambiguous word inside the heading: one of `_TELLING`, or one of several tokens."""
    index = _index()
    form = without_articles(tokens)
    for length in range(len(form) - 1, 0, -1):
        for start in range(1, len(form) - length + 1):
            word = " ".join(form[start : start + length])
            is_telling = word in _TELLING if length == 1 else len(word) > 8
            if is_telling and word in index and STRAYING.isdisjoint(form[:start] + form[start + length :]):
                return tuple(replace(meaning, is_exact=False) for meaning in index[word])
    return ()


def without_articles(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """The tokens without articles; all of them if there is nothing else."""
    return tuple(token for token in tokens if token not in ARTICLES) or tokens


@cache
def _index() -> dict[str, tuple[Meaning, ...]]:
    index: dict[str, list[Meaning]] = {}
    for words in VOCABULARY:
        for word in words.listed():
            _enter(index, word, words.field, words.rank)
    for name, field in CONTRACT_NAMES.items():
        meanings = index.get(" ".join(fold(name)), [])
        rank = min((meaning.rank for meaning in meanings if meaning.field == field), default=0)
        _enter(index, name, field, rank)
    return {word: tuple(meanings) for word, meanings in index.items()}


_EMAIL = re.compile(r"\w@\w")
_FEWEST_DIGITS = 6
_MOST_WORDS = 8


@cache
def _heading_words() -> frozenset[str]:
    listed = frozenset(word for words in _index() for word in words.split())
    return _all_words() | listed | CONNECTIVES | UNITS.keys() | CURRENCY_CODES


_SHORTEST_PART = 3
_ENDINGS = frozenset(word for word in (*UNITS, *CURRENCY_CODES) if len(word) > 1)


@cache
def listed_words() -> frozenset[str]:
    """All tokens of the listed words of all fields."""
    return frozenset(token for words in VOCABULARY for word in words.listed() for token in fold(word))


@cache
def _all_words() -> frozenset[str]:
    nouns = WEIGHT_NOUNS | VALUE_NOUNS | PACKAGE_NOUNS | GOODS_NOUNS | QUALIFIERS | PARTY_TOKENS
    return frozenset(word for word in listed_words() | nouns if len(word) >= _SHORTEST_PART)


def _enter(index: dict[str, list[Meaning]], word: str, field: Field, rank: int) -> None:
    meaning = Meaning(field, rank)
    for key in {" ".join(without_articles(fold(word))), "".join(spell(word))}:
        meanings = index.setdefault(key, [])
        if all(known.field != field for known in meanings):
            meanings.append(meaning)


def _forms(tokens: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """A heading's tokens, then with fewer and fewer of the words that do not distinguish fields."""
    plain = without_articles(tokens)
    yield plain
    measured = tuple(token for token in plain if token not in UNITS and token not in CURRENCY_CODES)
    yield measured
    yield tuple(token for token in measured if token != "numero")  # noqa: S105 - a token of words, not a secret
