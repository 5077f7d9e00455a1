"""The report's plots as SVG, drawn by the server: bars by period, with a scale that ends at a round number."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from shipments.admin.reports.periods import Cell

WIDTH, HEIGHT = 600, 160
_MOST_LABELS = 9
_GAP = 0.25
"""The share of a period's width that stays free between bars."""


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
    """bars: of all series, the first behind the second. periods: the first day of each. top: the scale's end."""

    bars: Sequence[Bar]
    periods: Sequence[date]
    top: float
    width: int = WIDTH
    height: int = HEIGHT

    @property
    def ticks(self) -> Sequence[float]:
        """The values of the scale, from the top."""
        return self.top, self.top / 2, 0

    @property
    def labels(self) -> Sequence[tuple[date, int]]:
        """The first day of as many periods as there is room to name, and how many of them its label is wide."""
        step = math.ceil(len(self.periods) / _MOST_LABELS)
        starts = range(0, len(self.periods), step)
        return [(self.periods[start], min(step, len(self.periods) - start)) for start in starts]


def volumes(periods: Sequence[Cell]) -> Plot:
    """Guides by period, and in front of them those that were delivered."""
    series = [[float(each.guides) for each in periods], [float(each.delivered) for each in periods]]
    top = _round_above(max(max(values) for values in series))
    step = WIDTH / len(periods)
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
    return Plot(bars, [each.begins_on for each in periods], top)


def _round_above(most: float) -> float:
    """Return 1, 2 or 5 times a power of ten that is not below `most`, and at least 1."""
    if most <= 1:
        return 1
    power = float(10 ** math.floor(math.log10(most)))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= most)
