"""How long what carriers send is kept: bodies hold names and signatures."""

from collections.abc import Collection
from datetime import timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from shipments.models import CarrierEvent, CarrierReceipt, Guide

_AT_ONCE = 1_000


def blank_old_bodies(*, dry_run: bool = False) -> int:
    """Delete the bodies of receipts older than `RETENTION_DAYS_CARRIER_BODIES`; the receipts stay. Returns how many."""
    before = timezone.now() - timedelta(days=settings.RETENTION_DAYS_CARRIER_BODIES)
    old = CarrierReceipt.objects.filter(received_at__lt=before, body__isnull=False)
    if dry_run:
        return old.count()
    blanked = 0
    while keys := list(old.order_by("received_at").values_list("pk", flat=True)[:_AT_ONCE]):
        blanked += CarrierReceipt.objects.filter(pk__in=keys).update(body=None, due_at=None)
    return blanked


def forget_guides(guide_ids: Collection[int]) -> int:
    """Erase what carriers said of these guides: descriptions and whole bodies. Returns how many rows were changed.

    Also of events that found no guide, or wait for the meaning of a code, and name one of them.
    """
    names = Guide.objects.filter(pk__in=guide_ids).values_list("tracking_code", "hawb")
    codes, hawbs = {code for code, _hawb in names}, {hawb for _code, hawb in names}
    about = Q(guide__in=guide_ids) | Q(guide=None, tracking_code__in=codes) | Q(guide=None, hawb__in=hawbs)
    events = CarrierEvent.objects.filter(about)
    receipts = CarrierReceipt.objects.filter(pk__in=events.order_by().values("receipt"), body__isnull=False)
    erased = receipts.update(body=None, due_at=None)
    return erased + events.exclude(description="").update(description="")
