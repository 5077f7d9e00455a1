"""The one door into this room for those who have something to tell.

    with transaction.atomic():
        ...                                       # whatever changed the shipment
        outbox.publish(company, [Event(...)])

The rows are written in the caller's transaction: nothing is sent for a change that is rolled back, and nothing that
was committed is forgotten.
"""

import uuid
from collections.abc import Iterable, Iterator, Sequence

import structlog
from django.db import connection, transaction
from django.utils import timezone

from companies.models import Company
from webhooks.countries import ships_to, spoken_of
from webhooks.events import Body, Event, EventType, TestData, delivery_id
from webhooks.models import Delivery, Subscription

__all__ = ["CHANNEL", "Event", "EventType", "publish", "send_test"]

log = structlog.get_logger(__name__)

_NAMED = 10
"""Deliveries that a line of the log names; of a whole manifest's moves the first few lead to the rest."""

CHANNEL = "webhook_deliveries"
"""The PostgreSQL channel on which waiting dispatchers hear that there is something to send."""


def publish(company: Company, events: Sequence[Event]) -> int:
    """Write one delivery for each event and each live subscription of `company`; return how many.

    One query when nobody listens, then one insert for all, however many. Raises `TransactionManagementError` outside
    a transaction: the events would no longer stand and fall with the change they tell of.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("publish() belongs in the transaction of the change it tells of.")
    if not events:
        return 0
    return _write(_deliveries(company.pk, Subscription.objects.hearing_of(company), events))


def send_test(subscription: Subscription, message: str) -> Delivery:
    """Write a `webhook.test` delivery to this one subscription; it takes the road that every delivery takes."""
    data: TestData = {"message": message}
    event = Event(EventType.WEBHOOK_TEST, timezone.now(), "", data, ships_to(subscription.company))
    with transaction.atomic():
        (delivery,) = _deliveries(subscription.company_id, [subscription.pk], [event])
        _write([delivery])
    return delivery


def _deliveries(company_id: int, subscription_ids: Sequence[int], events: Iterable[Event]) -> Iterator[Delivery]:
    if not subscription_ids:
        return
    now = timezone.now()
    for event in events:
        body = Body(event, now)
        for subscription_id in subscription_ids:
            key = uuid.uuid4()
            yield Delivery(
                uuid=key,
                company_id=company_id,
                subscription_id=subscription_id,
                subject=event.subject,
                countries=spoken_of(event.countries),
                event_type=event.type,
                body=body.under(delivery_id(key)),
                created_at=now,
            )


def _write(deliveries: Iterable[Delivery]) -> int:
    rows = Delivery.objects.bulk_create(deliveries)
    written = len(rows)
    if written:
        # With the request's id beside them: the dispatcher's lines, in another process, know only the deliveries.
        log.info("deliveries_published", rows=written, first=[row.delivery_id for row in rows[:_NAMED]])
    if written and connection.vendor == "postgresql":
        # Sent by the database when, and only if, this transaction commits; no callback that could be lost.
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_notify(%s, '')", [CHANNEL])
    return written
