"""Responses about deliveries. They never include an endpoint's response or the address that was connected to: otherwise
a client could use a URL to read what only our network can reach."""

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
    Failure.DNS: "The host in the URL does not resolve to a public address.",
    Failure.URL_REFUSED: "Nothing can be sent to this URL.",
    Failure.CONNECT: "Connection refused.",
    Failure.TLS: "No secure connection: the endpoint's certificate or TLS settings are invalid.",
    Failure.TIMEOUT: "The endpoint did not respond completely within 10 seconds.",
    Failure.DISCONNECTED: "The endpoint closed the connection.",
    Failure.PROTOCOL: "The response is not HTTP.",
    Failure.REDIRECT: "The endpoint redirects; redirects are not followed.",
    Failure.HTTP_STATUS: "The endpoint responded with a status other than 2xx.",
    Failure.SECRET_UNREADABLE: "The secret cannot be decrypted on our side; rotate it.",
    Failure.INTERNAL: "An error on our side.",
    Failure.OUTCOME_UNKNOWN: "Sending was interrupted on our side; it may have arrived.",
}
"""Our own wording: the sender's message may quote the response."""
_ANSWERED: Mapping[str, Failure] = {Failure.ADDRESS_REFUSED: Failure.DNS}
"""Failures that are answered as another: a name that only our network knows looks like one that does not exist."""


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
    has_more: Annotated[bool, "Repeat the request with the same range."]


class _Outcome(TypedDict):
    """The outcome of an attempt."""

    duration_ms: Count | None
    http_status: Annotated[int | None, "null without a response."]
    error: Annotated[str | None, known_or_null(_MEANINGS), "Why it failed. More values may be added."]
    reason: Annotated[str | None, "The same in words."]


class _DeliveryHead(_Outcome):
    """The fields of a delivery in list and detail; the outcome is that of its last attempt."""

    id: _DeliveryId
    subscription: SubscriptionId | None
    type: EventTypeName
    subject: Annotated[str, "A tracking code or a MAWB; `test` for a test."]
    state: Annotated[
        str,
        known_words(State.values),
        "`pending`, `sending`: about to be sent, being sent. `waiting`: for the next attempt. `dead`: given up. "
        "Version 1: `failed`, or `abandoned` if the outcome is unknown. `cancelled`: with its webhook.",
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


class DeliveryList(TypedDict):
    """A page of the log, newest first."""

    deliveries: list[DeliveryItem]
    next_cursor: NextCursor


class AnsweredDeliveryAttempt(_Outcome):
    """One POST. Its number restarts at 1 after a replay."""

    number: PositiveCount
    at: Moment


class DeliveryDetail(_DeliveryHead):
    """One delivery with its attempts, oldest first, and the body as it is sent."""

    body: dict[str, object]
    attempts: list[AnsweredDeliveryAttempt]


def delivery_item(delivery: Delivery) -> DeliveryItem:
    """An entry of the log."""
    return {**_head(delivery), "attempts": delivery.attempts}


def deliveries_page(rows: Iterable[Delivery], next_cursor: str | None) -> DeliveryList:
    """A page of the log."""
    return {"deliveries": [delivery_item(row) for row in rows], "next_cursor": next_cursor}


def replayed_delivery(delivery: Delivery) -> ReplayedDelivery:
    """The response to a replay."""
    return {"success": True, **delivery_item(delivery)}


def delivery_detail(delivery: Delivery) -> DeliveryDetail:
    """One delivery: the body as it is sent, and every attempt, oldest first."""
    return {**_head(delivery), "body": json.loads(bytes(delivery.body)), "attempts": [*_attempts(delivery)]}


def subscription_name(delivery: Delivery) -> str | None:
    """`sub_<uuid>`; None where the log no longer refers to one."""
    return None if delivery.subscription is None else delivery.subscription.public_id


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
    """Oldest first. The last is on the delivery's row, unless it failed and is stored with the others."""
    past = list(delivery.past_attempts.all())
    for one in past:
        yield _attempt(one, one.number, one.begun_at)
    is_kept = bool(past) and delivery.is_retried and delivery.state != State.DELIVERED
    begun_at = _begun_at(delivery)
    if begun_at is not None and not is_kept:
        yield _attempt(delivery, max(delivery.attempts, 1), begun_at)


def _begun_at(delivery: Delivery) -> datetime | None:
    """When the attempt on the row began; if its outcome is unknown, when it was claimed."""
    return delivery.claimed_at if delivery.state == State.ABANDONED else delivery.attempted_at


def _attempt(attempt: Delivery | DeliveryAttempt, number: int, begun_at: datetime) -> AnsweredDeliveryAttempt:
    return {"number": number, "at": utc(begun_at), **_outcome(attempt)}


def _outcome(attempt: Delivery | DeliveryAttempt) -> _Outcome:
    """Error and reason are None if it succeeded."""
    code = _ANSWERED.get(attempt.error, attempt.error)
    return {
        "duration_ms": attempt.duration_ms,
        "http_status": attempt.http_status,
        "error": code or None,
        "reason": _MEANINGS[Failure(code)] if code else None,
    }
