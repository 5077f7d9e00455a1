"""Units of weight and currencies, as headings, cells and sentences name them."""

from collections.abc import Collection, Iterable, Sequence

from shipments.manifests.words.lexicon import CLASSES, CURRENCIES, NOUNS, UNITS, Tokens, has, names_party, words_for
from shipments.manifests.words.spelling import fold

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
