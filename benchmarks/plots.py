"""A curve as an SVG file: small, text that stays text, and colours that follow the reader's light or dark.

Our own, because a plotting library would be the largest dependency of all for four plots with one kind of line.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from benchmarks.figures import Curve, Series

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 78, 40, 84, 62
MOST_TICKS = 6
MOST_LOG_TICKS = 8
APART = 0.07
"""The minimum distance of ticks, as a fraction of the axis: their numbers must not touch."""

STYLE = """
  svg { --ink: #1f2328; --soft: #59636e; --grid: #d8dee4; --back: #ffffff; }
  svg { --c0: #0969da; --c1: #59636e; --c2: #bc4c00; }
  @media (prefers-color-scheme: dark) {
    svg { --ink: #e6edf3; --soft: #9198a1; --grid: #30363d; --back: #0d1117; }
    svg { --c0: #4493f8; --c1: #9198a1; --c2: #f0883e; }
  }
  text { font: 13px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: var(--soft); }
  .title { font-size: 16px; font-weight: 600; fill: var(--ink); }
  .name { fill: var(--ink); }
  .grid { stroke: var(--grid); stroke-width: 1; }
  .line { fill: none; stroke-width: 2.5; stroke-linejoin: round; stroke-linecap: round; }
"""
DASHES = ("", "7 6", "2 6")
"""Lines differ in more than colour."""


@dataclass(frozen=True)
class Axis:
    """Values from `low` to `high`, linear or logarithmic; `ticks` are the values that are written beside it."""

    low: float
    high: float
    ticks: tuple[float, ...]
    is_log: bool

    def share(self, value: float) -> float:
        """Where `value` lies between low, 0, and high, 1."""
        if self.is_log:
            return (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        return (value - self.low) / (self.high - self.low)


def linear_axis(values: list[float]) -> Axis:
    """From nought to a round number beyond the greatest of `values`, in steps of 1, 2 or 5 times a power of ten."""
    most = max([*values, 0]) or 1
    power = 10 ** math.floor(math.log10(most / MOST_TICKS))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power * MOST_TICKS >= most)
    count = math.ceil(most / step - 1e-9)
    return Axis(0, count * step, tuple(round(number * step, 12) for number in range(count + 1)), is_log=False)


def log_axis(values: list[float]) -> Axis:
    """From a round number (1, 2 or 5 times a power of ten) below `values`, all above nought, to one beyond them."""
    rounds = [float(f"{factor}e{power}") for power in range(-9, 13) for factor in (1, 2, 5)]
    low = max(value for value in rounds if value <= min(values))
    high = min(value for value in rounds if value >= max(values) and value > low)
    ticks = [value for value in rounds if low <= value <= high]
    if len(ticks) > MOST_LOG_TICKS:
        ticks = [value for value in ticks if f"{value:e}".startswith("1.0")]
    return Axis(low, high, tuple(ticks), is_log=True)


def sizes_axis(sizes: list[float]) -> Axis:
    """Logarithmic, from the least to the greatest of `sizes`, all above nought; a tick at each that has room."""
    low, high = min(sizes), max(sizes)
    if low == high:
        low, high = low / 10, high * 10
    axis = Axis(low, high, (), is_log=True)
    ticks: list[float] = []
    for size in sorted(set(sizes)):
        if not ticks or axis.share(size) - axis.share(ticks[-1]) >= APART:
            ticks.append(size)
    return Axis(low, high, tuple(ticks), is_log=True)


def number(value: float) -> str:
    """A tick's text: 50,000, 3 million, 0.05."""
    if value >= 1e6:
        return f"{value / 1e6:g} million"
    return f"{value:,.0f}" if value >= 10 else f"{value:g}"


def svg(curve: Curve) -> str:
    """The whole file."""
    series = [line for line in curve.series if line.points]
    points = [point for line in series for point in line.points]
    x_axis = sizes_axis([x for x, _y in points])
    y_axis = (log_axis if curve.has_log_y else linear_axis)([y for _x, y in points])
    place = _placing(x_axis, y_axis)
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{escape(_said(curve))}</title>",
        f"<style>{STYLE}</style>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="var(--back)"/>',
        f'<text class="title" x="{LEFT}" y="30">{escape(curve.title)}</text>',
        *_legend(series),
        *_grid(x_axis, y_axis, place),
        *_labels(curve),
        *(part for index, line in enumerate(series) for part in _line(index, line, place)),
        "</svg>",
    ]
    return "\n".join(drawn) + "\n"


Place = Callable[[float, float], tuple[float, float]]


def _placing(x_axis: Axis, y_axis: Axis) -> Place:
    def place(x: float, y: float) -> tuple[float, float]:
        across = LEFT + x_axis.share(x) * (WIDTH - LEFT - RIGHT)
        return round(across, 1), round(HEIGHT - BOTTOM - y_axis.share(y) * (HEIGHT - TOP - BOTTOM), 1)

    return place


def _said(curve: Curve) -> str:
    """The text alternative: the points in words."""
    lines = [
        f"{line.name}: " + ", ".join(f"{y:.3g} at {number(x)}" for x, y in line.points)
        for line in curve.series
        if line.points
    ]
    return f"{curve.title}. {curve.y_label} against {curve.x_label}. " + "; ".join(lines)


def _legend(series: list[Series]) -> list[str]:
    parts, at = [], float(LEFT)
    for index, line in enumerate(series):
        parts.append(_stroke(index, f"M{at:g} 52H{at + 30:g}"))
        parts.append(f'<text class="name" x="{at + 38:g}" y="56">{escape(line.name)}</text>')
        at += 38 + 7.2 * len(line.name) + 24
    return parts


def _grid(x_axis: Axis, y_axis: Axis, place: Place) -> list[str]:
    parts = []
    for tick in y_axis.ticks:
        _x, y = place(x_axis.low, tick)
        parts.append(f'<path class="grid" d="M{LEFT} {y}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text x="{LEFT - 10}" y="{y + 4:g}" text-anchor="end">{number(tick)}</text>')
    for tick in x_axis.ticks:
        x, y = place(tick, y_axis.low)
        parts.append(f'<path class="grid" d="M{x} {y}v6"/>')
        parts.append(f'<text x="{x}" y="{y + 21:g}" text-anchor="middle">{number(tick)}</text>')
    return parts


def _labels(curve: Curve) -> list[str]:
    middle = (LEFT + WIDTH - RIGHT) / 2
    return [
        f'<text x="{middle:g}" y="{HEIGHT - 14}" text-anchor="middle">{escape(curve.x_label)}</text>',
        f'<text x="{LEFT}" y="{TOP - 9}" text-anchor="start">{escape(curve.y_label)}</text>',
    ]


def _line(index: int, line: Series, place: Place) -> list[str]:
    places = [place(x, y) for x, y in line.points]
    path = "M" + "L".join(f"{x} {y}" for x, y in places)
    dots = "".join(f'<circle cx="{x}" cy="{y}" r="4" fill="var(--c{index % 3})"/>' for x, y in places)
    return [_stroke(index, path), dots]


def _stroke(index: int, path: str) -> str:
    dash = DASHES[index % 3]
    return f'<path class="line" stroke="var(--c{index % 3})" stroke-dasharray="{dash or "none"}" d="{path}"/>'
