"""Looking headings up in the listed words: whole, by their beginning, or by what they hold."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from shipments.manifests.headings.guide_words import Field
from shipments.manifests.headings.header_words import CONTRACT_NAMES, EXACT_ONLY, VOCABULARY
from shipments.manifests.headings.heading_tokens import ARTICLES, DOLLARS, STRAYING, UNITS, fold, spell

_LEADERS = frozenset({"rut", "run", "fob", "eta", "etd", "dni"})
"""Short words that may begin a longer heading, as whole tokens."""
_TELLING = frozenset({"hawb", "mawb", "rut", "fob"})
"""Words that mean one thing wherever they stand."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """One thing a heading can mean. Of competing columns the lowest rank wins, then the exact one."""

    field: Field
    rank: int
    is_exact: bool = True
    is_anybodys: bool = False


def exactly(tokens: tuple[str, ...]) -> tuple[Meaning, ...]:
    """The meanings of a heading that is a listed word, save for articles, units, currency and the word number."""
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
    """The meanings of the longest listed word that the heading begins with, unless what follows says otherwise."""
    index = _index()
    for form in _forms(tokens):
        for length in range(len(form) - 1, 0, -1):
            word = " ".join(form[:length])
            may_begin = word in _LEADERS or (len(word.replace(" ", "")) > 3 and word not in EXACT_ONLY)
            if may_begin and word in index and STRAYING.isdisjoint(form[length:]):
                return tuple(replace(meaning, is_exact=False) for meaning in index[word])
    return ()


def holding(tokens: tuple[str, ...]) -> tuple[Meaning, ...]:
    """The meanings of a word inside the heading that means one thing only: a telling one, or one of several tokens."""
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
    """The tokens that are no articles; all of them when they are nothing else."""
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


def _enter(index: dict[str, list[Meaning]], word: str, field: Field, rank: int) -> None:
    meaning = Meaning(field, rank)
    for key in {" ".join(without_articles(fold(word))), "".join(spell(word))}:
        meanings = index.setdefault(key, [])
        if all(known.field != field for known in meanings):
            meanings.append(meaning)


def _forms(tokens: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """A heading's tokens, then with less and less of what does not tell fields apart."""
    plain = without_articles(tokens)
    yield plain
    measured = tuple(token for token in plain if token not in UNITS and token not in DOLLARS)
    yield measured
    yield tuple(token for token in measured if token != "numero")  # noqa: S105 - a token of words, no secret
