"""The account of a table's columns: each filled one is read, kept or asked; and what else is to be known of them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import chain

from shipments.manifests.cells import Cell, text_of
from shipments.manifests.documents import check_rut
from shipments.manifests.sheets.candidates import are_all_spoilt, values_of
from shipments.manifests.sheets.kept import kept_columns
from shipments.manifests.sheets.row_kinds import marks_as_staying
from shipments.manifests.sheets.surveys import Columns, Doubt
from shipments.manifests.words.headings import Heading
from shipments.manifests.words.lexicon import has, words_of
from shipments.manifests.words.units import UNREADABLE

_FEWEST_REPEATED = 3
"""Headings that a second table beside the first one repeats."""


def accounted(columns: Columns, headings: Mapping[int, Heading], sample: Sequence[Sequence[Cell]]) -> Columns:
    """The columns with what is to be known of them besides the field that each serves."""
    single = columns.single
    doubts = (*columns.doubts, *_doubtful_measures(columns, headings))

    def values(name: str) -> list[Cell]:
        return values_of(sample, single[name]) if name in single else []

    return replace(
        columns,
        doubts=doubts,
        kept=kept_columns(columns, doubts, headings, sample),
        house_beside=_house_beside(columns, headings, sample),
        cancelled=_cancelled(columns, sample),
        houses=tuple(text_of(value).upper() for value in values("hawb")),
        lacks_check_digits="check_digit" not in single and _lack_check_digits(values("consignee_document")),
        dated=sum(isinstance(value, date) for value in values("hawb")),
        spoilt=frozenset(name for name in ("hawb", "consignee_document") if are_all_spoilt(values(name))),
        once=frozenset(
            name
            for name in ("fob_usd", "product_value")
            if name in single
            and has(words := words_of(headings[single[name]].text), "of_guide")
            and not has(words, "item")
            and not columns.counts_goods
        ),
    )


def _lack_check_digits(documents: Sequence[Cell]) -> bool:
    """Whether most of the documents that are digits alone are no RUTs. One in eleven numbers is, by chance."""
    bare = [text for value in documents if (text := text_of(value).replace(".", "")).isdigit()]
    return len(bare) > 1 and sum(not check_rut(text).problem for text in bare) * 2 < len(bare)


def _doubtful_measures(columns: Columns, headings: Mapping[int, Heading]) -> Iterator[Doubt]:
    """The weight and the value whose unit or currency nobody can tell. One that is known to be another is not asked."""
    for name in columns.unread_measures():
        column = columns.single[name]
        currency = headings[column].currency
        if name == "weight_kg" or (name == "fob_usd" and currency in {"", "USD", UNREADABLE}):
            yield Doubt(name, (column,), "unit_unknown")


def _house_beside(columns: Columns, headings: Mapping[int, Heading], sample: Sequence[Sequence[Cell]]) -> int | None:
    """The HAWB column of a second table beside this one: the same headings again, above other HAWBs."""
    texts = Counter(heading.text.casefold() for heading in headings.values() if heading.meanings)
    house = columns.single.get("hawb")
    if house is None or sum(count > 1 for count in texts.values()) < _FEWEST_REPEATED:
        return None
    known, named = set(map(text_of, values_of(sample, house))), headings[house].text.casefold()
    for column, heading in sorted(headings.items()):
        values = values_of(sample, column) if column != house and heading.text.casefold() == named else []
        if values:
            return None if known.intersection(map(text_of, values)) else column
    return None


def _cancelled(columns: Columns, sample: Sequence[Sequence[Cell]]) -> int | None:
    """A column that marks some guides as left behind: one that serves nothing, or of texts of the guides."""
    goods, house, region = map(columns.single.get, ("description_original", "hawb", "consignee_region"))
    texts = {goods, house, region, *chain.from_iterable(columns.names)}
    serving = columns.all_serving() - texts
    for column in range(max(map(len, sample), default=0)):
        values = () if column in serving else values_of(sample, column)
        texts_of = (text_of(value) for value in values)
        marked = sum(
            marks_as_staying(text, is_goods=column == goods)
            for text in texts_of
            if column != house or any(map(str.isdigit, text))  # a word is no HAWB
        )
        if 0 < marked < len(sample):
            return column
    return None
