"""What clients are shown. Never the beginning of an endpoint's answer, nor the address that was connected to: whoever
may name a URL could read with them what only we can reach."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from webhooks.catalogue import CATALOGUE, example_data, versions_of
from webhooks.events import EventType, utc
from webhooks.models import Delivery, DeliveryAttempt, State, Subscription, Version
from webhooks.verdicts import Failure

_MEANINGS: Mapping[Failure, str] = {
    Failure.DNS: "The name in the URL does not resolve.",
    Failure.ADDRESS_REFUSED: "The URL leads to an address that is not on the public internet.",
    Failure.URL_REFUSED: "Nothing can be sent to this URL.",
    Failure.CONNECT: "The endpoint takes no connections.",
    Failure.TLS: "No secure connection: the certificate or the TLS settings of the endpoint are not valid.",
    Failure.TIMEOUT: "The endpoint did not answer in full within 10 seconds.",
    Failure.DISCONNECTED: "The endpoint broke the connection off.",
    Failure.PROTOCOL: "What answered does not speak HTTP.",
    Failure.REDIRECT: "The endpoint redirects; redirects are not followed.",
    Failure.HTTP_STATUS: "The endpoint answered with a status that is not 2xx.",
    Failure.SECRET_UNREADABLE: "The secret cannot be read on our side; rotate it.",
    Failure.INTERNAL: "A fault of ours.",
    Failure.OUTCOME_UNKNOWN: "Sending was cut off on our side; whether it arrived is not known.",
}
"""Our own words: the sender's may quote the answer."""


def subscription_item(subscription: Subscription) -> dict[str, object]:
    """A webhook, without its secrets."""
    return {
        "id": subscription.public_id,
        "version": Version(subscription.version).label,
        "url": subscription.url,
        "event_types": subscription.event_types,
        "countries": subscription.countries,
        "description": subscription.description,
        "is_active": subscription.is_active,
        "created_at": utc(subscription.created_at),
        "secret_set_at": utc(subscription.secret_set_at),
        "previous_secret_until": _moment(subscription.previous_until),
        "failing_since": _moment(subscription.failing_since),
        "disabled_at": _moment(subscription.disabled_at),
        "disabled_reason": subscription.disabled_reason or None,
    }


def delivery_item(delivery: Delivery) -> dict[str, object]:
    """An entry of the log."""
    return {
        "id": delivery.delivery_id,
        "subscription": subscription_name(delivery),
        "type": delivery.event_type,
        "subject": delivery.subject,
        "state": delivery.state,
        "attempts": delivery.attempts,
        "http_status": delivery.http_status,
        **_error(delivery.error),
        "duration_ms": delivery.duration_ms,
        "created_at": utc(delivery.created_at),
        "next_attempt_at": _moment(delivery.due_at),
        "replays": delivery.replays,
    }


def delivery_detail(delivery: Delivery) -> dict[str, object]:
    """One delivery: the body as it is sent, and every attempt, oldest first."""
    past = list(delivery.past_attempts.all())
    return {
        **delivery_item(delivery),
        "body": json.loads(bytes(delivery.body)),
        "attempts": [_attempt(one) for one in [*past, *_last(delivery, past)]],
    }


def subscription_name(delivery: Delivery) -> str | None:
    """`sub_<number>`; None where the log no longer refers to one."""
    return None if delivery.subscription_id is None else f"sub_{delivery.subscription_id}"


def event_type_item(kind: EventType) -> dict[str, object]:
    """A type of the catalogue."""
    return {
        "type": kind.value,
        "meaning": CATALOGUE[kind].meaning,
        "versions": versions_of(kind),
        "example": example_data(kind),
    }


def _last(delivery: Delivery, past: list[DeliveryAttempt]) -> Iterator[Any]:
    """The attempt that is on the delivery's own row, unless it failed and so is among the others."""
    is_kept = bool(past) and delivery.is_retried and delivery.state != State.DELIVERED
    if _begun_at(delivery) is not None and not is_kept:
        yield delivery


def _begun_at(delivery: Delivery) -> datetime | None:
    """When the attempt on the row began; of one whose outcome nobody knows, when it was claimed."""
    return delivery.claimed_at if delivery.state == State.ABANDONED else delivery.attempted_at


def _attempt(attempt: Any) -> dict[str, object]:  # noqa: ANN401  # a delivery or one of its past attempts
    is_past = isinstance(attempt, DeliveryAttempt)
    return {
        "number": attempt.number if is_past else max(attempt.attempts, 1),
        "at": _moment(attempt.begun_at if is_past else _begun_at(attempt)),
        "duration_ms": attempt.duration_ms,
        "http_status": attempt.http_status,
        **_error(attempt.error),
    }


def _error(code: str) -> dict[str, object]:
    """The code and what it means; both None where all is well."""
    return {"error": code or None, "reason": _MEANINGS[Failure(code)] if code else None}


def _moment(at: datetime | None) -> str | None:
    return None if at is None else utc(at)
