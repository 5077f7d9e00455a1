"""A guide's events as shown in the admin: what each one did, when it happened and when it was reported."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.safestring import SafeString
from django.utils.timesince import timesince

from shipments.admin.badges import OUTCOME_LABELS, badge, colour_of, status_badge
from shipments.models import Guide, GuideEvent
from shipments.statuses import GuideStatus
from shipments.tracking.moves import Outcome

_SAME_TIME = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Moment:
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


def moments(guide: Guide) -> Sequence[Moment]:
    """Return the timeline of `guide`, oldest first."""
    events = list(guide.events.order_by("occurred_at", "id"))
    outcomes = _outcomes(events)
    moves = [pk for pk, outcome in outcomes.items() if outcome is Outcome.ADVANCED]
    return [
        Moment(
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
    """Return event id -> outcome, derived from the order in which events were recorded, and in that order."""
    outcomes: dict[int, Outcome] = {}
    current: GuideStatus | None = None
    latest: datetime | None = None
    for event in sorted(events, key=lambda each: each.pk):
        status = GuideStatus(event.status)
        if current is None:
            current, outcomes[event.pk] = status, Outcome.ADVANCED
            continue  # the date of the ingest itself does not count
        ends_the_way = status.is_terminal and not current.is_terminal
        if latest is not None and event.occurred_at < latest and not ends_the_way:
            outcomes[event.pk] = Outcome.HISTORY
        elif status is current:
            outcomes[event.pk] = Outcome.REPEATED
        else:
            current, outcomes[event.pk] = status, Outcome.ADVANCED
        latest = max(latest or event.occurred_at, event.occurred_at)
    return outcomes


def _learned_after(event: GuideEvent) -> str:
    if event.recorded_at - event.occurred_at < _SAME_TIME:
        return ""
    return timesince(event.occurred_at, event.recorded_at, depth=1)
