"""What a heading means: its field or fields, its unit, its currency, whose it is.

A heading is split into tokens (`spelling.py`); its remarks in brackets are kept apart. The first of these rules that
applies wins: the whole heading is a listed phrase; it names a person and something about that person (`RUT del
embarcador`, `Consignee address`); its parts around a slash are listed; it begins with a listed phrase, the longest
first; it contains a listed phrase that has only one meaning; its noun says what it measures, counts or describes.
A word of three letters or fewer counts only as a whole token, never as the beginning of another.

In every case, words such as `volumetrico`, `CIF` or `unitario` anywhere in the heading make the column one that is
never read, and an unknown word makes its unit or its currency unknown.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from shipments.manifests.cells import LONGEST_HEADING
from shipments.manifests.guide_fields import CHARGES
from shipments.manifests.words.lexicon import (
    CLASSES,
    CURRENCIES,
    CURRENCY_CODES,
    NOUNS,
    PERSONAL,
    UNITS,
    Field,
    Meaning,
    Party,
    Tokens,
    find_unlisted,
    group_party,
    has,
    index,
    names_party,
    party_of,
    without_articles,
    without_party,
    words_for,
    words_of,
)
from shipments.manifests.words.nouns import (
    LONG_UNITS,
    MEASURED,
    UNREADABLE,
    VALUES,
    by_noun,
    currency_in,
    inexactly,
    is_excluded,
    is_qualifier,
    unit_in,
)
from shipments.manifests.words.spelling import drop_bounds, repair, spell, split_brackets

MOST_TOKENS = 20
_ENUMERATED = re.compile(r"^\W*(?:[0-9]{1,2}[.)]|[A-Za-z]\))\s+")
_PARTS = re.compile(r"[/|]|(?<=\s)-(?=\s)")

_SOMEBODYS, _CUSTOMERS = 10, 20
"""Added to a personal field's rank: of nobody in particular, or of a customer, who may be a different person."""
_ITEMS, _UNCLEAR = 5, 20
"""Added to the rank of a measure of items, and of one whose unit or currency is unknown or foreign."""

_NAMED_BY_A_NOUN: tuple[Field, ...] = ("consignee_document", "consignee_name", "consignee_region", "consignee_address")
_OF_SHIPPER: Mapping[Field, Field] = {
    "consignee_name": "shipper_name", "consignee_address": "shipper_address", "consignee_city": "shipper_city",
    "consignee_country": "shipper_country",
}  # fmt: skip
_KINDS_OF_WEIGHT = {"gross": 0, "net": 3, "actual": 2}
_NEVER_TOGETHER: tuple[frozenset[Field], ...] = (
    frozenset({"consignee_name", "consignee_address", "consignee_document"}),
    frozenset({"consignee_name", "shipper_name"}),
    frozenset({"weight_kg", "packages_count", "fob_usd", "description_original"}),
)
_OF_GOODS = MEASURED | {"packages_count", "description_original", "hs_code"}


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading as it was understood.

    meanings: more than one when the values have to decide; none when the words are unknown.
    unit: of weight, a key of `amounts.UNITS`; empty when the heading names none; `UNREADABLE` when it names several or
    qualifies the unit with an unknown word. currency: `USD`, another code or word, empty or `UNREADABLE`.
    party: the person the heading names, if any. text: the heading as written, preceded by the group heading.
    unclear: the words that make its unit or currency unreadable.
    """

    meanings: tuple[Meaning, ...] = ()
    unit: str = ""
    currency: str = ""
    party: Party = ""
    text: str = ""
    unclear: Tokens = ()

    def fields(self) -> frozenset[Field]:
        return frozenset(meaning.field for meaning in self.meanings)


UNKNOWN = Heading()
_NEVER_READ = (Meaning("unused", 0),)


def heads_field(text: str) -> bool:
    """Whether a text is the heading of a field that is read.

    Words for columns that are never read do not count, because they occur in values as well.
    """
    fields = read_heading(text).fields()
    return bool(fields) and "unused" not in fields


def read_heading(text: str, group: Party = "") -> Heading:
    """What a heading means.

    text: the cell's text. group: the person the group heading above it names (`CONSIGNATARIO` over `NOMBRE` and `RUT`).
    """
    return Heading(text=text[:LONGEST_HEADING]) if len(text) > LONGEST_HEADING else _read_short_heading(text, group)


@lru_cache(maxsize=8192)
def _read_short_heading(text: str, group: Party) -> Heading:
    named = drop_bounds(_ENUMERATED.sub("", repair(text)))
    outside, remarks = split_brackets(named)
    everything = words_of(named)
    remark_words = [words_of(remark) for remark in remarks]
    for remark, its_words in zip(remarks, remark_words, strict=True):
        if has(spell(remark), "negation"):  # `FOB (no incluye courier)`
            everything = tuple(word for word in everything if word not in its_words or word in words_of(outside))
    words = tuple(word for word in words_of(outside) or everything if word not in CLASSES["remark"])
    words = _with_significant_remarks(words, remark_words)
    if not words or len(words) > MOST_TOKENS:
        return Heading(text=text)
    unknown = find_unlisted(words)
    joined = exactly((*words, *remark_words[0])) if len(remark_words) == 1 else ()  # `Guía (hija)`, `Total (bultos)`
    meanings = joined or _meanings(words, outside, group)
    if not meanings and unknown:
        for remark, its_words in zip(remarks, remark_words, strict=True):  # `Dato 4 (Peso bruto)`
            if not meanings and (meanings := _meanings(its_words, remark, group)):
                everything = its_words
    if not meanings and has(words, "other") and not unknown:
        meanings = _NEVER_READ
    found = [read for meaning in meanings if (read := _qualify(meaning, everything, remark_words))]
    unit = next((each.unit for each in found if each.unit), "")
    currency = next((each.currency for each in found if each.currency), "")
    fields = {meaning.field for meaning in meanings}
    if fields <= {"weight_unit", "unused"}:
        unit = unit or unit_in(everything, remark_words)[0].removeprefix(UNREADABLE)
    if fields <= {"currency", "unused"}:
        currency = currency or currency_in(everything, frozenset())[0].removeprefix(UNREADABLE)
    return Heading(
        meanings=tuple(dict.fromkeys(meaning for each in found for meaning in each.meanings)),
        unit=unit,
        currency=currency,
        party=party_of(words) or group,
        text=text,
        unclear=next((each.unclear for each in found if each.unclear), ()),
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
    is_measure = alone.fields() <= MEASURED
    is_joined = any(meaning.is_exact for meaning in joined.meanings) or (_is_no_value(joined) and is_measure)
    if is_joined and not _is_its_own(alone, joined, read_heading(group)):
        return replace(joined, text=both)
    unit, currency = alone.unit or joined.unit, alone.currency or joined.currency
    return replace(alone if alone.meanings else joined, unit=unit, currency=currency, text=both)


def _is_its_own(alone: Heading, joined: Heading, group: Heading) -> bool:
    """Whether a heading has a meaning that its group takes away: `MERCANCIA` over `CANTIDAD` and `KILOS`."""
    if not alone.fields() <= _OF_GOODS or alone.fields() == joined.fields():
        return False
    if _is_no_value(joined) and alone.fields() <= MEASURED:
        return not any(is_excluded(name, words_of(group.text)) for name in alone.fields())
    if _is_no_value(joined):
        return not _is_no_value(group)
    return joined.fields() == group.fields()


def _is_no_value(heading: Heading) -> bool:
    """Whether a heading is of what is never read, or of a charge beside the value."""
    return bool(heading.meanings) and heading.fields() <= {"unused", *CHARGES}


def _with_significant_remarks(words: Tokens, remarks: Iterable[Tokens]) -> Tokens:
    """The words of a heading and of the remarks that say whose it is or which detail it holds: `Nombre (remitente)`."""
    for remark in remarks:
        party = party_of(words)
        names_nobody_else = party_of(remark) and not party
        is_attribute = party and not _rest(words, party) and any(m.field in PERSONAL for m in exactly(remark))
        if remark != words and (names_nobody_else or is_attribute):
            words = (*words, *(word for word in remark if word not in words))
    return words


# --- meanings -------------------------------------------------------------------------------------------------------


def _meanings(words: Tokens, text: str, group: Party) -> tuple[Meaning, ...]:
    """What the words of a heading mean. A line break is a blank; if that makes no sense, it divides two languages."""
    meanings = _of_line(words, text.replace("\n", " "), group)
    if meanings or "\n" not in text:
        return meanings
    lines = [line for line in text.split("\n") if {*words_of(line)} - {"numero"} and not has(words, "domestic")]
    found = [meant for line in lines if (meant := _of_line(words_of(line), line, group))]
    return tuple(meaning for meaning in _of_parts(found) if not is_excluded(meaning.field, words)) if found else ()


def _of_line(words: Tokens, text: str, group: Party) -> tuple[Meaning, ...]:
    parts = [part for each in _PARTS.split(text) if len(part := each.strip()) > 1]
    if len(parts) == 1 and has(words_of(text.partition(".")[0]), "delivered"):
        parts = text.strip(".").split(".")  # `shippingAddress.name`
    first = words_of(parts[0]) if len(parts) > 1 else ()
    if has(first, "delivered") and any(meaning.field == "consignee_address" for meaning in exactly(first)):
        # A path, as databases export it: `Delivery Address/Name`, `Delivery Address/State/Name`
        last = parts[-2] if len(parts) > 2 and has(words_of(parts[-1]), "title") else parts[-1]
        return _of_line(words_of(last), last, "consignee")
    exact = exactly(words) or index().get("".join(spell(text)), ())
    if not LONG_UNITS.isdisjoint(words) and all(m.field in VALUES or m.field == "packages_count" for m in exact):
        exact = ()  # `Total kg`, `Cantidad (kg)`
    if not CURRENCY_CODES.isdisjoint(words) and all(m.field == "description_original" for m in exact):
        exact = tuple(Meaning("fob_usd", 2, is_exact=False) for _ in exact[:1])  # `Mercancía USD`
    named = party_of(words)
    if all(meaning.field in PERSONAL or meaning.field == "shipper_name" for meaning in exact):
        party = named or group or ("consignee" if has(words[:1], "delivered") else "")  # `Shipping name`
        about = _about_somebody(words, party) if party else ()
        if about:
            return about
    if exact:
        return _anybodys(exact, words)
    found = [meant for part in parts if (meant := _of_line(words_of(part), part, group))] if len(parts) > 1 else []
    if found:
        return _of_parts(found)
    meant = _less_than_exactly(words)
    if named:
        # A person and unknown words: whatever it means, it is not the person's name.
        meant = tuple(m for m in meant if m.field not in PERSONAL and m.field != "shipper_name")
        return meant or (_NEVER_READ if named in {"shipper", "other"} and "origen" not in words else ())
    return _anybodys(meant, words)


def exactly(words: Tokens) -> tuple[Meaning, ...]:
    """The meanings of a heading that is a listed phrase, ignoring articles, units, currency and the word number."""
    for form in _forms(words):
        meanings = index().get(" ".join(form)) or index().get("".join(form))
        if form and meanings:
            return meanings
    # `Código de guía`, `AWB ref`: a waybill, named with a word for its number.
    named = tuple(word for word in without_articles(words) if word not in CLASSES["designates"])
    meanings = index().get(" ".join(named), ()) if named != words else ()
    return meanings if {meaning.field for meaning in meanings} <= {"hawb", "mawb"} else ()


def _forms(words: Tokens) -> Iterator[Tokens]:
    """A heading's tokens, then with fewer and fewer of the words that do not distinguish fields."""
    plain = without_articles(words)
    yield plain
    measured = tuple(word for word in plain if word not in UNITS and CURRENCIES.get(word) not in {"USD", word.upper()})
    yield measured
    yield tuple(word for word in measured if word != "numero")


def _less_than_exactly(words: Tokens) -> tuple[Meaning, ...]:
    """What a heading means when it is not a listed phrase: the first reading that none of its other words rules out."""
    ruled_out: tuple[Meaning, ...] = ()
    for reading in (_find_at_beginning, _find_inside, _of_shipment, by_noun, _detail):
        meanings = reading(words)
        if meanings and not all(is_excluded(meaning.field, words) for meaning in meanings):
            return meanings
        ruled_out = ruled_out or meanings
    return ruled_out


def _find_at_beginning(words: Tokens) -> tuple[Meaning, ...]:
    """The meanings of the longest listed phrase that the heading begins with, unless the rest contradicts it."""
    for form in _forms(words):
        for length in range(len(form) - 1, 0, -1):
            phrase = " ".join(form[:length])
            may_begin = len(phrase.replace(" ", "")) > 3 and phrase not in CLASSES["too_common"]
            if (may_begin or phrase in CLASSES["leader"]) and phrase in index() and not has(form[length:], "straying"):
                return _inexact(index()[phrase])
    return ()


def _find_inside(words: Tokens) -> tuple[Meaning, ...]:
    """The meanings of an unambiguous phrase inside the heading: a telling word, or one of several tokens."""
    form = without_articles(words)
    for length in range(len(form) - 1, 0, -1):
        for start in range(1, len(form) - length + 1):
            phrase = " ".join(form[start : start + length])
            is_telling = phrase in CLASSES["telling"] if length == 1 else len(phrase) > 8
            others = form[:start] + form[start + length :]
            if is_telling and phrase in index() and not has(others, "straying"):
                return _inexact(index()[phrase])
    return ()


def _inexact(meanings: Iterable[Meaning]) -> tuple[Meaning, ...]:
    return tuple(replace(meaning, is_exact=False) for meaning in meanings)


def _of_shipment(words: Tokens) -> tuple[Meaning, ...]:
    """The house waybill, where a heading names what identifies a shipment: `Etiqueta del despacho`."""
    plain = [word for word in words if not has((word,), "article", "connective")]
    if has(plain, "shipment") and has(plain, "names_one") and all(has((w,), "shipment", "names_one") for w in plain):
        return inexactly("hawb", 2)
    return ()


def _detail(words: Tokens) -> tuple[Meaning, ...]:
    """The detail of a person that a heading names with one noun, when all its other words are known not to matter."""
    field = next((name for name in _NAMED_BY_A_NOUN if not NOUNS[name].isdisjoint(words)), "")
    if not field:
        return ()
    known = NOUNS[field] | CLASSES["of_person"] | CLASSES["connective"] | CLASSES["article"]
    # A line of an address other than the first is another field.
    if any(word not in known and word != "1" for word in words):
        return ()
    return inexactly(field, 2 if field == "consignee_document" else 1)


# --- whose ----------------------------------------------------------------------------------------------------------


def _anybodys(meanings: tuple[Meaning, ...], words: Tokens) -> tuple[Meaning, ...]:
    says_name = has(words, "name_word")
    return tuple(
        replace(meaning, rank=meaning.rank + _SOMEBODYS, is_anybodys=True, says_name=says_name)
        if meaning.field in PERSONAL
        else meaning
        for meaning in meanings
    )


def _rest(words: Tokens, party: Party) -> Tokens:
    rest = tuple(word for word in without_party(words, party) if word not in CLASSES["filler"])
    return tuple(word for word in without_articles(rest) if word not in {"a", "to", "por", "by"})


def _about_somebody(words: Tokens, party: Party) -> tuple[Meaning, ...]:
    rest = _rest(words, party)
    if party == "consignee" and not party_of(words):
        rest = tuple(word for word in rest if not has((word,), "delivered"))
    if not rest:
        names_somebody = party_of(words) and not has(words, "holder")
        attributes: tuple[Meaning, ...] = (Meaning("consignee_name", 0),) if names_somebody else ()
    else:
        part = tuple(word for word in rest if word not in NOUNS["consignee_address"])  # `address.city`
        within = (m for m in exactly(part) if m.field != "consignee_name") if part and part != rest else ()
        found = exactly(rest) or tuple(within) or _detail(rest)
        attributes = tuple(meaning for meaning in found if meaning.field in PERSONAL)
    if not attributes or party == "other":
        return _NEVER_READ if attributes and rest else ()
    if any(names_party(word) and following in {"and", "y"} for word, following in pairwise(words)):
        return ()  # `Consignatario y dirección`: two values in one cell
    if party == "shipper":
        attribute = attributes[0]
        name = _OF_SHIPPER.get(attribute.field)
        return (Meaning(name, attribute.rank, attribute.is_exact),) if name else _NEVER_READ
    added = 0 if party == "consignee" else _CUSTOMERS
    certain = [meaning for meaning in attributes if party == "consignee" or meaning.rank < 2]
    says_name = has(rest, "name_word")
    return tuple(replace(meaning, rank=meaning.rank + added, says_name=says_name) for meaning in certain)


def _of_parts(found: Sequence[tuple[Meaning, ...]]) -> tuple[Meaning, ...]:
    """The meanings of a heading that names one thing twice, or two things: `Peso / Weight`, `MAWB / HAWB`."""
    fields = [{meaning.field for meaning in meanings} for meanings in found]
    every = set().union(*fields)
    if {"hawb"} in fields:
        return _inexact(found[fields.index({"hawb"})])
    if any(len(every & several) > 1 for several in _NEVER_TOGETHER):
        return ()  # two values in one cell, or alternatives
    return _inexact(found[0])


# --- measures -------------------------------------------------------------------------------------------------------


_UNUSED = Heading(_NEVER_READ)


def _qualify(meaning: Meaning, everything: Tokens, remarks: Sequence[Tokens]) -> Heading | None:
    """The meaning as all words of the heading qualify it; None when a word of a count is not understood."""
    name = meaning.field
    if name in MEASURED and is_excluded(name, everything):
        return _UNUSED
    if name == "weight_kg":
        return _weight(meaning, everything, remarks)
    if name in VALUES:
        return _value(meaning, everything)
    return _count(meaning, everything) if name == "packages_count" else Heading((meaning,))


def _weight(meaning: Meaning, everything: Tokens, remarks: Sequence[Tokens]) -> Heading:
    unit, unclear = unit_in(everything, remarks)
    rank = next((rank for kind, rank in _KINDS_OF_WEIGHT.items() if has(everything, kind)), meaning.rank)
    rank += (_ITEMS if has(everything, "item") else 0) + (_UNCLEAR if unit == UNREADABLE else 0)
    return Heading((replace(meaning, rank=rank),), unit, unclear=unclear)


def _value(meaning: Meaning, everything: Tokens) -> Heading:
    known = words_for("fob_usd") | words_for("product_value")
    currency, unclear = currency_in(everything, known)
    rank = 0 if "fob" in everything else min(meaning.rank, 1) if has(everything, "declared") else meaning.rank
    rank += (_ITEMS if has(everything, "item") else 0) + (0 if currency in {"", "USD"} else _UNCLEAR)
    return Heading((replace(meaning, rank=rank),), currency=currency, unclear=unclear)


def _count(meaning: Meaning, everything: Tokens) -> Heading | None:
    is_identifier = everything[-1] == "numero" and has(everything, "one_package")  # `Carton no.`
    if is_identifier or (not meaning.is_exact and is_excluded("packages_count", everything)):
        return _UNUSED
    known = NOUNS["packages_count"] | words_for("packages_count")
    is_unknown = any(word not in known and not is_qualifier(word) for word in everything)
    if (is_unknown and not meaning.is_exact) or not LONG_UNITS.isdisjoint(everything):
        return None
    plain = without_articles(everything)
    if plain[0] == "numero" and has(plain[1:], "one_package") and len(plain) == 2:
        meaning = replace(meaning, rank=2)  # `N° Caja` tells a package from others, whereas `N° Cajas` counts them
    return _UNUSED if has(everything, "goods_piece") else Heading((meaning,))
