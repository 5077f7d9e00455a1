"""Statuses and outcomes as coloured badges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy as _, ngettext

from base.admin.confirmed_action import Grouped
from base.admin.lists import badge
from shipments.activity import OUTCOME_LABELS, PREVIEW_LABELS, outcome_word
from shipments.labels import STATUS_LABELS
from shipments.statuses import EXCEPTIONS, GuideStatus, StatusKind, mawb_status
from shipments.tracking.moves import Outcome

_BY_KIND = {
    StatusKind.PROGRESS: "customs",
    StatusKind.EXCEPTION: "waits",
    StatusKind.TERMINAL: "delivered",
    StatusKind.TERMINAL_EXCEPTION: "ended",
}
_OF_ITS_OWN = {
    GuideStatus.REGISTERED: "registered",
    GuideStatus.CUSTOMS_RELEASED: "released",
    GuideStatus.IN_TRANSIT: "transit",
    GuideStatus.OUT_FOR_DELIVERY: "delivery",
}
_MAWB_LABELS: Mapping[str, str | Promise] = {"exception": _("In exception"), "closed": _("Closed")}
_MAWB_COLOURS = {"exception": "waits", "closed": "muted"}

_OUTCOME_COLOURS = {
    Outcome.ADVANCED: "success",
    Outcome.TAKEN_BACK: "success",
    Outcome.REFUSED: "danger",
    Outcome.UNCHANGED: "muted",
}


def colour_of(status: GuideStatus) -> str:
    """Return its colour in `base/lists.css`: that of its kind, or of its own stage of the way."""
    return _OF_ITS_OWN.get(status, _BY_KIND[status.kind])


def status_badge(status: str) -> SafeString:
    known = GuideStatus(status)
    return badge(STATUS_LABELS[known], colour_of(known))


def mawb_badge(guides_by_status: Mapping[str, int]) -> SafeString:
    status = mawb_status(guides_by_status)
    if status in _MAWB_LABELS:
        return badge(_MAWB_LABELS[status], _MAWB_COLOURS[status])
    return status_badge(status)


def mawb_progress(guides_by_status: Mapping[str, int]) -> SafeString:
    """Render the bar of a MAWB's guides, with the share that is delivered and how many wait for us, as `84 % · 9`."""
    bar = render_to_string("shipments/progress.html", {"parts": parts(guides_by_status)})
    total, delivered = sum(guides_by_status.values()), guides_by_status.get(GuideStatus.DELIVERED, 0)
    waiting = sum(guides_by_status.get(status, 0) for status in EXCEPTIONS)
    if guides_by_status.get(GuideStatus.REGISTERED, 0) == total:
        return format_html('<div class="pa-progress-line">{}<small>{}</small></div>', bar, gettext("not moved"))
    share = _share(delivered, total) if delivered else "0"
    words = [gettext("%s %% delivered") % share]
    shown = format_html("{} %", share)
    if waiting:
        words.append(ngettext("%s in exception", "%s in exception", waiting) % Grouped(waiting))
        shown = format_html('{} · <b class="pa-waits">{}</b>', shown, Grouped(waiting))
    return format_html(
        '<div class="pa-progress-line">{}<small title="{}"><span aria-hidden="true">{}</span>'
        '<span class="pa-unseen">{}</span></small></div>',
        bar, ", ".join(words), shown, ", ".join(words),
    )  # fmt: skip


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


_SHADES = 3
"""The number of shades of a colour in `admin.css`: of statuses side by side, each has another."""


@dataclass(frozen=True, slots=True)
class Part:
    """One status of the bar.

    share: the percentage of all guides, as text. Rounding never turns some guides into 0 % or 100 %.
    fill: CSS classes of `admin.css`.
    """

    status: str
    fill: str
    label: str | Promise
    count: int
    share: str


def parts(guides_by_status: Mapping[str, int]) -> Sequence[Part]:
    """Return the bar's parts, ordered by status code."""
    total = sum(guides_by_status.values())
    return [
        Part(status.value, fill_of(status), STATUS_LABELS[status], count, _share(count, total))
        for status in GuideStatus
        if (count := guides_by_status.get(status, 0))
    ]


def fill_of(status: GuideStatus) -> str:
    """Return the CSS classes of a status: its colour, and a shade by its position among those of that colour."""
    of_its_colour = [other for other in GuideStatus if colour_of(other) == colour_of(status)]
    return f"pa-fill pa-{colour_of(status)} pa-shade-{of_its_colour.index(status) % _SHADES}"


def _share(count: int, total: int) -> str:
    if 200 * count < total:
        return "<1"
    return "100" if count == total else str(min(99, round(100 * count / total)))
