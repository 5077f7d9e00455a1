"""Numbers exchanged among rows: a column keeps its sum, and no row the number that it came with."""

from collections.abc import Mapping, Sequence
from random import Random


class Dealing:
    """Which row's number each row has.

    groups: (column, anything that tells groups apart) -> the rows that exchange their numbers of this column.
    """

    def __init__(self, groups: Mapping[tuple[int, object], Sequence[int]], rng: Random) -> None:
        self._rng = rng
        self._donors: dict[tuple[int, int], int] = {}
        self._partners: dict[tuple[int, int], Sequence[int]] = {}
        self._kept: set[int] = set()
        for (column, _), rows in groups.items():
            shuffled = rng.sample(rows, len(rows))
            for row, donor in zip(shuffled, [*shuffled[1:], shuffled[0]], strict=True):
                self._donors[row, column] = donor
                self._partners[row, column] = rows

    def donor(self, row: int, column: int) -> int | None:
        """The row whose number this one has; None where numbers are not dealt."""
        return self._donors.get((row, column))

    def redraw(self, row: int) -> None:
        """Exchange each number of a row with another one's."""
        for (number, column), partners in self._partners.items():
            others = [each for each in partners if each != row and each not in self._kept]
            if number == row and row not in self._kept and others:
                self._exchange(column, row, self._rng.choice(others))

    def give_back(self, row: int) -> None:
        """Give a row its own numbers, for good."""
        for (number, column), partners in self._partners.items():
            if number == row:
                holder = next(each for each in partners if self._donors[each, column] == row)
                self._exchange(column, row, holder)
        self._kept.add(row)

    def _exchange(self, column: int, row: int, other: int) -> None:
        here, there = (row, column), (other, column)
        self._donors[here], self._donors[there] = self._donors[there], self._donors[here]
