"""What clients are shown of deliveries. Never the beginning of an endpoint's answer, nor the address that was connected
to: whoever may name a URL could read with them what only we can reach."""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Annotated, Literal, TypedDict

from webhooks.events import SubscriptionId, utc
from webhooks.json_types import Count, Keywords, Moment, PositiveCount, known_words
from webhooks.models import Delivery, DeliveryAttempt, State
from webhooks.replays import AT_ONCE
from webhooks.v1.answers import EventTypeName, NextCursor, known_or_null, moment_or_null
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


_DeliveryId = Annotated[
    str,
    Keywords(pattern="^evt_[0-9a-f-]{36}$"),
    "The delivery's id: the body's `id`, and the header `webhook-id`.",
]


class TestSent(TypedDict):
    """A test that will be sent."""

    success: Literal[True]
    delivery_id: _DeliveryId


class ReplayedRange(TypedDict):
    """What will be sent again."""

    success: Literal[True]
    replayed: Annotated[Count, Keywords(maximum=AT_ONCE)]
    has_more: Annotated[bool, "Ask again, with the same bounds."]


class _Outcome(TypedDict):
    """How an attempt went."""

    duration_ms: Count | None
    http_status: Annotated[int | None, "null when no answer came."]
    error: Annotated[str | None, known_or_null(Failure.values), "Why it failed. More may come."]
    reason: Annotated[str | None, "The same in words."]


class _DeliveryHead(_Outcome):
    """What list and detail both say of a delivery; the outcome is its last attempt's."""

    id: _DeliveryId
    subscription: SubscriptionId | None
    type: EventTypeName
    subject: Annotated[str, "A tracking code or a MAWB; `test` for a test."]
    state: Annotated[
        str,
        known_words(State.values),
        "`pending`, `sending`: about to be sent, being sent. `waiting`: for its next attempt. `dead`: given up. "
        "Version 1: `failed`, and `abandoned` where the outcome is not known. `cancelled`: with its webhook.",
    ]
    created_at: Moment
    next_attempt_at: Moment | None
    replays: Count


class DeliveryItem(_DeliveryHead):
    """A delivery in the log."""

    attempts: Annotated[Count, "Since it was created, or replayed."]


class ReplayedDelivery(DeliveryItem):
    """A delivery that will be sent again."""

    success: Literal[True]


class Deliveries(TypedDict):
    """A page of the log, newest first."""

    deliveries: list[DeliveryItem]
    next_cursor: NextCursor


class AnsweredDeliveryAttempt(_Outcome):
    """One POST. Its number begins again at 1 after a replay."""

    number: PositiveCount
    at: Moment


class DeliveryDetail(_DeliveryHead):
    """One delivery with its attempts, oldest first, and the body as it is sent."""

    body: dict[str, object]
    attempts: list[AnsweredDeliveryAttempt]


def delivery_item(delivery: Delivery) -> DeliveryItem:
    """An entry of the log."""
    return {**_head(delivery), "attempts": delivery.attempts}


def deliveries_page(rows: Iterable[Delivery], next_cursor: str | None) -> Deliveries:
    """A page of the log."""
    return {"deliveries": [delivery_item(row) for row in rows], "next_cursor": next_cursor}


def replayed_delivery(delivery: Delivery) -> ReplayedDelivery:
    """The answer to a replay."""
    return {"success": True, **delivery_item(delivery)}


def delivery_detail(delivery: Delivery) -> DeliveryDetail:
    """One delivery: the body as it is sent, and every attempt, oldest first."""
    return {**_head(delivery), "body": json.loads(bytes(delivery.body)), "attempts": [*_attempts(delivery)]}


def subscription_name(delivery: Delivery) -> str | None:
    """`sub_<number>`; None where the log no longer refers to one."""
    return None if delivery.subscription_id is None else f"sub_{delivery.subscription_id}"


def _head(delivery: Delivery) -> _DeliveryHead:
    return {
        "id": delivery.delivery_id,
        "subscription": subscription_name(delivery),
        "type": delivery.event_type,
        "subject": delivery.subject,
        "state": delivery.state,
        **_outcome(delivery),
        "created_at": utc(delivery.created_at),
        "next_attempt_at": moment_or_null(delivery.due_at),
        "replays": delivery.replays,
    }


def _attempts(delivery: Delivery) -> Iterator[AnsweredDeliveryAttempt]:
    """Oldest first. The last is on the delivery's own row, unless it failed and so is among the others."""
    past = list(delivery.past_attempts.all())
    for one in past:
        yield _attempt(one, one.number, one.begun_at)
    is_kept = bool(past) and delivery.is_retried and delivery.state != State.DELIVERED
    begun_at = _begun_at(delivery)
    if begun_at is not None and not is_kept:
        yield _attempt(delivery, max(delivery.attempts, 1), begun_at)


def _begun_at(delivery: Delivery) -> datetime | None:
    """When the attempt on the row began; of one whose outcome nobody knows, when it was claimed."""
    return delivery.claimed_at if delivery.state == State.ABANDONED else delivery.attempted_at


def _attempt(attempt: Delivery | DeliveryAttempt, number: int, begun_at: datetime) -> AnsweredDeliveryAttempt:
    return {"number": number, "at": utc(begun_at), **_outcome(attempt)}


def _outcome(attempt: Delivery | DeliveryAttempt) -> _Outcome:
    """Its error and the reason are None where all is well."""
    code = attempt.error
    return {
        "duration_ms": attempt.duration_ms,
        "http_status": attempt.http_status,
        "error": code or None,
        "reason": _MEANINGS[Failure(code)] if code else None,
    }
