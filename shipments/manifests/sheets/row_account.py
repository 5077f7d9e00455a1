"""Count the rows of a table while they are read, so that every row is accounted for."""

from dataclasses import dataclass, field
from decimal import Decimal

from shipments.manifests.findings import Findings
from shipments.manifests.manifest import MOST_NAMED, LeftOut, LeftOutReason, RowAccount
from shipments.manifests.sheets.row_reader import GuideLine

ORDINARY: frozenset[LeftOutReason] = frozenset({"example", "heading", "instructions", "note"})
WARNED: frozenset[LeftOutReason] = frozenset({"hawb_missing", "duplicate_hawb"})
_ROWS_QUOTED = 10
_LONGEST_QUOTED = 80


class RowTally:
    """How the rows of a manifest were counted. The code that reads the rows increments in_table and products."""

    def __init__(self) -> None:
        self.in_table = 0
        self.products = 0
        self.duplicates = 0
        self._totals = 0
        self._left_out = 0
        self._named: list[LeftOut] = []
        self._ordinary: list[LeftOut] = []
        self._said: dict[str, list[tuple[int, str]]] = {}

    def total(self, row_index: int, hawb: str = "", *, is_labelled: bool = True) -> None:
        """Count a row of totals. One without a word for totals is reported, unless it holds only sums."""
        self._totals += 1
        if not is_labelled:
            self._said.setdefault("sum", []).append((row_index, hawb))

    def leave_out(self, row_index: int, reason: LeftOutReason, hawb: str = "", sheet: str = "") -> None:
        """Count a row that is not a guide, with its reason."""
        self._left_out += 1
        self.duplicates += reason == "duplicate_hawb" and bool(hawb)
        kept = self._ordinary if reason in ORDINARY else self._named
        if len(kept) < MOST_NAMED:
            quoted = "" if reason in ORDINARY else hawb[:_LONGEST_QUOTED]
            kept.append(LeftOut(row_index, reason, quoted, sheet))
        if reason not in ORDINARY and reason not in WARNED:
            self._said.setdefault(reason, []).append((row_index, hawb))

    def account(self, guides: int) -> RowAccount:
        """The counts of rows. guides: rows that began a guide."""
        return RowAccount(
            in_table=self.in_table,
            guides=guides,
            products=self.products,
            totals=self._totals,
            left_out=self._left_out,
            named=tuple([*self._named, *self._ordinary][:MOST_NAMED]),
        )

    def tell(self, findings: Findings) -> None:
        """Add a notice for each reason why rows were left out, unless warnings report them."""
        for reason, rows in self._said.items():
            findings.notice("rows_left_out", f"left_out_{reason}", rows=_quoted(rows), count=len(rows))


def _quoted(rows: list[tuple[int, str]]) -> str:
    named = [f"{row} ({hawb[:_LONGEST_QUOTED]})" if hawb else str(row) for row, hawb in rows[:_ROWS_QUOTED]]
    return ", ".join(named) + (", ..." if len(rows) > _ROWS_QUOTED else "")


_ROUNDING = (Decimal("0.001"), Decimal("0.01"), Decimal(0))
"""The rounding error allowed for each guide's weight, value and packages."""


@dataclass(slots=True)
class Sums:
    """The sums of the rows so far, by which a row of totals is recognised: kilograms, US dollars, packages."""

    rows: int = 0
    amounts: list[Decimal] = field(default_factory=lambda: [Decimal(0)] * len(_ROUNDING))

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
