"""Review: operators look at the guides whose data has problems, and lift retentions."""

from collections.abc import Collection, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from shipments.errors import GuideNotUnderRetention
from shipments.models import Guide, GuideTaking
from shipments.tracking.changes import lock_manifests, write_change
from shipments.tracking.moves import require_reason

log = structlog.get_logger(__name__)

REVIEW = ("needs_review", "review_reasons", "reviewed_at", "reviewed_by")
"""The columns of a guide's review."""


def mark_reviewed(guides: QuerySet[Guide], *, actor: str) -> Sequence[Guide]:
    """Mark those of `guides` that need review as reviewed, and return them. Their reasons are kept.

    Nobody has them any more.
    """
    waiting = Q(needs_review=True)
    changed = _change_review(guides, waiting, needs_review=False, reviewed_at=timezone.now(), reviewed_by=actor)
    log.info("guides_reviewed", guides=len(changed), actor=actor)
    return changed


def reopen_review(guides: QuerySet[Guide], *, actor: str) -> Sequence[Guide]:
    """Return those of `guides` that were reviewed to the work list, and return them."""
    reviewed = Q(needs_review=False, reviewed_at__isnull=False)
    changed = _change_review(guides, reviewed, needs_review=True, reviewed_at=None, reviewed_by="")
    log.info("reviews_reopened", guides=len(changed), actor=actor)
    return changed


def _change_review(guides: QuerySet[Guide], wanted: Q, **values: Any) -> Sequence[Guide]:  # noqa: ANN401  # of columns
    """Write `values` to the guides that are `wanted`, with them and their manifests locked, and return these guides."""
    with transaction.atomic():
        named = Guide.objects.filter(wanted, pk__in=guides.order_by().values("pk"))
        manifests = lock_manifests(named.order_by().values_list("manifest_id", flat=True))
        rows = named.filter(manifest__in=manifests).order_by("pk")
        changed = list(rows.select_for_update(of=("self",), no_key=True))
        ids = [guide.pk for guide in changed]
        Guide.objects.filter(pk__in=ids).update(**values)
        GuideTaking.objects.filter(pk__in=ids).delete()
        now, of_manifest = timezone.now(), attrgetter("manifest_id")
        for manifest_id, own in groupby(sorted(changed, key=of_manifest), key=of_manifest):
            write_change(manifests[manifest_id], list(own), now)
    return changed


def settle_review(guide: Guide, resolved: Collection[str], found: Sequence[str] = ()) -> None:
    """Replace the reasons in `resolved` by those that were found instead, without saving."""
    others = [reason for reason in guide.review_reasons if reason not in resolved]
    guide.review_reasons = [*others, *found]
    guide.needs_review = bool(found) or (guide.needs_review and bool(others))


def end_review(guide: Guide, actor: str) -> bool:
    """Set who ended the review of a guide that waited, unless it still needs it; return whether. Without saving it."""
    if guide.needs_review:
        return False
    guide.reviewed_at, guide.reviewed_by = timezone.now(), actor
    GuideTaking.objects.filter(pk=guide.pk).delete()
    return True


def lift_retention(guide: Guide, *, reason: str, actor: str) -> Guide:
    """Lift the retention of a guide and return the updated guide. No customs event is recorded.

    reason: 1 to 255 characters; not stored if the guide is anonymised. actor: who lifts it, at most 150 characters.
    Raises `ValidationFailed` for the reason, or `GuideNotUnderRetention`.
    """
    reason = require_reason(reason)
    with transaction.atomic():
        manifest = lock_manifests([guide.manifest_id])[guide.manifest_id]
        locked = Guide.objects.select_for_update(no_key=True).get(pk=guide.pk)
        if not locked.retention_required:
            raise GuideNotUnderRetention(gettext("The guide is not under retention."))
        locked.retention_required = False
        locked.retention_lifted_at = timezone.now()
        locked.retention_lifted_by = actor
        locked.retention_lifted_reason = "" if locked.anonymised_at else reason  # it may name the anonymised person
        lifted = ["retention_required", "retention_lifted_at", "retention_lifted_by", "retention_lifted_reason"]
        locked.save(update_fields=lifted)
        write_change(manifest, [locked], locked.retention_lifted_at)
    log.info("retention_lifted", tracking_code=locked.tracking_code, actor=actor)
    return locked
