"""Recording that something changed that a GET shows: versions of manifests, sequences of guides, and times.

Every writer records it on rows that it has locked, the manifest's row before the guides' rows. Times therefore only go
forward, also if the clock is set back, and clients can tell two states of a resource by them.

The changes of a guide's status have a sequence: 1 for `registered`, 2, 3 ... for those that followed, without gaps. An
event that is taken back keeps its number.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from shipments.models import Guide, Manifest

_STEP = timedelta(microseconds=1)

FIRST = 1
"""The sequence of the `registered` event."""
UNCHANGED = 0
"""The sequence of an event that did not change the status."""

CHANGED = ("version", "changed_at")
"""The fields that `raise_version` sets."""


def later_than(last: datetime, now: datetime) -> datetime:
    """Return `now`, or the first moment after `last` if the clock was set back. Both are aware."""
    return max(now, last + _STEP)


class Mark(NamedTuple):
    """The last sequence of a guide, and when it last changed."""

    sequence: int
    updated_at: datetime

    def next(self, now: datetime, *, is_moved: bool) -> "Mark":
        """Return the mark after a further event, which changed the status or not."""
        return Mark(self.sequence + is_moved, later_than(self.updated_at, now))


def raise_version(manifest: Manifest, now: datetime) -> None:
    """Count a change of a manifest whose row is locked. The caller saves the fields `CHANGED`.

    now: when it changed, aware; not before the `updated_at` of any of the guides that changed.
    """
    manifest.version += 1
    manifest.changed_at = later_than(manifest.updated_at, now)


def lock_manifests(manifest_ids: Iterable[UUID]) -> Mapping[UUID, Manifest]:
    """Lock the rows of manifests, in the order of their ids, and return them, with what counting a change needs."""
    rows = Manifest.objects.filter(pk__in=set(manifest_ids)).order_by("pk").select_for_update(no_key=True)
    return {manifest.pk: manifest for manifest in rows.only("version", "changed_at", "created_at")}


def write_change(manifest: Manifest, guides: Sequence[Guide], now: datetime) -> None:
    """Write that `guides` of `manifest` changed. All rows are locked, and their times loaded."""
    raise_version(manifest, stamp_guides(guides, now))
    manifest.save(update_fields=CHANGED)


def stamp_guides(guides: Iterable[Guide], now: datetime) -> datetime:
    """Write `updated_at` of guides whose rows are locked, and return the latest; `now` if there are none."""
    by_moment: dict[datetime, list[int]] = defaultdict(list)
    for guide in guides:
        guide.updated_at = later_than(guide.updated_at, now)
        by_moment[guide.updated_at].append(guide.pk)
    for moment, ids in by_moment.items():
        Guide.objects.filter(pk__in=ids).update(updated_at=moment)
    return max(by_moment, default=now)
