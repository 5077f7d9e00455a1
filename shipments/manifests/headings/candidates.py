"""Columns that offer themselves for a field, and what their values say about the offer."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise

from shipments.manifests.headings.headers import Heading
from shipments.manifests.headings.vocabulary import Meaning
from shipments.manifests.workbook.cell_text import text_of
from shipments.manifests.workbook.flight_values import names_place
from shipments.manifests.xlsx.opening import Cell

_RUT_SHAPED = re.compile(r"[0-9]{1,2}\.?[0-9]{3}\.?[0-9]{3}-?[0-9Kk]")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A column that its heading offers for a field."""

    column: int
    meaning: Meaning
    heading: Heading
    values: Sequence[Cell] = field(repr=False)  # a consignee's, maybe

    def is_filled(self) -> bool:
        """Whether any guide has something there."""
        return bool(self.values)

    def is_mostly(self, test: Callable[[Cell], bool]) -> bool:
        """Whether at least four in five of its values pass a test; false when it has none."""
        return bool(self.values) and sum(map(test, self.values)) * 5 >= len(self.values) * 4

    def distinct(self) -> int:
        """How many different values it has."""
        return len({text_of(value).upper() for value in self.values})

    def says_name(self) -> bool:
        """Whether its heading says `nombre`, and not just who somebody is."""
        return self.meaning.rank % 10 == 1

    def is_customers(self) -> bool:
        """Whether its heading is about a customer, who may be somebody else."""
        return self.heading.party == "customer"

    def is_ordinal(self) -> bool:
        """Whether it counts the rows: 1, 2, 3 ..."""
        texts = [text_of(value) for value in self.values]
        if len(texts) < 2 or not all(text.isascii() and text.isdigit() and len(text) <= 5 for text in texts):
            return texts == ["1"]
        numbers = [int(text) for text in texts]
        return numbers[0] <= 2 and all(0 <= after - before <= 1 for before, after in pairwise(numbers))


def preference(candidate: Candidate) -> tuple[bool, int, bool, bool, bool, int]:
    """What sorts candidates of one field, the best first."""
    heading = candidate.heading
    return (
        not candidate.is_filled(),
        candidate.meaning.rank,
        candidate.meaning.field == "weight_kg" and heading.unit not in {"", "kg"},
        candidate.meaning.field == "fob_usd" and not heading.has_dollars,
        not candidate.meaning.is_exact,
        candidate.column,
    )


def distinct_first(candidates: list[Candidate]) -> list[Candidate]:
    """HAWB candidates without those that cannot tell guides apart while another can."""
    useful = [candidate for candidate in candidates if candidate.meaning.rank < 3 or not candidate.is_ordinal()]
    most = max((candidate.distinct() for candidate in useful), default=0)
    return [
        candidate
        for candidate in useful
        # Parcels with several products repeat their HAWB; what is the same on every row tells nothing.
        if candidate.distinct() * 2 >= most or (candidate.meaning.rank == 0 and candidate.distinct() > 1)
    ]


def is_place(value: Cell) -> bool:
    """Whether a cell names a country, an airport, or a city that stands for its country."""
    return isinstance(value, str) and names_place(text_of(value))


def is_rut_shaped(value: Cell) -> bool:
    """Whether a cell looks like a RUT."""
    return not isinstance(value, date) and _RUT_SHAPED.fullmatch(text_of(value)) is not None
