"""What the values of a format are like: taken from a sample, and compared with each later workbook."""

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from statistics import median

from shipments.manifests.cells import Cell, text_of
from shipments.manifests.findings import Findings, shortened
from shipments.manifests.manifest import GuideRow, Notice, Reason
from shipments.manifests.mapped.spec import FieldProfile
from shipments.manifests.sheets.candidates import (
    are_mostly,
    counts_rows,
    has_house_number,
    is_address,
    is_email,
    is_fraction,
    is_not_a_name,
    is_status,
)
from shipments.manifests.words.spelling import fold

FEWEST_GUIDES = 10
"""Fewer guides say nothing about what values are usual."""
_FEWEST_FOR_FILLED, _FEWEST_FOR_SLIGHT = 20, 40

FARTHEST_MEDIAN = 8
"""How many times larger or smaller a median may be: grams for kilograms and pesos for dollars are far beyond."""

NEAREST_MEDIAN = 2
"""How many times it may be so without a word: pounds for kilograms are 2.2."""

_WAS_READABLE, _IS_READABLE = 0.8, 0.3
_VARIES = 1.5
_WAS_FILLED, _IS_FILLED = 0.9, 0.5

_MEASURES = ("weight_kg", "fob_usd")
_NUMBERS = (*_MEASURES, "packages_count")
_TEXTS = (
    "hawb",
    "consignee_region",
    "consignee_name",
    "consignee_address",
    "consignee_city",
    "consignee_phone",
    "description_original",
)

_VARYING, _NUMBERED = ("consignee_name", "consignee_city", "consignee_region"), ("hawb", "consignee_address")
"""Fields of which it is compared how they differ from guide to guide, and how many have digits."""

_INVALID_DOCUMENT = {"rut_invalid_format", "invalid_document", "invalid_document_type", "document_missing"}
_MARK = "values_unlike_format"


def profile_of(guides: Sequence[GuideRow]) -> Mapping[str, FieldProfile]:
    """What the values of these guides, one at least, are like, by field. Medians have three significant digits."""
    profile = {}
    for name in _NUMBERS:
        numbers = [float(number) for guide in guides if (number := getattr(guide, name)) is not None]
        share = _share(len(numbers), guides)
        profile[name] = FieldProfile(share, share, float(f"{median(numbers):.3g}") if numbers else None)
    for name in _TEXTS:
        texts = [text for guide in guides if (text := getattr(guide, name))]
        share = _share(len(texts), guides)
        distinct = _share(len({*texts}), texts) if name in _VARYING else None
        digits = _share(sum(map(_has_digit, texts)), texts) if name in _NUMBERED else None
        profile[name] = FieldProfile(share, share, distinct=distinct, digits=digits)
    documents = [guide for guide in guides if guide.consignee_document]
    valid = sum(_INVALID_DOCUMENT.isdisjoint(guide.review_reasons) for guide in documents)
    profile["consignee_document"] = FieldProfile(_share(len(documents), guides), _share(valid, documents))
    return profile


def _share(count: int, of: Sequence[object]) -> float:
    return round(count / len(of), 2) if of else 0.0


def verify(
    profile: Mapping[str, FieldProfile], stated: Sequence[str], guides: tuple[GuideRow, ...], findings: Findings
) -> tuple[GuideRow, ...]:
    """The guides of a workbook, all marked for review if their values differ so much from those of its format that a
    column may mean something else.

    stated: texts of the workbook that name another unit or currency than its format.
    """
    reasons = [Reason("statement_unlike_format", {"stated": shortened(text)}) for text in stated]
    reasons += _foreign_values(guides)
    slight: list[Reason] = []
    if len(guides) >= FEWEST_GUIDES and profile:
        now = profile_of(guides)
        unlike = _differences(profile, now)
        is_small = len(guides) < _FEWEST_FOR_FILLED
        reasons += [each for each in unlike if not (is_small and each.sentence == "filled_unlike_format")]
        slight += _slight(profile, now) if len(guides) >= _FEWEST_FOR_SLIGHT else ()
    for reason in (*reasons, *slight):
        findings.add(Notice(_MARK, reason))
    if not reasons:
        return guides
    return tuple(
        replace(guide, review_reasons=tuple(dict.fromkeys((*guide.review_reasons, _MARK)))) for guide in guides
    )


def _foreign_values(guides: Sequence[GuideRow]) -> Iterator[Reason]:
    """Fields whose values are of another kind, as when two columns were swapped, whatever the profile."""
    first = [*islice(guides, _MOST_VOTES)]
    texts = {name: [str(value) for guide in first if (value := getattr(guide, name))] for name in _FOREIGN}
    words = {name: [{*fold(value)} for value in texts[name]] for name in _NAMING}
    for name, values in texts.items():
        if len(values) < _FEWEST_VOTES:
            continue
        if (
            are_mostly(values, _FOREIGN[name])
            or (name in words and _is_of_another(name, words))
            or (name in _FEWEST_ROWS and len({*values}) == len(values) >= _FEWEST_ROWS[name] and counts_rows(values))
            or (name == "consignee_city" and _are_streets(values, texts["consignee_address"]))
        ):
            yield Reason("kind_unlike_format", {"field": name})
    yield from _unlikely_consignees(first)


def _is_of_another(name: str, words: Mapping[str, Sequence[set[str]]]) -> bool:
    """Whether a field has goods or people instead of its own values, or people that the names have not."""

    def share(kind: str, of: str, fewest: int = 1) -> float:
        return _share(sum(len(_WORDS[kind] & each) >= fewest for each in words[of]), words[of])

    if name == "consignee_name":
        return share("goods", name) > _MOSTLY and max(share("people", name), share("firms", name)) <= _HARDLY
    is_of_people = share("people", name, 2) > _MOSTLY  # one word is a place, too: San Martín
    if name == "description_original":
        return is_of_people and share("goods", name) <= _HARDLY
    is_of_goods = share("goods", name) > _MOSTLY
    lacking = (("people", "consignee_name", is_of_people), ("goods", "description_original", is_of_goods))
    return any(is_there and share(kind, owner) <= _HARDLY for kind, owner, is_there in lacking)


def _are_streets(cities: Sequence[str], addresses: Sequence[str]) -> bool:
    """Whether the cities have numbers as streets have, and the addresses have not."""
    return are_mostly(cities, has_house_number) and not any(map(_has_digit, addresses))


def _unlikely_consignees(guides: Sequence[GuideRow]) -> Iterator[Reason]:
    """Names and documents of different people: most guides have one name and many documents, or the reverse."""
    pairs = [
        (" ".join(fold(guide.consignee_name)), guide.consignee_document)
        for guide in guides
        if guide.consignee_name and guide.consignee_document and _INVALID_DOCUMENT.isdisjoint(guide.review_reasons)
    ]
    for one, other in (("consignee_name", "consignee_document"), ("consignee_document", "consignee_name")):
        found = Counter(pair[0] for pair in dict.fromkeys(pairs))
        commonest, count = found.most_common(1)[0] if found else ("", 0)
        if count >= _FEWEST_PEOPLE and sum(pair[0] == commonest for pair in pairs) * 2 > len(pairs):
            yield Reason("consignees_unlike_format", {"field": one, "other": other, "count": str(count)})
        pairs = [(right, left) for left, right in pairs]


def _has_digit(value: Cell) -> bool:
    return any(map(str.isdigit, text_of(value)))


def _is_code(value: Cell) -> bool:
    return _CODE.fullmatch(text_of(value)) is not None


def _is_date(value: Cell) -> bool:
    return _DATE.match(text_of(value)) is not None


def _is_no_word(value: Cell) -> bool:
    return not any(map(str.isalpha, text_of(value)))


def _is_place_of_another(value: Cell) -> bool:
    # Numbers may be codes of places, but not as long as telephones.
    text = text_of(value)
    is_phone = sum(map(str.isdigit, text)) >= _FEWEST_OF_PHONES
    return (
        is_address(value) or is_email(value) or is_phone or (bool(text) and _WORDS["countries"].issuperset(fold(text)))
    )


def _is_no_region(value: Cell) -> bool:
    return _is_place_of_another(value) or (is_status(value) and not any(map(str.isdigit, text_of(value))))


_FEWEST_VOTES, _MOST_VOTES = 3, 500
_FEWEST_PEOPLE = 4
_FEWEST_OF_PHONES = 7
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?!\d)|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}$")
_CODE = re.compile(r"[^\W\d]{2,}-?\d{3,}")
_FILE: Mapping[str, str] = tomllib.loads((Path(__file__).parent / "people_and_goods.toml").read_text(encoding="utf-8"))
_WORDS = {
    kind: frozenset(token for word in words.split() for form in ("", "s", "es") for token in fold(word + form))
    for kind, words in _FILE.items()
}
_MOSTLY, _HARDLY = 0.5, 0.1
_NAMING = ("consignee_name", "consignee_city", "description_original")
_FEWEST_ROWS = {"hawb": 3, "packages_count": 6}
"""Fields that may have been read from a count of the rows, and how many such values are no chance."""
_FOREIGN: Mapping[str, Callable[[Cell], bool]] = {
    "hawb": lambda value: _is_date(value) or is_fraction(value) or not _has_digit(value),
    "packages_count": lambda _value: False,
    "consignee_name": is_not_a_name,
    "consignee_address": lambda value: is_email(value) or _is_no_word(value),
    "consignee_city": _is_place_of_another,
    "consignee_region": _is_no_region,
    "consignee_phone": lambda value: is_address(value) or is_email(value) or _is_code(value),
    "consignee_email": lambda value: is_address(value) or _is_no_word(value),
    "description_original": lambda value: is_email(value) or _is_no_word(value) or _is_code(value),
}
"""Field -> whether a value is of another field's kind. Nothing here is merely unusual for the field."""


def _differences(before: Mapping[str, FieldProfile], now: Mapping[str, FieldProfile]) -> Iterator[Reason]:
    for name, was in before.items():
        found = now.get(name)
        if found is None:
            continue
        if _times(was, found) > FARTHEST_MEDIAN:
            yield Reason(f"median_unlike_format_{name}", _medians(was, found))
        shares = [("filled", was.filled, found.filled, (_WAS_FILLED, _IS_FILLED))]
        limits = (_WAS_READABLE, _IS_READABLE)
        if name == "consignee_document":
            shares.append(("readable", was.readable, found.readable, limits))
        if name == "consignee_name" and was.distinct is not None and found.distinct is not None:
            shares.append(("distinct", was.distinct, found.distinct, limits))
        if found.filled and was.digits is not None and found.digits is not None:
            shares += [
                ("digits", was.digits, found.digits, limits),
                ("letters", 1 - was.digits, 1 - found.digits, limits),
            ]
        for kind, usual, share, (high, low) in shares:
            if usual > high and share < low:
                sentence = f"{kind}_unlike_format"
                yield Reason(sentence, {"field": name, "usual": f"{usual:.0%}", "found": f"{share:.0%}"})
    if _varies_more(before, "consignee_city") and _varies_more(now, "consignee_region"):
        yield Reason("kind_unlike_format", {"field": "consignee_region"})


def _slight(before: Mapping[str, FieldProfile], now: Mapping[str, FieldProfile]) -> Iterator[Reason]:
    """Medians that may only be those of another shipment, but also of pounds or of soles."""
    for name, was in before.items():
        if name in _MEASURES and name in now and NEAREST_MEDIAN < _times(was, now[name]) <= FARTHEST_MEDIAN:
            yield Reason("median_perhaps_unlike_format", {"field": name, **_medians(was, now[name])})


def _times(was: FieldProfile, found: FieldProfile) -> float:
    """How many times larger or smaller the median is."""
    return max(found.median / was.median, was.median / found.median) if was.median and found.median else 1


def _medians(was: FieldProfile, found: FieldProfile) -> dict[str, float]:
    return {"usual": _figure(was.median or 0), "found": _figure(found.median or 0)}


def _varies_more(profile: Mapping[str, FieldProfile], name: str) -> bool:
    """Whether the city or the region differs more from guide to guide than the other one."""
    city, region = (profile.get(each, FieldProfile()).distinct or 0 for each in ("consignee_city", "consignee_region"))
    one, other = (city, region) if name == "consignee_city" else (region, city)
    return bool(other) and one > other * _VARIES


def _figure(median: float) -> float:
    return int(median) if median == int(median) else round(median, 3)
