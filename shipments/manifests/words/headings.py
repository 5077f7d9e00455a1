"""What a heading means: header words -> fields.

A heading is split into tokens (`heading_spelling.py`); its remarks in brackets are kept apart. The first of these rules
that applies wins: the whole heading is a listed word; it names a person and something about that person (`RUT del
embarcador`, `Consignee address`); its parts around a slash are listed words; it begins with a listed word, the longest
first; it contains a listed word that has only one meaning; its head noun says what it measures, counts or describes
(`heading_nouns.py`). A word of three letters or fewer counts only as a whole token, never as the beginning of another.

In every case, words such as `volumetrico`, `CIF` or `unitario` anywhere in the heading make the column one that is
never read, and an unknown word makes its unit or its currency unknown (`heading_measures.py`).
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import lru_cache

from shipments.manifests.cells import tokens
from shipments.manifests.words.guide_words import PERSONAL, Field
from shipments.manifests.words.heading_measures import is_no_count, is_no_description, is_no_value, is_no_weight
from shipments.manifests.words.heading_nouns import about_a_person, by_head_noun, is_known_unused, unlisted
from shipments.manifests.words.heading_tokens import (
    GROUP_FILLERS,
    REMARKS,
    Party,
    group_party,
    party_of,
    without_party,
)
from shipments.manifests.words.qualified_meanings import (
    NEVER_READ,
    WEIGHT_UNITS,
    currency_alone,
    qualified,
    unit_alone,
)
from shipments.manifests.words.spelling import as_typed, bracketed
from shipments.manifests.words.vocabulary import (
    Meaning,
    beginning,
    exactly,
    holding,
    without_articles,
    words_of,
    written_together,
)

LONGEST_HEADING = 160
MOST_TOKENS = 20

_ENUMERATED = re.compile(r"^\W*(?:[0-9]{1,2}[.)]|[A-Za-z]\))\s+")
_PARTS = re.compile(r"\s*[/|\n]\s*|\s+-\s+")

_NOT_OURS, _SOMEBODYS, _CUSTOMERS = 0, 10, 20
"""Added to a personal field's rank: the consignee's, unnamed, or a customer's (who may be a different person)."""

_NAME_WORDS = tokens("name names nombre nombres razon apellido apellidos surname")
_NO_WEIGHTS: frozenset[Field] = frozenset({"fob_usd", "product_value", "packages_count"})
_ADDRESS = tokens("addr address calle direccion domicilio street")
_DESTINATIONS = tokens("dest destino")
_DELIVERED = tokens("delivery despacho entrega envio shipping")
_COMPANIES = tokens("company empresa agent agente line naviera")
_HOLDERS = tokens("data datos dados detalle detalles details detail info informacion information")
"""Words for several details about a person at once, so that none of them is the name."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading as it was understood.

    meanings: more than one when the values have to decide; none when the words are unknown.
    unit: of weight, a key of `amounts.UNITS`; empty when the heading names none; `UNREADABLE` when it names several or
    qualifies the unit with an unknown word. currency: `USD`, another code or word, empty or `UNREADABLE`.
    party: the person the heading names, if any. text: the heading as written, preceded by the group heading.
    unlisted: its words that are in no list.
    """

    meanings: tuple[Meaning, ...] = ()
    unit: str = ""
    currency: str = ""
    party: Party = ""
    text: str = ""
    unlisted: tuple[str, ...] = ()

    def fields(self) -> frozenset[Field]:
        """The fields it can mean."""
        return frozenset(meaning.field for meaning in self.meanings)

    def is_understood(self) -> bool:
        """Whether it is known what the column holds. One that is never read has to consist of listed words."""
        return bool(self.meanings) and not (self.unlisted and self.fields() == {"unused"})


UNKNOWN = Heading()
_NEVER_READ = (NEVER_READ,)
_NEVER_TOGETHER: tuple[frozenset[Field], ...] = (
    frozenset({"consignee_name", "consignee_address", "consignee_document"}),
    frozenset({"consignee_name", "shipper_name"}),
    frozenset({"weight_kg", "packages_count", "fob_usd", "description_original"}),
)
_MEASURED: frozenset[Field] = frozenset({"weight_kg", "fob_usd", "product_value"})


def heads_field(text: str) -> bool:
    """Whether a text is the heading of a field that is read.

    Words for columns that are never read do not count, because they occur in values as well.
    """
    return any(meaning.field != "unused" for meaning in read_heading(text).meanings)


def read_heading(text: str, group: Party = "") -> Heading:
    """What a heading means.

    text: the cell's text. group: the person the group heading above it names (`CONSIGNATARIO` over `NOMBRE` and `RUT`).
    """
    return Heading(text=text[:LONGEST_HEADING]) if len(text) > LONGEST_HEADING else _read_short_heading(text, group)


@lru_cache(maxsize=8192)
def _read_short_heading(text: str, group: Party) -> Heading:
    named = _ENUMERATED.sub("", as_typed(text))
    outside, remarks = bracketed(named)
    everything = words_of(named)
    remark_words = [words_of(remark) for remark in remarks]
    words = _with_significant_remarks(
        tuple(word for word in words_of(outside) or everything if word not in REMARKS), remark_words
    )
    if not words or len(words) > MOST_TOKENS:
        return Heading(text=text)
    meanings = _meanings(words, outside, group) or (_NEVER_READ if is_known_unused(words) else ())
    read = [read for meaning in meanings if (read := qualified(meaning, everything, remark_words))]
    return Heading(
        meanings=tuple(dict.fromkeys(meaning for meaning, _, _ in read)),
        unit=next((unit for _, unit, _ in read if unit), "") or unit_alone(meanings, everything, remark_words),
        currency=next((currency for _, _, currency in read if currency), "") or currency_alone(meanings, everything),
        party=party_of(words) or group,
        text=text,
        unlisted=unlisted(words),
    )


def read_grouped_heading(group: str, heading: str) -> Heading:
    """What a heading means under a group heading: `CONSIGNATARIO` over `NOMBRE`, `PESO` over `BRUTO`."""
    if not heading or not group:
        return read_heading(heading or group)
    both = f"{group} / {heading}"
    party = group_party(group)
    if party:
        return replace(read_heading(heading, party), text=both)
    joined, alone = read_heading(f"{group} {heading}"), read_heading(heading)
    is_measure = alone.fields() <= _MEASURED
    if _is_exact(joined) or (joined.fields() == {"unused"} and is_measure):
        return replace(joined, text=both)
    understood = next((candidate for candidate in (alone, joined) if candidate.meanings), UNKNOWN)
    unit, currency = alone.unit or joined.unit, alone.currency or joined.currency
    return replace(understood, unit=unit, currency=currency, text=both)


def _is_exact(heading: Heading) -> bool:
    return any(meaning.is_exact for meaning in heading.meanings)


def _with_significant_remarks(words: tuple[str, ...], remark_words: list[tuple[str, ...]]) -> tuple[str, ...]:
    """The words of a heading and of the remarks that say whose it is or which detail it holds: `Nombre (remitente)`."""
    for remark in remark_words:
        party = party_of(words)
        names_nobody_else = party_of(remark) and not party
        is_attribute = party and not _rest(words, party) and any(m.field in PERSONAL for m in exactly(remark))
        if remark != words and (names_nobody_else or is_attribute):
            words = (*words, *(word for word in remark if word not in words))
    return words


# --- meanings -------------------------------------------------------------------------------------------------------


def _meanings(words: tuple[str, ...], text: str, group: Party) -> tuple[Meaning, ...]:
    parts = [part for part in _PARTS.split(text) if len(part.strip()) > 1]
    if len(parts) > 1 and _is_path(parts):
        return _meanings(words_of(parts[-1]), parts[-1], "consignee")
    exact = exactly(words) or written_together(text)
    if not WEIGHT_UNITS.isdisjoint(words) and all(m.field in _NO_WEIGHTS for m in exact):
        exact = ()  # `Total kg`, `Cantidad (kg)`
    named = party_of(words)
    if all(meaning.field in PERSONAL or meaning.field == "shipper_name" for meaning in exact):
        party = named or group or _delivered_to(words)
        about = _about_somebody(words, party) if party else ()
        if about:
            return about
    is_name = all(meaning.field in {"consignee_name", "shipper_name"} for meaning in exact)
    if exact and not (named and is_name and _is_no_name(words, named)):
        return _anybodys(exact, words)
    found = [meant for part in parts if (meant := _meanings(words_of(part), part, group))] if len(parts) > 1 else []
    if found:
        return _of_parts(found)
    meant = _less_than_exactly(words)
    if named:
        # A person and unknown words: whatever it means, it is not the person's name.
        meant = tuple(m for m in meant if m.field not in PERSONAL and m.field != "shipper_name")
        return meant or (_NEVER_READ if named in {"shipper", "other"} and "origen" not in words else ())
    return _anybodys(meant, words)


def _is_path(parts: list[str]) -> bool:
    """Whether a heading is a path, as databases export it: `Delivery Address/Name`."""
    first = words_of(parts[0])
    return bool(first and _delivered_to(first)) and any(m.field == "consignee_address" for m in exactly(first))


def _less_than_exactly(words: tuple[str, ...]) -> tuple[Meaning, ...]:
    """What a heading means when it is not a listed word: the first reading that none of its other words rules out."""
    readings = (reading(words) for reading in (beginning, holding, by_head_noun, about_a_person))
    forbidden: tuple[Meaning, ...] = ()
    for meanings in readings:
        if meanings and not all(_is_forbidden(meaning, words) for meaning in meanings):
            return meanings
        forbidden = forbidden or meanings
    return forbidden


def _is_forbidden(meaning: Meaning, words: tuple[str, ...]) -> bool:
    forbids = _FORBIDDEN.get(meaning.field)
    return forbids is not None and forbids(words)


_FORBIDDEN: dict[Field, Callable[[Collection[str]], bool]] = {
    "weight_kg": is_no_weight,
    "fob_usd": is_no_value,
    "product_value": is_no_value,
    "packages_count": is_no_count,
    "description_original": is_no_description,
}


def _anybodys(meanings: tuple[Meaning, ...], words: tuple[str, ...]) -> tuple[Meaning, ...]:
    says_name = not _NAME_WORDS.isdisjoint(words)
    return tuple(
        replace(meaning, rank=meaning.rank + _SOMEBODYS, is_anybodys=True, says_name=says_name)
        if meaning.field in PERSONAL
        else meaning
        for meaning in meanings
    )


def _delivered_to(words: tuple[str, ...]) -> Party:
    """The consignee, where a heading says where or to whom something is delivered (`Shipping name`)."""
    is_delivered = not _DELIVERED.isdisjoint(words[:1]) or not _DESTINATIONS.isdisjoint(words)
    return "consignee" if is_delivered and _COMPANIES.isdisjoint(words) else ""


def _rest(words: tuple[str, ...], party: Party) -> tuple[str, ...]:
    rest = (word for word in without_party(words, party) if word not in GROUP_FILLERS)
    return tuple(word for word in without_articles(tuple(rest)) if word not in {"a", "to", "por", "by"})


def _is_no_name(words: tuple[str, ...], party: Party) -> bool:
    """Whether a heading means a person's number, or all their details: `Importer number`, `Consignee data`."""
    rest = _rest(words, party)
    return rest == ("numero",) or (not rest and not _HOLDERS.isdisjoint(words))


def _about_somebody(words: tuple[str, ...], party: Party) -> tuple[Meaning, ...]:
    rest = _rest(words, party)
    if party == "consignee" and _delivered_to(words):
        rest = tuple(word for word in rest if word not in _DELIVERED | _DESTINATIONS)
        if not rest and not party_of(words):
            return ()
    if not rest:
        names_somebody = party_of(words) and _HOLDERS.isdisjoint(words)
        attributes: tuple[Meaning, ...] = (Meaning("consignee_name", 0),) if names_somebody else ()
    else:
        found = exactly(rest) or _within_an_address(rest) or beginning(rest) or about_a_person(rest)
        attributes = tuple(meaning for meaning in found if meaning.field in PERSONAL)
    if not attributes or party == "other":
        return _NEVER_READ if attributes and rest else ()
    if party == "shipper":
        attribute = attributes[0]
        is_name = attribute.field == "consignee_name"
        return (Meaning("shipper_name", attribute.rank, attribute.is_exact),) if is_name else _NEVER_READ
    added = _NOT_OURS if party == "consignee" else _CUSTOMERS
    certain = [meaning for meaning in attributes if party == "consignee" or meaning.rank < 2]
    says_name = not _NAME_WORDS.isdisjoint(rest)
    return tuple(replace(meaning, rank=meaning.rank + added, says_name=says_name) for meaning in certain)


def _within_an_address(rest: tuple[str, ...]) -> tuple[Meaning, ...]:
    """The part of a person's address that a heading names: `address.city`, `Address zip code`."""
    part = tuple(word for word in rest if word not in _ADDRESS)
    return tuple(m for m in exactly(part) if m.field != "consignee_name") if part and part != rest else ()


def _of_parts(found: list[tuple[Meaning, ...]]) -> tuple[Meaning, ...]:
    """The meanings of a heading that names one thing twice, or two things: `Peso / Weight`, `MAWB / HAWB`."""
    fields = [{meaning.field for meaning in meanings} for meanings in found]
    every = set().union(*fields)
    if {"origin", "destination"} <= every:
        return ()
    if {"mawb"} in fields and {"hawb"} in fields:
        return (Meaning("hawb", 1, is_exact=False), Meaning("mawb", 1, is_exact=False))
    best = found[0]
    if {"hawb"} in fields:
        best = found[fields.index({"hawb"})]
    elif any(len(every & several) > 1 for several in _NEVER_TOGETHER):
        return ()  # two values in one cell, or alternatives
    return tuple(replace(meaning, is_exact=False) for meaning in best)
