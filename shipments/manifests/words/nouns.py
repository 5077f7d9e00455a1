"""What a heading measures, counts or describes, by its nouns, and the words that rule a field out."""

from collections.abc import Collection, Iterable

from shipments.manifests.cells import tokens
from shipments.manifests.words.lexicon import (
    NEVER_WITH,
    NOUNS,
    UNITS,
    Field,
    Meaning,
    Tokens,
    has,
    names_party,
)
from shipments.manifests.words.units import GROSS_OR_NET, is_qualifier

MEASURED: frozenset[Field] = tokens("weight_kg fob_usd product_value")
VALUES: frozenset[Field] = MEASURED - {"weight_kg"}
LONG_UNITS = frozenset(word for word in UNITS if len(word) > 1)


def by_noun(words: Tokens) -> tuple[Meaning, ...]:
    """What a heading measures, counts or describes.

    Nouns of measures come before those of what is measured: `package weight` is a weight, `goods value` a value.
    """
    if not NOUNS["hs_code"].isdisjoint(words):
        return inexactly("hs_code", 1)
    has_value = not NOUNS["fob_usd"].isdisjoint(words)
    weights = NOUNS["weight_kg"] - {"pesos"} if has_value else NOUNS["weight_kg"]  # `monto en pesos`
    has_weight = not weights.isdisjoint(words)
    if has_weight and has_value:
        return ()
    if has_weight or _is_weight_by_its_unit(words):
        return inexactly("weight_kg", 1)
    if has_value:
        return inexactly("fob_usd", 2)
    has_goods = not NOUNS["description_original"].isdisjoint(words)
    if not NOUNS["packages_count"].isdisjoint(words) and (not has_goods or has(words, "count")):
        return inexactly("packages_count", 0)
    has_goods = has_goods or (has(words, "item") and has(words, "title"))
    return inexactly("description_original", 1) if has_goods else ()


def _is_weight_by_its_unit(words: Tokens) -> bool:
    """Whether a heading is only a unit of weight, perhaps with the kind of weight: `Gross kgs`, `Libras brutas`."""
    says_which = not GROSS_OR_NET.isdisjoint(words)
    units = [word for word in words if word in UNITS and (len(word) > 1 or (word == "k" and says_which))]
    return bool(units) and all(word in UNITS or word in GROSS_OR_NET or is_qualifier(word) for word in words)


def inexactly(field: Field, rank: int) -> tuple[Meaning, ...]:
    return (Meaning(field, rank, is_exact=False),)


def is_excluded(field: Field, words: Collection[str]) -> bool:
    """Whether a word rules out that a heading means this field of a guide: `volumetrico`, `unitario`, `flete`."""
    if not NEVER_WITH[field].isdisjoint(words):
        return True
    if field == "packages_count":
        return "por" in words
    if field in VALUES and (_is_price_of_item(words) or not LONG_UNITS.isdisjoint(words)):
        return True
    if field in VALUES and has(words, "shipping") and not has(words, "declared"):
        return True  # `Shipping amount`
    if field in VALUES and has(words, "including") and has(words, "freight"):
        return True  # `Precio con envío`
    return field in MEASURED and "por" in words and not any(map(names_party, words))


def _is_price_of_item(words: Iterable[str]) -> bool:
    return has(words, "price") and has(words, "item")


def is_unit_price(words: Collection[str]) -> bool:
    """Whether a heading names the price of one piece."""
    is_for_each = has(words, "each") or ("por" in words and not any(map(names_party, words)))
    has_price = not NOUNS["fob_usd"].isdisjoint(words) or has(words, "cost")
    return (has_price and is_for_each) or _is_price_of_item(words)
