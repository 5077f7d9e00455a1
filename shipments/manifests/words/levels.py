"""How clearly the words of a heading name a field."""

import re
from dataclasses import dataclass
from enum import IntEnum

from shipments.manifests.words.headings import Heading, exactly, read_grouped_heading, read_heading
from shipments.manifests.words.lexicon import (
    CLASSES,
    CURRENCIES,
    NOUNS,
    UNITS,
    Field,
    Meaning,
    Tokens,
    find_unlisted,
    group_party,
    has,
    names_party,
    words_for,
    words_of,
)
from shipments.manifests.words.nouns import GROSS_OR_NET, VALUES
from shipments.manifests.words.spelling import drop_bounds, repair, spell, split_brackets


class Level(IntEnum):
    """What the words of a heading say of a field."""

    NONE = 0
    UNIT = 1
    """Only a bracket with a unit or a currency."""
    REMARK = 2
    """Only a bracket or a second line names it."""
    HEAD = 3
    """A phrase or noun of the field, with words that nobody knows or that are known to say something else."""
    KNOWN = 4
    """A phrase or noun of the field, with words that change nothing."""
    EXACT = 5
    """One known phrase, once party, unit, currency and fillers are taken away."""


@dataclass(frozen=True, slots=True)
class Words:
    """unknown: the words that lower the level."""

    level: Level
    unknown: Tokens = ()


_HARMLESS_CLASSES = ("connective", "article", "filler", "remark")
_HARMLESS_OF: dict[Field, tuple[str, ...]] = {
    "weight_kg": ("of_weight", "of_guide", "qualifier"),
    "fob_usd": ("declared", "of_dollars", "customs", "item", "of_goods_value"),
    "product_value": ("declared", "of_dollars", "item", "of_goods_value"),
    "packages_count": ("of_guide", "qualifier", "count"),
    "hawb": ("shipment", "names_one", "designates", "of_guide", "destination"),
    "description_original": ("qualifier", "item", "of_guide", "title", "holder"),
}
"""Classes of words that change nothing for a field; for all others those about persons and places."""
_PATH = re.compile(r"[^\W\d_]{2}\w*(?:[./]\w+)+")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u00ff]")


def level_of(heading: Heading, meaning: Meaning, own: str) -> Words:
    """How clearly a heading names the field of one of its meanings. own: as written, without its group."""
    name = meaning.field
    group = heading.text[: -len(own) - 3] if heading.text.endswith(f" / {own}") else ""
    if "." in own and (path := _PATH.fullmatch(own)):
        own = " ".join(re.split(r"[./]", path[0])[-2:])  # `parcel.customs.amount`
    if _is_named_by_a_further_line(own, name):
        return Words(Level.REMARK)
    outside, remarks = split_brackets(drop_bounds(repair(own)))
    if not words_of(outside):
        outside, remarks = own, []
    words = words_of(outside)
    is_joined = len(remarks) == 1 and any(m.field == name for m in exactly((*words, *words_of(remarks[0]))))
    changing: Tokens = ()
    if remarks and not is_joined:  # not `Guía (hija)`
        if name not in read_grouped_heading(group, outside).fields():
            return _judge_remarks(name, words, remarks, outside)
        changing = _changing(remarks, name)
    everything = words_of(f"{group} {outside}") if group and not group_party(group) else words
    units = [w for w in everything if (w in UNITS or w in CURRENCIES) and w not in NOUNS.get(name, ())]
    if units and all(w in units or has((w,), *_HARMLESS_CLASSES) or w.isdigit() for w in everything):
        return Words(Level.KNOWN if name in {"weight_kg", "fob_usd"} else Level.UNIT)  # `Kgs.`, `US$`
    if changing:
        return Words(
            Level.HEAD if find_unlisted(changing) or has(changing, "straying", "former") else Level.KNOWN, changing
        )
    if meaning.is_exact:
        is_reference = name == "hawb" and meaning.rank < 3 and has(words, "reference")
        return Words(Level.KNOWN if is_reference else Level.EXACT)
    unknown = tuple(word for word in everything if not changes_nothing(word, name))
    return Words(Level.HEAD, unknown) if unknown else Words(Level.KNOWN)


def _is_named_by_a_further_line(own: str, name: Field) -> bool:
    first, _, further = own.partition("\n")
    if not further or not words_of(first) or not _LATIN.search(first):
        return False
    return name not in read_heading(own.replace("\n", " ")).fields() | read_heading(first).fields()


def _judge_remarks(name: Field, words: Tokens, remarks: list[str], outside: str) -> Words:
    in_remarks = [words_of(remark) for remark in remarks]
    if all(word in UNITS or word in CURRENCIES for each in in_remarks for word in each):
        return Words(Level.UNIT, words)
    is_translated = not _LATIN.search(outside) and any(m.field == name for each in in_remarks for m in exactly(each))
    return Words(Level.HEAD if is_translated else Level.REMARK, words)


def _changing(remarks: list[str], name: Field) -> Tokens:
    """The words of remarks that may change what a heading says. A negation does not: `FOB (sin flete)`."""
    return tuple(
        word
        for remark in remarks
        if not has(spell(remark), "negation")
        and name not in (fields := read_heading(remark).fields())
        and not (name.startswith("consignee_") and any(each.startswith("consignee_") for each in fields))
        for word in words_of(remark)
        if not (changes_nothing(word, name) or has((word,), "qualifier", "of_weight", "of_dollars", "unit_word"))
    )


def changes_nothing(word: str, name: Field) -> bool:
    """Whether a word leaves the meaning of a heading for this field as it is."""
    if word in UNITS or word in CURRENCIES or word.isdigit() or names_party(word):
        return True
    known = words_for(name) | NOUNS.get(name, frozenset()) | GROSS_OR_NET
    if name in VALUES:
        known = (known - CLASSES["of_order"]) | NOUNS["description_original"] | {"shipment"}
    of_field = _HARMLESS_OF.get(name, ("of_person", "delivered", "destination"))
    return word in known or has((word,), *_HARMLESS_CLASSES, *of_field)
