"""Responses about event types and webhooks. A secret is shown only once.

The types also make up the OpenAPI document: clients read their docstrings and the texts in `Annotated`.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Literal, NotRequired, TypedDict

from webhooks.catalogue import CATALOGUE, example_data, versions_of
from webhooks.events import EventType, SubscriptionId, utc
from webhooks.json_types import KNOWN_WORDS, Keywords, Moment, known_words
from webhooks.models import DisabledReason, Subscription, Version
from webhooks.subscriptions import SIGNING_SECRET_PATTERN

_Version = Annotated[str, Keywords(enum=[version.label for version in Version])]
EventTypeName = Annotated[str, known_words(EventType), "An event type. More may be added."]
NextCursor = Annotated[str | None, "null on the last page."]


def known_or_null(known: Iterable[str]) -> Keywords:
    """Like `known_words`, for a field that may be null."""
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


def event_types() -> EventTypeList:
    """The catalogue."""
    return {"event_types": [event_type_item(kind) for kind in EventType]}


def subscription_item(subscription: Subscription) -> SubscriptionItem:
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
        "previous_secret_until": moment_or_null(subscription.previous_until),
        "failing_since": moment_or_null(subscription.failing_since),
        "disabled_at": moment_or_null(subscription.disabled_at),
        "disabled_reason": subscription.disabled_reason or None,
    }


def subscription_changed(subscription: Subscription, remark: Remark) -> SubscriptionChanged:
    """The response to a change; `remark` is about a new URL."""
    return {"success": True, **subscription_item(subscription), **remark}


def subscription_secret(subscription: Subscription, secret: str) -> SubscriptionSecret:
    """The response to a rotation."""
    return {"success": True, **subscription_item(subscription), "secret": secret}


def subscription_created(subscription: Subscription, secret: str, remark: Remark) -> SubscriptionCreated:
    """The response to a registration; `remark` is about its URL."""
    return {**subscription_secret(subscription, secret), **remark}


def subscriptions_page(rows: Iterable[Subscription], next_cursor: str | None) -> SubscriptionList:
    """A page of the caller's webhooks."""
    return {"subscriptions": [subscription_item(row) for row in rows], "next_cursor": next_cursor}


def event_type_item(kind: EventType) -> EventTypeItem:
    """An event type."""
    return {
        "type": kind.value,
        "meaning": CATALOGUE[kind].meaning,
        "versions": versions_of(kind),
        "sample": example_data(kind),
    }


def moment_or_null(at: datetime | None) -> str | None:
    """Like `utc`; None stays None."""
    return None if at is None else utc(at)
