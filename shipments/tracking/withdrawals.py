"""The rules for taking back a wrong status. Pure: no database, no clock.

Taking back is the only exception to the table of moves: it leads from any status, final ones too, to any active status
but `registered`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.utils.translation import gettext

from shipments.errors import GuideUnderRetention, MoveRefused, NothingToTakeBack
from shipments.statuses import GuideStatus, Source
from shipments.tracking.moves import CLOCK_TOLERANCE, NOT_UNDER_RETENTION, in_future, refusal, retention_message

REINSTATED = tuple(status for status in GuideStatus if not status.is_terminal and status is not GuideStatus.REGISTERED)
"""The statuses that a guide can have after its status was taken back."""


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """What is wrong, and what holds instead.

    wrong: the status to take back; guides that have another one are left alone. status: what holds now; None if it
    follows from the other events. occurred_at: when that began, with an offset; None: with the guide's latest valid
    event if the status follows from the other events, otherwise now. reason: free text for operators. client_note: free
    text that clients are sent. At most 255 characters each.
    """

    wrong: GuideStatus
    status: GuideStatus | None = None
    occurred_at: datetime | None = None
    reason: str = ""
    client_note: str = ""


class PastEvent(NamedTuple):
    """A valid event of a guide."""

    id: int
    status: str
    source: str
    occurred_at: datetime
    sequence: int

    @property
    def is_release_by_customs(self) -> bool:
        """Return whether customs itself released the guide, which ends a retention."""
        return (self.status, self.source) == (GuideStatus.CUSTOMS_RELEASED, Source.CUSTOMS)


@dataclass(frozen=True, slots=True)
class Past:
    """The state of a guide that the rules need. events: the valid ones, in the order in which they were recorded.

    is_retained: it is under retention. was_released: a release by customs ended its retention.
    """

    current: GuideStatus
    events: Sequence[PastEvent]
    is_retained: bool = False
    was_released: bool = False
    is_voided: bool = False


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a withdrawal does to one guide.

    status, occurred_at: of the correcting event. withdrawn: the ids of the wrong events. retains_again: the release by
    customs that ended the retention is among them. refusal: why nothing is done; the rest is then without meaning.
    """

    status: GuideStatus
    occurred_at: datetime
    withdrawn: Sequence[int] = ()
    retains_again: bool = False
    refusal: MoveRefused | None = None


def rule_on(past: Past, withdrawal: Withdrawal, now: datetime) -> Ruling:
    """Return what `withdrawal` does to a guide.

    Wrong is the event that set the status, and every later report of the same status.
    """
    wrong = _wrong_events(past)
    rest = [event for event in past.events if event not in wrong]
    following, latest_at = _state_after(rest)
    status = withdrawal.status or following
    at = latest_at if status is following else None
    occurred_at = withdrawal.occurred_at or at or max(now, latest_at or now)
    retains_again = (
        past.was_released
        and any(event.is_release_by_customs for event in wrong)
        and not any(event.is_release_by_customs for event in rest)
    )
    problem = _refusal(past, withdrawal, status, now, is_retained=past.is_retained or retains_again)
    if problem:
        return Ruling(past.current, occurred_at, refusal=problem)
    return Ruling(status, occurred_at, [event.id for event in wrong], retains_again)


def _wrong_events(past: Past) -> Sequence[PastEvent]:
    moves = [number for number, event in enumerate(past.events) if event.sequence]
    later = past.events[moves[-1] :] if moves else ()
    return [event for event in later if event.status == past.current]


def _refusal(
    past: Past, withdrawal: Withdrawal, status: GuideStatus, now: datetime, *, is_retained: bool
) -> MoveRefused | None:
    if withdrawal.occurred_at and withdrawal.occurred_at - now > CLOCK_TOLERANCE:
        return in_future()
    if past.is_voided:
        return NothingToTakeBack(gettext("The manifest is void; its guides stay cancelled."))
    if past.current is not withdrawal.wrong:
        message = gettext("The guide is %(current)s, not %(wrong)s.")
        return refusal(NothingToTakeBack, message, current=past.current, wrong=withdrawal.wrong)
    if past.current is GuideStatus.REGISTERED:
        return NothingToTakeBack(gettext("The guide has not moved yet."))
    if status is past.current:
        return NothingToTakeBack(gettext("This is the status to take back. Choose the one that holds now."))
    if status not in REINSTATED:
        message = gettext("The other events leave the guide %(status)s, which cannot be set again. Choose a status.")
        return refusal(NothingToTakeBack, message, status=status)
    if is_retained and status in NOT_UNDER_RETENTION:
        return refusal(GuideUnderRetention, retention_message(), status=status)
    return None


def _state_after(events: Iterable[PastEvent]) -> tuple[GuideStatus, datetime | None]:
    """Return the status that `events` of one guide lead to, and the time of the newest, if those that moved it did.

    The others are judged anew. events: in the order in which they were recorded, without those that are taken back.
    """
    current, latest_at = GuideStatus.REGISTERED, None
    for number, event in enumerate(events):
        if number == 0 and (event.status, event.source) == (GuideStatus.REGISTERED, Source.PRE_ALERT):
            continue  # dated by our own ingest, so it makes no other event late
        status = GuideStatus(event.status)
        is_late = latest_at is not None and event.occurred_at < latest_at
        ends_the_way = status.is_terminal and not current.is_terminal
        if event.sequence or ends_the_way or not is_late:
            current = status
        latest_at = max(latest_at or event.occurred_at, event.occurred_at)
    return current, latest_at
