"""The words of `words.toml`, indexed: a phrase is looked up by its tokens, a single token by its classes."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from shipments.manifests.cells import tokens
from shipments.manifests.guide_fields import CONSIGNEE_FIELDS, GUIDE_FIELDS
from shipments.manifests.words import WORDS
from shipments.manifests.words.spelling import fold, run_together, spell

Field: TypeAlias = str
"""What a heading can mean: one of `HEADING_FIELDS`."""

Tokens: TypeAlias = tuple[str, ...]

PERSONAL: frozenset[Field] = tokens(
    "given_name middle_name surname second_surname check_digit address_number address_more consignee_country"
).union(CONSIGNEE_FIELDS)
"""Fields that any person in a manifest can have. The heading, a group above it or its neighbours say whose they are."""

HEADING_FIELDS: frozenset[Field] = tokens(
    "mawb weight_unit currency flight_number origin destination scheduled_departure scheduled_arrival unused"
).union(PERSONAL, (field.name for field in GUIDE_FIELDS if field.in_workbook))
"""The guide's fields, and those that help to read them. `unused`: understood but never read into a guide."""

Party: TypeAlias = str
"""`consignee`, `customer`, `shipper`, `other`, or empty."""

TITLES: Mapping[Field, str] = {name: field["title"] for name, field in WORDS["fields"].items()}
CLASSES: Mapping[str, frozenset[str]] = {name: frozenset(words.split()) for name, words in WORDS["classes"].items()}
CELL_WORDS: Mapping[str, frozenset[str]] = {name: frozenset(words.split()) for name, words in WORDS["cells"].items()}
"""Words of cells below and outside the headings."""
NOUNS: Mapping[Field, frozenset[str]] = {
    name: frozenset(field["noun"].split()) for name, field in WORDS["fields"].items() if "noun" in field
}
"""The nouns that name a field where no listed phrase does."""
NEVER_WITH: Mapping[Field, frozenset[str]] = {
    name: frozenset().union(
        *(CLASSES[each] for each in field.get("never_with", ())),
        *(NOUNS[each] for each in field.get("never_with_nouns_of", ())),
    )
    for name, field in WORDS["fields"].items()
}
"""The words that rule a field out."""
UNITS: Mapping[str, str] = {word: unit for unit, words in WORDS["units"].items() for word in words.split()}
"""Words for units of weight -> key of `amounts.UNITS`."""
CURRENCIES: Mapping[str, str] = {word: code for code, words in WORDS["currencies"].items() for word in words.split()}
"""Words for currencies -> the code; `pesos` or `local` for a currency that depends on the country, `?` for others."""
CURRENCY_CODES = frozenset(word for word, code in CURRENCIES.items() if code == "USD" or word.upper() == code)
"""Words that can only mean a currency."""
_PARTIES: Mapping[Tokens, Party] = {
    tuple(word.split("_")): party for party, words in WORDS["parties"].items() for word in words.split()
}
_LEADING: Mapping[str, Party] = {"to": "consignee", "para": "consignee", "from": "shipper", "desde": "shipper"}
"""Persons, when such a word begins a heading about a person (`toName`)."""
_ALONE: Mapping[str, Party] = {**_LEADING, "de": "shipper", "dest": "consignee"}
_SHORTEST_PART = 3


@dataclass(frozen=True, slots=True)
class Meaning:
    """One thing a heading can mean. Of competing columns the lowest rank wins, then the exact one.

    is_anybodys: the heading does not say whose. says_name: whether it means a person's name, and not only which person.
    """

    field: Field
    rank: int
    is_exact: bool = True
    is_anybodys: bool = False
    says_name: bool = False


# --- phrases ---------------------------------------------------------------------------------------------------------


def phrases(field: Field) -> list[tuple[str, ...]]:
    """The listed phrases of a field, a tuple for each rank, best first."""
    return [
        tuple(" ".join(phrase.split()) for phrase in listed.split(",")) for listed in WORDS["fields"][field]["words"]
    ]


def api_names() -> Iterator[tuple[str, Field]]:
    """The field names of the API, which are headings too, and what they mean."""
    return ((name, field) for field, names in WORDS["api_names"].items() for name in names.split())


@cache
def index() -> Mapping[str, tuple[Meaning, ...]]:
    """Phrase -> its meanings, by its tokens and by its letters run together."""
    found: dict[str, dict[Field, Meaning]] = {}

    def enter(phrase: str, meaning: Meaning) -> None:
        for key in {" ".join(without_articles(fold(phrase))), "".join(spell(phrase))}:
            found.setdefault(key, {}).setdefault(meaning.field, meaning)

    for field in TITLES:
        for rank, listed in enumerate(phrases(field)):
            for phrase in listed:
                enter(phrase, Meaning(field, rank))
    for name, field in api_names():
        enter(name, found.get(" ".join(fold(name)), {}).get(field, Meaning(field, 0)))
    return {key: tuple(meanings.values()) for key, meanings in found.items()}


@cache
def words_for(field: Field) -> frozenset[str]:
    """All tokens of the listed phrases of a field."""
    return frozenset(token for listed in phrases(field) for phrase in listed for token in fold(phrase))


@cache
def _words_joined() -> frozenset[str]:
    """The words that may be run together in a heading."""
    listed = frozenset().union(*map(words_for, TITLES), *NOUNS.values())
    others = (CLASSES[name] for name in ("qualifier", "filler", "remark", "item", "connective", "article"))
    words = listed.union(*others, *(party for party in _PARTIES if len(party) == 1))
    return frozenset(word for word in words if len(word) >= _SHORTEST_PART)


_ENDINGS = frozenset(word for word in (*UNITS, *CURRENCY_CODES) if len(word) > 1)


@cache
def _listed_words() -> frozenset[str]:
    listed = frozenset().union(*map(words_for, TITLES), *NOUNS.values(), *CLASSES.values(), UNITS, CURRENCIES)
    return listed.union(*_PARTIES)


def words_of(text: str) -> Tokens:
    """The tokens of a heading, each once; words that are run together are split."""
    known = _listed_words()
    words = [
        word
        for token in fold(text)
        for word in ((token,) if token in known else run_together(token, _words_joined(), _ENDINGS))
    ]
    return tuple(dict.fromkeys(words))


def find_unlisted(tokens: Iterable[str]) -> Tokens:
    """The tokens that are in no list. Numbers count as listed: `Foto 1`."""
    return tuple(token for token in tokens if token not in _listed_words() and not token.isdigit())


def may_be_personal(text: str) -> bool:
    """Whether a heading that is to be kept may be a person's data, of a row that was taken for headings.

    It has an `@`, six digits or more, or more than eight words, and a word that is not listed; or an e-mail address.
    """
    if _EMAIL.search(text):
        return True
    digits = sum(map(str.isdigit, text))
    is_unlike_headings = "@" in text or digits >= _FEWEST_DIGITS or len(text.split()) > _MOST_WORDS
    words = words_of(text)
    return is_unlike_headings and not (words and _listed_words().issuperset(words))


_EMAIL = re.compile(r"\w@\w")
_FEWEST_DIGITS = 6
_MOST_WORDS = 8


def without_articles(tokens: Tokens) -> Tokens:
    """The tokens without articles; all of them if there is nothing else."""
    return tuple(token for token in tokens if token not in CLASSES["article"]) or tokens


def has(tokens: Iterable[str], *classes: str) -> bool:
    """Whether a token is in one of these classes."""
    named = frozenset(tokens)
    return any(not CLASSES[name].isdisjoint(named) for name in classes)


# --- persons ---------------------------------------------------------------------------------------------------------


def party_of(tokens: Tokens) -> Party:
    """The party that a heading names. If it names several, the consignee, else the first."""
    named = [party for _, _, party in _parties_in(tokens)]
    return "consignee" if "consignee" in named else next(iter(named), "")


def names_party(token: str) -> bool:
    return (token,) in _PARTIES


def without_party(tokens: Tokens, party: Party) -> Tokens:
    named = {
        position
        for start, end, each in _parties_in(tokens)
        if each == party or end - start > 1 or tokens[start] in _LEADING
        for position in range(start, end)
    }
    return tuple(token for position, token in enumerate(tokens) if position not in named)


def group_party(text: str) -> Party:
    """The party of a group heading that names one and nothing else (`DATOS DEL CONSIGNATARIO`, `TO`)."""
    tokens = fold(text)
    if len(tokens) == 1 and tokens[0] in _ALONE:
        return _ALONE[tokens[0]]
    party = party_of(tokens)
    rest = (token for token in without_party(tokens, party) if token not in CLASSES["article"])
    return party if all(names_party(token) or token in CLASSES["filler"] for token in rest) else ""


def _parties_in(tokens: Tokens) -> Iterator[tuple[int, int, Party]]:
    """Start, end and party of each word or pair of words that names one."""
    end_of_last = 0
    if len(tokens) > 1 and tokens[0] in _LEADING:
        yield 0, 1, _LEADING[tokens[0]]
    for start in range(len(tokens)):
        for end in (start + 2, start + 1):
            party = _PARTIES.get(tokens[start:end]) if start >= end_of_last else None
            if party and end <= len(tokens):
                end_of_last = end
                yield start, end, party
                break
