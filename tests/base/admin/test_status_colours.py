"""The colours of statuses in a bar differ for every eye."""

import re
from itertools import combinations
from math import dist
from pathlib import Path

import pytest

STYLES = Path(__file__).parents[3] / "base/static/base/lists.css"
FILL = re.compile(r"^\.pa-(\w+) \{.*--pa-fill: (\d+) (\d+) (\d+);", re.MULTILINE)
EYES = {
    "most": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "deuteranopia": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    "tritanopia": ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
}
"""Linear RGB as such an eye sees it: Machado, Oliveira and Fernandes, 2009."""
APART = 20
"""In CIELAB; 2 is just noticeable side by side."""


def seen(colour: tuple[int, ...], eye: tuple[tuple[float, ...], ...]) -> tuple[float, float, float]:
    """Return the colour in CIELAB."""
    linear = [part / 255 / 12.92 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in colour]
    red, green, blue = (
        min(1, max(0, sum(factor * part for factor, part in zip(row, linear, strict=True)))) for row in eye
    )
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    f, g, h = (value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116 for value in (x, y, z))
    return 116 * g - 16, 500 * (f - g), 200 * (g - h)


@pytest.mark.parametrize("eye", EYES)
def test_any_two_colours_of_statuses_differ(eye: str) -> None:
    fills = {name: (int(red), int(green), int(blue)) for name, red, green, blue in FILL.findall(STYLES.read_text())}
    assert len(fills) == 8
    close = [
        (one, other)
        for one, other in combinations(fills, 2)
        if dist(seen(fills[one], EYES[eye]), seen(fills[other], EYES[eye])) < APART
    ]
    assert close == []
