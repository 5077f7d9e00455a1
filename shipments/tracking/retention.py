"""Retention: guides that customs keeps until somebody entitled lets them go. Customs' own release is `tracking`'s."""

import structlog
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from shipments.errors import GuideNotUnderRetention
from shipments.models import Guide
from shipments.tracking.reasons import required_reason

log = structlog.get_logger(__name__)


def lift_retention(guide: Guide, *, reason: str, actor: str) -> Guide:
    """Let a guide under retention go on; gives it as it is now. No customs event is invented.

    reason: why, for people, 1 to 255 characters; not kept of a guide that was anonymised. actor: who, at most 150.
    Raises `ValidationFailed` for the reason, `GuideNotUnderRetention` where there is nothing to lift.
    """
    reason = required_reason(reason)
    with transaction.atomic():
        locked = Guide.objects.select_for_update(no_key=True).get(pk=guide.pk)
        if not locked.retention_required:
            raise GuideNotUnderRetention(gettext("The guide is not under retention."))
        locked.retention_required = False
        locked.retention_lifted_at = timezone.now()
        locked.retention_lifted_by = actor
        locked.retention_lifted_reason = "" if locked.anonymised_at else reason  # it may name who was forgotten
        locked.save(
            update_fields=[
                "retention_required",
                "retention_lifted_at",
                "retention_lifted_by",
                "retention_lifted_reason",
            ]
        )
    log.info("retention_lifted", tracking_code=locked.tracking_code, actor=actor)
    return locked
