"""The rules for taking back a wrong status. Pure: no database, no clock.

Taking back is the only exception to the table of moves: it leads from any status, final ones too, to any active status;
to `registered` only if the guide has no other event.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.utils.translation import gettext

from shipments.errors import GuideUnderRetention, MoveRefused, NothingToTakeBack
from shipments.statuses import GuideStatus, Source
from shipments.tracking.moves import CLOCK_TOLERANCE, NOT_UNDER_RETENTION, in_future, refusal, retention_message

REINSTATED = tuple(status for status in GuideStatus if not status.is_terminal and status is not GuideStatus.REGISTERED)
"""The statuses that can be chosen to hold after another was taken back."""


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """What is wrong, and what holds instead.

    wrong: the status to take back; guides that have another one are left alone; None if it is said event by event.
    status: what holds now; None if it follows from the other events. occurred_at: when that began, with an offset;
    None: with the guide's latest valid event if the status follows from the other events, otherwise now. reason: free
    text for operators. client_note: free text that clients are sent. At most 255 characters each. doubt: as of a
    `ReportedEvent`.
    """

    wrong: GuideStatus | None
    status: GuideStatus | None = None
    occurred_at: datetime | None = None
    reason: str = ""
    client_note: str = ""
    doubt: str = ""

    def to_json(self) -> dict[str, str]:
        at = self.occurred_at.isoformat() if self.occurred_at else ""
        texts = {"reason": self.reason, "client_note": self.client_note, "doubt": self.doubt}
        return {"wrong": self.wrong or "", "status": self.status or "", "occurred_at": at, **texts}

    @classmethod
    def from_json(cls, stored: Mapping[str, str]) -> "Withdrawal":
        wrong, status = (GuideStatus(stored[name]) if stored[name] else None for name in ("wrong", "status"))
        at = datetime.fromisoformat(stored["occurred_at"]) if stored["occurred_at"] else None
        return cls(wrong, status, at, stored["reason"], stored["client_note"], stored["doubt"])


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


def rule_on(past: Past, withdrawal: Withdrawal, now: datetime, sequences: Collection[int] | None = None) -> Ruling:
    """Return what `withdrawal` does to a guide.

    Wrong is the event that set the status, and every later report of the same status; or the events with `sequences`
    alone, if they are given: then a guide that has moved on since is left as it is.
    """
    is_undone = sequences is not None
    wrong = [event for event in past.events if event.sequence in sequences] if sequences else _wrong_events(past)
    rest = [event for event in past.events if event not in wrong]
    following, latest_at = _state_after(rest)
    status = withdrawal.status or following
    is_anew = status is following is GuideStatus.REGISTERED
    if is_anew:
        latest_at = max((event.occurred_at for event in rest), default=None)
    at = latest_at if status is following else None
    occurred_at = withdrawal.occurred_at or at or max(now, latest_at or now)
    retains_again = (
        past.was_released
        and any(event.is_release_by_customs for event in wrong)
        and not any(event.is_release_by_customs for event in rest)
    )
    is_retained = past.is_retained or retains_again
    problem = _moved_on(past, status, wrong) if is_undone else _not_wrong(past, withdrawal, now)
    problem = problem or _refusal(past, status, is_retained=is_retained, is_anew=is_anew)
    if problem:
        return Ruling(past.current, occurred_at, refusal=problem)
    return Ruling(status, occurred_at, [event.id for event in wrong], retains_again)


def _wrong_events(past: Past) -> Sequence[PastEvent]:
    moves = [number for number, event in enumerate(past.events) if event.sequence]
    later = past.events[moves[-1] :] if moves else ()
    return [event for event in later if event.status == past.current]


def _moved_on(past: Past, status: GuideStatus, wrong: Sequence[PastEvent]) -> MoveRefused | None:
    """Return why the events of a move are left. status: what the others lead to."""
    latest = max((event.sequence for event in past.events), default=0)
    if not any(event.sequence == latest for event in wrong):
        message = gettext("It has moved on since: it is %(current)s now.")
        return refusal(NothingToTakeBack, message, current=past.current)
    if status is past.current:
        message = gettext("Others have reported %(current)s too; it stays.")
        return refusal(NothingToTakeBack, message, current=past.current)
    return None


def _not_wrong(past: Past, withdrawal: Withdrawal, now: datetime) -> MoveRefused | None:
    if withdrawal.occurred_at and withdrawal.occurred_at - now > CLOCK_TOLERANCE:
        return in_future()
    if withdrawal.wrong and past.current is not withdrawal.wrong and not past.is_voided:
        message = gettext("The guide is %(current)s, not %(wrong)s.")
        return refusal(NothingToTakeBack, message, current=past.current, wrong=withdrawal.wrong)
    return None


def _refusal(past: Past, status: GuideStatus, *, is_retained: bool, is_anew: bool) -> MoveRefused | None:
    """is_anew: the guide has no other event, and is as it was received."""
    if past.is_voided:
        return NothingToTakeBack(gettext("The manifest is void; its guides stay cancelled."))
    if past.current is GuideStatus.REGISTERED:
        return NothingToTakeBack(gettext("The guide has not moved yet."))
    if status is past.current:
        return NothingToTakeBack(gettext("This is the status to take back. Choose the one that holds now."))
    if status not in REINSTATED and not is_anew:
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
        beginnings = {Source.OPERATOR, Source.PRE_ALERT} if number == 0 else {Source.OPERATOR}
        if event.status == GuideStatus.REGISTERED and event.source in beginnings:
            continue  # dated by our own ingest, so it makes no other event late
        status = GuideStatus(event.status)
        is_late = latest_at is not None and event.occurred_at < latest_at
        ends_the_way = status.is_terminal and not current.is_terminal
        if event.sequence or ends_the_way or not is_late:
            current = status
        latest_at = max(latest_at or event.occurred_at, event.occurred_at)
    return current, latest_at
