"""What an import of events did, or would do, row by row: for a page, a CSV file, and keeping."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from shipments.event_files.importing import ImportedRow
from shipments.labels import STATUS_LABELS
from shipments.statuses import GuideStatus
from shipments.tracking.moves import Outcome

HEADINGS = ("row", "guide", "previous_status", "status", "outcome", "why", "occurred_at")
"""The columns of the CSV, in every language, for programs read such files too."""

_WORST_FIRST = [Outcome.REFUSED, Outcome.HISTORY, Outcome.REPEATED, Outcome.UNCHANGED, Outcome.ADVANCED]


class Line(NamedTuple):
    """One row of the file. Both statuses are empty where the row was not tried.

    occurred_at: the time that the file gives, as it was understood, with its offset; empty where it gives none. By
    default: yesterday's version kept none.
    """

    row: int
    guide: str
    previous_status: str
    status: str
    outcome: str
    why: str
    occurred_at: str = ""

    @classmethod
    def of(cls, imported: ImportedRow) -> "Line":
        result = imported.result
        if result is None:
            return cls(imported.row, imported.guide, "", "", Outcome.REFUSED.value, imported.problem)
        previous, status = result.previous_status.value, result.move.fact.status.value
        told_at = result.move.fact.occurred_at
        occurred_at = told_at.isoformat(" ", "minutes") if told_at else ""
        return cls(imported.row, imported.guide, previous, status, result.outcome.value, imported.why, occurred_at)

    @property
    def became(self) -> Outcome:
        """What became, or would become, of the row."""
        return Outcome(self.outcome)

    @property
    def change(self) -> str:
        """The move in words; empty where the row was not tried."""
        if not self.status:
            return ""
        label = str(STATUS_LABELS[GuideStatus(self.status)])
        if self.previous_status == self.status:
            return label
        return f"{STATUS_LABELS[GuideStatus(self.previous_status)]} → {label}"


class Report(NamedTuple):
    """All lines, in the order of the file."""

    lines: Sequence[Line]

    @classmethod
    def of(cls, imported: Iterable[ImportedRow]) -> "Report":
        return cls([Line.of(row) for row in imported])

    @classmethod
    def kept(cls, rows: Iterable[Sequence[Any]]) -> "Report":
        """A report out of JSON, where its lines were kept."""
        return cls([Line(*row) for row in rows])

    @property
    def tally(self) -> Sequence[tuple[Outcome, int]]:
        """How many rows have each outcome that occurs."""
        counts = Counter(line.outcome for line in self.lines)
        return [(outcome, counts[outcome]) for outcome in Outcome if counts[outcome]]

    @property
    def changes(self) -> int:
        """How many rows are put on a timeline."""
        return sum(count for outcome, count in self.tally if outcome.is_recorded)

    def worst_first(self, most: int) -> Sequence[Line]:
        """The first `most` lines, those that somebody has to look at before the others."""
        return sorted(self.lines, key=lambda line: _WORST_FIRST.index(line.became))[:most]
