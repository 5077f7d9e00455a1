"""Labels of the waybill and the flight inside a text, such as `MAWB: 045-12345675`, and the values that fit them."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from shipments.manifests.cells import Cell, text_of, tokens
from shipments.manifests.moments import read_moment
from shipments.manifests.places import read_destination, read_flight_number, read_origin
from shipments.manifests.waybills import labelled_mawbs
from shipments.manifests.words.guide_words import Field
from shipments.manifests.words.header_words import CONTRACT_NAMES, FLIGHT, WAYBILLS
from shipments.manifests.words.heading_tokens import ARTICLES
from shipments.manifests.words.spelling import fold
from shipments.manifests.words.vocabulary import without_articles

LONGEST_LABELLED = 300
"""The longest cell that is searched for labels; longer texts are terms and conditions."""

_NUMBER = r"(?:n[o\u00b0\u00ba]?\.?|nro\.?|num\.?|numero|number|#)"
_GAP = r"[\s._/-]*"
_ARTICLES = rf"(?:(?:{'|'.join(sorted(ARTICLES))})[\s._/-]+)*"
FILLERS = re.compile(r"[\s:;=.#|>_*-]*")

_READS: Mapping[Field, Callable[[Cell], object]] = {
    "mawb": lambda cell: labelled_mawbs(text_of(cell)),
    "flight_number": read_flight_number,
    "origin": read_origin,
    "destination": read_destination,
    "scheduled_departure": read_moment,
    "scheduled_arrival": read_moment,
}

FLIGHT_FIELDS: tuple[Field, ...] = (
    "flight_number",
    "origin",
    "destination",
    "scheduled_departure",
    "scheduled_arrival",
)


@dataclass(frozen=True, slots=True)
class Label:
    """One label and the text after it. fields: what it may mean; is_master: whether it clearly means the master."""

    fields: tuple[Field, ...]
    is_master: bool
    value: str
    has_mark: bool  # a colon or similar mark separates label and value
    is_weak: bool  # an unreadable cell beside it is not reported


def labels_in(text: str) -> list[Label]:
    """The labels of a cell, each with the text up to the next one: `MAWB: 045-12345675  VUELO: LA501`."""
    labels: list[Label] = []
    plain = plain_letters(text)
    end = len(text)
    for match in reversed(list(_pattern().finditer(plain))):
        found = match["label"]
        key = _key(found)
        meaning = _meanings().get(key or found)
        if meaning is None:
            continue
        value = FILLERS.sub("", text[match.end() : end], count=1).strip()
        label = Label(*meaning, value, has_mark=bool(match["mark"]), is_weak=key in _weak_keys())
        is_first = not FILLERS.sub("", plain[: match.start()], count=1)
        # In the middle of a sentence a word is a label only with a colon, or before a value that fits it.
        if is_first or label.has_mark or (value and any(reads(name, value) for name in label.fields)):
            labels.append(label)
            end = match.start()
    return labels[::-1]


def has_label(text: str) -> bool:
    """Whether a text is a label of the waybill or the flight, or begins with one."""
    return len(text) <= LONGEST_LABELLED and bool(labels_in(text))


def reads(name: Field, value: Cell) -> bool:
    """Whether a cell can be read as the value of a field of the waybill or the flight."""
    reader = _READS.get(name)
    return bool(reader and reader(value))


def plain_letters(text: str) -> str:
    """The text without accents and case, letter for letter, so that positions are the same as in the text."""
    return "".join(unicodedata.normalize("NFKD", letter)[0].lower()[0] for letter in text)


@cache
def _meanings() -> Mapping[str, tuple[tuple[Field, ...], bool]]:
    """Label, folded and without blanks -> its fields, and whether it clearly means the master."""
    words: dict[str, list[tuple[Field, int]]] = {}
    for entry in (*WAYBILLS, *FLIGHT):
        for word in entry.listed():
            words.setdefault(_key(word), []).append((entry.field, entry.rank))
    for name, named in CONTRACT_NAMES.items():
        if named in _READS:
            words.setdefault(_key(name), []).append((named, 0))
    for name, named in (*_WEAK_LABELS.items(), *_CHINESE_LABELS.items()):
        words.setdefault(_key(name) or name, []).append((named, 0))
    meanings: dict[str, tuple[tuple[Field, ...], bool]] = {}
    for word, meant in words.items():
        fields = tuple(dict.fromkeys(name for name, _ in meant))
        # In a table `AWB` heads HAWBs as well as MAWBs; outside a table it means the MAWB.
        if "mawb" in fields:
            meanings[word] = (("mawb",), ("mawb", 0) in meant)
        else:
            meanings[word] = (fields, False)
    return meanings


@cache
def _weak_keys() -> frozenset[str]:
    return frozenset(map(_key, _WEAK_LABELS))


@cache
def _pattern() -> re.Pattern[str]:
    words = {word for entry in (*WAYBILLS, *FLIGHT) for word in entry.listed()} | {
        name for name, named in CONTRACT_NAMES.items() if named in _READS
    }
    words |= _WEAK_LABELS.keys()
    spellings = sorted({_spelling(word) for word in words if word not in _NO_LABELS}, key=len, reverse=True)
    labels = "|".join([*spellings, *_CHINESE_LABELS])
    return re.compile(
        rf"(?<![a-z0-9])(?:{_NUMBER}{_GAP}(?:de\s+|del\s+)?)?(?P<label>{labels})(?![a-z0-9])"
        rf"(?:{_GAP}{_NUMBER}(?![a-z]))?(?:\s*\([^()]{{0,30}}\))?\s*(?P<mark>[:=])?"
    )


_WEAK_LABELS: Mapping[str, Field] = dict.fromkeys(
    (
        "descarga", "desembarque", "discharge", "unloading", "ciudad destino", "destination city", "ruta", "route",
        "routing", "itinerario", "trayecto",
    ),
    "destination",
)  # fmt: skip
"""Labels of a destination, outside a table only and only beside a readable place: a route may be a street's."""

_CHINESE_LABELS: Mapping[str, Field] = {
    **dict.fromkeys(
        ("目的港", "目的地", "目的国", "目的國", "目的机场", "目的機場", "卸货港", "卸貨港"), "destination"
    ),
    **dict.fromkeys(("起运港", "起運港", "始发港", "始發港", "始发地"), "origin"),
    **dict.fromkeys(("主单号", "主單號", "总单号", "總單號", "主运单号"), "mawb"),
    **dict.fromkeys(("航班号", "航班號"), "flight_number"),
}

_NO_LABELS = tokens("from hija house id numero paquete ref reference referencia source track")
"""Headings that are too common in running text to be labels outside a table."""


def _spelling(label: str) -> str:
    words = without_articles(fold(label))
    return (_GAP + _ARTICLES).join(_NUMBER if word == "numero" else re.escape(word) for word in words)


def _key(label: str) -> str:
    return "".join(without_articles(fold(label)))
