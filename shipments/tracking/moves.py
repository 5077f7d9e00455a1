"""An event that is reported, the move that it is for a guide, and the rules that decide what it does, in their fixed
order. Pure: no database, no clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, tzinfo
from enum import StrEnum
from typing import TYPE_CHECKING

from django.utils.translation import gettext

from base.errors import ValidationFailed
from shipments.errors import (
    EventInFuture,
    EventTakenBack,
    GuideAlreadyTerminal,
    GuideUnderRetention,
    InvalidTransition,
    MoveRefused,
)
from shipments.labels import STATUS_LABELS
from shipments.manifests.moments import Moment
from shipments.statuses import GuideStatus, Source, may_follow

if TYPE_CHECKING:
    from uuid import UUID

    from shipments.models import GuideEvent, Manifest

CLOCK_TOLERANCE = timedelta(minutes=5)
"""How far a sender's clock may be ahead of the service's."""

NOT_UNDER_RETENTION = {GuideStatus.CUSTOMS_RELEASED, GuideStatus.OUT_FOR_DELIVERY, GuideStatus.DELIVERED}
"""Statuses refused for a guide under retention: each implies that customs released it."""


@dataclass(frozen=True, slots=True)
class ReportedEvent:
    """An event as it was reported: in a form, a file, a scan, or by a carrier or a program.

    occurred_at: when it happened; None if unknown, in which case the time of the report is used. Without an offset it
    is local time at each guide's destination, see `at`; only with one can it be applied.
    internal_note: free text for operators. client_note: free text that clients are sent. At most 255 characters each.
    doubt: what `Moment.doubt` says of a local time; empty if there is none.
    """

    status: GuideStatus
    source: Source = Source.OPERATOR
    occurred_at: datetime | None = None
    internal_note: str = ""
    client_note: str = ""
    doubt: str = ""

    @property
    def is_release_by_customs(self) -> bool:
        """Return whether customs itself releases the guide, which ends a retention."""
        return self.status is GuideStatus.CUSTOMS_RELEASED and self.source is Source.CUSTOMS

    def at(self, clock: tzinfo) -> ReportedEvent:
        """Return the event with an offset: its own, or that of local time by a clock."""
        if self.occurred_at is None or self.occurred_at.tzinfo:
            return self
        moment = Moment(self.occurred_at, has_time=True)
        return replace(self, occurred_at=moment.at(clock), doubt=moment.doubt(clock))

    def to_json(self) -> dict[str, str]:
        at = self.occurred_at.isoformat() if self.occurred_at else ""
        notes = {"internal_note": self.internal_note, "client_note": self.client_note, "doubt": self.doubt}
        return {"status": self.status.value, "source": self.source.value, "occurred_at": at, **notes}

    @classmethod
    def from_json(cls, stored: Mapping[str, str]) -> ReportedEvent:
        at = datetime.fromisoformat(stored["occurred_at"]) if stored["occurred_at"] else None
        status, source = GuideStatus(stored["status"]), Source(stored["source"])
        return cls(status, source, at, stored["internal_note"], stored["client_note"], stored["doubt"])


class Outcome(StrEnum):
    """The outcome of an event."""

    ADVANCED = "advanced"
    TAKEN_BACK = "taken_back"
    REPEATED = "repeated"
    HISTORY = "history"
    UNCHANGED = "unchanged"
    REFUSED = "refused"

    @property
    def is_recorded(self) -> bool:
        return self.is_move or self in {Outcome.REPEATED, Outcome.HISTORY}

    @property
    def is_move(self) -> bool:
        return self in {Outcome.ADVANCED, Outcome.TAKEN_BACK}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one event for one guide. refusal: why it was refused, if it was."""

    outcome: Outcome
    occurred_at: datetime
    refusal: MoveRefused | None = None
    lifts_retention: bool = False


@dataclass(slots=True, eq=False)
class Move:
    """An event for one guide of one manifest, and what it does.

    actor: who reported it, if not the one who makes all the moves. row: of the file that reports it; 0 without one.

    The rest is set when the guide's batch is judged. manifest: with `company_id`, `mawb`, `country` and its counts
    after the batch. previous_status: the status before this move. event: the row on the timeline, if any; not saved in
    a dry run.
    """

    guide_id: int
    manifest_id: UUID
    reported: ReportedEvent
    actor: str = ""
    row: int = 0
    manifest: Manifest = field(init=False)
    hawb: str = field(init=False)
    tracking_code: str = field(init=False)
    previous_status: GuideStatus = field(init=False)
    verdict: Verdict = field(init=False)
    event: GuideEvent | None = field(init=False)

    @property
    def outcome(self) -> Outcome:
        return self.verdict.outcome

    @property
    def refusal(self) -> MoveRefused | None:
        """Why it was refused. Its `code` and `message` may be shown."""
        return self.verdict.refusal


@dataclass(slots=True)
class GuideState:
    """The state of a guide that the rules need.

    latest_at: the time of its newest event, not counting the `registered` event, which has the time of the ingest.
    scans: (status, time) of its events. Events before those to be evaluated may be left out. withdrawn: likewise, those
    that were taken back, which count for nothing else.
    """

    current: GuideStatus
    is_retained: bool = False
    latest_at: datetime | None = None
    scans: set[tuple[GuideStatus, datetime]] = field(default_factory=set)
    withdrawn: frozenset[tuple[GuideStatus, datetime]] = frozenset()

    def take(self, reported: ReportedEvent, now: datetime) -> Verdict:
        """Evaluate `reported` and update the state, so that further events can be evaluated after it."""
        verdict = self._judge(reported, now)
        if verdict.outcome.is_recorded:
            self.scans.add((reported.status, verdict.occurred_at))
            self.latest_at = max(self.latest_at or verdict.occurred_at, verdict.occurred_at)
            self.is_retained = self.is_retained and not verdict.lifts_retention
        if verdict.outcome is Outcome.ADVANCED:
            self.current = reported.status
        return verdict

    def _judge(self, reported: ReportedEvent, now: datetime) -> Verdict:
        """The rules in their order: taken back, unchanged, history, terminal, table, retention."""
        # An event without a time is the newest, even if an earlier one has a time ahead of our clock.
        occurred_at = reported.occurred_at or max(now, self.latest_at or now)
        if reported.occurred_at and reported.occurred_at - now > CLOCK_TOLERANCE:
            return Verdict(Outcome.REFUSED, occurred_at, in_future())
        if reported.occurred_at and (reported.status, reported.occurred_at) in self.withdrawn:
            message = gettext(
                "An administrator took this event back. If it happened after all, report it with another time."
            )
            return Verdict(Outcome.REFUSED, occurred_at, EventTakenBack(message))
        if self._knows(reported):
            return Verdict(Outcome.UNCHANGED, occurred_at)
        lifts_retention = self.is_retained and reported.is_release_by_customs
        if self._is_history(reported.status, occurred_at):
            return Verdict(Outcome.HISTORY, occurred_at, lifts_retention=lifts_retention)
        if reported.status is self.current:
            return Verdict(Outcome.REPEATED, occurred_at, lifts_retention=lifts_retention)
        if refusal := self._refusal(reported):
            return Verdict(Outcome.REFUSED, occurred_at, refusal)
        return Verdict(Outcome.ADVANCED, occurred_at, lifts_retention=lifts_retention)

    def _knows(self, reported: ReportedEvent) -> bool:
        """Return whether the event is a repeat.

        It repeats the current status, without a time or with the time of a recorded event, or it repeats a recorded
        event. The latter is recognised whatever the guide's status is now, because files are sent twice.
        """
        is_same = reported.status is self.current
        if reported.occurred_at is None:
            return is_same
        return any(at == reported.occurred_at and (is_same or status is reported.status) for status, at in self.scans)

    def _is_history(self, status: GuideStatus, occurred_at: datetime) -> bool:
        """Return whether the event is late and therefore only recorded. A late final status still moves the guide."""
        is_late = self.latest_at is not None and occurred_at < self.latest_at
        ends_the_way = status.is_terminal and not self.current.is_terminal
        return is_late and not ends_the_way

    def _refusal(self, reported: ReportedEvent) -> MoveRefused | None:
        def refuse(kind: type[MoveRefused], message: str) -> MoveRefused:
            return refusal(kind, message, previous=self.current, status=reported.status)

        if self.current.is_terminal:
            message = gettext("The guide is %(previous)s, which is final: it cannot become %(status)s.")
            return refuse(GuideAlreadyTerminal, message)
        if not may_follow(self.current, reported.status):
            return refuse(InvalidTransition, gettext("A guide that is %(previous)s cannot become %(status)s."))
        if self.is_retained and reported.status in NOT_UNDER_RETENTION and not reported.is_release_by_customs:
            return refuse(GuideUnderRetention, retention_message())
        return None


def refusal(kind: type[MoveRefused], message: str, **statuses: GuideStatus) -> MoveRefused:
    """Return a refusal whose `message` names `statuses`: by their values for clients, by their labels for operators."""
    labels = {name: gettext('"%s"') % STATUS_LABELS[status] for name, status in statuses.items()}
    values = {name: status.value for name, status in statuses.items()}
    return kind(message % values, in_words=message % labels)


def retention_message() -> str:
    """Return why a guide under retention cannot become `status`, which is to be filled in."""
    return gettext(
        "The guide is under retention: customs must release it, or an operator lift the retention, before it "
        "becomes %(status)s."
    )


def in_future() -> EventInFuture:
    """Return the refusal of an event whose time is too far ahead of the service's clock."""
    return EventInFuture(gettext("The time of the event is more than five minutes in the future."))


# --- what people write --------------------------------------------------------------------------------------------

REASON_LENGTH = 255


def text_problem(text: str) -> str:
    """Return what is wrong with a reason or a note; empty if it is valid."""
    if len(text) > REASON_LENGTH:
        return gettext("Enter at most %d characters.") % REASON_LENGTH
    if "\0" in text:
        return gettext("The text contains a NUL character.")
    return ""


def require_sound(occurred_at: datetime | None, **texts: str) -> None:
    """Raise `ValidationFailed` for invalid notes, by name, and for a time without an offset."""
    details = {name: [problem] for name, text in texts.items() if (problem := text_problem(text))}
    if occurred_at and occurred_at.utcoffset() is None:
        details["occurred_at"] = [gettext("The time must have an offset from UTC.")]
    if details:
        raise ValidationFailed(details=details)


def require_reason(text: str) -> str:
    """Return the reason, trimmed. Raises `ValidationFailed` if it is empty or invalid."""
    text = text.strip()
    if problem := text_problem(text) or ("" if text else gettext("Say why.")):
        raise ValidationFailed(problem, details={"reason": [problem]})
    return text
