"""The matching of columns and fields with the best total."""

from collections import deque
from collections.abc import Mapping
from typing import TypeVar

_Field = TypeVar("_Field", bound=str)
_LEAST = 1e-6
"""A smaller gain is a rounding error."""


def best_total(scores: Mapping[_Field, Mapping[int, float]]) -> dict[_Field, int]:
    """Field -> column, so that the sum of the scores is the largest. Exact; a column serves one field at most.

    scores: field -> column -> score; only those above 0 can be chosen.

    While there is a chain that gains (a free field takes a column, whose field takes another, up to a free column), the
    one that gains most is taken: the matchings of each size along the way are the best of their size.
    """
    chosen: dict[_Field, int] = {}
    while chain := _best_chain(scores, chosen):
        chosen.update(chain)
    return chosen


def _best_chain(scores: Mapping[_Field, Mapping[int, float]], chosen: Mapping[_Field, int]) -> list[tuple[_Field, int]]:
    """The fields that take a column, each with it; empty if nothing gains."""
    owners = {column: field for field, column in chosen.items()}
    gains: dict[_Field, float] = {field: 0.0 for field in scores if field not in chosen}
    taken_by: dict[_Field, tuple[_Field, int]] = {}
    best, last = _LEAST, None
    waiting = deque(gains)
    while waiting:
        field = waiting.popleft()
        for column, score in scores[field].items():
            gain, owner = gains[field] + score, owners.get(column)
            if score <= 0 or owner == field:
                continue
            if owner is None:
                if gain > best:
                    best, last = gain, (field, column)
            elif gain - scores[owner][column] > gains.get(owner, float("-inf")) + _LEAST:
                gains[owner] = gain - scores[owner][column]
                taken_by[owner] = field, column
                waiting.append(owner)
    chain = [last] if last else []
    while chain and (before := taken_by.get(chain[-1][0])) is not None:
        chain.append(before)
    return chain
