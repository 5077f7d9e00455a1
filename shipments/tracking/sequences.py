"""The order of a guide's changes of status: 1 for `registered`, 2, 3 ... for those that followed, without gaps.

`ingest`, `advance` and `take_back` number what they write. An event that is taken back keeps its number. Events of
earlier versions are numbered by `fill_sequences`, or when their guide is moved, whichever comes first. Pure: no
database, no clock.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from shipments.statuses import GuideStatus, Source
from shipments.tracking.changes import later_than

FIRST = 1
"""The sequence of the `registered` event."""
UNCHANGED = 0
"""The sequence of an event that did not change the status."""


class Recorded(NamedTuple):
    """What numbering needs of an event.

    sequence: as stored, if it is. It says whether the event changed the status; the number itself may be wrong.
    withdrawn_at: when it was taken back.
    """

    status: str
    source: str
    occurred_at: datetime
    sequence: int | None = None
    withdrawn_at: datetime | None = None


class Mark(NamedTuple):
    """The last sequence of a guide, and when it last changed."""

    sequence: int
    updated_at: datetime

    def next(self, now: datetime, *, is_moved: bool) -> "Mark":
        """Return the mark after a further event, which changed the status or not."""
        return Mark(self.sequence + is_moved, later_than(self.updated_at, now))


def numbered(events: Iterable[Recorded]) -> list[int]:
    """Return the sequence of each event of one guide. events: in the order in which they were recorded.

    Only events that the rules of `moves` accepted are recorded, so it is enough to tell moves from history and repeated
    scans.
    """
    known = list(events)
    sequences, last = [], FIRST
    for number, (is_move, _state) in enumerate(_replayed(known)):
        last += is_move and not _is_registration(number, known[number])
        sequences.append(last if is_move else UNCHANGED)
    return sequences


def state_after(events: Iterable[Recorded]) -> "State":
    """Return the state that `events` of one guide lead to, if those that moved it did, and the others are judged anew.

    events: in the order in which they were recorded, without those that are taken back.
    """
    judged = _replayed(event._replace(sequence=event.sequence or None) for event in events)
    return [State(GuideStatus.REGISTERED), *(state for _is_move, state in judged)][-1]


class State(NamedTuple):
    """A guide's status, and the time of its newest event, not counting the `registered` event of our own ingest."""

    status: GuideStatus
    latest_at: datetime | None = None


def _replayed(events: Iterable[Recorded]) -> Iterator[tuple[bool, State]]:
    """Yield for each event whether it changed the status, and the state after it."""
    state = State(GuideStatus.REGISTERED)
    for number, event in enumerate(events):
        status = GuideStatus(event.status)
        if _is_registration(number, event):
            yield True, state  # dated by our own ingest, so it makes no other event late
            continue
        is_move = bool(event.sequence) if event.sequence is not None else _moves(state, status, event.occurred_at)
        latest = max(state.latest_at or event.occurred_at, event.occurred_at)
        state = State(status if is_move else state.status, state.latest_at if event.withdrawn_at else latest)
        yield is_move, state


def _is_registration(number: int, event: Recorded) -> bool:
    return number == 0 and (event.status, event.source) == (GuideStatus.REGISTERED, Source.PRE_ALERT)


def _moves(state: State, status: GuideStatus, occurred_at: datetime) -> bool:
    is_late = state.latest_at is not None and occurred_at < state.latest_at
    ends_the_way = status.is_terminal and not state.status.is_terminal
    return status is not state.status and (ends_the_way or not is_late)
