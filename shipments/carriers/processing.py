"""Receipts: a body is stored before anything is done with it, and done again until it has succeeded.

A fault of ours is never the carrier's: the receipt stays, and the worker repeats it, first within 30 seconds, then at
growing distances up to an hour, for 14 days. Doing it again changes nothing that was done.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.conf import settings
from django.db import connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import OuterRef, Q, Subquery
from django.utils import timezone

from shipments.carriers.adapters import ADAPTERS
from shipments.carriers.adapters.shape import Rejected
from shipments.carriers.reported import read_event
from shipments.carriers.settling import settle
from shipments.instruments import CARRIER_EVENTS, CARRIER_RECEIPTS
from shipments.models import Carrier, CarrierEvent, CarrierReceipt, EventOutcome, Guide, ReceiptState
from shipments.models.carriers import COUNTS
from webhooks.dispatcher.database import LOST

log = structlog.get_logger(__name__)

MOST_EVENTS = 1_000
HELD_FOR = timedelta(seconds=30)
"""How long whoever received a body has to finish it. After that the process must have died, or be too slow."""
_LONGEST_PAUSE = timedelta(hours=1)
REPEATED_FOR = timedelta(days=14)


def store_receipt(carrier: Carrier, body: bytes) -> CarrierReceipt:
    """Store a body as it arrived, in a transaction of its own."""
    return CarrierReceipt.objects.create(
        carrier=carrier,
        sha256=hashlib.sha256(body).hexdigest(),
        size_bytes=len(body),
        body=body,
        due_at=timezone.now() + HELD_FOR,
    )


def process(receipt: CarrierReceipt) -> Mapping[str, int]:
    """Apply the events of a stored receipt, and return how many became what.

    A fault of ours is logged, all counts are then 0, and the worker does it again.
    Raises `Rejected` if the body is not of the adapter's shape.
    """
    try:
        items = _items(receipt)
        receipt.events = len(items)
        counts = _settle(receipt, items)
        _finish(receipt, ReceiptState.PROCESSED, counts)
    except Rejected:
        _finish(receipt, ReceiptState.REJECTED, {})
        raise
    except Exception as fault:
        if isinstance(fault, LOST):
            connection.close()
        log.exception("carrier_receipt_failed", receipt=receipt.public_id, attempt=receipt.attempts)
        _put_back(receipt, fault)
        return dict.fromkeys(COUNTS, 0)
    return counts


def _items(receipt: CarrierReceipt) -> list[Any]:
    """Return the events of the body, unchecked. Raises `Rejected`."""
    try:
        value = json.loads(bytes(receipt.body or b"").decode("utf-8-sig"))
    except (ValueError, RecursionError):  # not UTF-8, not JSON, a number of thousands of digits, a million brackets
        raise Rejected("The body must be JSON in UTF-8.") from None
    items: list[Any] = ADAPTERS[receipt.carrier.adapter].events(value)
    if len(items) > MOST_EVENTS:
        raise Rejected(f"Send at most {MOST_EVENTS:,} events in one request.", "events", "too_many_events")
    return items


def _settle(receipt: CarrierReceipt, items: Sequence[Any]) -> Mapping[str, int]:
    """Apply the events, and return how many became what. Those that this receipt has stored before are done again."""
    by_id: dict[str, CarrierEvent] = {}
    for item in items:
        event = read_event(receipt.carrier, item)
        event.receipt = receipt
        by_id.setdefault(event.external_id, event)
    known = CarrierEvent.objects.filter(carrier=receipt.carrier, external_id__in=by_id).exclude(receipt=receipt)
    for external_id in known.values_list("external_id", flat=True):
        del by_id[external_id]
    settle(receipt.carrier, list(by_id.values()))
    became = Counter(event.outcome for event in by_id.values())
    counts = {outcome.value: became[outcome] for outcome in EventOutcome if outcome.value in COUNTS}
    return {name: counts.get(name, len(items) - len(by_id)) for name in COUNTS}  # the rest are duplicates


def _finish(receipt: CarrierReceipt, state: ReceiptState, counts: Mapping[str, int]) -> None:
    receipt.state, receipt.counts, receipt.due_at, receipt.fault = state, dict(counts), None, ""
    receipt.save(update_fields=["state", "counts", "events", "due_at", "fault"])
    slug = receipt.carrier.slug
    CARRIER_RECEIPTS.labels(slug, state.value).inc()
    for name, count in counts.items():
        CARRIER_EVENTS.labels(slug, name).inc(count)


def _put_back(receipt: CarrierReceipt, fault: BaseException) -> None:
    """Leave the receipt to the worker. If the database is away it is found by its age."""
    now = timezone.now()
    pause = min(HELD_FOR * 2 ** min(receipt.attempts - 1, 10), _LONGEST_PAUSE)
    receipt.state, receipt.fault = ReceiptState.FAILED, type(fault).__name__[:100]
    receipt.due_at = now + pause if now - receipt.received_at < REPEATED_FOR else None
    CARRIER_RECEIPTS.labels(receipt.carrier.slug, ReceiptState.FAILED.value).inc()
    try:
        with transaction.atomic():
            receipt.save(update_fields=["state", "events", "due_at", "fault"])
    except LOST as error:
        log.warning("database unavailable", exc_info=error)


# --- the worker -------------------------------------------------------------------------------------------------


def repeat_next() -> bool:
    """Do the oldest receipt again that failed, or whose process died. Returns whether there may be more."""
    receipt = _claim()
    if receipt is None:
        return False
    do_again(receipt)
    return True


def do_again(receipt: CarrierReceipt) -> None:
    """Process a stored receipt again, in the worker or for an operator. One without its body stays as it is."""
    if receipt.body is None:
        CarrierReceipt.objects.filter(pk=receipt.pk).update(due_at=None)
        return
    try:
        process(receipt)
    except Rejected as rejected:
        log.info("carrier_receipt_rejected", receipt=receipt.public_id, code=rejected.code)


def _claim() -> CarrierReceipt | None:
    """Hold the receipt that has been due for longest; None if there is none."""
    now = timezone.now()
    with transaction.atomic():
        due = CarrierReceipt.objects.filter(due_at__lte=now).order_by("due_at")
        if connection.features.has_select_for_update_skip_locked:
            due = due.select_for_update(skip_locked=True, of=("self",))
        receipt = due.select_related("carrier").first()
        if receipt is None:
            return None
        # SQLite has no row locks: another worker may have taken it since.
        seen = CarrierReceipt.objects.filter(pk=receipt.pk, due_at=receipt.due_at)
        receipt.attempts = min(receipt.attempts + 1, 30_000)
        receipt.due_at = now + HELD_FOR
        taken = seen.update(due_at=receipt.due_at, attempts=receipt.attempts)
    return receipt if taken else None


# --- keeping: bodies hold names and signatures --------------------------------------------------------------------

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


# --- watching -----------------------------------------------------------------------------------------------------


def silence(connection: BaseDatabaseWrapper) -> tuple[Mapping[str, datetime | None], datetime | None]:
    """Return slug of each active carrier -> its last receipt, and the oldest event that waits for a meaning.

    Queries over `connection`.
    """
    receipts = CarrierReceipt.objects.filter(carrier=OuterRef("pk")).order_by("-received_at").values("received_at")
    carriers = Carrier.objects.filter(is_active=True).order_by().values_list("slug", Subquery(receipts[:1]))
    unmapped = CarrierEvent.objects.filter(outcome=EventOutcome.UNMAPPED).order_by("recorded_at")
    last, oldest = (
        list(query.query.get_compiler(connection=connection).results_iter())
        for query in (carriers, unmapped.values_list("recorded_at")[:1])
    )
    return dict(last), oldest[0][0] if oldest else None
