"""How many deliveries each subscription may have in flight, so that endpoints that hang do not block the others.

Pure: no database, no clock, no event loop. Each dispatcher has one `Seats` and learns about subscriptions as it runs,
so each starts with a single seat.
"""

from collections.abc import Container, Mapping
from dataclasses import dataclass
from enum import IntEnum

PER_SUBSCRIPTION = 10
"""POSTs in flight for one subscription."""
CLAIMED_AHEAD = 10
"""Rows claimed ahead of those, so that a quick endpoint does not wait for the database."""
PROMPT_MS = 1000
"""A slower endpoint keeps its seats occupied, and only gets seats from the half that is not reserved for prompt
ones."""

UNRESERVED_AT_ONCE = 20
"""Seats that one claim gives in that half. Endpoints that hang become due together, each with a TLS handshake; all at
once they would take the processor from prompt ones."""


class Pace(IntEnum):
    """How a subscription's last delivery went, in the order of priority."""

    PROMPT = 0
    NEW = 1
    SLOW = 2
    FAILING = 3
    HANGING = 4


@dataclass(slots=True)
class _Load:
    pace: Pace = Pace.NEW
    held: int = 0
    in_flight: int = 0

    def limit(self) -> int:
        """Rows it may hold, claimed ahead or in flight."""
        if self.pace is Pace.PROMPT:
            return PER_SUBSCRIPTION + CLAIMED_AHEAD
        return PER_SUBSCRIPTION if self.pace is Pace.SLOW else 1


class Seats:
    def __init__(self, total: int) -> None:
        """total: rows it may hold at once, from 1."""
        self._total = total
        self._unreserved = max(1, total // 2)
        self._loads: dict[int, _Load] = {}
        self._held = 0

    @property
    def held(self) -> int:
        return self._held

    @property
    def are_taken(self) -> bool:
        return self._held >= self._total

    def full(self) -> list[int]:
        """Subscriptions without free seats, which the claim can skip."""
        return [key for key, one in self._loads.items() if one.held >= one.limit()]

    def allot(self, waiting: Mapping[int, int], failing: Container[int] = ()) -> dict[int, int]:
        """How many rows to claim for each subscription.

        waiting: subscription -> waiting rows. failing: subscriptions known to fail, which counts until this dispatcher
        has seen one of their deliveries. The fewer seats a subscription holds, the sooner it is served: each gets
        one seat before any gets a second. Then the better pace comes first, then the shorter queue. Subscriptions
        that are not prompt share at most half of the seats.
        """
        wishes: list[tuple[int, Pace, int, int]] = []
        for key, rows in waiting.items():
            load = self._loads.get(key) or _Load(Pace.FAILING if key in failing else Pace.NEW)
            last = min(load.held + rows, load.limit())
            wishes += [(nth, load.pace, rows, key) for nth in range(load.held, last)]
        free = self._total - self._held
        unreserved = self._unreserved - sum(one.held for one in self._loads.values() if one.pace is not Pace.PROMPT)
        unreserved = min(unreserved, UNRESERVED_AT_ONCE)
        if len(wishes) > min(free, unreserved):
            wishes.sort()
        given: dict[int, int] = {}
        for _nth, pace, _rows, key in wishes:
            if free <= 0:
                break
            if pace is not Pace.PROMPT:
                if unreserved <= 0:
                    continue
                unreserved -= 1
            free -= 1
            given[key] = given.get(key, 0) + 1
        return given

    def claim(self, key: int, rows: int = 1) -> None:
        self._loads.setdefault(key, _Load()).held += rows
        self._held += rows

    def may_begin(self, key: int) -> bool:
        return self._loads[key].in_flight < min(PER_SUBSCRIPTION, self._loads[key].limit())

    def begin(self, key: int) -> None:
        self._loads[key].in_flight += 1

    def finish(self, key: int, *, duration_ms: int, has_timed_out: bool, has_failed: bool = False) -> Pace:
        """Record that a row is done; return the resulting pace.

        has_failed: it will be retried. An endpoint that is down then has one seat, however quickly it fails.
        """
        load = self._loads[key]
        load.in_flight -= 1
        if has_timed_out:
            load.pace = Pace.HANGING
        elif has_failed:
            load.pace = Pace.FAILING
        else:
            load.pace = Pace.PROMPT if duration_ms <= PROMPT_MS else Pace.SLOW
        self._give_up(load, 1)
        return load.pace

    def put_back(self, key: int, rows: int) -> None:
        self._give_up(self._loads[key], rows)

    def _give_up(self, load: _Load, rows: int) -> None:
        load.held -= rows
        self._held -= rows
