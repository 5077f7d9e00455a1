"""Filling in what earlier versions did not store: sequences, since when customs has guides, and of manifests their
status and when they last changed.

It runs while the service serves. Each part is one short transaction that locks the rows it fills. What is filled
already is left alone, so an interrupted run is completed by the next one, and a second one changes nothing. It also
repairs what a server of an earlier version wrote beside this one.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Max, Q, QuerySet

from shipments.models import Guide, GuideEvent, Manifest
from shipments.statuses import IN_CUSTOMS, mawb_status
from shipments.tracking.changes import CHANGED, raise_version
from shipments.tracking.customs_stays import customs_since
from shipments.tracking.numbering import number_guides

GUIDES = 500
"""The guides of one part. A guide has some six events, each of which is one row to write."""
MANIFESTS = 100
"""The manifests of one part."""
_READ = 4
"""How many parts are looked through at once for something to fill."""


def fill_guides(*, dry_run: bool = False) -> Iterator[int]:
    """Number the events of guides that have events without a sequence, and store since when customs has a guide where
    that is wrong. Yield the number of guides of each part.
    """
    for ids in _windows(Guide.objects.all(), GUIDES * _READ):
        guides = Guide.objects.filter(pk__in=ids)
        unnumbered = {*guides.filter(sequence=None).values_list("pk", flat=True)}
        unnumbered |= {*GuideEvent.objects.filter(guide__in=ids, sequence=None).values_list("guide_id", flat=True)}
        wanted = sorted(unnumbered.union(_with_wrong_stays(guides)))
        yield from _in_parts(wanted, GUIDES, partial(_fill, unnumbered), dry_run=dry_run)


def fill_manifests(*, dry_run: bool = False) -> Iterator[int]:
    """Store status and time of change of manifests where they are missing. Yield the number of manifests of each part.

    Run it after `fill_guides`: a manifest changed when the last of its guides did.
    """
    for ids in _windows(Manifest.objects.all(), MANIFESTS * _READ):
        changed_at = dict(
            Guide.objects.filter(manifest__in=ids).order_by().values_list("manifest_id").annotate(Max("updated_at"))
        )
        rows = Manifest.objects.filter(pk__in=ids).only("status", "guides_by_status", *CHANGED, "created_at")
        wanted = [manifest.pk for manifest in rows.order_by("pk") if _is_wrong(manifest, changed_at)]
        yield from _in_parts(wanted, MANIFESTS, partial(_store, changed_at), dry_run=dry_run)


def _windows(rows: QuerySet[Any], size: int) -> Iterator[list[Any]]:
    """Yield the ids of all rows in their order, `size` at a time."""
    ids = rows.order_by("pk").values_list("pk", flat=True)
    rest = ids
    while found := list(rest[:size]):
        yield found
        rest = ids.filter(pk__gt=found[-1])


def _in_parts(ids: Sequence[Any], size: int, fill: Callable[[Sequence[Any]], None], *, dry_run: bool) -> Iterator[int]:
    for start in range(0, len(ids), size):
        some = ids[start : start + size]
        if not dry_run:
            began_at = time.monotonic()
            with transaction.atomic():
                fill(some)
            if connection.vendor == "sqlite":
                # As long again for others: it has one writer at a time, and no queue of those who wait.
                time.sleep(time.monotonic() - began_at)
        yield len(some)


def _with_wrong_stays(guides: QuerySet[Guide]) -> list[int]:
    candidates = guides.filter(Q(status__in=IN_CUSTOMS) | Q(customs_since__isnull=False))
    rows = candidates.annotate(since=customs_since()).values_list("pk", "customs_since", "since")
    return [pk for pk, stored, since in rows if stored != since]


def _fill(unnumbered: set[int], guide_ids: Sequence[int]) -> None:
    # The guides are enough to lock: those who move them lock the manifest first, and then these rows in the same order.
    rows = Guide.objects.filter(pk__in=guide_ids)
    locked = list(rows.order_by("pk").select_for_update(no_key=True).values_list("pk", flat=True))
    if some := [pk for pk in locked if pk in unnumbered]:
        number_guides(some)
    rows.update(customs_since=customs_since())


def _is_wrong(manifest: Manifest, changed_at: Mapping[UUID, datetime | None]) -> bool:
    last = changed_at.get(manifest.pk)
    is_later = last is not None and last > manifest.updated_at
    return is_later or manifest.status != mawb_status(manifest.guides_by_status)


def _store(changed_at: Mapping[UUID, datetime | None], manifest_ids: Sequence[UUID]) -> None:
    rows = Manifest.objects.filter(pk__in=manifest_ids).only("guides_by_status", *CHANGED, "created_at")
    for manifest in rows.order_by("pk").select_for_update(no_key=True):
        status, last = mawb_status(manifest.guides_by_status), changed_at.get(manifest.pk)
        if last is not None and last > manifest.updated_at:
            raise_version(manifest, last)
        Manifest.objects.filter(pk=manifest.pk).update(
            status=status, version=manifest.version, changed_at=manifest.changed_at
        )
