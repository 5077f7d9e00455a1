"""How other apps publish events.

    with transaction.atomic():
        ...                                       # whatever changed the shipment
        outbox.publish(company, [Event(...)])

The rows are written in the caller's transaction: nothing is sent for a change that is rolled back, and no committed
change is lost.
"""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache, partial
from typing import Any

import structlog
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from base.db.moments import aware
from companies.models import Company
from webhooks.events import Body, Event, EventType, TestData, delivery_id
from webhooks.models import Delivery, Subscriber, Subscription, Version
from webhooks.models.delivery import join_countries, ships_to
from webhooks.verdicts import MAX_ATTEMPTS

__all__ = ["CHANNEL", "Event", "EventType", "publish", "send_test", "send_to", "wake_dispatchers"]

log = structlog.get_logger(__name__)

_NAMED = 10
"""Deliveries that a log line lists. For a whole manifest the first few are enough to find the rest."""

CHANNEL = "webhook_deliveries"
"""The PostgreSQL channel that wakes waiting dispatchers."""


def publish(company: Company, events: Sequence[Event]) -> int:
    """Write one delivery for each event and active subscription of `company` that receives it; return how many.

    Filters apply now; changing one later does not affect deliveries that are written.

    One query if there are no subscriptions, otherwise one insert for all. Raises `TransactionManagementError` outside
    a transaction, where events could be sent without the change they report.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError(
            "publish() must run in the transaction of the change that it reports."
        )
    if not events:
        return 0
    subscribers, now = Subscription.objects.subscribers_of(company), timezone.now()
    deliveries: list[Delivery] = []
    for event in events if subscribers else ():
        body_of = cache(partial(Body, event, now))  # encoded once per version that is needed
        deliveries += [
            _delivery(company.pk, subscriber, event, body_of(subscriber.version), now)
            for subscriber in subscribers
            if subscriber.receives(event)
        ]
    return _write(deliveries)


def send_test(subscription: Subscription, message: str) -> Delivery:
    """Write a `webhook.test` delivery for this subscription; it is sent like any other."""
    data: TestData = {"message": message}
    return send_to(subscription, EventType.WEBHOOK_TEST, data)


def send_to(subscription: Subscription, kind: EventType, data: Mapping[str, object], *, subject: str = "") -> Delivery:
    """Write one delivery of this type for this subscription, regardless of its filters."""
    now = timezone.now()
    event = Event(kind, now, subject, data, ships_to(subscription.company))
    with transaction.atomic():
        subscriber = Subscriber(subscription.pk, subscription.version)
        body = Body(event, now, subscriber.version)
        delivery = _delivery(subscription.company_id, subscriber, event, body, now)
        _write([delivery])
    return delivery


def _delivery(company_id: int, subscriber: Subscriber, event: Event, body: Body, now: datetime) -> Delivery:
    key = uuid.uuid4()
    return Delivery(
        uuid=key,
        company_id=company_id,
        subscription_id=subscriber.id,
        subject=event.subject,
        countries=join_countries(event.countries),
        event_type=event.type,
        body=body.under(delivery_id(key)),
        created_at=now,
        max_attempts=1 if subscriber.version == Version.V1 else MAX_ATTEMPTS,
    )


def _write(deliveries: Sequence[Delivery]) -> int:
    rows = Delivery.objects.bulk_create(deliveries)
    if rows:
        # Logged with the request's id: the dispatcher is another process and logs only delivery ids.
        log.info("deliveries_published", rows=len(rows), first=[row.delivery_id for row in rows[:_NAMED]])
        wake_dispatchers()
    return len(rows)


def is_notified() -> bool:
    """Whether notifications arrive: PgBouncer in transaction mode has no connection that could listen."""
    return connection.vendor == "postgresql" and not settings.BEHIND_PGBOUNCER


def wake_dispatchers() -> None:
    """Wake waiting dispatchers once this transaction is committed.

    PostgreSQL sends the notification if and when it commits, so no callback can be lost. Without it dispatchers poll.
    """
    if is_notified():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_notify(%s, '')", [CHANNEL])


# Count and minimum in one query, so that only the partial index of waiting rows is read: for the minimum alone
# PostgreSQL may scan the primary key through all past deliveries.
_PENDING = "SELECT count(*), min(id) FROM webhooks_delivery WHERE state = 'pending'"
_SENDING = "SELECT count(*) FROM webhooks_delivery WHERE state = 'sending'"
_CREATED = "SELECT created_at FROM webhooks_delivery WHERE id = %s"


def outbox_state(connection: Any) -> tuple[int, int, datetime | None]:  # noqa: ANN401  # Django's connection has no name in the stubs
    """Return how many deliveries wait and are being sent, and when the oldest waiting one was created (aware)."""
    with connection.cursor() as cursor:
        cursor.execute(_PENDING)
        pending, oldest = cursor.fetchone()
        cursor.execute(_SENDING)
        (sending,) = cursor.fetchone()
        cursor.execute(_CREATED, [oldest])
        row = cursor.fetchone()
    return pending, sending, aware(row[0]) if row else None
