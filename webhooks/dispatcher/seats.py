"""Who may have how many deliveries in flight, so that endpoints that hang never take the seats of those that answer.

Pure: no database, no clock, no event loop. One `Seats` a dispatcher; what it knows of a subscription is what it has
seen since it started, so a new one begins with a single seat.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

PER_SUBSCRIPTION = 10
"""POSTs that one subscription may have in flight."""
CLAIMED_AHEAD = 10
"""What may be claimed beyond those, so that an endpoint that answers at once need not wait for the database."""
PROMPT_MS = 1000
"""An endpoint that takes longer occupies its seats; it does so in the half that is not kept for prompt ones."""

UNKEPT_AT_ONCE = 20
"""Seats that one claim gives in that half. Endpoints that hang fall due together, each with a TLS handshake; let in all
at once they would keep the processor from the prompt ones."""


class Pace(IntEnum):
    """How a subscription's last delivery went; in this order they are served."""

    PROMPT = 0
    NEW = 1
    SLOW = 2
    FAILING = 3
    HANGING = 4


@dataclass(slots=True)
class _Standing:
    pace: Pace = Pace.NEW
    held: int = 0
    in_flight: int = 0

    def limit(self) -> int:
        """How many rows it may hold, claimed ahead or in flight."""
        if self.pace is Pace.PROMPT:
            return PER_SUBSCRIPTION + CLAIMED_AHEAD
        return PER_SUBSCRIPTION if self.pace is Pace.SLOW else 1


class Seats:
    """The seats of one dispatcher."""

    def __init__(self, total: int) -> None:
        """total: rows it may hold at once, from 1."""
        self._total = total
        self._unkept = max(1, total // 2)
        self._standings: dict[int, _Standing] = {}
        self._held = 0

    @property
    def held(self) -> int:
        """Rows that are claimed and not finished."""
        return self._held

    @property
    def are_taken(self) -> bool:
        return self._held >= self._total

    def full(self) -> list[int]:
        """Subscriptions that can be given nothing at the moment; the claim need not look at them."""
        return [key for key, one in self._standings.items() if one.held >= one.limit()]

    def allot(self, waiting: Mapping[int, int]) -> dict[int, int]:
        """How many rows to claim for each subscription.

        waiting: subscription -> rows that wait. The fewer a subscription holds, the sooner it is served: everybody
        gets a first seat before anybody gets a second. Among equals the better pace comes first, then the shorter
        queue. What is not prompt shares half of the seats at most.
        """
        wishes: list[tuple[int, Pace, int, int]] = []
        for key, rows in waiting.items():
            standing = self._standings.get(key, _Standing())
            last = min(standing.held + rows, standing.limit())
            wishes += [(nth, standing.pace, rows, key) for nth in range(standing.held, last)]
        free = self._total - self._held
        unkept = self._unkept - sum(one.held for one in self._standings.values() if one.pace is not Pace.PROMPT)
        unkept = min(unkept, UNKEPT_AT_ONCE)
        if len(wishes) > min(free, unkept):
            wishes.sort()
        given: dict[int, int] = {}
        for _nth, pace, _rows, key in wishes:
            if free <= 0:
                break
            if pace is not Pace.PROMPT:
                if unkept <= 0:
                    continue
                unkept -= 1
            free -= 1
            given[key] = given.get(key, 0) + 1
        return given

    def claimed(self, key: int, rows: int = 1) -> None:
        """`rows` of `key` were claimed."""
        self._standings.setdefault(key, _Standing()).held += rows
        self._held += rows

    def may_begin(self, key: int) -> bool:
        """Whether one more of its claimed rows may be sent now."""
        return self._standings[key].in_flight < min(PER_SUBSCRIPTION, self._standings[key].limit())

    def begun(self, key: int) -> None:
        """A claimed row is being sent."""
        self._standings[key].in_flight += 1

    def finished(self, key: int, *, duration_ms: int, has_timed_out: bool, has_failed: bool = False) -> Pace:
        """A row that was being sent is done; returns the pace that follows from it.

        has_failed: and will be sent again, so that an endpoint that is down, however quickly it says so, keeps one
        seat and no more.
        """
        standing = self._standings[key]
        standing.in_flight -= 1
        if has_timed_out:
            standing.pace = Pace.HANGING
        elif has_failed:
            standing.pace = Pace.FAILING
        else:
            standing.pace = Pace.PROMPT if duration_ms <= PROMPT_MS else Pace.SLOW
        self._give_up(standing, 1)
        return standing.pace

    def put_back(self, key: int, rows: int) -> None:
        """Rows that were claimed and not begun are waiting again."""
        self._give_up(self._standings[key], rows)

    def _give_up(self, standing: _Standing, rows: int) -> None:
        standing.held -= rows
        self._held -= rows
