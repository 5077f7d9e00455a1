"""Recounting the stored totals of manifests. They differ only if something other than the two writers changed rows."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Sum
from django.utils import timezone

from shipments.models import Guide, Manifest
from shipments.statuses import GuideStatus, mawb_status
from shipments.tracking.changes import CHANGED, raise_version

BATCH_MANIFESTS = 200
"""The number of manifests recounted by one statement."""

_KEPT = ("total_guides", "total_weight_kg", "total_pieces", "total_fob_usd", "guides_by_status", "status")


class TotalDifference(NamedTuple):
    """A total of a manifest that differs from the sum of its guides."""

    manifest_id: UUID
    mawb: str
    client_code: str
    total: str
    kept: object
    counted: object


def check_totals(*, fix: bool = False) -> Iterator[TotalDifference]:
    """Recount every manifest, including voided ones, and yield each total that differs. With `fix`, correct it.

    Manifests are first recounted without locks. One that differs is recounted with its row locked, so that a guide that
    is being moved is not reported as a difference.
    """
    rest = Manifest.objects.order_by("pk").only(*_KEPT)
    while batch := list(rest[:BATCH_MANIFESTS]):
        counted = _count([manifest.pk for manifest in batch])
        for manifest in batch:
            if _differing(manifest, counted[manifest.pk]):
                yield from _check_locked(manifest.pk, fix=fix)
        rest = rest.filter(pk__gt=batch[-1].pk)


def _check_locked(manifest_id: UUID, *, fix: bool) -> list[TotalDifference]:
    with transaction.atomic():
        rows = Manifest.objects.select_related("company").select_for_update(of=("self",), no_key=True)
        manifest = rows.without_findings().get(pk=manifest_id)
        counted = _count([manifest_id])[manifest_id]
        named = manifest_id, manifest.mawb, manifest.company.client_code
        differences = [
            TotalDifference(*named, total, getattr(manifest, total), counted[total])
            for total in _differing(manifest, counted)
        ]
        if fix and differences:
            for difference in differences:
                setattr(manifest, difference.total, difference.counted)
            raise_version(manifest, timezone.now())
            manifest.save(update_fields=[*(difference.total for difference in differences), *CHANGED])
    return differences


def _differing(manifest: Manifest, counted: Mapping[str, object]) -> list[str]:
    return [total for total in _KEPT if getattr(manifest, total) != counted[total]]


def _count(manifest_ids: Iterable[UUID]) -> Mapping[UUID, dict[str, object]]:
    """Return manifest id -> totals of its guides, including the values erased from anonymised ones."""
    rows = (
        Guide.objects.filter(manifest_id__in=manifest_ids)
        .order_by()
        .values("manifest_id", "status")
        .annotate(guides=Count("pk"), weight=Sum("weight_kg"), pieces=Sum("packages_count"), fob=Sum("fob_usd"))
    )
    by_manifest: dict[UUID, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        by_manifest[row["manifest_id"]].append(row)
    blanked = dict(Manifest.objects.filter(pk__in=by_manifest).values_list("pk", "anonymised_fob_usd"))
    return {
        manifest_id: _totals(by_manifest[manifest_id], blanked.get(manifest_id, Decimal(0)))
        for manifest_id in manifest_ids
    }


def _totals(rows: Sequence[Mapping[str, Any]], blanked_fob: Decimal) -> dict[str, object]:
    counts = {row["status"]: row["guides"] for row in rows}
    by_status = {status.value: counts[status] for status in GuideStatus if status in counts}
    return {
        "total_guides": sum(counts.values()),
        "total_weight_kg": _sum((row["weight"] for row in rows), places=Decimal("0.001")),
        "total_pieces": sum(row["pieces"] for row in rows),
        "total_fob_usd": _sum((blanked_fob, *(row["fob"] for row in rows)), places=Decimal("0.01")),
        "guides_by_status": by_status,
        "status": mawb_status(by_status),
    }


def _sum(amounts: Iterable[Decimal | None], places: Decimal) -> Decimal:
    """Return the sum of the known amounts, rounded to the column's places because SQLite adds decimals as floats."""
    return sum((amount for amount in amounts if amount is not None), start=Decimal(0)).quantize(places)
