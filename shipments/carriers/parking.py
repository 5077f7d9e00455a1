"""The parking lot: scans precede pre-alerts. Parked events wait two weeks for their guide.

The worker joins them with the guides created, and the numbers learned, since its last look. A look goes back further
than the last one, because rows become visible when their transaction ends and not when they were made; the first look
of a process considers everything.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from shipments.carriers.guides import Found, learn_numbers
from shipments.carriers.settling import settle
from shipments.models import Carrier, CarrierEvent, CarrierNumber, EventOutcome, Guide
from shipments.models.carriers import PARKED_FOR

OVERLAP = timedelta(minutes=5)
"""Longer than any transaction that creates guides."""
_AT_ONCE = 1_000


def joiner() -> Callable[[], bool]:
    """Return the chore that applies parked events whose guide has arrived. It remembers its last look."""
    seen: list[datetime] = []

    def join() -> bool:
        now = timezone.now()
        joined = join_parked(seen[0] - OVERLAP if seen else None)
        if joined < _AT_ONCE:
            seen[:] = [now]
        return joined >= _AT_ONCE

    return join


def join_parked(since: datetime | None) -> int:
    """Apply parked events whose guide was created, or whose number was learned, since a time; None: ever.

    Returns how many were looked up; at most `_AT_ONCE`, oldest first.
    """
    parked = CarrierEvent.objects.parked()
    if not parked.exists():
        return 0
    guides = Guide.objects.filter(manifest__voided_at=None)
    numbers = CarrierNumber.objects.all()
    if since is not None:
        guides = guides.filter(manifest__created_at__gte=since)
        numbers = numbers.filter(created_at__gte=since)
    by_guide = Q(hawb__gt="", hawb__in=guides.values("hawb"))
    by_guide |= Q(tracking_code__gt="", tracking_code__in=guides.values("tracking_code"))
    found = parked.filter(by_guide | Q(number__gt="", number__in=numbers.values("number")))
    events = list(found.select_related("carrier").order_by("id")[:_AT_ONCE])
    apply_parked(events)
    return len(events)


def apply_parked(events: Iterable[CarrierEvent]) -> None:
    """Look for the guides of parked events again, and apply those that are found, at their own times."""
    by_carrier: dict[Carrier, list[CarrierEvent]] = defaultdict(list)
    for event in events:
        by_carrier[event.carrier].append(event)
    for carrier, theirs in by_carrier.items():
        settle(carrier, theirs)


def assign(event: CarrierEvent, guide: Guide) -> None:
    """Apply a waiting event to the guide that an operator names, and learn the carrier's number for it."""
    if event.number:
        learn_numbers(event.carrier, {event.number: guide.pk})
    settle(event.carrier, [event], Found(guide.pk, guide.manifest_id))


def expire() -> bool:
    """End parked events that waited too long. Returns whether there may be more."""
    old = CarrierEvent.objects.parked().filter(recorded_at__lt=timezone.now() - PARKED_FOR).order_by("recorded_at")
    ids = list(old.values_list("pk", flat=True)[:_AT_ONCE])
    # Guarded: another process may have found its guide meanwhile.
    CarrierEvent.objects.parked().filter(pk__in=ids).update(outcome=EventOutcome.EXPIRED)
    return len(ids) == _AT_ONCE
