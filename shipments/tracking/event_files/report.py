"""The report of an import or its preview, row by row: for the page, the CSV file and the database."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from shipments.labels import STATUS_LABELS
from shipments.statuses import GuideStatus
from shipments.tracking.event_files.importing import ImportedRow
from shipments.tracking.moves import Outcome

HEADINGS = ("row", "guide", "previous_status", "status", "outcome", "why", "occurred_at")
"""The columns of the CSV. They are not translated, because programs read these files too."""

_WORST_FIRST = [Outcome.REFUSED, Outcome.HISTORY, Outcome.REPEATED, Outcome.UNCHANGED, Outcome.ADVANCED]


class ReportLine(NamedTuple):
    """One row of the file. Both statuses are empty if the row was not tried.

    occurred_at: the time in the file as it was read, with its offset; empty if there is none.
    """

    row: int
    guide: str
    previous_status: str
    status: str
    outcome: str
    why: str
    occurred_at: str

    @classmethod
    def of(cls, imported: ImportedRow) -> "ReportLine":
        result = imported.result
        if result is None:
            return cls(imported.row, imported.guide, "", "", Outcome.REFUSED.value, imported.problem, "")
        previous, status = result.previous_status.value, result.move.reported.status.value
        reported_at = result.move.reported.occurred_at
        occurred_at = reported_at.isoformat(" ", "minutes") if reported_at else ""
        return cls(imported.row, imported.guide, previous, status, result.outcome.value, imported.why, occurred_at)

    @property
    def became(self) -> Outcome:
        """Return the outcome, or the expected outcome, of the row."""
        return Outcome(self.outcome)

    @property
    def change(self) -> str:
        """Return the change of status in words; empty if the row was not tried."""
        if not self.status:
            return ""
        label = str(STATUS_LABELS[GuideStatus(self.status)])
        if self.previous_status == self.status:
            return label
        return f"{STATUS_LABELS[GuideStatus(self.previous_status)]} → {label}"


class Report(NamedTuple):
    """All lines, in the order of the file."""

    lines: Sequence[ReportLine]

    @classmethod
    def of(cls, imported: Iterable[ImportedRow]) -> "Report":
        return cls([ReportLine.of(row) for row in imported])

    @classmethod
    def kept(cls, rows: Iterable[Sequence[Any]]) -> "Report":
        """Rebuild a report from its lines stored as JSON."""
        return cls([ReportLine(*row) for row in rows])

    @property
    def tally(self) -> Sequence[tuple[Outcome, int]]:
        """Return the number of rows of each outcome that occurs."""
        counts = Counter(line.outcome for line in self.lines)
        return [(outcome, counts[outcome]) for outcome in Outcome if counts[outcome]]

    @property
    def changes(self) -> int:
        """Return the number of rows recorded on a timeline."""
        return sum(count for outcome, count in self.tally if outcome.is_recorded)

    def worst_first(self, most: int) -> Sequence[ReportLine]:
        """Return the first `most` lines, with those that need attention first."""
        return sorted(self.lines, key=lambda line: _WORST_FIRST.index(line.became))[:most]
