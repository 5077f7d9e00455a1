"""A manifest's guides by status as one bar: how far the whole of it is, at a glance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise

from shipments.admin.badges import colour_of
from shipments.labels import STATUS_LABELS
from shipments.statuses import GuideStatus

_SHADES = 6
"""Shades of one tone in `admin.css`; a seventh status of a kind begins anew."""


@dataclass(frozen=True, slots=True)
class Part:
    """One status of the bar.

    share: per cent of all guides, in words: neither none nor all of them where some are. fill: classes of `admin.css`.
    """

    status: str
    fill: str
    label: str | Promise
    count: int
    share: str


def parts(guides_by_status: Mapping[str, int]) -> Sequence[Part]:
    """The bar's parts in the order of the statuses' codes."""
    total = sum(guides_by_status.values())
    return [
        Part(status.value, fill_of(status), STATUS_LABELS[status], count, _share(count, total))
        for status in GuideStatus
        if (count := guides_by_status.get(status, 0))
    ]


def fill_of(status: GuideStatus) -> str:
    """The classes that fill a status's part: the tone of its kind, and a shade by its place among those of the kind."""
    of_its_kind = [other for other in GuideStatus if other.kind is status.kind]
    return f"desk-fill desk-dot-{colour_of(status)} desk-shade-{of_its_kind.index(status) % _SHADES}"


def _share(count: int, total: int) -> str:
    if 200 * count < total:
        return "<1"
    return "100" if count == total else str(min(99, round(100 * count / total)))
