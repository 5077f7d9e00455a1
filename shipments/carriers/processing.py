"""Carriers' bodies, and what becomes of their events: the meaning of the code, the guide, the move.

A body is stored as a receipt before anything is done with it, and done again until it has succeeded. A fault of ours is
never the carrier's: the worker repeats the receipt, first within 30 seconds, then at growing distances up to an hour,
for 14 days. Doing it again changes nothing that was done.

All moves are made by one `advance_each`, and each event is written with its move, in the same transaction and by its
unique id. An event that was refused for its order or for a retention is judged again, in the order of time, whenever an
earlier event of its guide is applied: the order of arrival does not matter.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
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
from shipments.carriers.forgetting import find_anonymised, names_anonymised
from shipments.carriers.guides import GuideKey, find_guides
from shipments.carriers.reported import DOUBTS, PROBLEMS, read_event
from shipments.errors import GuideAlreadyTerminal, GuideUnderRetention, InvalidTransition
from shipments.instruments import CARRIER_EVENTS, CARRIER_RECEIPTS
from shipments.models import (
    Action,
    Adapter,
    Carrier,
    CarrierCode,
    CarrierEvent,
    CarrierReceipt,
    EventOutcome,
    Guide,
    ReceiptState,
)
from shipments.models.carriers import COUNTS, DELIVERED_AFTER_END, MOST_CODES
from shipments.statuses import GuideStatus, Source, StatusKind
from shipments.tracking.advancing import advance_each, retry
from shipments.tracking.changes import lock_manifests
from shipments.tracking.moves import Move, Outcome, ReportedEvent

log = structlog.get_logger(__name__)

MOST_EVENTS = 1_000
HELD_FOR = timedelta(seconds=30)
"""How long whoever received a body has to finish it. After that the process must have died, or be too slow."""
_LONGEST_PAUSE = timedelta(hours=1)
REPEATED_FOR = timedelta(days=14)
_MOST_ERRORS = 50
JUDGED_AGAIN = (InvalidTransition.code, GuideUnderRetention.code)
"""Why a move was refused that may be right once an earlier event has arrived."""
_WRITTEN = ("guide", "outcome", "error", "description", "place")

_Planned = tuple[CarrierEvent, Move]


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
        items = _read_items(receipt)
        receipt.events = len(items)
        with _in_savepoint():
            processed = _settle_body(receipt, items)
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


def _read_items(receipt: CarrierReceipt) -> list[Any]:
    """Return the events of the body, unchecked. Raises `Rejected`."""
    try:
        value = json.loads(bytes(receipt.body or b"").decode("utf-8-sig"))
    except (ValueError, RecursionError):  # not UTF-8, not JSON, a number of thousands of digits, a million brackets
        raise Rejected("The body must be JSON in UTF-8.") from None
    items: list[Any] = ADAPTERS[receipt.carrier.adapter].events(value)
    if len(items) > MOST_EVENTS:
        raise Rejected(f"Send at most {MOST_EVENTS:,} events in one request.", "events", "too_many_events")
    return items


def _settle_body(receipt: CarrierReceipt, items: Sequence[Any]) -> Processed:
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
    _settle_in_halves(receipt.carrier, list(by_id.values()))
    became = Counter(event.outcome for event in by_id.values())
    counts = {outcome.value: became[outcome] for outcome in EventOutcome if outcome.value in COUNTS}
    whole = {name: counts.get(name, len(items) - len(by_id)) for name in COUNTS}  # the rest are duplicates
    # The events of other formats are read from bodies of another shape: these paths would lead nowhere.
    return Processed(whole, errors, notices) if receipt.carrier.adapter == Adapter.CANONICAL else Processed(whole)


def _settle_in_halves(carrier: Carrier, events: Sequence[CarrierEvent]) -> None:
    """Settle events; where one of them cannot be written, all others of the body. Raises what that one raised."""
    try:
        with _in_savepoint():
            settle(carrier, events)
    except (DataError, ValueError):
        if len(events) == 1:
            raise
        middle = len(events) // 2
        try:
            _settle_in_halves(carrier, events[:middle])
        finally:
            _settle_in_halves(carrier, events[middle:])


def _in_savepoint() -> AbstractContextManager[object]:
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


# --- events ----------------------------------------------------------------------------------------------------


def settle(carrier: Carrier, events: Sequence[CarrierEvent], guide: GuideKey | None = None) -> None:
    """Decide and store what becomes of events, new ones and those that waited. Sets their guide, outcome and error.

    events: sound ones, or refused ones, which are stored as they are. guide: theirs, if an operator says so.
    """
    sound = [event for event in events if event.folded]
    codes = _codes(carrier, sound)
    wanted = []
    for event in sound:
        action = codes[event.folded].action if event.folded in codes else Action.UNKNOWN
        if action in {Action.UNKNOWN, Action.IGNORE}:
            event.outcome = EventOutcome.UNMAPPED if action == Action.UNKNOWN else EventOutcome.IGNORED
            event.error = ""
        else:
            wanted.append(event)
    planned: list[_Planned] = []
    guides: Sequence[GuideKey | str] = [guide] * len(wanted) if guide else find_guides(carrier, wanted)
    for event, found in zip(wanted, guides, strict=True):
        if isinstance(found, str):
            event.outcome, event.error = EventOutcome.PARKED, found
            continue
        event.guide_id, event.outcome, event.error = found.id, EventOutcome.APPLIED, ""
        if codes[event.folded].action == Action.STATUS:
            planned.append((event, move_of(carrier, event, codes[event.folded], found)))
    moved = {id(event) for event, _move in planned}
    if planned:
        retry(lambda: _apply(carrier, planned))
    store(carrier, [event for event in events if id(event) not in moved])


def store(carrier: Carrier, events: Iterable[CarrierEvent]) -> None:
    """Write events: new ones unless they are known, what became of the others.

    Nothing that a carrier says of an anonymised guide is stored.
    """
    new: list[CarrierEvent] = []
    known: list[CarrierEvent] = []
    for event in events:
        (known if event.pk else new).append(event)
    together = [*new, *known]
    ids = {event.guide_id for event in together if event.guide_id}
    with transaction.atomic():
        # Locked, as whoever anonymises a guide locks it: either that one finds the event, or this one the guide blank.
        guides = Guide.objects.filter(pk__in=ids).order_by("pk").select_for_update(no_key=True)
        anonymised = {key for key, moment in guides.values_list("pk", "anonymised_at") if moment}
        waiting = [event for event in together if event.guide_id is None]
        gone = find_anonymised(carrier, {name for event in waiting for name in _names_of(event)})
        for event in together:
            if event.guide_id in anonymised or (event.guide_id is None and not gone.isdisjoint(_names_of(event))):
                event.description = event.place = ""
        CarrierEvent.objects.bulk_create(new, batch_size=1_000, ignore_conflicts=True)
        CarrierEvent.objects.bulk_update(known, _WRITTEN, batch_size=200)


def _names_of(event: CarrierEvent) -> Sequence[str]:
    return event.tracking_code, event.hawb, event.number


def _codes(carrier: Carrier, events: Iterable[CarrierEvent]) -> Mapping[str, CarrierCode]:
    """Return the meanings of the events' codes. Unknown ones are added for operators, up to the limit."""
    named = {event.folded: event.code for event in events}
    known = {code.folded: code for code in CarrierCode.objects.filter(carrier=carrier, folded__in=named)}
    if new := [folded for folded in named if folded not in known]:
        room = max(0, MOST_CODES - CarrierCode.objects.filter(carrier=carrier).count())
        CarrierCode.objects.bulk_create(
            [CarrierCode(carrier=carrier, code=named[folded], folded=folded) for folded in sorted(new)[:room]],
            ignore_conflicts=True,
        )
    return known


def move_of(carrier: Carrier, event: CarrierEvent, code: CarrierCode, guide: GuideKey) -> Move:
    status, source = GuideStatus(code.status), Source(carrier.source)
    reported = ReportedEvent(status, source, event.occurred_at, client_note=code.client_note, doubt=event.doubt)
    return Move(guide.id, guide.manifest_id, reported, carrier.actor)


def _apply(carrier: Carrier, planned: Sequence[_Planned]) -> None:
    """Make the moves in the caller's transaction, with those of the same guides that are to be judged again.

    The manifests are locked first: nobody else can refuse or apply an event of these guides meanwhile.
    """
    lock_manifests(move.manifest_id for _event, move in planned)
    planned = [*planned, *_to_judge_again(planned)]
    advance_each([move for _event, move in planned], actor=carrier.actor)
    for event, move in planned:
        event.outcome = EventOutcome.REFUSED if move.refusal else EventOutcome.APPLIED
        event.error = move.refusal.code if move.refusal else ""
        if _contradicts(move):
            event.error = DELIVERED_AFTER_END
    store(carrier, [event for event, _move in planned])


def _contradicts(move: Move) -> bool:
    """Return whether the carrier delivered what ended here in another way: only a person can say which is right."""
    has_ended_otherwise = move.previous_status.kind is StatusKind.TERMINAL_EXCEPTION
    is_kept_aside = move.outcome is Outcome.HISTORY or isinstance(move.refusal, GuideAlreadyTerminal)
    return move.reported.status is GuideStatus.DELIVERED and has_ended_otherwise and is_kept_aside


def _to_judge_again(planned: Sequence[_Planned]) -> list[_Planned]:
    """Return the moves of events that were refused and may now be right."""
    by_guide: dict[int, list[_Planned]] = defaultdict(list)
    for event, move in planned:
        by_guide[move.guide_id].append((event, move))
    own = {event.pk for event, _move in planned if event.pk}
    refused = CarrierEvent.objects.filter(guide__in=by_guide, outcome=EventOutcome.REFUSED, error__in=JUDGED_AGAIN)
    others = [
        other
        for other in refused.exclude(pk__in=own).select_related("carrier").order_by("occurred_at", "id")
        if any(_is_before(event, other) for event, _move in by_guide[other.guide_id or 0])
    ]
    found = []
    for carrier in {other.carrier for other in others}:
        theirs = [other for other in others if other.carrier == carrier]
        codes = _codes(carrier, theirs)
        for other in theirs:
            code = codes.get(other.folded)
            if code is not None and code.action == Action.STATUS:
                _event, same = by_guide[other.guide_id or 0][0]
                found.append((other, move_of(carrier, other, code, GuideKey(same.guide_id, same.manifest_id))))
    return found


def _is_before(event: CarrierEvent, other: CarrierEvent) -> bool:
    return bool(event.occurred_at and other.occurred_at and event.occurred_at < other.occurred_at)


# --- the worker -------------------------------------------------------------------------------------------------


def repeat_next() -> bool:
    """Do the oldest receipt again that failed, or whose process died. Returns whether there may be more."""
    waiting = CarrierReceipt.objects.filter(held_until__lte=timezone.now())
    receipt = claim(waiting.order_by("held_until"), HELD_FOR)
    if receipt is None:
        return False
    process_again(receipt)
    return True


def process_again(receipt: CarrierReceipt) -> None:
    """Process a stored receipt again, in the worker or for an operator. One without its body stays as it is."""
    if receipt.body is None:
        CarrierReceipt.objects.filter(pk=receipt.pk).update(held_until=None)
        return
    try:
        process(receipt)
    except Rejected as rejected:
        log.info("carrier_receipt_rejected", receipt=receipt.public_id, code=rejected.code)


# --- watching -----------------------------------------------------------------------------------------------------


def read_silence(connection: BaseDatabaseWrapper) -> tuple[Mapping[str, datetime | None], datetime | None]:
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
