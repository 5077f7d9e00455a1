"""Voiding a manifest that was sent by mistake. Afterwards only operators can see it."""

from collections.abc import Sequence

import structlog
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from shipments.errors import ManifestAlreadyVoided, ManifestUnderWay
from shipments.models import Guide, IdempotencyKey, Manifest
from shipments.statuses import GuideStatus, Source
from shipments.tracking.advancing import advance
from shipments.tracking.announcements import announce_void
from shipments.tracking.changes import CHANGED, raise_version, stamp_guides
from shipments.tracking.moves import Move, ReportedEvent, require_reason

log = structlog.get_logger(__name__)

NOT_UNDER_WAY = frozenset({GuideStatus.REGISTERED, GuideStatus.CANCELLED})
"""The statuses of guides whose manifest can still be voided."""


def void_manifest(
    manifest: Manifest,
    *,
    reason: str,
    client_note: str = "",
    actor: str,
    source: Source = Source.OPERATOR,
    dry_run: bool = False,
) -> Sequence[Move]:
    """Cancel the guides of `manifest`, hide it from its company, free its MAWB and its keys, all in one transaction.

    Returns the move of each guide that was cancelled. Operators can still find the manifest and its guides.
    reason: 1 to 255 characters, for operators. It is also recorded on the timelines, but not for anonymised data.
    client_note: at most 255 characters, which the client is sent with the cancellation of each guide.
    actor: who voids it, at most 150 characters. source: of the guides' events.
    dry_run: return or raise the same, but write nothing.

    Raises `ValidationFailed` for the reason or the note, `ManifestAlreadyVoided`, or `ManifestUnderWay` (extra
    `guides_by_status`) if a guide has a status other than `registered` or `cancelled`.
    """
    reason = require_reason(reason)
    with transaction.atomic():
        locked = Manifest.objects.without_findings().select_for_update(no_key=True).get(pk=manifest.pk)
        if locked.voided_at is not None:
            raise ManifestAlreadyVoided(gettext("This manifest has already been voided."))
        if locked.guides.exclude(status__in=NOT_UNDER_WAY).exists():
            message = gettext("Guides of this manifest have already moved, so it can no longer be voided.")
            raise ManifestUnderWay(message, guides_by_status=locked.guides_by_status)
        cancelled = list(locked.guides.filter(status=GuideStatus.CANCELLED).values_list("pk", flat=True))
        registered = locked.guides.filter(status=GuideStatus.REGISTERED)
        reported = ReportedEvent(GuideStatus.CANCELLED, source, internal_note=reason, client_note=client_note.strip())
        moves = advance(registered, reported, actor=actor, dry_run=dry_run)
        if not dry_run:
            locked.refresh_from_db(fields=[*CHANGED])  # cancelling the guides raised them
            locked.voided_at, locked.voided_by = timezone.now(), actor
            locked.guides_cancelled = len(moves)
            locked.void_reason = "" if locked.anonymised_at else reason  # it may name the anonymised person
            # Operators' programs are told of guides that had been cancelled before, too.
            others = Guide.objects.filter(pk__in=cancelled).order_by("pk").select_for_update(no_key=True)
            raise_version(locked, stamp_guides(others.only("updated_at"), locked.voided_at))
            locked.save(update_fields=["voided_at", "voided_by", "void_reason", "guides_cancelled", *CHANGED])
            IdempotencyKey.objects.free_of(locked, locked.voided_at)
            announce_void(locked, locked.voided_at)
    if not dry_run:
        log.info("manifest_voided", manifest_id=str(locked.pk), guides=len(moves), actor=actor)
    return moves
