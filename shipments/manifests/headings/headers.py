"""What a heading means: header words -> fields.

A heading is folded (case, accents, punctuation, `N°`, camelCase) into tokens, and its remarks in brackets are kept
apart. Then, first answer wins: the whole heading is a listed word; it names a person and something about that person
(`RUT del embarcador`, `Consignee address`); its parts around a slash are listed words; it begins with a listed word,
the longest first; it holds a listed word that nothing else can mean. A word of three letters or fewer counts only as
a whole token, never as the beginning of another.

Whatever was found, words such as `volumetrico`, `CIF`, `unitario` or `CLP` anywhere in the heading make the column one
that is never read.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import get_args

from shipments.manifests.headings.guide_words import Field, Personal
from shipments.manifests.headings.heading_tokens import (
    DECLARED,
    DOLLARS,
    GROUP_FILLERS,
    NO_FOB,
    OTHER_CURRENCIES,
    PIECES_OF_GOODS,
    REMARKS,
    UNITARY,
    UNITS,
    VOLUMETRIC,
    WEIGHT_RANKS,
    Party,
    fold,
    group_party,
    party_of,
    party_token,
)
from shipments.manifests.headings.vocabulary import (
    Meaning,
    beginning,
    exactly,
    holding,
    without_articles,
    written_together,
)

LONGEST_HEADING = 160
MOST_TOKENS = 20

_ENUMERATED = re.compile(r"^\W*(?:[0-9]{1,2}[.)]|[A-Za-z]\))\s+")
_IN_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")

PERSONAL: frozenset[Field] = frozenset(get_args(Personal))

_NOT_OURS, _SOMEBODYS, _CUSTOMERS = 0, 10, 20
"""Added to a personal field's rank: the consignee's own, nobody's by name, a customer's (who may be somebody else)."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading as it was understood.

    meanings: more than one where the values have to decide; none when the words are unknown.
    unit: of weight, a key of `amounts.UNITS`, empty when the heading names none.
    has_dollars: whether it names US dollars.
    party: whom the heading names, if anybody.
    """

    meanings: tuple[Meaning, ...] = ()
    unit: str = ""
    has_dollars: bool = False
    party: Party = ""

    def fields(self) -> frozenset[Field]:
        """The fields it can mean."""
        return frozenset(meaning.field for meaning in self.meanings)


UNKNOWN = Heading()
_NEVER_READ = (Meaning("unused", 0),)


def read_heading(text: str, group: Party = "") -> Heading:
    """What a heading means.

    text: the cell's text. group: whom the group heading above it names (`CONSIGNATARIO` over `NOMBRE` and `RUT`).
    """
    return UNKNOWN if len(text) > LONGEST_HEADING else _read_short_heading(text, group)


@lru_cache(maxsize=8192)
def _read_short_heading(text: str, group: Party) -> Heading:
    named = _ENUMERATED.sub("", text)
    outside = _IN_BRACKETS.sub(" ", named)
    everything = fold(text)
    tokens = tuple(token for token in fold(outside) or everything if token not in REMARKS)
    if not tokens or len(tokens) > MOST_TOKENS:
        return UNKNOWN
    qualifiers = frozenset(everything)
    return Heading(
        meanings=tuple(_qualified(meaning, qualifiers) for meaning in _meanings(tokens, outside, group)),
        unit=_unit(everything, text),
        has_dollars=not DOLLARS.isdisjoint(everything),
        party=party_of(tokens) or group,
    )


def read_grouped_heading(group: str, heading: str) -> Heading:
    """What a heading means under a group heading: `CONSIGNATARIO` over `NOMBRE`, `PESO` over `BRUTO`."""
    if not heading or not group:
        return read_heading(heading or group)
    party = group_party(group)
    if party:
        return read_heading(heading, party)
    joined, alone = read_heading(f"{group} {heading}"), read_heading(heading)
    is_measure = alone.fields() <= {"weight_kg", "fob_usd", "product_value"}
    if _is_exact(joined) or (joined.fields() == {"unused"} and is_measure):
        return joined
    understood = next((candidate for candidate in (alone, joined) if candidate.meanings), UNKNOWN)
    return replace(understood, unit=alone.unit or joined.unit, has_dollars=alone.has_dollars or joined.has_dollars)


def _is_exact(heading: Heading) -> bool:
    return any(meaning.is_exact for meaning in heading.meanings)


def _unit(tokens: tuple[str, ...], text: str) -> str:
    units = [UNITS[token] for token in tokens if token in UNITS]
    if not units and re.search(r"\(\s*g\s*\)", text, re.IGNORECASE):
        return "g"
    return "kg" if "kg" in units else next(iter(units), "")


def _meanings(tokens: tuple[str, ...], text: str, group: Party) -> tuple[Meaning, ...]:
    exact = exactly(tokens) or written_together(text)
    party = party_of(tokens) or group
    if party and all(meaning.field in PERSONAL for meaning in exact):
        about = _about_somebody(tokens, party)
        if about:
            return about
    if exact:
        return _anybodys(exact)
    parts = [part for part in re.split(r"\s*[/|\n]\s*|\s+-\s+", text) if part.strip()]
    found = [meant for part in parts if (meant := _meanings(fold(part), part, group))] if len(parts) > 1 else []
    if found:
        return _of_parts(found)
    return _anybodys(beginning(tokens) or holding(tokens))


def _anybodys(meanings: tuple[Meaning, ...]) -> tuple[Meaning, ...]:
    return tuple(
        replace(meaning, rank=meaning.rank + _SOMEBODYS, is_anybodys=True) if meaning.field in PERSONAL else meaning
        for meaning in meanings
    )


def _about_somebody(tokens: tuple[str, ...], party: Party) -> tuple[Meaning, ...]:
    rest = tuple(
        token for token in without_articles(tokens) if party_token(token) != party and token not in GROUP_FILLERS
    )
    if not rest and any(party_token(token) for token in tokens):
        attributes: tuple[Meaning, ...] = (Meaning("consignee_name", 0),)
    else:
        attributes = tuple(meaning for meaning in exactly(rest) or beginning(rest) if meaning.field in PERSONAL)
    if not attributes or party == "other":
        return _NEVER_READ if attributes and rest else ()
    if party == "shipper":
        attribute = attributes[0]
        is_name = attribute.field == "consignee_name"
        return (Meaning("shipper_name", attribute.rank, attribute.is_exact),) if is_name else _NEVER_READ
    added = _NOT_OURS if party == "consignee" else _CUSTOMERS
    certain = [meaning for meaning in attributes if party == "consignee" or meaning.rank < 2]
    return tuple(replace(meaning, rank=meaning.rank + added) for meaning in certain)


def _of_parts(found: list[tuple[Meaning, ...]]) -> tuple[Meaning, ...]:
    """The meanings of a heading that says the same thing twice, or two things: `Peso / Weight`, `MAWB / HAWB`."""
    fields = {meaning.field for meanings in found for meaning in meanings}
    if {"origin", "destination"} <= fields:
        return ()
    if {"mawb", "hawb"} <= fields:
        return (Meaning("hawb", 1, is_exact=False), Meaning("mawb", 1, is_exact=False))
    return tuple(replace(meaning, is_exact=False) for meaning in found[0])


# --- weights and values: which of them ----------------------------------------------------------------------------


def _qualified(meaning: Meaning, tokens: frozenset[str]) -> Meaning:
    """The meaning with the rank that qualifiers anywhere in the heading give it, `unused` where they forbid it."""
    if meaning.field == "weight_kg":
        if tokens & (VOLUMETRIC | UNITARY):
            return _NEVER_READ[0]
        return replace(meaning, rank=_weight_rank(tokens, meaning.rank))
    if meaning.field in {"fob_usd", "product_value"}:
        if tokens & NO_FOB or tokens & OTHER_CURRENCIES:
            return _NEVER_READ[0]
        return replace(meaning, rank=_value_rank(tokens, meaning.rank))
    if meaning.field == "packages_count" and tokens & PIECES_OF_GOODS:
        return replace(meaning, rank=2)
    return meaning


def _weight_rank(tokens: frozenset[str], rank: int) -> int:
    for value, words in WEIGHT_RANKS:
        if tokens & words:
            return value
    return rank


def _value_rank(tokens: frozenset[str], rank: int) -> int:
    if "fob" in tokens:
        return 0
    return min(rank, 1) if tokens & DECLARED else rank
