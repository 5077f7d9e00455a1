"""The report of a run: what parts handed over, as one page of Markdown."""

import os
import platform
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

import psycopg

from benchmarks.bounds import BOUNDS
from benchmarks.harness import Curve, Figure, Measured

LIBRARIES = ("Django", "djangorestframework", "psycopg", "gunicorn", "python-calamine", "openpyxl", "celery")

ABOUT = """\
Written by `make bench`; do not edit. Each figure is taken in one run on one machine, by turns with what it is compared
with: a ratio, the median of the rounds', shows the code and not the time of day.

- **ours**: the product as it is served, gunicorn with two workers, on PostgreSQL.
- **floor**: the least that the same work can cost, without the product's code: a bare parse of the file and a `COPY` of
  the same rows; a Django view of the same queries without middleware, log or settings; the same statements by hand.
- **usual way**: a view set of Django REST Framework with openpyxl and a `save()` for each row; **Celery**: a task for
  each delivery, fifty threads, `requests.post` (`benchmarks/rivals/`).
- Processor time is that of the workers for a request, by wrk with sixteen connections.
- **pages**: of the admin, among a million guides, the slowest of each kind. **growth**: among a million guides,
  times among ten thousand.
- A figure without a bound is there for comparison. Clients, service and database share the machine.

How to run it: [CONTRIBUTING.md](../CONTRIBUTING.md). What is no longer measured: [archived
figures](benchmarks/archive.md).
"""


@dataclass(frozen=True)
class Outcome:
    """A part of a run: its load averages (one minute) at start and end, and what it measured or why it failed."""

    part: str
    load_at_start: float
    load_at_end: float
    seconds: float
    measured: Measured | None
    failure: str = ""


@dataclass(frozen=True)
class Run:
    """A whole run. at: when it began, in UTC; machine: as `this_machine` has it."""

    at: datetime
    machine: str
    outcomes: tuple[Outcome, ...]
    is_short: bool = False

    @property
    def figures(self) -> list[tuple[str, Figure]]:
        """Each with its part."""
        return [(each.part, figure) for each in self.outcomes if each.measured for figure in each.measured.figures]

    @property
    def missed(self) -> list[tuple[str, Figure]]:
        return [(part, figure) for part, figure in self.figures if not figure.is_reached(part)]

    @property
    def failed(self) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.measured is None]

    @property
    def exit_code(self) -> int:
        """1 when a part failed, or, in full, when a bound is missed: the few rounds of the short form judge none."""
        return 1 if self.failed or (self.missed and not self.is_short) else 0


def write(run: Run, path: Path) -> None:
    """The page at `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(markdown(run), encoding="utf-8")


def markdown(run: Run) -> str:
    """The page."""
    parts = ["# Benchmarks", ABOUT.rstrip(), _summary(run), _about(run)]
    parts += [_part(outcome) for outcome in run.outcomes]
    return "\n\n".join(parts) + "\n"


def _summary(run: Run) -> str:
    bounds = [figure for part, figure in run.figures if figure.bound(part)]
    lines = [f"{len(bounds) - len(run.missed)} of {len(bounds)} bounds are reached.", ""]
    lines += [
        f"- Not reached: {part}: {figure.what}: {_value(figure)}, to reach: {figure.bound(part)}."
        for part, figure in run.missed
    ]
    lines += [f"- Failed: {outcome.part}." for outcome in run.failed]
    if left_out := [part for part in BOUNDS if part not in {outcome.part for outcome in run.outcomes}]:
        lines.append(f"- Not measured in this run: {', '.join(left_out)}.")
    if (load := run.outcomes[0].load_at_start) > 1:  # something else took the processors
        lines.append(f"- **Figures of a busy machine**: the load average was {load:.2f} when the run began.")
    if run.is_short:
        lines.append("- **The short form**: few rows and rounds, whatever the figures' names say. It judges nothing.")
    return "\n".join(["## In short", "", *lines]).rstrip()


def this_machine(url: str) -> str:
    """Commit, processor, memory and versions, without which figures are meaningless. url: of the database server."""
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    models = [line for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines() if line.startswith("model name")]
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    with psycopg.connect(url) as connection:
        database = connection.info.parameter_status("server_version")
    versions = ", ".join(f"{library} {version(library)}" for library in LIBRARIES)
    return (
        f"commit {commit.stdout.strip() or 'unknown'}; {models[0].partition(': ')[2]}, {os.cpu_count()} cores, "
        f"{memory:.0f} GiB, {platform.system()} {platform.release()}; Python {platform.python_version()}, "
        f"PostgreSQL {database}, {versions}"
    )


def _about(run: Run) -> str:
    loads = ", ".join(f"{o.part} {o.seconds / 60:.1f} min ({o.load_at_end:.1f})" for o in run.outcomes)
    return f"## Machine\n\n{run.at:%Y-%m-%d %H:%M} UTC, {run.machine}.\n\nParts (load at their end): {loads}."


def _part(outcome: Outcome) -> str:
    head = f"## {outcome.part.capitalize()}"
    if outcome.measured is None:
        return f"{head}\n\n**This part failed** and has no figures: {_cell(outcome.failure)}"
    rows: list[tuple[str, ...]] = [("figure", "measured", "to reach", "", "ours", "beside it")]
    rows += [_row(outcome.part, figure) for figure in outcome.measured.figures]
    return "\n\n".join([head, table(rows), *map(_curve, outcome.measured.curves)])


def _curve(curve: Curve) -> str:
    """A table, a column for each line; empty where a line has no point."""
    xs = sorted({x for line in curve.lines.values() for x, _y in line})
    points = {name: dict(line) for name, line in curve.lines.items()}
    rows = [(f"{x:,}", *(f"{line[x]:.3g}" if x in line else "" for line in points.values())) for x in xs]
    return f"{curve.title}:\n\n{table([(curve.what, *curve.lines), *rows])}"


def _row(part: str, figure: Figure) -> tuple[str, ...]:
    bound = figure.bound(part)
    verdict = "reached" if figure.is_reached(part) else "**NOT REACHED**"
    return (figure.what, _value(figure), str(bound or ""), verdict if bound else "", figure.ours, figure.beside)


def _value(figure: Figure) -> str:
    is_whole = figure.value >= 100 or figure.value == int(figure.value)
    number = f"{figure.value:,.0f}" if is_whole else f"{figure.value:.3g}"
    return f"{number} {figure.unit}".strip()


def table(rows: Sequence[tuple[str, ...]]) -> str:
    """A Markdown table, the first row its head."""
    lines = ["| " + " | ".join(map(_cell, row)) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def _cell(text: str) -> str:
    """Text that breaks no table."""
    return " ".join(text.split()).replace("|", "\\|")
