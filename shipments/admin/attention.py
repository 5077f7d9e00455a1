"""What is wrong with a guide and what can be done about it, and its timeline, as operators read them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.text import format_lazy
from django.utils.timesince import timesince
from django.utils.translation import gettext, gettext_lazy as _

from base.admin.lists import badge
from shipments.activity import OUTCOME_LABELS
from shipments.admin.badges import colour_of, status_badge
from shipments.models import Guide, GuideEvent
from shipments.statuses import GuideStatus, StatusKind
from shipments.tracking.moves import Outcome
from shipments.wording.rendering import reason_in_words

_SHORT = {
    "rut_invalid_format": _("invalid RUT"),
    "rut_placeholder": _("placeholder RUT"),
    "document_missing": _("no document"),
    "invalid_document": _("invalid document"),
    "invalid_document_type": _("invalid document type"),
}
"""Review reason -> two words for a badge. Other reasons show the general word."""


class Matter(NamedTuple):
    """One thing that is wrong: its title, the reasons in words, and the buttons out of it, each a label and a link.

    reviewed: the address to which a button posts that the guide is reviewed, and goes on to the next one; or empty.
    """

    title: str | Promise
    reasons: Sequence[str]
    ways: Sequence[tuple[str | Promise, str]]
    reviewed: str = ""


def flags(guide: Guide) -> Sequence[str]:
    """Return the badges of what is still to be looked at, and of who does, if the list has read it.

    A guide in a final status needs nothing any more.
    """
    badges = []
    if not GuideStatus(guide.status).is_terminal:
        if guide.needs_review:
            words = {str(_SHORT.get(reason, _("review"))) for reason in guide.review_reasons} or {str(_("review"))}
            badges += [badge(word, "warning") for word in sorted(words)]
        if guide.retention_required:
            badges.append(badge(_("retention"), "warning"))
    if taken_by := getattr(guide, "taken_by", None):
        badges.append(badge(format_lazy("{}: {}", _("taken"), taken_by), "info"))
    if guide.anonymised_at:
        badges.append(badge(_("anonymised"), "muted"))
    return badges


def matters(guide: Guide, *, may_operate: bool, last_reason: str = "") -> Sequence[Matter]:
    """Return what is wrong with `guide`, most urgent first; nothing for one in a final status.

    last_reason: the reason of the event that set the current status.
    """
    status = GuideStatus(guide.status)
    if status.is_terminal:
        return ()
    found = []
    if guide.retention_required:
        ways = [_way(guide, _("Lift retention"), "lift_retention")]
        found.append(Matter(_("Under retention"), [reason_in_words(guide.retention_reason, on_page=True)], ways))
    if guide.needs_review:
        ways = [
            _way(guide, _("Correct consignee"), "correct_consignee"),
            _way(guide, _("Mark as reviewed…"), "mark_reviewed"),
        ]
        reasons = [reason_in_words(each, on_page=True) for each in guide.review_reasons]
        found.append(Matter(_("Needs review"), reasons, ways, reviewed=ways[-1][1]))
    if status.kind is StatusKind.EXCEPTION:
        ways = [_way(guide, _("Advance to…"), "advance")]
        found.append(Matter(guide.get_status_display(), [last_reason] if last_reason else [], ways))
    return found if may_operate else [Matter(one.title, one.reasons, ()) for one in found]


def _way(guide: Guide, label: str | Promise, action: str) -> tuple[str | Promise, str]:
    return label, reverse(f"admin:shipments_guide_{action}", args=[guide.pk])


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


def timeline_of(guide: Guide) -> Sequence[TimelineEntry]:
    """Return the events of `guide`, oldest first."""
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
            learned_after=(
                timesince(event.occurred_at, event.recorded_at, depth=1)
                if event.recorded_at - event.occurred_at >= _SAME_TIME
                else ""
            ),
            is_last_move=bool(moves) and event.pk == moves[-1],
        )
        for event in events
    ]


def _outcomes(events: Sequence[GuideEvent]) -> dict[int, Outcome]:
    """Return event id -> outcome."""
    recorded = sorted(events, key=lambda each: each.pk)
    return {
        event.pk: Outcome.ADVANCED if event.sequence else _outcome_aside(event, recorded[:number])
        for number, event in enumerate(recorded)
    }


def _outcome_aside(event: GuideEvent, earlier: Sequence[GuideEvent]) -> Outcome:
    """Return the outcome of an event that did not move the guide: late, or a repeated scan.

    The `registered` event is dated by our own ingest. What was taken back already no longer made others late.
    """
    counted = [
        each.occurred_at for each in earlier[1:] if each.withdrawn_at is None or each.withdrawn_at > event.recorded_at
    ]
    return Outcome.HISTORY if counted and event.occurred_at < max(counted) else Outcome.REPEATED
