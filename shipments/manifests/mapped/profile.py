"""What the values of a format are like: taken from a sample, and compared with each later workbook."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from statistics import median

from shipments.manifests.cells import Cell, text_of
from shipments.manifests.findings import Findings, shortened
from shipments.manifests.manifest import GuideRow, Notice, Reason
from shipments.manifests.mapped.spec import FieldProfile
from shipments.manifests.sheets.candidates import are_mostly, is_address, is_not_a_name, is_status

FEWEST_GUIDES = 20
"""Fewer guides say nothing about what values are usual."""

FARTHEST_MEDIAN = 8
"""How many times larger or smaller a median may be: grams for kilograms and pesos for dollars are far beyond."""

_WAS_READABLE, _IS_READABLE = 0.8, 0.3
_WAS_FILLED, _IS_FILLED = 0.9, 0.5

_NUMBERS = ("weight_kg", "fob_usd")
_TEXTS = ("consignee_name", "consignee_address", "consignee_city", "consignee_phone", "description_original")

_INVALID_DOCUMENT = {"rut_invalid_format", "invalid_document", "invalid_document_type", "document_missing"}
_MARK = "values_unlike_format"


def profile_of(guides: Sequence[GuideRow]) -> Mapping[str, FieldProfile]:
    """What the values of these guides are like, by field. Medians have three significant digits."""
    if not guides:
        return {}
    profile = {}
    for name in _NUMBERS:
        numbers = [float(number) for guide in guides if (number := getattr(guide, name)) is not None]
        share = _share(len(numbers), guides)
        profile[name] = FieldProfile(share, share, float(f"{median(numbers):.3g}") if numbers else None)
    for name in _TEXTS:
        share = _share(sum(bool(getattr(guide, name)) for guide in guides), guides)
        profile[name] = FieldProfile(share, share)
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
    if len(guides) >= FEWEST_GUIDES and profile:
        reasons += _differences(profile, profile_of(guides))
    for reason in reasons:
        findings.add(Notice(_MARK, reason))
    if not reasons:
        return guides
    return tuple(
        replace(guide, review_reasons=tuple(dict.fromkeys((*guide.review_reasons, _MARK)))) for guide in guides
    )


def _foreign_values(guides: Sequence[GuideRow]) -> Iterator[Reason]:
    """Fields whose values are of another kind, as when two columns were swapped, whatever the profile."""
    for name, is_foreign in _FOREIGN.items():
        values = [value for guide in islice(guides, _MOST_VOTES) if (value := getattr(guide, name))]
        if len(values) >= _FEWEST_VOTES and are_mostly(values, is_foreign):
            yield Reason("kind_unlike_format", {"field": name})


def _is_email(value: Cell) -> bool:
    return "@" in text_of(value)


def _is_no_word(value: Cell) -> bool:
    return not any(map(str.isalpha, text_of(value)))


def _is_place_of_another(value: Cell) -> bool:
    # Numbers may be codes of places, but not as long as telephones.
    return is_address(value) or _is_email(value) or sum(map(str.isdigit, text_of(value))) >= _FEWEST_OF_PHONES


def _is_no_region(value: Cell) -> bool:
    return _is_place_of_another(value) or (is_status(value) and not any(map(str.isdigit, text_of(value))))


_FEWEST_VOTES, _MOST_VOTES = 3, 500
_FEWEST_OF_PHONES = 7
_FOREIGN: Mapping[str, Callable[[Cell], bool]] = {
    "consignee_name": is_not_a_name,
    "consignee_address": _is_email,
    "consignee_city": _is_place_of_another,
    "consignee_region": _is_no_region,
    "consignee_phone": lambda value: is_address(value) or _is_email(value),
    "consignee_email": lambda value: is_address(value) or _is_no_word(value),
    "description_original": lambda value: _is_email(value) or _is_no_word(value),
}
"""Field -> whether a value is of another field's kind. Nothing here is merely unusual for the field."""


def _differences(before: Mapping[str, FieldProfile], now: Mapping[str, FieldProfile]) -> Iterator[Reason]:
    for name, was in before.items():
        found = now.get(name)
        if found is None:
            continue
        if was.median and found.median and not 1 / FARTHEST_MEDIAN <= found.median / was.median <= FARTHEST_MEDIAN:
            yield Reason(f"median_unlike_format_{name}", {"usual": _figure(was.median), "found": _figure(found.median)})
        shares = [("filled_unlike_format", was.filled, found.filled, _WAS_FILLED, _IS_FILLED)]
        if name == "consignee_document":
            shares.append(("readable_unlike_format", was.readable, found.readable, _WAS_READABLE, _IS_READABLE))
        for sentence, usual, share, high, low in shares:
            if usual > high and share < low:
                yield Reason(sentence, {"field": name, "usual": f"{usual:.0%}", "found": f"{share:.0%}"})


def _figure(median: float) -> float:
    return int(median) if median == int(median) else round(median, 3)
