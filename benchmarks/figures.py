"""Measured figures with their targets, their table, growth curves, and the results of a part."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Self


@dataclass(frozen=True)
class Figure:
    """`measured` against `target`; `is_reached` says whether it is good enough. No target: for comparison.

    ours, floor, usual: what was set side by side, in words with their unit: the product, the least that the same work
    can cost, and what a project would usually write. Empty where the figure is a bound of its own.
    """

    what: str
    measured: str
    target: str
    is_reached: bool
    ours: str = ""
    floor: str = ""
    usual: str = ""

    @property
    def verdict(self) -> str:
        """Reached or not, in words."""
        if not self.target:
            return "for comparison"
        return "reached" if self.is_reached else "NOT REACHED"


@dataclass(frozen=True)
class Series:
    """One line of a plot: its name, and its points (x, y) from left to right."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Curve:
    """A growth curve: a plot called `name`.svg, its axes labelled with units. x has a logarithmic scale.

    Raises ValueError without points, or with one outside the axes.
    """

    name: str
    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    has_log_y: bool = False

    def __post_init__(self) -> None:
        points = [point for line in self.series for point in line.points]
        if not points:
            raise ValueError(f"The plot {self.name} has no points.")
        for x, y in points:
            if x <= 0 or y < 0 or (self.has_log_y and y == 0):
                raise ValueError(f"The plot {self.name} has no place for {y:g} at {x:g}.")


@dataclass(frozen=True)
class Measured:
    """The results of a part."""

    figures: tuple[Figure, ...]
    curves: tuple[Curve, ...] = ()

    def __add__(self, other: "Measured") -> "Measured":
        return Measured(self.figures + other.figures, self.curves + other.curves)

    @property
    def is_reached(self) -> bool:
        return all(figure.is_reached for figure in self.figures)

    def to_json(self) -> str:
        """Serialise for the parent process."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The reverse of `to_json`. Raises ValueError, KeyError or TypeError for anything else."""
        fields = json.loads(text)
        curves = []
        for curve in fields["curves"]:
            series = [Series(line["name"], tuple((x, y) for x, y in line["points"])) for line in curve["series"]]
            curves.append(Curve(**{**curve, "series": tuple(series)}))
        return cls(tuple(Figure(**figure) for figure in fields["figures"]), tuple(curves))


def table(figures: tuple[Figure, ...]) -> str:
    """The figures for a terminal."""
    return aligned(
        [
            ("what", "measured", "to reach", ""),
            *((figure.what, figure.measured, figure.target, figure.verdict) for figure in figures),
        ]
    )


def aligned(rows: Sequence[tuple[str, ...]]) -> str:
    """A Markdown table, the first row its head, that can be read as it is."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)
