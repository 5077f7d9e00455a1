"""A curve as an SVG file: small, text that stays text, and colours that follow the reader's light or dark.

Our own, because a plotting library would be the largest dependency of all for two pictures. Both axes are logarithmic.
"""

import math
from collections.abc import Callable
from html import escape
from itertools import chain

from benchmarks.harness import Curve

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 78, 40, 84, 62
DASHES = ("none", "7 6", "2 6")
"""Lines differ in more than colour."""
STYLE = """
  svg { --ink: #1f2328; --soft: #59636e; --grid: #d8dee4; --back: #ffffff; }
  svg { --c0: #0969da; --c1: #59636e; --c2: #bc4c00; }
  @media (prefers-color-scheme: dark) {
    svg { --ink: #e6edf3; --soft: #9198a1; --grid: #30363d; --back: #0d1117; }
    svg { --c0: #4493f8; --c1: #9198a1; --c2: #f0883e; }
  }
  text { font: 13px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: var(--soft); }
  .title { font-weight: 600; fill: var(--ink); }
  .grid { stroke: var(--grid); }
  .line { fill: none; stroke-width: 2.5; }
"""


def svg(curve: Curve) -> str:
    """The whole file."""
    points = list(chain.from_iterable(curve.lines.values()))
    xs, low, high = sorted({x for x, _y in points}), min(y for _x, y in points), max(y for _x, y in points)
    ys = [10.0**power for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    across, up = _scale(xs[0], xs[-1], LEFT, WIDTH - RIGHT), _scale(ys[0], ys[-1], HEIGHT - BOTTOM, TOP)
    said = "; ".join(
        f"{name}: " + ", ".join(f"{y:.3g} at {x:,.0f}" for x, y in line) for name, line in curve.lines.items()
    )
    middle = (LEFT + WIDTH - RIGHT) / 2
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{escape(f'{curve.title}. {curve.y_label} against {curve.x_label}. {said}')}</title>",
        f"<style>{STYLE}</style>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="var(--back)"/>',
        _text(curve.title, LEFT, 30, "start", "title"),
        _text(curve.x_label, middle, HEIGHT - 14, "middle"),
        _text(curve.y_label, LEFT, TOP - 9, "start"),
        *(f'<path class="grid" d="M{LEFT} {up(y)}H{WIDTH - RIGHT}"/>' for y in ys),
        *(_text(f"{y:,g}", LEFT - 10, up(y) + 4, "end") for y in ys),
        *(_text(f"{x:,.0f}", across(x), HEIGHT - BOTTOM + 21, "middle") for x in xs),
    ]
    at = LEFT
    for index, (name, line) in enumerate(curve.lines.items()):
        drawn += [_stroke(index, f"M{at} 52H{at + 30}"), _text(name, at + 38, 56, "start", "title")]
        at += 62 + 8 * len(name)
        places = [(across(x), up(y)) for x, y in line]
        drawn.append(_stroke(index, "M" + "L".join(f"{x} {y}" for x, y in places)))
        drawn += [f'<circle cx="{x}" cy="{y}" r="4" fill="var(--c{index % 3})"/>' for x, y in places]
    return "\n".join([*drawn, "</svg>"]) + "\n"


def _scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    """Where a value lies between `low`, at `start`, and `high`, at `end`, by its logarithm."""
    by_log = (end - start) / (math.log(high / low) or 1)
    return lambda value: round(start + by_log * math.log(value / low), 1)


def _text(text: str, x: float, y: float, anchor: str, style: str = "") -> str:
    styled = f' class="{style}"' if style else ""
    return f'<text{styled} x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>'


def _stroke(index: int, path: str) -> str:
    return f'<path class="line" stroke="var(--c{index % 3})" stroke-dasharray="{DASHES[index % 3]}" d="{path}"/>'
