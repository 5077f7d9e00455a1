"""What the values of a layout's guides are like, and whether a workbook's still are: they vote on what was told."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from statistics import median
from types import MappingProxyType
from typing import Any

from shipments.manifests.cells import Cell, text_of
from shipments.manifests.findings import Findings
from shipments.manifests.manifest import GuideRow, Notice, Reason
from shipments.manifests.sheets import candidates as are
from shipments.manifests.words.lexicon import Field

Figures = Mapping[str, float]
"""Of a workbook: how many `guides`; the medians of `weight_kg` and `fob_usd`; the share of valid `documents`."""

NO_FIGURES: Figures = MappingProxyType({})

MOST_WORKBOOKS = 20
"""Of how many workbooks the figures are kept."""

UNLIKE = "values_unlike_format"
"""The code of the notice, and of the reason for review."""

_FEWEST, _FEWEST_FOR_UNITS = 10, 40
_FARTHEST = 8
"""How many times larger or smaller a median may be: grams for kilograms and pesos for dollars are far beyond."""
_POUNDS, _NEAR = 2.2046, 0.1
_MEASURES = ("weight_kg", "fob_usd")
_INVALID_DOCUMENT = {"rut_invalid_format", "invalid_document", "invalid_document_type", "document_missing"}
_FEWEST_VOTES, _MOST_VOTES = 3, 500


def figures_of(guides: Sequence[GuideRow]) -> Figures:
    """The figures of a workbook. Medians have three significant digits."""
    found: dict[str, float] = {"guides": len(guides)}
    for name in _MEASURES:
        numbers = [float(number) for guide in guides if (number := getattr(guide, name)) is not None]
        if numbers:
            found[name] = float(f"{median(numbers):.3g}")
    documents = [guide for guide in guides if guide.consignee_document]
    if documents:
        valid = sum(_INVALID_DOCUMENT.isdisjoint(guide.review_reasons) for guide in documents)
        found["documents"] = round(valid / len(documents), 2)
    return found


def usual_figures(workbooks: Sequence[Figures]) -> Figures:
    """The figures of all guides so far: of each the middle one, a workbook counting as often as it has guides."""
    found: dict[str, float] = {"guides": sum(each["guides"] for each in workbooks)}
    for name in (*_MEASURES, "documents"):
        known = sorted((each[name], each["guides"]) for each in workbooks if name in each)
        half = sum(count for _, count in known) / 2
        for number, count in known:
            half -= count
            if half <= 0:
                found[name] = number
                break
    return found


def check_told_values(
    guides: tuple[GuideRow, ...], told: Collection[Field], usual: Figures, findings: Findings
) -> tuple[GuideRow, ...]:
    """The guides, marked for review if the values of what a person has told are no longer what they were.

    told: the fields. usual: as `usual_figures` gives it. Weights as of pounds read as kilograms are only said.
    """
    now = figures_of(guides)
    unlike = [*_of_another_kind(guides, told), *_differences(usual, now)]
    slight = _as_of_pounds(usual, now) if not unlike else ()
    for reason in (*unlike, *slight):
        findings.add(Notice(UNLIKE, reason))
    if not unlike:
        return guides
    return tuple(replace(each, review_reasons=(*dict.fromkeys((*each.review_reasons, UNLIKE)),)) for each in guides)


def _differences(usual: Figures, now: Figures) -> Iterator[Reason]:
    if min(usual.get("guides", 0), now["guides"]) < _FEWEST:
        return
    for name in _MEASURES:
        if _times(usual, now, name) > _FARTHEST:
            yield Reason(f"median_unlike_format_{name}", {"usual": _number(usual[name]), "found": _number(now[name])})
    before = usual.get("documents", 0)
    if before and now.get("documents", 1) * 2 <= before:
        shares = {"usual": f"{before:.0%}", "found": f"{now['documents']:.0%}"}
        yield Reason("readable_unlike_format", {"field": "consignee_document", **shares})


def _as_of_pounds(usual: Figures, now: Figures) -> Iterator[Reason]:
    times = _times(usual, now, "weight_kg")
    if min(usual.get("guides", 0), now["guides"]) >= _FEWEST_FOR_UNITS and abs(times / _POUNDS - 1) <= _NEAR:
        medians = {"usual": _number(usual["weight_kg"]), "found": _number(now["weight_kg"])}
        yield Reason("median_perhaps_unlike_format", {"field": "weight_kg", **medians})


def _times(usual: Figures, now: Figures, name: str) -> float:
    """How many times larger or smaller a median is."""
    before, after = usual.get(name), now.get(name)
    return max(after / before, before / after) if before and after else 1


def _number(figure: float) -> float:
    return int(figure) if figure == int(figure) else figure


# --- values of another kind -------------------------------------------------------------------------------------------


def _of_another_kind(guides: Sequence[GuideRow], told: Collection[Field]) -> Iterator[Reason]:
    for name in sorted(_FOREIGN.keys() & set(told)):
        values: list[Any] = [value for guide in islice(guides, _MOST_VOTES) if (value := getattr(guide, name))]
        if len(values) >= _FEWEST_VOTES and sum(map(_FOREIGN[name], values)) * 2 > len(values):
            yield Reason("kind_unlike_format", {"field": name})


def _is_no_word(value: Cell) -> bool:
    return not any(map(str.isalpha, text_of(value)))


def _is_no_place(value: Cell) -> bool:
    return are.is_address(value) or are.is_email(value) or sum(map(str.isdigit, text_of(value))) > _MOST_DIGITS


_MOST_DIGITS = 6
_FOREIGN: Mapping[Field, Callable[[Cell], bool]] = {
    "hawb": lambda value: not are.is_house(value),
    "consignee_name": are.is_not_a_name,
    "consignee_document": lambda value: not are.is_document_number(value),
    "consignee_address": lambda value: are.is_email(value) or _is_no_word(value),
    "consignee_city": _is_no_place,
    "consignee_region": _is_no_place,
    "consignee_phone": lambda value: are.is_address(value) or not are.may_be_phone(value),
    "consignee_email": lambda value: not are.is_email(value),
    "description_original": lambda value: are.is_email(value) or _is_no_word(value),
}
"""Field -> whether a value is of another field's kind. Nothing here is merely unusual for the field."""
