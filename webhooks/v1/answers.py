"""Responses about event types and webhooks. A secret is shown only once.

The types also make up the OpenAPI document: clients read their docstrings and the texts in `Annotated`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Annotated, Literal, NotRequired, TypedDict

from base.db.moments import utc
from base.http.json_types import KNOWN_WORDS, Count, Keywords, Moment, PositiveCount, known_words
from webhooks.catalogue import CATALOGUE, example_data, versions_of
from webhooks.events import EventType, SubscriptionId
from webhooks.models import Delivery, DeliveryAttempt, DisabledReason, State, Subscription, Version
from webhooks.replays import AT_ONCE
from webhooks.subscriptions import SIGNING_SECRET_PATTERN
from webhooks.verdicts import Failure

_Version = Annotated[str, Keywords(enum=[version.label for version in Version])]
EventTypeName = Annotated[str, known_words(EventType), "An event type. More may be added."]
NextCursor = Annotated[str | None, "null on the last page."]


def known_or_null(known: Iterable[str]) -> Keywords:
    return Keywords(**{KNOWN_WORDS: [*known, None]})


class EventTypeItem(TypedDict):
    """An event type."""

    type: EventTypeName
    meaning: str
    versions: list[_Version]
    sample: Annotated[dict[str, object], "`data` as version 2 sends it."]


class EventTypeList(TypedDict):
    """The catalogue."""

    event_types: list[EventTypeItem]


class SubscriptionItem(TypedDict):
    """A webhook, without its secret."""

    id: SubscriptionId
    version: Annotated[_Version, "Webhooks of `v1` are managed by the operators."]
    url: str
    event_types: Annotated[list[EventTypeName] | None, "null: all except `webhook.*`."]
    countries: Annotated[list[str] | None, "null: all your countries."]
    description: str
    is_active: bool
    created_at: Moment
    secret_set_at: Moment
    previous_secret_until: Annotated[Moment | None, "Until then the previous secret signs as well."]
    failing_since: Annotated[Moment | None, "Every attempt since then has failed."]
    disabled_at: Moment | None
    disabled_reason: Annotated[
        str | None, known_or_null(DisabledReason.values), "Why the service disabled it; null if a person did."
    ]


class Remark(TypedDict):
    """A warning about a URL that was accepted."""

    warning: NotRequired[Annotated[str, "A possible problem with the URL, which was accepted."]]


class SubscriptionChanged(SubscriptionItem, Remark):
    """A webhook that was changed."""

    success: Literal[True]


class SubscriptionSecret(SubscriptionItem):
    """A webhook with its new secret, which is shown only once."""

    success: Literal[True]
    secret: Annotated[
        str,
        Keywords(pattern=SIGNING_SECRET_PATTERN),
        "The key that signs: standard base64 after the prefix. Keep it; it is not shown again.",
    ]


class SubscriptionCreated(SubscriptionSecret, Remark):
    """A webhook that was created."""


class SubscriptionList(TypedDict):
    """A page of webhooks, newest first."""

    subscriptions: list[SubscriptionItem]
    next_cursor: NextCursor


def subscription_item(subscription: Subscription) -> SubscriptionItem:
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
        "previous_secret_until": moment_or_null(subscription.previous_until),
        "failing_since": moment_or_null(subscription.failing_since),
        "disabled_at": moment_or_null(subscription.disabled_at),
        "disabled_reason": subscription.disabled_reason or None,
    }


def event_type_item(kind: EventType) -> EventTypeItem:
    return {
        "type": kind.value,
        "meaning": CATALOGUE[kind][0],
        "versions": versions_of(kind),
        "sample": example_data(kind),
    }


def moment_or_null(at: datetime | None) -> str | None:
    return None if at is None else utc(at)


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
    str, Keywords(pattern="^evt_[0-9a-f-]{36}$"), "The delivery's id: the body's `id`, and the header `webhook-id`."
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
    return {**_head(delivery), "attempts": delivery.attempts}


def delivery_detail(delivery: Delivery) -> DeliveryDetail:
    return {**_head(delivery), "body": json.loads(bytes(delivery.body)), "attempts": [*_attempts(delivery)]}


def _head(delivery: Delivery) -> _DeliveryHead:
    return {
        "id": delivery.delivery_id,
        "subscription": None if delivery.subscription is None else delivery.subscription.public_id,
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
    # If its outcome is unknown, it began when it was claimed.
    begun_at = delivery.claimed_at if delivery.state == State.ABANDONED else delivery.attempted_at
    if begun_at is not None and not is_kept:
        yield _attempt(delivery, max(delivery.attempts, 1), begun_at)


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
