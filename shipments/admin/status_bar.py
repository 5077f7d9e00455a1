"""A manifest's guides by status as one bar, to show the progress of the whole manifest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise

from shipments.admin.badges import colour_of
from shipments.labels import STATUS_LABELS
from shipments.statuses import GuideStatus

_SHADES = 6
"""The number of shades of a colour in `admin.css`. A seventh status of a kind starts again at the first."""


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
    """Return the CSS classes of a status: the colour of its kind, and a shade by its position within the kind.

    What has not moved is grey, so that a full bar is progress.
    """
    if status is GuideStatus.REGISTERED:
        return "pa-fill pa-unmoved"
    of_its_kind = [other for other in GuideStatus if other.kind is status.kind]
    return f"pa-fill pa-dot-{colour_of(status)} pa-shade-{of_its_kind.index(status) % _SHADES}"


def _share(count: int, total: int) -> str:
    if 200 * count < total:
        return "<1"
    return "100" if count == total else str(min(99, round(100 * count / total)))
