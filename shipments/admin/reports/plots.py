"""The report's plots as SVG, drawn by the server: bars by week, with a scale that ends at a round number."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from shipments.admin.reports.weeks import Cell

WIDTH, HEIGHT = 600, 160
_MOST_LABELS = 9
_GAP = 0.25
"""The share of a week's width that stays free between bars."""


class Bar(NamedTuple):
    """A rectangle in the plot's units: its corner, its size, and its CSS class. value: what it stands for."""

    x: float
    y: float
    width: float
    height: float
    css: str
    value: float


@dataclass(frozen=True, slots=True)
class Plot:
    """bars: of all series, the first behind the second. weeks: the first day of each week. top: the scale's end."""

    bars: Sequence[Bar]
    weeks: Sequence[date]
    top: float
    width: int = WIDTH
    height: int = HEIGHT

    @property
    def ticks(self) -> Sequence[float]:
        """The values of the scale, from the top."""
        return self.top, self.top / 2, 0

    @property
    def labels(self) -> Sequence[tuple[date, int]]:
        """The first day of as many weeks as there is room to name, and how many weeks its label is wide."""
        step = math.ceil(len(self.weeks) / _MOST_LABELS)
        starts = range(0, len(self.weeks), step)
        return [(self.weeks[start], min(step, len(self.weeks) - start)) for start in starts]


def volumes(weeks: Sequence[Cell]) -> Plot:
    """Guides by week, and in front of them those that were delivered."""
    return _plot(weeks, [[float(week.guides) for week in weeks], [float(week.delivered) for week in weeks]])


def customs(weeks: Sequence[Cell]) -> Plot:
    """The hours in customs by week: within which 95 % left it, and in front of them the median."""
    return _plot(weeks, [[week.hours_of_95_percent or 0 for week in weeks], [week.median_hours or 0 for week in weeks]])


def _plot(weeks: Sequence[Cell], series: Sequence[Sequence[float]]) -> Plot:
    top = _round_above(max(max(values) for values in series))
    step = WIDTH / len(weeks)
    bars = [
        Bar(
            round(number * step + step * _GAP / 2, 1),
            round(HEIGHT * (1 - value / top), 1),
            round(step * (1 - _GAP), 1),
            round(HEIGHT * value / top, 1),
            css,
            value,
        )
        for css, values in zip(("pa-back", "pa-front"), series, strict=True)
        for number, value in enumerate(values)
    ]
    return Plot(bars, [week.begins_on for week in weeks], top)


def _round_above(most: float) -> float:
    """Return 1, 2 or 5 times a power of ten that is not below `most`, and at least 1."""
    if most <= 1:
        return 1
    power = float(10 ** math.floor(math.log10(most)))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= most)
