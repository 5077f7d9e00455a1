"""How the other words of a heading change the meaning of a weight, a value or a count."""

from dataclasses import replace

from shipments.manifests.cells import tokens
from shipments.manifests.words.heading_measures import (
    PIECES_OF_GOODS,
    UNITS,
    UNREADABLE,
    currency_of_heading,
    is_no_count,
    is_no_description,
    is_no_value,
    is_no_weight,
    unit_of_heading,
    unknown_words,
    value_rank,
    weight_rank,
)
from shipments.manifests.words.vocabulary import Meaning, words_for

NEVER_READ = Meaning("unused", 0)

_UNCLEAR = 20
"""Added to the rank of a weight or value whose unit or currency is unknown or foreign, so that others are preferred."""
WEIGHT_UNITS = frozenset(word for word in UNITS if len(word) > 1)
_PACKAGE = tokens("bulto caja carton package paquete parcel piece pieza pkg")


def qualified(
    meaning: Meaning, everything: tuple[str, ...], remark_words: list[tuple[str, ...]]
) -> tuple[Meaning, str, str] | None:
    """The meaning with the rank given by qualifiers anywhere in the heading, its unit, and its currency.

    It is `unused` when the qualifiers rule the meaning out, None when a word is not understood.
    """
    if meaning.field == "weight_kg":
        if is_no_weight(everything):
            return NEVER_READ, "", ""
        unit = unit_of_heading(everything, remark_words, words_for("weight_kg"))
        rank = weight_rank(everything, meaning.rank) + (_UNCLEAR if unit == UNREADABLE else 0)
        return replace(meaning, rank=rank), unit, ""
    if meaning.field in {"fob_usd", "product_value"}:
        if is_no_value(everything):
            return NEVER_READ, "", ""
        currency = currency_of_heading(everything, words_for("fob_usd") | words_for("product_value"))
        rank = value_rank(everything, meaning.rank) + (0 if currency in {"", "USD"} else _UNCLEAR)
        return replace(meaning, rank=rank), "", currency
    if meaning.field == "packages_count":
        # `Carton no.` identifies a carton.
        is_identifier = everything[-1] == "numero" and not _PACKAGE.isdisjoint(everything)
        if is_identifier or (not meaning.is_exact and is_no_count(everything)):
            return NEVER_READ, "", ""
        is_unknown = not meaning.is_exact and unknown_words(everything, words_for("packages_count"))
        if is_unknown or not WEIGHT_UNITS.isdisjoint(everything):
            return None
    if meaning.field == "packages_count" and not PIECES_OF_GOODS.isdisjoint(everything):
        return replace(meaning, rank=2), "", ""
    if meaning.field == "description_original" and not meaning.is_exact and is_no_description(everything):
        return NEVER_READ, "", ""
    return meaning, "", ""


def unit_alone(meanings: tuple[Meaning, ...], everything: tuple[str, ...], remark_words: list[tuple[str, ...]]) -> str:
    """The unit in a heading that has no meaning of its own (`KG` under `PESO`)."""
    is_measure = all(meaning.field in {"weight_unit", "unused"} for meaning in meanings)
    unit = unit_of_heading(everything, remark_words, words_for("weight_kg")) if is_measure else ""
    return "" if unit == UNREADABLE else unit


def currency_alone(meanings: tuple[Meaning, ...], everything: tuple[str, ...]) -> str:
    is_measure = all(meaning.field in {"currency", "unused"} for meaning in meanings)
    currency = currency_of_heading(everything, ()) if is_measure else ""
    return "" if currency == UNREADABLE else currency
