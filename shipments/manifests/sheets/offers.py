"""What each column of a table may serve, by its heading and its values, before any is chosen."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import permutations

from shipments.manifests.cells import Cell, text_of
from shipments.manifests.sheets.candidates import (
    ColumnCandidate,
    are_mostly,
    count_rows,
    is_status,
    multiplies,
    values_of,
)
from shipments.manifests.words.amounts import read_money, read_weight, reads_as_number
from shipments.manifests.words.headings import Heading
from shipments.manifests.words.lexicon import CLASSES, CURRENCIES, NOUNS, UNITS, Field, Meaning, has, words_of
from shipments.manifests.words.nouns import is_unit_price
from shipments.manifests.words.spelling import fold
from shipments.manifests.words.units import currency_named

_MOST_TRIED = 50
_OF_SUBTOTAL = CLASSES["subtotal"] | CLASSES["of_order"] | NOUNS["fob_usd"] | {"total"}
_STATES = frozenset({"state", "estado"})
"""Words for a region, or for a shipment's status."""


class Offers:
    """The candidates of each field, with what the table as a whole says of them.

    headings: as the header rows were understood. sample: the cells of the first guide rows, padded to their width.
    candidates: field -> columns whose headings may mean it. counts_goods: whether a quantity counts goods, no packages.
    has_blocks: whether the shipper's data stand in columns of their own under headings like the consignee's.
    """

    def __init__(self, headings: Mapping[int, Heading], sample: Sequence[Sequence[Cell]]) -> None:
        self.headings = dict(headings)
        self.sample = sample
        self.values = {column: values_of(sample, column) for column in headings}
        self.candidates: dict[Field, list[ColumnCandidate]] = {}
        self._settle_statuses()
        for column, heading in sorted(self.headings.items()):
            for meaning in heading.meanings:
                candidate = ColumnCandidate(column, meaning, heading, self.values[column])
                self.candidates.setdefault(meaning.field, []).append(candidate)
        totals = self._drop_those_of_pieces()
        self._add_subtotals(totals)
        self.counts_goods = not totals.isdisjoint(self._columns_of("fob_usd")) or self._counts_goods()
        self.has_blocks = self._has_blocks()

    def _settle_statuses(self) -> None:
        """Leave a `State` unread if its values are the statuses of shipments, not regions."""
        for column, heading in self.headings.items():
            if not _STATES.isdisjoint(words_of(heading.text)) and are_mostly(self.values[column], is_status):
                self.headings[column] = replace(heading, meanings=(Meaning("unused", 0),))

    def _has_blocks(self) -> bool:
        """Whether headings appear twice, once after the shipper's and once after the consignee's.

        Two kinds of them, or one in the same words.
        """
        twice = 0
        for candidates in self.candidates.values():
            words: dict[bool, set[frozenset[str]]] = {}
            for each in candidates:
                if each.meaning.is_anybodys:
                    said = frozenset(words_of(each.heading.text))
                    words.setdefault(self._is_anothers(each.column), set()).add(said)
            if len(words) == 2:
                twice += 1 if words[True].isdisjoint(words[False]) else 2
        return twice > 1

    def _is_the_shippers(self, candidate: ColumnCandidate) -> bool:
        """Whether a heading that does not say whose it is stands in the shipper's block, or another's."""
        return candidate.meaning.is_anybodys and self._is_anothers(candidate.column)

    def _is_anothers(self, column: int) -> bool:
        """Whether the nearest heading to the left that names a party names neither the consignee nor a customer."""
        lefts = (self.headings[left].party for left in sorted(self.headings, reverse=True) if left < column)
        return next(filter(None, lefts), "") in {"shipper", "other"}

    def _counts_goods(self) -> bool:
        """Whether a quantity counts goods, not packages.

        It does if the table also has a unit price, an article number or a unit of measure other than a package.
        """
        for column, heading in self.headings.items():
            words = words_of(heading.text)
            is_article = set(words) == {"item", "numero"} and not count_rows(self.values[column])
            if is_unit_price(words) or has(words, "sku") or is_article:
                return True
            units = {fold(text_of(value)) for value in self.values[column]} if has(words, "unit_word") else set()
            no_goods = UNITS.keys() | NOUNS["packages_count"]
            if units and all(len(unit) == 1 and unit[0] not in no_goods for unit in units):
                return True
        return False

    def _columns_of(self, name: Field) -> set[int]:
        """The columns with numbers that may be this measure, by their headings."""
        return {each.column for each in self.candidates.get(name, ()) if each.is_mostly(reads_as_number)}

    def _drop_those_of_pieces(self) -> set[int]:
        """Drop values and weights that a count turns into others: they are of one piece. Returns those others."""
        rows = self.sample[:_MOST_TRIED]
        totals: set[int] = set()
        counts = [column for column, each in self.headings.items() if each.fields() & {"packages_count", "unused"}]
        for name, read in (("fob_usd", read_money), ("weight_kg", read_weight)):
            for one, whole in permutations(self._columns_of(name), 2):
                if any(multiplies(rows, count, one, whole, read) for count in counts):
                    self.candidates[name] = [each for each in self.candidates[name] if each.column != one]
                    totals.add(whole)
        return totals

    def _add_subtotals(self, totals: Collection[int]) -> None:
        """Beside freight, insurance or a subtotal a bare total is no FOB value, but the subtotal is a candidate.

        Nor is an order's total beside the value of its products. totals: columns known to be totals of pieces.
        """
        words = {column: frozenset(words_of(heading.text)) for column, heading in self.headings.items()}
        has_charges = any(
            has(each, "freight", "subtotal")
            and self.headings[column].fields() <= {"unused", "fob_usd"}
            and are_mostly(self.values[column], reads_as_number)
            for column, each in words.items()
        )
        has_product = any(candidate.values for candidate in self.candidates.get("product_value", []))
        if not (has_charges or has_product):
            return
        for column, each in words.items():
            if column in totals:
                continue
            aside = CURRENCIES.keys() | CLASSES["connective"] | CLASSES["of_dollars"]
            plain = {word for word in each - aside if not word.isdigit()} - {"grand", "gran"}
            of_order = CLASSES["of_order"]
            is_total = "total" in plain and plain <= {"total", *NOUNS["fob_usd"], *of_order} - {"fob"}
            if is_total and (has_charges or plain & of_order):
                of_fob = self.candidates.get("fob_usd", [])
                self.candidates["fob_usd"] = [other for other in of_fob if other.column != column]
            elif has_charges and has(plain, "customs") and plain.isdisjoint({"declarado", "declared"}):
                # Beside freight the value for customs may include it, so another one comes first.
                self.candidates["fob_usd"] = [
                    replace(other, meaning=replace(other.meaning, rank=3)) if other.column == column else other
                    for other in self.candidates.get("fob_usd", [])
                ]
            elif has_charges and has(plain, "subtotal") and plain <= _OF_SUBTOTAL:
                meaning = Meaning("fob_usd", 3, is_exact=False)
                heading = replace(self.headings[column], meanings=(meaning,), currency=currency_named(each))
                self.headings[column] = heading
                candidate = ColumnCandidate(column, meaning, heading, self.values[column])
                self.candidates.setdefault("fob_usd", []).append(candidate)
