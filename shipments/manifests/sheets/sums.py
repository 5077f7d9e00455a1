"""Recognise a row of totals by its numbers: they are the sums of the rows above it."""

from dataclasses import dataclass, field
from decimal import Decimal

from shipments.manifests.sheets.row_reader import GuideLine

_MEASURES = 3
_ROUNDING = (Decimal("0.001"), Decimal("0.01"), Decimal(0))
"""The rounding error allowed for each guide's weight, value and packages."""


@dataclass(slots=True)
class Sums:
    """The sums of the rows so far: weight in kilograms, value in US dollars, packages."""

    rows: int = 0
    amounts: list[Decimal] = field(default_factory=lambda: [Decimal(0)] * _MEASURES)

    def add(self, line: GuideLine) -> None:
        """Add a row of a guide."""
        self.rows += 1
        amounts = self.amounts
        if line.weight_kg is not None:
            amounts[0] += line.weight_kg
        if line.fob_usd is not None:
            amounts[1] += line.fob_usd
        if line.packages_count is not None:
            amounts[2] += line.packages_count

    def plus(self, other: "Sums") -> "Sums":
        """The sums of both."""
        return Sums(self.rows + other.rows, [one + two for one, two in zip(self.amounts, other.amounts, strict=True)])

    def match(self, line: GuideLine) -> int:
        """How many measures of a row equal these sums; 0 if any of them differs, or there is none."""
        if not self.rows:
            return 0
        matched = 0
        for amount, summed, rounding in zip(_amounts(line), self.amounts, _ROUNDING, strict=True):
            if amount is None:
                continue
            # Sheets add up unrounded values, and may show the sum with fewer decimals.
            if abs(amount - summed) > max(rounding * self.rows, rounding * 5):
                return 0
            matched += 1
        return matched


def _amounts(line: GuideLine) -> tuple[Decimal | int | None, ...]:
    return line.weight_kg, line.fob_usd, line.packages_count
