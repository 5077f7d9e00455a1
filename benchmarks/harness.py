"""What every part is made of: subjects measured in turns, figures, curves, and one way to run a part.

A part is a function that takes the URL of a PostgreSQL server and yields figures and curves. `benchmarks.bounds` says
which figures are held to something.
"""

import os
import pickle
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NoReturn, TypeVar

from benchmarks.bounds import BOUNDS, Bound

SHORT, FIGURES = "BENCH_SHORT", "BENCH_FIGURES"
"""Environment variables: of the short form, whose only question is whether each part still runs; and with the file in
which a part hands its figures over."""
T = TypeVar("T")


def size(full: int, short: int) -> int:
    """A number of rows, rounds or seconds in the form that is run."""
    return short if os.environ.get(SHORT) else full


@dataclass(frozen=True)
class Figure:
    """One row of the report.

    what: its name, by which `BOUNDS` may hold it to something. value: the number that is judged, in `unit`. ours,
    beside: what was set side by side, in words with units; empty where `value` says all.
    """

    what: str
    value: float
    unit: str = ""
    ours: str = ""
    beside: str = ""

    def bound(self, part: str) -> Bound | None:
        """What it is held to; None for a figure that is only compared."""
        return BOUNDS[part].get(self.what)

    def is_reached(self, part: str) -> bool:
        bound = self.bound(part)
        return bound is None or bound.holds(self.value)


@dataclass(frozen=True)
class Curve:
    """How a figure grows. title: with the unit. what: it grows with. lines: name -> points (x, y)."""

    title: str
    what: str
    lines: Mapping[str, Sequence[tuple[float, float]]]


@dataclass
class Measured:
    """What a part handed over."""

    figures: list[Figure] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)

    def missed(self, part: str) -> list[Figure]:
        return [figure for figure in self.figures if not figure.is_reached(part)]


def ms(seconds: float) -> str:
    """Seconds in words."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"


def per_second(rate: float) -> str:
    """A rate in words."""
    return f"{rate:,.0f}/s"


Say = Callable[[float], str]


def in_turns(subjects: Mapping[str, Callable[[], T]], rounds: int) -> dict[str, list[T]]:
    """Measure each subject once a round; every other round in reverse, so that what disturbs one disturbs all."""
    found: dict[str, list[T]] = {name: [] for name in subjects}
    for number in range(rounds):
        for name in list(subjects)[:: -1 if number % 2 else 1]:
            found[name].append(subjects[name]())
    return found


def ratio(ones: Sequence[float], others: Sequence[float]) -> float:
    """The median of `ones` by `others`, round by round."""
    return statistics.median(one / other for one, other in zip(ones, others, strict=True))


def compared(what: str, ours: Sequence[float], others: Sequence[float], name: str = "floor", say: Say = ms) -> Figure:
    """Ours by the others, round by round, beside the medians of both. name: of the others. say: a value in words."""
    said = [say(statistics.median(each)) for each in (ours, others)]
    return Figure(what, ratio(ours, others), ours=said[0], beside=f"{name} {said[1]}")


def inverse(figure: Figure) -> Figure:
    """The same pair, the others by ours."""
    return replace(figure, value=1 / figure.value)


def seconds(action: Callable[[], object]) -> float:
    """How long `action` takes, by the clock."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def postgresql() -> str:
    """The URL of the server to measure on. Raises SystemExit with a sentence if none is set."""
    url = os.environ.get("TEST_POSTGRES_URL", "")
    if not url:
        raise SystemExit("Needs TEST_POSTGRES_URL=postgres://user@host:5432/name.")
    return url


def collected(part: str, measure: Callable[[str], Iterator[Figure | Curve]]) -> Measured:
    """Measure, printing each figure as it comes. Raises LookupError if a bound of the part was not measured."""
    measured = Measured()
    for found in measure(postgresql()):
        if isinstance(found, Curve):
            measured.curves.append(found)
            continue
        measured.figures.append(found)
        verdict = f"{found.bound(part) or 'compared'}{'' if found.is_reached(part) else '  NOT REACHED'}"
        print(f"  {found.what}: {found.value:.3g} {found.unit} ({verdict})  {found.ours}  {found.beside}", flush=True)
    if unmeasured := BOUNDS[part].keys() - {figure.what for figure in measured.figures}:
        raise LookupError(f"not measured: {', '.join(sorted(unmeasured))}")
    return measured


def run(part: str, measure: Callable[[str], Iterator[Figure | Curve]]) -> NoReturn:
    """The program of a part: measure, and hand over in the file that BENCH_FIGURES names. 1 if a bound is missed."""
    measured = collected(part, measure)
    if file := os.environ.get(FIGURES):
        Path(file).write_bytes(pickle.dumps(measured))
    sys.exit(1 if measured.missed(part) and not os.environ.get(SHORT) else 0)
