"""Statuses and outcomes as coloured badges."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from companies.admin_base.lists import badge
from shipments.activity import OUTCOME_LABELS, PREVIEW_LABELS, outcome_word
from shipments.labels import STATUS_LABELS
from shipments.statuses import GuideStatus, StatusKind, mawb_status
from shipments.tracking.moves import Outcome

_COLOURS = {
    StatusKind.PROGRESS: "info",
    StatusKind.EXCEPTION: "warning",
    StatusKind.TERMINAL: "success",
    StatusKind.TERMINAL_EXCEPTION: "danger",
}
_MAWB_LABELS: Mapping[str, str | Promise] = {"exception": _("In exception"), "closed": _("Closed")}
_MAWB_COLOURS = {"exception": "warning", "closed": "muted"}

_OUTCOME_COLOURS = {
    Outcome.ADVANCED: "success",
    Outcome.TAKEN_BACK: "success",
    Outcome.REFUSED: "danger",
    Outcome.UNCHANGED: "muted",
}


def colour_of(status: GuideStatus) -> str:
    """Return the colour of a status, by its kind."""
    return _COLOURS[status.kind]


def status_badge(status: str) -> SafeString:
    """Render the badge of a guide's status."""
    known = GuideStatus(status)
    return badge(STATUS_LABELS[known], colour_of(known))


def mawb_badge(guides_by_status: Mapping[str, int]) -> SafeString:
    """Render the badge of a MAWB's status, which is derived from its guides."""
    status = mawb_status(guides_by_status)
    if status in _MAWB_LABELS:
        return badge(_MAWB_LABELS[status], _MAWB_COLOURS[status])
    return status_badge(status)


def mawb_status_choices() -> list[tuple[str, str | Promise]]:
    """Return the statuses that `mawb_status` can have, each with its label, in the order of a shipment's progress."""
    progress = [
        status for status in GuideStatus if status.kind is StatusKind.PROGRESS or status is GuideStatus.DELIVERED
    ]
    return [*((status.value, STATUS_LABELS[status]) for status in progress), *_MAWB_LABELS.items()]


def outcome_badge(outcome: Outcome, *, is_done: bool = False) -> SafeString:
    """Render the badge of an event's outcome: of what would happen, or of what has."""
    return badge((OUTCOME_LABELS if is_done else PREVIEW_LABELS)[outcome], _OUTCOME_COLOURS.get(outcome, "info"))


def outcome_tally(outcome: Outcome, count: int, *, is_done: bool = False) -> SafeString:
    """Render the badge of the outcome of `count` events, shown after that number."""
    return badge(outcome_word(outcome, count, is_done=is_done), _OUTCOME_COLOURS.get(outcome, "info"))
