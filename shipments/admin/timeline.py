"""A guide's events as shown in the admin: what each one did, when it happened and when it was reported."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.translation import gettext

from companies.admin_base.lists import badge
from shipments.activity import OUTCOME_LABELS
from shipments.admin.badges import colour_of, status_badge
from shipments.models import Guide, GuideEvent
from shipments.statuses import GuideStatus
from shipments.tracking.moves import Outcome

COMMAND = "manage.py "
_SAME_TIME = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One event on the timeline.

    mark: the outcome of an event that did not move the guide; empty for a move. learned_after: the delay between the
    event and its report; empty when there was none. is_last_move: this event set the current status.
    """

    event: GuideEvent
    status: SafeString
    colour: str
    mark: SafeString | str
    learned_after: str
    is_last_move: bool

    @property
    def actor(self) -> str:
        """Who reported it, as operators know them: a command's name is for those who run the service."""
        return gettext("command line") if self.event.actor.startswith(COMMAND) else self.event.actor

    @property
    def is_aside(self) -> bool:
        """Whether the event counts for nothing now: it did not move the guide, or it was taken back."""
        return bool(self.mark) or self.event.withdrawn_at is not None


def moments(guide: Guide) -> Sequence[TimelineEntry]:
    """Return the timeline of `guide`, oldest first."""
    events = list(guide.events.order_by("occurred_at", "id"))
    outcomes = _outcomes(events)
    moves = [
        event.pk
        for event in sorted(events, key=lambda each: each.pk)
        if outcomes[event.pk] is Outcome.ADVANCED and event.withdrawn_at is None
    ]
    return [
        TimelineEntry(
            event=event,
            status=status_badge(event.status),
            colour=colour_of(GuideStatus(event.status)),
            mark="" if outcomes[event.pk] is Outcome.ADVANCED else badge(OUTCOME_LABELS[outcomes[event.pk]], "muted"),
            learned_after=_learned_after(event),
            is_last_move=bool(moves) and event.pk == moves[-1],
        )
        for event in events
    ]


def _outcomes(events: Sequence[GuideEvent]) -> dict[int, Outcome]:
    """Return event id -> outcome."""
    recorded = sorted(events, key=lambda each: each.pk)
    return {
        event.pk: Outcome.ADVANCED if event.sequence else _aside(event, recorded[:number])
        for number, event in enumerate(recorded)
    }


def _aside(event: GuideEvent, earlier: Sequence[GuideEvent]) -> Outcome:
    """Return the outcome of an event that did not move the guide: late, or a repeated scan.

    The `registered` event is dated by our own ingest. What was taken back already no longer made others late.
    """
    counted = [
        each.occurred_at for each in earlier[1:] if each.withdrawn_at is None or each.withdrawn_at > event.recorded_at
    ]
    return Outcome.HISTORY if counted and event.occurred_at < max(counted) else Outcome.REPEATED


def _learned_after(event: GuideEvent) -> str:
    if event.recorded_at - event.occurred_at < _SAME_TIME:
        return ""
    return timesince(event.occurred_at, event.recorded_at, depth=1)
