"""The parking lot: scans precede pre-alerts. Parked events wait two weeks for their guide.

The worker joins them with the guides created, the numbers bound or claimed, and the manifests voided since its last
look. A look goes back further than the last one, because rows become visible when their transaction ends and not when
they were made; the first look of a process considers everything.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from shipments.carriers.guides import GuideKey, bind_by_hand
from shipments.carriers.processing import settle
from shipments.models import Carrier, CarrierClaim, CarrierEvent, CarrierNumber, EventOutcome, Guide, Manifest
from shipments.models.carriers import PARKED_FOR

OVERLAP = timedelta(minutes=5)
"""Longer than any transaction that creates guides."""
_AT_ONCE = 1_000


def joiner() -> Callable[[], bool]:
    """Return the chore that applies parked events whose guide has arrived. It remembers its last look.

    A look with many events takes several calls. Those that stay parked are passed, or they would hold up the others.
    """
    since: datetime | None = None
    began, last = timezone.now(), 0

    def join() -> bool:
        nonlocal since, began, last
        began = began if last else timezone.now()
        last = join_parked(since, last)
        if not last:
            since = began - OVERLAP
        return bool(last)

    return join


def join_parked(since: datetime | None, after: int = 0) -> int:
    """Apply parked events of whose guide or number something became known since a time; None: ever.

    At most `_AT_ONCE` with an id above `after`, oldest first. Returns the last id; 0 if there are no more.
    """
    parked = CarrierEvent.objects.parked()
    if not parked.exists():
        return 0
    guides, numbers = Guide.objects.all(), CarrierNumber.objects.all()
    if since is not None:
        manifests = Manifest.objects.filter(Q(created_at__gte=since) | Q(voided_at__gte=since)).order_by()
        guides = guides.filter(manifest__in=manifests)
        claims = CarrierClaim.objects.filter(Q(created_at__gte=since) | Q(guide__manifest__in=manifests))
        numbers = numbers.filter(Q(bound_at__gte=since) | Q(pk__in=claims.values("number")))
    by_guide = Q(hawb__gt="", hawb__in=guides.values("hawb"))
    by_guide |= Q(tracking_code__gt="", tracking_code__in=guides.values("tracking_code"))
    found = parked.filter(by_guide | Q(number__gt="", number__in=numbers.values("number")), pk__gt=after)
    events = list(found.select_related("carrier").order_by("id")[:_AT_ONCE])
    apply_parked(events)
    return events[-1].pk if len(events) == _AT_ONCE else 0


def apply_parked(events: Iterable[CarrierEvent]) -> None:
    """Look for the guides of parked events again, and apply those that are found, at their own times."""
    by_carrier: dict[Carrier, list[CarrierEvent]] = defaultdict(list)
    for event in events:
        by_carrier[event.carrier].append(event)
    for carrier, theirs in by_carrier.items():
        settle(carrier, theirs)


def assign(event: CarrierEvent, guide: Guide) -> None:
    """Apply a waiting event to the guide that an operator names, and bind the carrier's number to it."""
    if event.number:
        bind_by_hand(event.carrier, event.number, guide)
    settle(event.carrier, [event], GuideKey(guide.pk, guide.manifest_id))


def expire() -> bool:
    """End parked events that waited too long. Returns whether there may be more."""
    old = CarrierEvent.objects.parked().filter(recorded_at__lt=timezone.now() - PARKED_FOR).order_by("recorded_at")
    ids = list(old.values_list("pk", flat=True)[:_AT_ONCE])
    # Guarded: another process may have found its guide meanwhile.
    CarrierEvent.objects.parked().filter(pk__in=ids).update(outcome=EventOutcome.EXPIRED)
    return len(ids) == _AT_ONCE
