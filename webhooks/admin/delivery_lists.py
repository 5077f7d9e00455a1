"""The columns of an exported delivery log: what the list shows, and nothing that was received or sent."""

from collections.abc import Iterator, Sequence

from django.db.models import QuerySet

from companies.admin_base.spreadsheets import Value
from webhooks.models import Delivery

DELIVERY_HEADINGS: Sequence[str] = (
    "created_at", "delivery_id", "event_type", "subject", "client_code", "endpoint", "state", "http_status", "error",
    "duration_ms", "attempts", "replays", "resends", "sent_at", "finished_at",
)  # fmt: skip

_FETCHED = 2_000


def delivery_rows(deliveries: QuerySet[Delivery]) -> Iterator[Sequence[Value]]:
    """Yield the rows for `DELIVERY_HEADINGS`, read lazily from the database.

    deliveries: with `is_endpoint_seen`, whether the operator may see the subscription. Its URL is empty otherwise, and
    once it is deleted, as in the list.
    """
    for one in deliveries.select_related("company", "subscription").iterator(chunk_size=_FETCHED):
        subscription = one.subscription
        is_seen = subscription is not None and not subscription.deleted_at and getattr(one, "is_endpoint_seen", False)
        yield (
            one.created_at, one.delivery_id, one.event_type, one.subject, one.company.client_code,
            subscription.url if subscription is not None and is_seen else "", one.state, one.http_status, one.error,
            one.duration_ms, one.attempts, one.replays, one.resends, one.attempted_at, one.finished_at,
        )  # fmt: skip
