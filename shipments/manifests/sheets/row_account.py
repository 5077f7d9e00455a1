"""Count the rows of a table while they are read, so that every row is accounted for."""

from shipments.manifests.findings import Findings
from shipments.manifests.manifest import MOST_NAMED, LeftOut, LeftOutReason, RowAccount

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
            self._say("sum", row_index, hawb)

    def leave_out(self, row_index: int, reason: LeftOutReason, hawb: str = "", sheet: str = "") -> None:
        """Count a row that is not a guide, with its reason."""
        self._left_out += 1
        self.duplicates += reason == "duplicate_hawb" and bool(hawb)
        kept = self._ordinary if reason in ORDINARY else self._named
        if len(kept) < MOST_NAMED:
            quoted = "" if reason in ORDINARY else hawb[:_LONGEST_QUOTED]
            kept.append(LeftOut(row_index, reason, quoted, sheet))
        if reason not in ORDINARY and reason not in WARNED:
            self._say(reason, row_index, hawb)

    def _say(self, reason: str, row_index: int, hawb: str) -> None:
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
