"""Deleting manifests of the sandbox, with all that hangs on them. A live service deletes none."""

from collections.abc import Iterable
from datetime import datetime

from django.conf import settings
from django.db import transaction

from shipments.files.stored_files import delete_stored
from shipments.models import Flight, Guide, GuideEvent, InboundBatch, InboundScan, Manifest, ManifestFile

_GUIDES_AT_ONCE = 1_000


def delete(manifests: Iterable[Manifest]) -> int:
    """Delete manifests, each in a transaction of its own, then their files. Returns how many."""
    deleted = 0
    for manifest in manifests:
        names = list(ManifestFile.objects.filter(manifest=manifest).values_list("file", flat=True))
        with transaction.atomic():
            _delete_guides(manifest)
            manifest.delete()
            InboundBatch.objects.filter(manifests=None).delete()
            if not Manifest.objects.filter(flight_id=manifest.flight_id).exists():
                Flight.objects.filter(pk=manifest.flight_id).delete()
        delete_stored(names)
        deleted += 1
    return deleted


def _delete_guides(manifest: Manifest) -> None:
    ids = list(manifest.guides.order_by("id").values_list("id", flat=True))
    for start in range(0, len(ids), _GUIDES_AT_ONCE):  # at most 2,000: SQLite has a limit to the parameters
        some = ids[start : start + _GUIDES_AT_ONCE]
        GuideEvent.objects.filter(guide__in=some).delete()
        InboundScan.objects.filter(guide__in=some).delete()
        Guide.objects.filter(pk__in=some).delete()


def sweep_sandbox(older_than: datetime, *, dry_run: bool) -> int:
    """Delete the manifests received before `older_than`; on a live service none. Returns how many.

    dry_run: only count them.
    """
    if not settings.SANDBOX:
        return 0
    old = Manifest.objects.filter(created_at__lt=older_than)
    return old.count() if dry_run else delete(old.only("id", "flight_id").iterator())
