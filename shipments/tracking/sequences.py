"""The order of a guide's changes of status: 1 for `registered`, 2, 3 ... for those that followed, without gaps.

`ingest`, `advance` and `take_back` number what they write. An event that is taken back keeps its number. Pure: no
database, no clock.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from shipments.statuses import GuideStatus, Source
from shipments.tracking.changes import later_than

FIRST = 1
"""The sequence of the `registered` event."""
UNCHANGED = 0
"""The sequence of an event that did not change the status."""


class Recorded(NamedTuple):
    """What `state_after` needs of an event. sequence: `UNCHANGED` if it did not change the status."""

    status: str
    source: str
    occurred_at: datetime
    sequence: int


class Mark(NamedTuple):
    """The last sequence of a guide, and when it last changed."""

    sequence: int
    updated_at: datetime

    def next(self, now: datetime, *, is_moved: bool) -> "Mark":
        """Return the mark after a further event, which changed the status or not."""
        return Mark(self.sequence + is_moved, later_than(self.updated_at, now))


class State(NamedTuple):
    """A guide's status, and the time of its newest event, not counting the `registered` event of our own ingest."""

    status: GuideStatus
    latest_at: datetime | None = None


def state_after(events: Iterable[Recorded]) -> State:
    """Return the state that `events` of one guide lead to, if those that moved it did, and the others are judged anew.

    events: in the order in which they were recorded, without those that are taken back.
    """
    state = State(GuideStatus.REGISTERED)
    for number, event in enumerate(events):
        if _is_registration(number, event):
            continue  # dated by our own ingest, so it makes no other event late
        status = GuideStatus(event.status)
        is_move = event.sequence or _moves(state, status, event.occurred_at)
        latest_at = max(state.latest_at or event.occurred_at, event.occurred_at)
        state = State(status if is_move else state.status, latest_at)
    return state


def _is_registration(number: int, event: Recorded) -> bool:
    return number == 0 and (event.status, event.source) == (GuideStatus.REGISTERED, Source.PRE_ALERT)


def _moves(state: State, status: GuideStatus, occurred_at: datetime) -> bool:
    is_late = state.latest_at is not None and occurred_at < state.latest_at
    ends_the_way = status.is_terminal and not state.status.is_terminal
    return status is not state.status and (ends_the_way or not is_late)
