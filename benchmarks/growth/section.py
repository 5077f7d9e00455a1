"""The section that a run writes, for the page of benchmarks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from benchmarks.figures import aligned
from benchmarks.growth.databases import Filled
from benchmarks.growth.sizes import Occupied
from benchmarks.machine import Machine

MAX_RATIO = 1.5
LISTED_INDEXES = 12

Pair = tuple[float, float]
"""Of the smaller and of the larger database."""


@dataclass
class Growth:
    """What a run has measured so far. loads: load averages of one minute when the jobs began and ended.

    seconds: of each job. occupied: by database. whole: what is done to a whole database, in words, by what it is.
    """

    began: datetime
    machine: Machine
    pair: Sequence[Filled]
    occupied: Sequence[Occupied]
    loads: Pair = (0, 0)
    seconds: Mapping[str, Pair] = field(default_factory=dict)
    whole: Sequence[Mapping[str, str]] = ()

    @property
    def missed(self) -> Sequence[str]:
        return [what for what, (few, many) in self.seconds.items() if many / few > MAX_RATIO]

    def markdown(self) -> str:
        """The section, its heading of the second level."""
        reached = len(self.seconds) - len(self.missed)
        parts = [
            f"## {self.pair[-1].guides:,} guides",
            self._about(),
            f"{reached} of {len(self.seconds)} ratios are at most {MAX_RATIO}.",
            self._jobs(),
            self._sizes(),
        ]
        if self.whole:
            parts.append(self._columns([(what, *(each[what] for each in self.whole)) for what in self.whole[0]]))
        return "\n\n".join(parts) + "\n"

    def _about(self) -> str:
        machine = self.machine
        return (
            f"Written by `python -m benchmarks.growth` on {self.began:%Y-%m-%d %H:%M} UTC at {machine.commit}: "
            f"{machine.cpu}, {machine.cores} cores, {machine.memory_gib:.0f} GiB; load average {self.loads[0]:.1f} "
            f"when the jobs began and {self.loads[1]:.1f} at their end. Both databases receive the same number of "
            "guides a day, and one is ten times as old. Each guide has four events and a delivery in the log; the "
            "guides of the last days are on their way. Seconds are medians of rounds in which the two take turns. "
            "Indexes were made after the rows, so they are as dense as after a `REINDEX`."
        )

    def _jobs(self) -> str:
        few, many = (f"{each.guides:,}" for each in self.pair)
        rows = [("job", f"among {few} guides", f"among {many}", "ratio", "to reach", "")]
        for what, (fewer, more) in self.seconds.items():
            verdict = "NOT REACHED" if what in self.missed else "reached"
            times = (f"{fewer * 1000:,.1f} ms", f"{more * 1000:,.1f} ms", f"{more / fewer:.2f}")
            rows.append((what, *times, f"at most {MAX_RATIO}", verdict))
        return aligned(rows)

    def _sizes(self) -> str:
        indexes = list(self.occupied[-1].indexes)[:LISTED_INDEXES]
        by_database = [each.bytes_by_what(indexes) for each in self.occupied]
        return self._columns([(what, *(f"{each[what]:,.0f}" for each in by_database)) for what in by_database[-1]])

    def _columns(self, rows: Sequence[tuple[str, ...]]) -> str:
        return aligned([("", *(f"{each.guides:,} guides" for each in self.pair)), *rows])
