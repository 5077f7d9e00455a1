"""The one door into this room for those who have something to tell.

    with transaction.atomic():
        ...                                       # whatever changed the shipment
        outbox.publish(company, [Event(...)])

The rows are written in the caller's transaction: nothing is sent for a change that is rolled back, and nothing that
was committed is forgotten.
"""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

import structlog
from django.db import connection, transaction
from django.utils import timezone

from companies.models import Company
from webhooks.countries import ships_to, spoken_of
from webhooks.dispatcher.schedule import MAX_ATTEMPTS
from webhooks.events import Body, Event, EventType, TestData, delivery_id
from webhooks.models import Delivery, Hearer, Subscription, Version

__all__ = ["CHANNEL", "Event", "EventType", "publish", "send_test", "send_to", "wake_dispatchers"]

log = structlog.get_logger(__name__)

_NAMED = 10
"""Deliveries that a line of the log names; of a whole manifest's moves the first few lead to the rest."""

CHANNEL = "webhook_deliveries"
"""The PostgreSQL channel on which waiting dispatchers hear that there is something to send."""


def publish(company: Company, events: Sequence[Event]) -> int:
    """Write one delivery for each event and each live subscription of `company` that hears of it; return how many.

    Filters are judged here and now: one that is changed later touches nothing that was written.

    One query when nobody listens, then one insert for all, however many. Raises `TransactionManagementError` outside
    a transaction: the events would no longer stand and fall with the change they tell of.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("publish() belongs in the transaction of the change it tells of.")
    if not events:
        return 0
    hearers = Subscription.objects.hearing_of(company)
    return _write(_deliveries(company.pk, hearers, events) if hearers else ())


def send_test(subscription: Subscription, message: str) -> Delivery:
    """Write a `webhook.test` delivery to this one subscription; it takes the road that every delivery takes."""
    data: TestData = {"message": message}
    return send_to(subscription, EventType.WEBHOOK_TEST, data)


def send_to(subscription: Subscription, kind: EventType, data: Mapping[str, object], *, subject: str = "") -> Delivery:
    """Write one delivery of this type to this one subscription, whatever it filters."""
    now = timezone.now()
    event = Event(kind, now, subject, data, ships_to(subscription.company))
    with transaction.atomic():
        hearer = Hearer(subscription.pk, subscription.version)
        delivery = _delivery(subscription.company_id, hearer, event, _Bodies(event, now))
        _write([delivery])
    return delivery


class _Bodies:
    """The bodies of one event: at most one encoding for each version, and none for a version nobody speaks."""

    __slots__ = ("_encoded", "created_at", "event")

    def __init__(self, event: Event, created_at: datetime) -> None:
        self.event, self.created_at = event, created_at
        self._encoded: dict[int, Body] = {}

    def of(self, version: int) -> Body:
        if version not in self._encoded:
            self._encoded[version] = Body(self.event, self.created_at, version)
        return self._encoded[version]


def _deliveries(company_id: int, hearers: Sequence[Hearer], events: Iterable[Event]) -> Iterator[Delivery]:
    now = timezone.now()
    for event in events:
        bodies = _Bodies(event, now)
        for hearer in hearers:
            if hearer.hears(event):
                yield _delivery(company_id, hearer, event, bodies)


def _delivery(company_id: int, hearer: Hearer, event: Event, bodies: _Bodies) -> Delivery:
    key = uuid.uuid4()
    return Delivery(
        uuid=key,
        company_id=company_id,
        subscription_id=hearer.id,
        subject=event.subject,
        countries=spoken_of(event.countries),
        event_type=event.type,
        body=bodies.of(hearer.version).under(delivery_id(key)),
        created_at=bodies.created_at,
        max_attempts=1 if hearer.version == Version.V1 else MAX_ATTEMPTS,
    )


def _write(deliveries: Iterable[Delivery]) -> int:
    rows = Delivery.objects.bulk_create(deliveries)
    written = len(rows)
    if written:
        # With the request's id beside them: the dispatcher's lines, in another process, know only the deliveries.
        log.info("deliveries_published", rows=written, first=[row.delivery_id for row in rows[:_NAMED]])
        wake_dispatchers()
    return written


def wake_dispatchers() -> None:
    """Tell waiting dispatchers that there is something to send, once this transaction is committed.

    Sent by PostgreSQL when, and only if, it commits; no callback that could be lost. On SQLite they poll.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_notify(%s, '')", [CHANNEL])
