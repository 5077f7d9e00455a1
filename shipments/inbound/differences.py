"""What a batch lacks and has too much, asked when it is read: the rest of a MAWB may arrive in tomorrow's batch."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from companies.scope import Scope
from shipments.models import Guide, InboundBatch, InboundScan, ScanOutcome

_DIFFERENT = ("missing", "surplus", "elsewhere", "packages_short", "packages_over")
_ARRIVED = [ScanOutcome.MATCHED, ScanOutcome.MORE_PACKAGES]


def expected(batch: InboundBatch) -> QuerySet[Guide]:
    return Guide.objects.filter(manifest__in=batch.manifests.order_by().values("pk"))


def missing(batch: InboundBatch) -> QuerySet[Guide]:
    """Return the expected guides that no batch has matched and that are not final."""
    matched = InboundScan.objects.filter(guide=OuterRef("pk"), outcome=ScanOutcome.MATCHED)
    guides = Guide.objects.filter(~Exists(matched), manifest__in=batch.manifests.order_by().values("pk")).active()
    return guides.order_by("manifest_id", "id")


def surplus(batch: InboundBatch) -> QuerySet[InboundScan]:
    """Return the scans of what is not expected: unknown, or of another MAWB."""
    kinds = [ScanOutcome.SURPLUS, ScanOutcome.ELSEWHERE]
    return batch.scans.filter(outcome__in=kinds).select_related("guide__manifest").order_by("scanned_at", "id")


def get_visible_guide(scan: InboundScan, scope: Scope) -> Guide | None:
    """Return the guide of a scan; None if there is none, or it is of a country outside `scope`."""
    guide = scan.guide
    return guide if guide and scope.covers([guide.manifest.country]) else None


def packages(batch: InboundBatch) -> "QuerySet[Any, Any]":
    """Return the guides matched in the batch whose packages differ, with `scanned`, those scanned in all batches."""
    arrived = InboundScan.objects.filter(guide=OuterRef("pk"), outcome__in=_ARRIVED).order_by().values("guide")
    total = Subquery(arrived.annotate(total=Sum("packages")).values("total"), output_field=IntegerField())
    here = batch.scans.filter(outcome=ScanOutcome.MATCHED).order_by().values("guide")
    matched: QuerySet[Any, Any] = Guide.objects.filter(pk__in=here).annotate(scanned=Coalesce(total, 0))
    return matched.exclude(scanned=F("packages_count")).order_by("manifest_id", "id")


def short(batch: InboundBatch) -> "QuerySet[Any, Any]":
    return packages(batch).filter(scanned__lt=F("packages_count"))


def over(batch: InboundBatch) -> "QuerySet[Any, Any]":
    return packages(batch).filter(scanned__gt=F("packages_count"))


def counts_of(batch: InboundBatch) -> dict[str, int]:
    """Return the batch's counts: those of its end if it is closed, else as things stand."""
    return batch.counts or count_differences(batch)


def count_differences(batch: InboundBatch) -> dict[str, int]:
    by_outcome = dict(batch.scans.order_by().values_list("outcome").annotate(Count("id")))
    return {
        "expected": batch.manifests.aggregate(total=Sum("total_guides"))["total"] or 0,
        "matched": by_outcome.get(ScanOutcome.MATCHED, 0),
        "missing": missing(batch).count(),
        "surplus": by_outcome.get(ScanOutcome.SURPLUS, 0),
        "elsewhere": by_outcome.get(ScanOutcome.ELSEWHERE, 0),
        "damaged": batch.scans.filter(is_damaged=True).count(),
        "packages_short": short(batch).count(),
        "packages_over": over(batch).count(),
    }


def differences_in(counts: Mapping[str, int]) -> int:
    return sum(counts[name] for name in _DIFFERENT)


def arrived_of(manifests: Iterable[UUID]) -> Mapping[UUID, int]:
    """Return manifest id -> how many of its guides some batch has matched; without those of which none."""
    matched = InboundScan.objects.filter(guide__manifest__in=manifests, outcome=ScanOutcome.MATCHED).order_by()
    counts = matched.values_list("guide__manifest").annotate(Count("guide", distinct=True))
    return dict(counts)


def matched_of(guides: Iterable[int]) -> set[int]:
    """Return those of these guides that some batch has matched."""
    matched = InboundScan.objects.filter(guide__in=[*guides], outcome=ScanOutcome.MATCHED)
    return set(matched.order_by().values_list("guide_id", flat=True))


def scans_of(guide: Guide) -> QuerySet[InboundScan]:
    """Return the matches of a guide, the first one first, with their batches."""
    matched = Q(outcome=ScanOutcome.MATCHED)
    return InboundScan.objects.filter(matched, guide=guide).select_related("batch").order_by("scanned_at", "id")
