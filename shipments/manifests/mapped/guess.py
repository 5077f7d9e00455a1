"""A first version of a format from a sample: what each column may be, and how sure that is.

Nothing that could be wrong without being noticed is guessed: the unit of a weight whose heading names none and whose
values may be another unit's, the decimal mark, the destination, what codes mean. A person completes the draft.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from statistics import median
from typing import Any, Literal, NamedTuple

from shipments.manifests.cells import Cell, Workbook, text_of
from shipments.manifests.countries import COUNTRIES, rules_for
from shipments.manifests.mapped.house.house_layouts import LAYOUTS
from shipments.manifests.mapped.sample import HeadingPlace, SampledHeading, SampleTable, find_headings, sample_at
from shipments.manifests.mapped.spec import DECIMALS, MAPPED_FIELDS, NUMBERS, FormatSpec, heading_key, to_json
from shipments.manifests.sheets.assignment import assign
from shipments.manifests.sheets.candidates import counts_rows
from shipments.manifests.words.amounts import decimal_mark, read_weight, reads_as_number
from shipments.manifests.words.headings import UNKNOWN
from shipments.manifests.words.spelling import fold
from shipments.manifests.words.units import UNREADABLE, is_currency_word, is_unit_word

Confidence = Literal["sure", "likely", "doubtful", "none"]

LIGHTEST_MEDIAN_KG, HEAVIEST_MEDIAN_KG = 0.02, 70
"""A median outside of these may be of another unit than kilograms."""

_SURE, _LIKELY = 0.95, 0.8
_SAMPLES_SHOWN = 3

_COUNTRY_WORDS: Mapping[str, Mapping[tuple[str, ...], str]] = {
    "PE": {("categoria",): "category", ("categoria", "express"): "category", ("category",): "category"}
}
"""Headings that mean something in one country only."""


class Guess(NamedTuple):
    """What a column may be.

    heading: with the group above it; empty for a column without one. column: of the sheet, from 0. field: empty without
    a guess. fitting, filled: values that fit the field, and that exist. rivals: headings that may be the same field.
    samples: the first values; people's data. decimals: of numbers typed as text: `comma`, `point`, or `undecided` where
    no cell shows the mark. is_foreign: the heading is a word of another country. key: of extra data.
    """

    heading: str
    column: int
    field: str
    confidence: Confidence
    fitting: int
    filled: int
    rivals: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    is_foreign: bool = False
    decimals: str = ""
    key: str = ""


def draft(
    book: Workbook, country: str, name: str, place: HeadingPlace | None = None
) -> tuple[dict[str, Any], list[Guess]]:
    """A draft of a format, as JSON, and the guesses it was made from, one for each column.

    place: of the headings; by default where they are on the first sheet with headings. Only sure and likely guesses are
    in the draft; other columns have no field yet. Both are empty without headings.
    """
    place = place or find_headings(book)
    sample = sample_at(book, place) if place else None
    if place is None or sample is None:
        return {}, []
    serving = _serving(sample, country)
    guesses = [_guess(each, sample, country, serving) for each in sample.headings]
    columns = [_column(*each, sample) for each in zip(sample.headings, guesses, strict=True)]
    if any(column["field"] == "weight_unit" for column in columns):
        for column in columns:
            column.pop("unit", None)
    content: dict[str, Any] = {"prealerts_format": 1, "name": name, "country": country, "columns": columns}
    if place.rows == 2:
        content["header_rows"] = 2
    return content, guesses


def carried_over(content: Mapping[str, Any], spec: FormatSpec) -> dict[str, Any]:
    """The draft, with each column that the format has as the format says it. Other columns stay as guessed, unless the
    format has their field already.

    content: a draft, as `draft` gives it.
    """
    known = {
        spelling: written
        for column, written in zip(spec.columns, to_json(spec)["columns"], strict=True)
        for spelling in column.spellings()
    }
    served = {column.key or column.field for column in spec.mapped()}
    columns = []
    for column in content["columns"]:
        own = known.get(heading_key(column["heading"], column.get("group", ""))) if column["heading"] else None
        if own:
            columns.append({**own})
        elif column.get("key", column["field"]) in served:
            columns.append({**{key: column[key] for key in column if key not in {"unit", "key"}}, "field": None})
        else:
            columns.append(dict(column))
    return {**content, "columns": columns}


def _serving(sample: SampleTable, country: str) -> Mapping[int, str]:
    """Column -> the field that the universal reader, or a word of the country, gives it."""
    headings = sample.header.headings
    columns = assign(headings, sample.rows)
    serving = {place: name for name, place in columns.single.items()}
    first, *others = columns.names[0] if columns.names else (None,)
    if first is not None and others and serving.get(first) == "consignee_name":
        serving[first] = "given_name"  # "Nombre" beside "Apellido"; a format joins parts only
    elif first is not None:
        serving.setdefault(first, "consignee_name")
    serving |= dict.fromkeys(columns.mawb, "mawb")
    for name, place in (("weight_unit", columns.measures.unit_column), ("currency", columns.measures.currency_column)):
        if place is not None:
            serving[place] = name
    # "Nro." alone may head HAWBs, but beside the document's type it is the document's number.
    beside = next((at for at, name in serving.items() if name == "consignee_document_type"), None)
    if beside is not None and serving.get(beside + 1) == "hawb" and "consignee_document" not in serving.values():
        serving[beside + 1] = "consignee_document"
    words = _COUNTRY_WORDS.get(country, {})
    return serving | {place: words[key] for place, heading in headings.items() if (key := fold(heading.text)) in words}


def _guess(sampled: SampledHeading, sample: SampleTable, country: str, serving: Mapping[int, str]) -> Guess:
    column, headings = sampled.column, sample.header.headings
    values = sample.values(column)
    samples = tuple(text_of(value)[:40] for value in values[:_SAMPLES_SHOWN])
    heading, name = headings.get(column, UNKNOWN), serving.get(column, "")
    if name not in MAPPED_FIELDS:
        key = _details(country).get(fold(heading.text), "")
        if key:
            filled = len(values)
            return Guess(heading.text, column, "extra_data", "sure", filled, filled, (), samples, key=key)
        rivals = () if counts_rows(values) else tuple(sorted(heading.fields() & MAPPED_FIELDS))
        return Guess(heading.text, column, "", "doubtful" if rivals else "none", 0, len(values), rivals, samples)
    fitting = sum(map(_test(name, country), values))
    rivals = tuple(
        other.text
        for place, other in headings.items()
        if place != column and name in other.fields() and serving.get(place) != name
        if not counts_rows(sample.values(place))
    )
    share = fitting / len(values) if values else 0
    exact = any(meaning.is_exact for meaning in heading.meanings if meaning.field == name) or (
        fold(heading.text) in _COUNTRY_WORDS.get(country, {})
    )
    is_foreign = _is_foreign(heading.text, country)
    confidence: Confidence = "doubtful"
    if not rivals and not is_foreign and share >= _LIKELY:
        confidence = "sure" if exact and share >= _SURE else "likely"
    decimals = _decimals(values) if name in NUMBERS else ""
    return Guess(heading.text, column, name, confidence, fitting, len(values), rivals, samples, is_foreign, decimals)


@cache
def _details(country: str) -> Mapping[tuple[str, ...], str]:
    """The house template's headings of what customs asks for besides the fields of a guide -> the key."""
    columns = LAYOUTS[country].columns if country in LAYOUTS else ()
    keys = {tuple(key.split("_")): key for key in rules_for(country).extra_keys()}
    return keys | {fold(each.heading): each.field[1:] for each in columns if each.field.startswith("+")}


def _decimals(values: Sequence[Cell]) -> str:
    marks = {decimal_mark(value) for value in values if isinstance(value, str)} - {""}
    decided = [name for name, mark in DECIMALS.items() if marks - {"either"} == {mark}]
    return next(iter(decided), "undecided") if marks else ""


def _is_foreign(text: str, country: str) -> bool:
    """Whether a heading names a document that only other countries have."""
    own = {kind.name.lower() for kind in rules_for(country).documents}
    others = {kind.name.lower() for each in COUNTRIES for kind in rules_for(each).documents}
    words = set(fold(text))
    return bool(words & (others - own)) and not words & own


def _test(name: str, country: str) -> Callable[[Cell], bool]:
    if name in NUMBERS or name == "packages_count":
        return reads_as_number
    if name == "consignee_document":
        rules = rules_for(country)
        return lambda value: not rules.identify("", text_of(value)).problems
    tests = {"weight_unit": is_unit_word, "currency": is_currency_word}
    return lambda value: bool(text_of(value)) and (name not in tests or tests[name](text_of(value)))


def _column(sampled: SampledHeading, guess: Guess, sample: SampleTable) -> dict[str, Any]:
    column: dict[str, Any] = {"heading": sampled.heading, "field": None}
    if sampled.group:
        column["group"] = sampled.group
    if sampled.left:
        column["right_of"] = sampled.left
    if guess.confidence in {"sure", "likely"}:
        column["field"] = guess.field
        if guess.key:
            column["key"] = guess.key
        if guess.field == "weight_kg" and (unit := _unit(guess.column, sample)):
            column["unit"] = unit
    return column


def _unit(column: int, sample: SampleTable) -> str:
    """The unit that the heading names; kilograms if it names none and the weights are those of parcels."""
    heading = sample.header.headings[column]
    if heading.unit:
        return "" if heading.unit == UNREADABLE else heading.unit
    weights = [float(weight) for value in sample.values(column) if (weight := read_weight(value).value) is not None]
    return "kg" if weights and LIGHTEST_MEDIAN_KG <= median(weights) <= HEAVIEST_MEDIAN_KG else ""
