"""The report of a run: what parts handed over, as one page of Markdown with its plots beside it."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from benchmarks.figures import Curve, Figure, Measured, aligned
from benchmarks.machine import Machine
from benchmarks.plots import svg

MOST_LOAD = 1.0
"""Load average at the start above which the machine had something else to do."""
PLOTS = ("uploads", "lists", "guides", "deliveries")
"""The curves that parts may hand over: files of an earlier run that this one did not draw are taken away."""
GROWTH = "growth.md"
"""The section of `python -m benchmarks.growth`, which takes an hour or more and is not repeated in each run."""

HEAD = ("figure", "ours", "floor", "usual way", "measured", "to reach", "")

ABOUT = """\
Written by `make bench`; do not edit. Each figure is taken in one run on one machine, side by side with what it is
compared with, so that a ratio shows the code and not the time of day.

- **ours**: the product as it is served, gunicorn with two workers, on PostgreSQL unless the figure says SQLite.
- **floor**: the least that the same work can cost: a bare parse of the file and a `COPY` of the same rows, outside the
  server; for reads a Django view of the same queries by hand without our middleware, access line or settings, in a
  gunicorn of its own with as many workers and threads (`benchmarks/web/bare.py`).
- **processor time** is that of the workers for a request, user and system, with sixteen connections that stay open
  unless the figure says otherwise; a ratio of it is steadier than one of requests/s.
- **usual way**: what a project would usually write: Django REST Framework's viewsets and ModelSerializers with openpyxl
  and a `save()` for each row (`benchmarks/web/usual.py` says what it leaves out), and Celery, fifty threads, with
  `requests.post` for the deliveries: a TLS handshake for each, where ours keeps connections open
  (`benchmarks/deliveries/celery_tasks.py`).
- A figure with no bound is there for comparison. Clients, service and database share the machine.
"""

HOW = """\
## How to run it

```
TEST_POSTGRES_URL=postgres://user@host:5432/name make bench
```

It needs PostgreSQL, the programs `wrk` and `redis-server` (or `BENCH_BROKER_URL=redis://...` for the peer), and some
6 GB of disk for three million guides. Leave the machine alone meanwhile. `make bench-short` takes a few minutes, with
fewer rounds and sizes, and writes to `var/`. `python -m benchmarks` takes `--short`, `--parts requests,webhooks` for
those alone, and `--report FILE`. It ends with 1 when a part failed, and in full also when a figure is not reached.

The section about ten million guides is written by `python -m benchmarks.growth`, which takes an hour or more and 40 GB
of disk; `make bench` repeats it as it is. `--rows 200000` tries it in two minutes.
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
    """A whole run. at: when it began, in UTC; left_out: parts that were not asked for."""

    at: datetime
    machine: Machine
    outcomes: tuple[Outcome, ...]
    is_short: bool = False
    left_out: tuple[str, ...] = ()

    @property
    def missed(self) -> list[Figure]:
        return [
            figure
            for outcome in self.outcomes
            for figure in (outcome.measured.figures if outcome.measured else ())
            if not figure.is_reached
        ]

    @property
    def failed(self) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.measured is None]

    @property
    def exit_code(self) -> int:
        """1 when a part failed, or, in full, when a figure is missed: the few rounds of the short form judge none."""
        return 1 if self.failed or (self.missed and not self.is_short) else 0


def write(run: Run, path: Path) -> None:
    """The page at `path`, the plots in a directory of its name beside it."""
    plots = path.with_suffix("")
    plots.mkdir(parents=True, exist_ok=True)
    drawn = {curve.name: curve for outcome in run.outcomes if outcome.measured for curve in outcome.measured.curves}
    for name in PLOTS:
        if name not in drawn:
            (plots / f"{name}.svg").unlink(missing_ok=True)
    for name, curve in drawn.items():
        (plots / f"{name}.svg").write_text(svg(curve), encoding="utf-8")
    growth = plots / GROWTH
    kept = growth.read_text(encoding="utf-8") if growth.exists() else ""
    path.write_text(markdown(run, plots.name, kept), encoding="utf-8")


def markdown(run: Run, plots: str, kept: str = "") -> str:
    """The page. plots: the directory of the plots, relative to the page. kept: the section of an earlier run."""
    parts = ["# Benchmarks", *_warnings(run), ABOUT.rstrip(), _summary(run), _machine(run), _parts(run)]
    parts += [_part(outcome, plots) for outcome in run.outcomes]
    parts += [kept.rstrip()] if kept else []
    parts.append(HOW.rstrip())
    return "\n\n".join(parts) + "\n"


def _warnings(run: Run) -> list[str]:
    found = []
    load = run.outcomes[0].load_at_start if run.outcomes else 0.0
    if load > MOST_LOAD:
        found.append(
            f"> **Figures of a busy machine.** The load average was {load:.2f} when the run began: something else took"
            " the processors. Do not judge the service by this page; run it again on a quiet machine."
        )
    if run.is_short:
        found.append("> **The short form**: few rounds and sizes. `make bench` measures in full.")
    return found


def _summary(run: Run) -> str:
    figures = [figure for outcome in run.outcomes if outcome.measured for figure in outcome.measured.figures]
    bound = [figure for figure in figures if figure.target]
    lines = [f"{len(bound) - len(run.missed)} of {len(bound)} bounds are reached."]
    lines += [f"- Not reached: {_cell(f.what)}: {_cell(f.measured)}, to reach: {_cell(f.target)}." for f in run.missed]
    lines += [f"- Failed: the part {outcome.part}." for outcome in run.failed]
    if run.left_out:
        lines.append(f"- Not measured in this run: {', '.join(run.left_out)}.")
    return "## In short\n\n" + lines[0] + ("\n\n" + "\n".join(lines[1:]) if lines[1:] else "")


def _machine(run: Run) -> str:
    machine = run.machine
    rows = [
        ("", ""),
        ("date", f"{run.at:%Y-%m-%d %H:%M} UTC"),
        ("commit", machine.commit),
        ("processor", f"{machine.cpu}, {machine.cores} cores"),
        ("memory", f"{machine.memory_gib:.0f} GiB"),
        ("system", machine.system),
        *machine.versions,
    ]
    return "## Machine and versions\n\n" + aligned([(what, _cell(which)) for what, which in rows])


def _parts(run: Run) -> str:
    rows = [("part", "took", "load at its start", "at its end")]
    rows += [
        (o.part, f"{o.seconds / 60:.1f} min", f"{o.load_at_start:.2f}", f"{o.load_at_end:.2f}") for o in run.outcomes
    ]
    said = "Load averages of one minute. After the first part they hold the run's own work.\n\n"
    return "## Parts\n\n" + said + aligned(rows)


def _part(outcome: Outcome, plots: str) -> str:
    if outcome.measured is None:
        return f"## {outcome.part}\n\n**This part failed** and has no figures: {_cell(outcome.failure)}"
    rows = [HEAD, *(_row(figure) for figure in outcome.measured.figures)]
    drawn = [_image(curve, plots) for curve in outcome.measured.curves]
    return "\n\n".join([f"## {outcome.part}", aligned(rows), *drawn])


def _row(figure: Figure) -> tuple[str, ...]:
    cells = (figure.what, figure.ours, figure.floor, figure.usual, figure.measured, figure.target)
    return (*(_cell(cell) for cell in cells), figure.verdict)


def _image(curve: Curve, plots: str) -> str:
    return f"![{curve.title}: {curve.y_label} against {curve.x_label}]({plots}/{curve.name}.svg)"


def _cell(text: str) -> str:
    """Text that breaks no table."""
    return " ".join(text.split()).replace("|", "\\|")
