"""The output of the commands that move guides: tables of previews and refusals, and sums."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import IO, cast

from django.core.management.base import OutputWrapper
from rich import box
from rich.console import Console
from rich.table import Table

from shipments.statuses import GuideStatus
from shipments.tracking.bulk import DOUBTS
from shipments.tracking.moves import Move, Outcome

MOST_LINES = 50
"""The most guides listed one by one. Longer lists are grouped by what their lines have in common."""

_PIPE_WIDTH = 250
"""Wide enough that lines are not wrapped for scripts that read a table."""

_COLOURS = {Outcome.ADVANCED: "green", Outcome.TAKEN_BACK: "green", Outcome.REFUSED: "red", Outcome.UNCHANGED: "dim"}


@dataclass(frozen=True, slots=True)
class ScreenLine:
    """The outcome, or the expected outcome, for one guide or one row of a file.

    guide: the guide as it was named. row: its number; empty without a file.
    """

    guide: str
    change: str
    outcome: Outcome
    why: str = ""
    row: str = ""

    @classmethod
    def of(cls, move: Move, guide: str = "") -> "ScreenLine":
        status = move.reported.status
        is_move = move.outcome.is_move or move.outcome is Outcome.REFUSED
        doubt = move.reported.doubt if move.outcome.is_recorded else ""
        return cls(
            guide=guide or move.tracking_code,
            change=f"{move.previous_status} -> {status}" if is_move else status.value,
            outcome=move.outcome,
            why=f"{move.refusal.code}: {move.refusal.message}" if move.refusal else str(DOUBTS.get(doubt, "")),
            row=str(move.row or ""),
        )

    @classmethod
    def not_found(cls, code: str, status: GuideStatus) -> "ScreenLine":
        """Return the line of a tracking code that no guide has."""
        return cls(code, status.value, Outcome.REFUSED, "not_found: No guide has this tracking code.")


def console(stdout: OutputWrapper, *, no_color: bool) -> Console:
    """Return a console on a command's output, as wide as the terminal, or `_PIPE_WIDTH` without one."""
    width = None if stdout.isatty() else _PIPE_WIDTH
    file = cast("IO[str]", stdout)  # supports write() and flush()
    return Console(file=file, width=width, no_color=no_color, highlight=False, markup=False, emoji=False)


def show(screen: Console, lines: Sequence[ScreenLine], title: str) -> None:
    """Print a table of `lines`, grouped if there are many."""
    if len(lines) > MOST_LINES:
        table = _table(title, "guides", "status", "outcome", "why", "for example")
        groups = Counter((line.change, line.outcome, line.why) for line in lines)
        examples = {(line.change, line.outcome, line.why): line for line in reversed(lines)}
        for (change, outcome, why), count in groups.most_common(MOST_LINES):
            example = examples[change, outcome, why]
            named = f"row {example.row}, {example.guide}" if example.row else example.guide
            table.add_row(f"{count:,}", change, outcome.value, why, named, style=_COLOURS.get(outcome))
        if len(groups) > MOST_LINES:
            table.caption = f"and {len(groups) - MOST_LINES:,} more kinds"
        screen.print(table)
    elif lines:
        has_rows = any(line.row for line in lines)
        table = _table(title, *(["row"] if has_rows else []), "guide", "status", "outcome", "why")
        for line in lines:
            cells = [line.guide, line.change, line.outcome.value, line.why]
            table.add_row(*([line.row] if has_rows else []), *cells, style=_COLOURS.get(line.outcome))
        screen.print(table)


def _table(title: str, *headings: str) -> Table:
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def tally(outcomes: Iterable[Outcome]) -> str:
    """Return a summary such as `4,998 advanced, 2 refused`, or `nothing to do`."""
    counts = Counter(outcomes)
    return ", ".join(f"{counts[outcome]:,} {outcome}" for outcome in Outcome if counts[outcome]) or "nothing to do"
