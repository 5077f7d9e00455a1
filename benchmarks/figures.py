"""A figure that was measured, the figure to reach, and the table of them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """`measured` against `target`; `is_reached` says whether it is good enough."""

    what: str
    measured: str
    target: str
    is_reached: bool


def table(figures: list[Figure]) -> str:
    """The figures as a table for a terminal and for Markdown alike."""
    rows = [("what", "measured", "to reach", ""), *(_row(figure) for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def _row(figure: Figure) -> tuple[str, str, str, str]:
    return figure.what, figure.measured, figure.target, "yes" if figure.is_reached else "NO"
