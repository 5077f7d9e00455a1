"""Lifting the retention of guides held by customs. A release by customs itself is handled by `advancing`."""

import structlog
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from shipments.errors import GuideNotUnderRetention
from shipments.models import Guide
from shipments.tracking.changes import locked_manifests, write_change
from shipments.tracking.reasons import required_reason

log = structlog.get_logger(__name__)


def lift_retention(guide: Guide, *, reason: str, actor: str) -> Guide:
    """Lift the retention of a guide and return the updated guide. No customs event is recorded.

    reason: 1 to 255 characters; not stored if the guide is anonymised. actor: who lifts it, at most 150 characters.
    Raises `ValidationFailed` for the reason, or `GuideNotUnderRetention`.
    """
    reason = required_reason(reason)
    with transaction.atomic():
        manifest = locked_manifests([guide.manifest_id])[guide.manifest_id]
        locked = Guide.objects.select_for_update(no_key=True).get(pk=guide.pk)
        if not locked.retention_required:
            raise GuideNotUnderRetention(gettext("The guide is not under retention."))
        locked.retention_required = False
        locked.retention_lifted_at = timezone.now()
        locked.retention_lifted_by = actor
        locked.retention_lifted_reason = "" if locked.anonymised_at else reason  # it may name the anonymised person
        locked.save(
            update_fields=[
                "retention_required",
                "retention_lifted_at",
                "retention_lifted_by",
                "retention_lifted_reason",
            ]
        )
        write_change(manifest, [locked], locked.retention_lifted_at)
    log.info("retention_lifted", tracking_code=locked.tracking_code, actor=actor)
    return locked
