"""The nouns, units and currencies by which a heading says what it measures, counts or describes; also in cells."""

from collections.abc import Collection, Iterable, Sequence

from shipments.manifests.cells import tokens
from shipments.manifests.words.lexicon import (
    CLASSES,
    CURRENCIES,
    NEVER_WITH,
    NOUNS,
    UNITS,
    Field,
    Meaning,
    Tokens,
    has,
    names_party,
    words_for,
)
from shipments.manifests.words.spelling import fold

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
    if words == ("g",):
        return True
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


# --- units and currencies ---------------------------------------------------------------------------------------------

UNREADABLE = "?"
"""The unit or currency of a heading that names several, or qualifies it with an unknown word."""

GROSS_OR_NET = CLASSES["gross"] | CLASSES["net"] | CLASSES["actual"]
_GROSS_OR_GRAMS = frozenset({"gr", "grs"})


def is_qualifier(word: str) -> bool:
    """Whether a word does not change what a column holds."""
    return has((word,), "qualifier", "connective", "article", "filler", "remark", "item") or names_party(word)


def unit_in(everything: Tokens, remarks: Sequence[Tokens]) -> tuple[str, Tokens]:
    """The unit of weight that a heading names: a key of `amounts.UNITS`, empty for none, or `UNREADABLE`.

    everything: the tokens of the heading, including remarks in brackets. remarks: the tokens of each remark. Also
    returns the words that are no unit, no noun for a weight and no known qualifier, which make it unreadable.
    """
    found, unclear = set(), []
    known = NOUNS["weight_kg"] | GROSS_OR_NET | CLASSES["of_weight"] | words_for("weight_kg")
    for position, word in enumerate(everything):
        following = everything[position + 1] if position + 1 < len(everything) else ""
        if word == "g" and (following in NOUNS["weight_kg"] or UNITS.get(following) == "kg"):
            continue  # `G. Weight` is gross
        if word in _GROSS_OR_GRAMS and following in {"weight", "wt"} and GROSS_OR_NET.isdisjoint(everything):
            if UNITS.keys() & everything <= _GROSS_OR_GRAMS:  # `Gr. wt. kg` is gross
                found.add(UNREADABLE)
        elif word == "t":
            found.add("t" if ("t",) in remarks else UNREADABLE)
        elif word in UNITS:
            found.add(UNITS[word])
        elif word not in known and not is_qualifier(word):
            unclear.append(word)
    return _only(found, unclear), tuple(unclear)


def currency_in(everything: Tokens, known: Collection[str]) -> tuple[str, Tokens]:
    """The currency that a heading names: a code or a word for it, `USD` for US dollars, empty for none, `UNREADABLE`.

    known: tokens of the listed phrases for values. Also returns the words that make it unreadable.
    """
    found, unclear = set(), []
    known = {*known, *NOUNS["fob_usd"], *NOUNS["description_original"]}
    for word in everything:
        if word in CURRENCIES:
            found.add(CURRENCIES[word])
        elif word == "moneda":
            found.add("local")
        elif not (
            word in known
            or is_qualifier(word)
            or has((word,), "declared", "of_value", "of_dollars")
            or ("fob" in everything and len(word) > 3)  # an Incoterm is followed by a place: FOB Miami
        ):
            unclear.append(word)
    if found <= {"pesos", "local", "CLP"} and "CLP" in found:
        found = {"CLP"}
    return _only(found, unclear), tuple(unclear)


def _only(found: Collection[str], unclear: Sequence[str]) -> str:
    return UNREADABLE if unclear or len(found) > 1 else next(iter(found), "")


def is_unit_word(word: str) -> bool:
    """Whether a cell holds only a unit of weight."""
    plain = word.strip(" .()").casefold()
    return plain in UNITS or plain in {"t", "l"}


def is_currency_word(word: str) -> bool:
    """Whether a cell holds only a currency. A bare `$` does not count."""
    words = fold(word)
    return 0 < len(words) <= 4 and all(each in CURRENCIES or each in CLASSES["of_dollars"] for each in words)


def currency_named(words: Iterable[str]) -> str:
    """The currency named in a sentence, `UNREADABLE` for several; other words are ignored."""
    return _only({CURRENCIES[word] for word in words if word in CURRENCIES}, ())


def unit_named(words: Iterable[str]) -> str:
    """The unit of weight named in a sentence, `UNREADABLE` for several; other words are ignored."""
    return _only({UNITS[word] for word in words if word in UNITS and len(word) > 1}, ())
