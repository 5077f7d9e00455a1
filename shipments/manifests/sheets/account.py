"""The account of a table's columns: what each serves, and what is to be known of those that serve nothing."""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import date
from itertools import chain

from shipments.manifests.cells import text_of, tokens
from shipments.manifests.sheets.candidates import (
    ColumnCandidate,
    are_all_spoilt,
    count_rows,
    is_short_number,
    preference,
    values_of,
)
from shipments.manifests.sheets.offers import Offers
from shipments.manifests.sheets.row_kinds import marks_as_staying
from shipments.manifests.sheets.surveys import Columns
from shipments.manifests.words.headings import UNKNOWN, Heading
from shipments.manifests.words.lexicon import Field, has, words_of
from shipments.manifests.words.units import UNREADABLE

MEASURES: frozenset[Field] = tokens("weight_kg packages_count fob_usd product_value")
_NOT_NEEDED: frozenset[Field] = tokens("unused consignee_country")
_OUTDONE: frozenset[Field] = MEASURES | tokens("hawb mawb")
"""Fields of which manifests have several columns, so that one that does not serve is missed by nobody."""
_DIGIT = re.compile(r"[0-9]")
_BARE_RANK = 2
_IN_TWO_COLUMNS = ({"lb", "oz"}, {"kg", "g"})
"""Units of one weight that is written in two columns."""
_FEWEST_REPEATED = 3
"""Headings that a second table beside the first one repeats."""
_FEWEST_BESIDE = 4
"""Cells to the right of the headings: fewer are a box beside the guides."""


class Account(Offers):
    """What is said of the columns once the fields are assigned."""

    def accounted(self, columns: Columns) -> Columns:
        """The columns with what is to be known of them besides the field that each serves."""
        return replace(
            columns,
            spare=tuple(self._spare(columns)),
            unheaded=tuple(self._unheaded(columns)),
            house_instead=self._house_instead(columns),
            house_beside=self._house_beside(columns),
            cancelled=self._cancelled(columns),
            is_of_one=self._is_price_of_one(columns),
            dated=sum(isinstance(value, date) for value in self.values.get(columns.single.get("hawb", -1), ())),
            spoilt=frozenset(
                name
                for name in ("hawb", "consignee_document")
                if name in columns.single and are_all_spoilt(self.values[columns.single[name]])
            ),
            once=frozenset(
                name
                for name in ("fob_usd", "product_value")
                if name in columns.single
                and has(words := words_of(self.headings[columns.single[name]].text), "of_guide")
                and not has(words, "item")
                and not self.counts_goods
            ),
        )

    def not_serving(self, serving: Collection[int]) -> list[tuple[int, Heading]]:
        """The filled columns that are not among those that serve, with their headings."""
        return [each for each in sorted(self.headings.items()) if each[0] not in serving and self.values[each[0]]]

    def _spare(self, columns: Columns) -> Iterator[tuple[int, int | None]]:
        """The filled columns that are understood and serve nothing, each with the one that serves instead."""
        for column, heading in self.not_serving(columns.all_serving().union(*columns.alike.values())):
            fields = sorted(heading.fields() - _NOT_NEEDED) if heading.is_understood() else []
            mine = [each for field in fields for each in self.candidates[field] if each.column == column]
            if mine and not any(self._is_outdone(each, columns) for each in mine):
                instead = (columns.serving(each.meaning.field) for each in mine)
                yield column, next((each[0] for each in instead if each), None)

    def _is_outdone(self, candidate: ColumnCandidate, columns: Columns) -> bool:
        """Whether nobody misses a column: a better listed word serves, or it counts rows, or it is the shipper's."""
        name = candidate.meaning.field
        if self.has_blocks and self._is_the_shippers(candidate):
            return True
        if UNREADABLE in {candidate.heading.unit, candidate.heading.currency}:
            return False  # it may be the gross weight beside the net one
        if name not in MEASURES and count_rows(candidate.values):
            return True
        if name == "packages_count" and candidate.meaning.rank and self.counts_goods:
            return True
        if name == "hawb" and candidate.meaning.rank > _BARE_RANK and self.is_of_another_trade(candidate):
            return False  # it may be the number of a house in its street
        served = columns.mawb if name == "mawb" else columns.serving(name)
        best = (other for other in self.candidates[name] if other.column in served)
        return name in _OUTDONE and any(
            preference(other)[:-1] < preference(candidate)[:-1]
            and {other.heading.unit, candidate.heading.unit} not in _IN_TWO_COLUMNS
            for other in best
        )

    def _house_instead(self, columns: Columns) -> int | None:
        """Another column that differs on every guide, if the HAWB was read from one of orders, or that counts rows."""
        house = columns.single.get("hawb")
        if house is None or len(self.values[house]) < 2:
            return None
        if not has(words_of(self.headings[house].text), "reference") and not count_rows(self.values[house]):
            return None
        for column, _ in self.not_serving(columns.all_serving()):
            values = self.values[column]
            texts = {text_of(value) for value in values}
            is_distinct = len(texts) == len(values) >= len(self.values[house]) and all(map(_DIGIT.search, texts))
            if is_distinct and not count_rows(values):
                return column
        return None

    def _house_beside(self, columns: Columns) -> int | None:
        """The HAWB column of a second table beside this one: the same headings again, above other HAWBs."""
        texts = Counter(heading.text.casefold() for heading in self.headings.values() if heading.meanings)
        house = columns.single.get("hawb")
        if house is None or sum(count > 1 for count in texts.values()) < _FEWEST_REPEATED:
            return None
        known, named = set(map(text_of, self.values[house])), self.headings[house].text.casefold()
        for column, heading in sorted(self.headings.items()):
            if column != house and heading.text.casefold() == named and self.values[column]:
                return None if known.intersection(map(text_of, self.values[column])) else column
        return None

    def _is_price_of_one(self, columns: Columns) -> bool:
        """Whether a bare price stands beside quantities: it may be the price of one piece."""
        value, count = columns.single.get("fob_usd"), columns.single.get("packages_count")
        if value is None or count is None:
            return False
        is_price = has(words_of(self.headings[value].text), "price") and "fob_usd" not in columns.once
        is_quantity = all(meaning.rank for meaning in self.headings[count].meanings)
        return is_price and is_quantity and any(text_of(cell) not in {"", "1"} for cell in self.values[count])

    def _cancelled(self, columns: Columns) -> int | None:
        """A column that marks some guides as left behind: one that serves nothing, or of texts of the guides."""
        goods, house, region = map(columns.single.get, ("description_original", "hawb", "consignee_region"))
        texts = {goods, house, region, *chain.from_iterable(columns.names)}
        serving = columns.all_serving() - texts
        for column in range(max(map(len, self.sample), default=0)):
            values = () if column in serving else values_of(self.sample, column)
            marked = sum(marks_as_staying(text_of(value), is_goods=column == goods) for value in values)
            if 0 < marked < len(self.sample):
                return column
        return None

    def _unheaded(self, columns: Columns) -> Iterator[int]:
        """The columns without a heading that at least every other guide fills."""
        width = max(self.headings) + 1
        reading = columns.measures.columns()
        for column in range(max(map(len, self.sample), default=0)):
            if column in self.headings or column in reading:
                continue
            values = values_of(self.sample, column)
            fewest = len(self.sample) if column < width else max(len(self.sample), _FEWEST_BESIDE)
            if len(values) * 2 > fewest and not count_rows(values):
                yield column

    def is_of_another_trade(self, candidate: ColumnCandidate) -> bool:
        """Whether a number is a row's or a street's."""
        if count_rows(candidate.values):
            return True
        left = self.headings.get(candidate.column - 1, UNKNOWN)
        is_bare = words_of(candidate.heading.text) == ("numero",)
        return is_bare and ("consignee_address" in left.fields() or candidate.is_mostly(is_short_number))
