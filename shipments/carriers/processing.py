"""Receipts: a body is stored before anything is done with it, and done again until it has succeeded.

A fault of ours is never the carrier's: the receipt stays, and the worker repeats it, first within 30 seconds, then at
growing distances up to an hour, for 14 days. Doing it again changes nothing that was done.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import structlog
from django.db import DataError, connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import OuterRef, Subquery
from django.utils import timezone

from base.db.thread import LOST
from base.work import claim, release
from shipments.carriers.adapters import ADAPTERS
from shipments.carriers.adapters.shape import Rejected
from shipments.carriers.forgetting import names_anonymised
from shipments.carriers.reported import DOUBTS, PROBLEMS, read_event
from shipments.carriers.settling import settle
from shipments.instruments import CARRIER_EVENTS, CARRIER_RECEIPTS
from shipments.models import Adapter, Carrier, CarrierEvent, CarrierReceipt, EventOutcome, ReceiptState
from shipments.models.carriers import COUNTS

log = structlog.get_logger(__name__)

MOST_EVENTS = 1_000
HELD_FOR = timedelta(seconds=30)
"""How long whoever received a body has to finish it. After that the process must have died, or be too slow."""
_LONGEST_PAUSE = timedelta(hours=1)
REPEATED_FOR = timedelta(days=14)
_MOST_ERRORS = 50


class Processed(NamedTuple):
    """What became of a body.

    errors: path and message of its first events that only the carrier can correct. notices: of those whose local time
    is in doubt.
    """

    counts: Mapping[str, int]
    errors: Sequence[Mapping[str, str]] = ()
    notices: Sequence[Mapping[str, str]] = ()


def store_receipt(carrier: Carrier, body: bytes) -> CarrierReceipt:
    """Store a body as it arrived, in a transaction of its own."""
    return CarrierReceipt.objects.create(
        carrier=carrier,
        sha256=hashlib.sha256(body).hexdigest(),
        size_bytes=len(body),
        body=body,
        attempts=1,
        held_until=timezone.now() + HELD_FOR,
    )


def process(receipt: CarrierReceipt) -> Processed:
    """Apply the events of a stored receipt, and return what became of them.

    A fault of ours is logged, all counts are then 0, and the worker does it again.
    Raises `Rejected` if the body is not of the adapter's shape.
    """
    try:
        items = _items(receipt)
        receipt.events = len(items)
        with _kept_apart():
            processed = _settle(receipt, items)
        _finish(receipt, ReceiptState.PROCESSED, processed.counts)
    except Rejected:
        _finish(receipt, ReceiptState.REJECTED, {})
        raise
    except Exception as fault:
        if isinstance(fault, LOST):
            connection.close()
        log.exception("carrier_receipt_failed", receipt=receipt.public_id, attempt=receipt.attempts)
        _put_back(receipt, fault)
        return Processed(dict.fromkeys(COUNTS, 0))
    return processed


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


def _settle(receipt: CarrierReceipt, items: Sequence[Any]) -> Processed:
    """Apply the events, and return what became of them. Those that this receipt has stored before are done again."""
    by_id: dict[str, CarrierEvent] = {}
    errors: list[Mapping[str, str]] = []
    notices: list[Mapping[str, str]] = []
    for number, item in enumerate(items):
        event = read_event(receipt.carrier, item)
        event.receipt = receipt
        if event.error and len(errors) < _MOST_ERRORS:
            place, message = PROBLEMS[event.error]
            errors.append({"path": f"events[{number}]{place}", "message": message})
        if event.doubt and len(notices) < _MOST_ERRORS:
            notices.append({"path": f"events[{number}].occurred_at", "message": DOUBTS[event.doubt]})
        by_id.setdefault(event.external_id, event)
    known = CarrierEvent.objects.filter(carrier=receipt.carrier, external_id__in=by_id).exclude(receipt=receipt)
    for external_id in known.values_list("external_id", flat=True):
        del by_id[external_id]
    _settle_each(receipt.carrier, list(by_id.values()))
    became = Counter(event.outcome for event in by_id.values())
    counts = {outcome.value: became[outcome] for outcome in EventOutcome if outcome.value in COUNTS}
    whole = {name: counts.get(name, len(items) - len(by_id)) for name in COUNTS}  # the rest are duplicates
    # The events of other formats are read from bodies of another shape: these paths would lead nowhere.
    return Processed(whole, errors, notices) if receipt.carrier.adapter == Adapter.CANONICAL else Processed(whole)


def _settle_each(carrier: Carrier, events: Sequence[CarrierEvent]) -> None:
    """Settle events; where one of them cannot be written, all others of the body. Raises what that one raised."""
    try:
        with _kept_apart():
            settle(carrier, events)
    except (DataError, ValueError):
        if len(events) == 1:
            raise
        middle = len(events) // 2
        try:
            _settle_each(carrier, events[:middle])
        finally:
            _settle_each(carrier, events[middle:])


def _kept_apart() -> AbstractContextManager[object]:
    """A fault ends no transaction of the caller's, such as that of an operator who does a receipt again."""
    return transaction.atomic() if connection.in_atomic_block else nullcontext()


def _finish(receipt: CarrierReceipt, state: ReceiptState, counts: Mapping[str, int]) -> None:
    erased = {"body": None} if names_anonymised(receipt) else {}
    if not release(receipt, state=state, counts=dict(counts), events=receipt.events, fault="", **erased):
        log.warning("carrier_receipt_taken_over", receipt=receipt.public_id)
        return
    slug = receipt.carrier.slug
    CARRIER_RECEIPTS.labels(slug, state.value).inc()
    for name, count in counts.items():
        CARRIER_EVENTS.labels(slug, name).inc(count)


def _put_back(receipt: CarrierReceipt, fault: BaseException) -> None:
    """Leave the receipt to the worker. If the database is away it is found by its age."""
    now = timezone.now()
    pause = min(HELD_FOR * 2 ** min(receipt.attempts - 1, 10), _LONGEST_PAUSE)
    held_until = now + pause if now - receipt.received_at < REPEATED_FOR else None
    failed = {"state": ReceiptState.FAILED, "fault": type(fault).__name__[:100], "events": receipt.events}
    CARRIER_RECEIPTS.labels(receipt.carrier.slug, ReceiptState.FAILED.value).inc()
    try:
        with transaction.atomic():
            release(receipt, held_until=held_until, **failed)
    except LOST as error:
        log.warning("database unavailable", exc_info=error)


# --- the worker -------------------------------------------------------------------------------------------------


def repeat_next() -> bool:
    """Do the oldest receipt again that failed, or whose process died. Returns whether there may be more."""
    waiting = CarrierReceipt.objects.filter(held_until__lte=timezone.now())
    receipt = claim(waiting.order_by("held_until"), HELD_FOR)
    if receipt is None:
        return False
    do_again(receipt)
    return True


def do_again(receipt: CarrierReceipt) -> None:
    """Process a stored receipt again, in the worker or for an operator. One without its body stays as it is."""
    if receipt.body is None:
        CarrierReceipt.objects.filter(pk=receipt.pk).update(held_until=None)
        return
    try:
        process(receipt)
    except Rejected as rejected:
        log.info("carrier_receipt_rejected", receipt=receipt.public_id, code=rejected.code)


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
