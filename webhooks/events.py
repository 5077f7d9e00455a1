"""The event types and the bodies that are sent."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal, NotRequired, TypedDict
from uuid import UUID

from django.conf import settings

from base.db.moments import utc
from base.http.json_types import Keywords, Moment


class EventType(StrEnum):
    """The values of `type` and of the header X-Service-Event; new ones may be added, public ones never change."""

    PRE_ALERT_INGESTED = "pre_alert.ingested"
    GUIDE_STATUS_CHANGED = "guide.status_changed"
    GUIDE_OUT_FOR_DELIVERY = "guide.out_for_delivery"
    GUIDE_DELIVERED = "guide.delivered"
    GUIDE_EXCEPTION = "guide.exception"
    WEBHOOK_TEST = "webhook.test"
    PRE_ALERT_VOIDED = "pre_alert.voided"
    GUIDE_CORRECTED = "guide.corrected"
    UPLOAD_SUCCEEDED = "upload.succeeded"
    UPLOAD_FAILED = "upload.failed"
    WEBHOOK_SUBSCRIPTION_DISABLED = "webhook.subscription_disabled"


V2_ONLY = frozenset({
    EventType.PRE_ALERT_VOIDED, EventType.GUIDE_CORRECTED, EventType.UPLOAD_SUCCEEDED, EventType.UPLOAD_FAILED,
    EventType.WEBHOOK_SUBSCRIPTION_DISABLED,
})  # fmt: skip
"""Types that are never sent to endpoints of version 1, whose list is closed."""
BY_NAME_ALONE = ("webhook.", "upload.")
"""Types that begin with these are not about shipments; sent only to subscriptions whose filter lists them."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something to report to a client.

    occurred_at: when it happened, aware. subject: what operators search for in the log: a tracking code or MAWB.
    data: the body's `data`: text, numbers, booleans, None, lists and mappings of these. countries: alpha-2 codes of
    the countries it is about; they decide which operators may see it in the log (without any: those who see every
    country), and are not part of the body. made_at: its `timestamp`, aware, where that has an order to keep; without
    it, the time at which it is published.
    """

    type: EventType
    occurred_at: datetime
    subject: str
    data: Mapping[str, object]
    countries: Collection[str] = ()
    made_at: datetime | None = None


class TestData(TypedDict):
    """The event that an operator's test sends."""

    message: str
    test: NotRequired[Annotated[Literal[True], "The reason in a test that a client requested by API."]]


class _OfSandbox(TypedDict):
    sandbox: NotRequired[Annotated[Literal[True], "Only in a sandbox, where shipments are invented."]]


class EventBody(_OfSandbox):
    """What all deliveries of an event have in common; `data` depends on `type`."""

    type: EventType
    api_version: str
    timestamp: Annotated[Moment, "When the event was created; UTC. Later for each event of a guide."]
    occurred_at: Annotated[Moment, "When it happened; UTC. Order the events of a guide by `data.sequence`."]
    data: Mapping[str, object]


DeliveryId = Annotated[
    str,
    Keywords(pattern="^evt_[0-9a-f-]{36}$"),
    "Unique to the delivery, as in X-Service-Delivery-Id: ignore an id that you have processed.",
]
SUBSCRIPTION_ID_PATTERN = "^sub_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
SubscriptionId = Annotated[str, Keywords(pattern=SUBSCRIPTION_ID_PATTERN), "The webhook's id."]


def is_subscribed(
    event: Event, version: int, event_types: Collection[str] | None = None, countries: Collection[str] | None = None
) -> bool:
    """Return whether `event` is sent to an endpoint of this version with these filters.

    event_types: None means all about shipments. countries: alpha-2; None means all. Events that are not about
    shipments are sent whatever the countries.
    """
    if version == 1:
        return event.type not in V2_ONLY
    if event_types is None:
        return not event.type.startswith(BY_NAME_ALONE) and _is_of(event, countries)
    return event.type in event_types and (event.type.startswith(BY_NAME_ALONE) or _is_of(event, countries))


def _is_of(event: Event, countries: Collection[str] | None) -> bool:
    return countries is None or not event.countries or not set(countries).isdisjoint(event.countries)


_SANDBOX: Mapping[bool, _OfSandbox] = {True: {"sandbox": True}, False: {}}


class Body:
    """An event's body in one version, encoded once; each delivery prepends its own id."""

    __slots__ = ("_rest",)

    def __init__(self, event: Event, created_at: datetime, version: int = 1) -> None:
        """Raise `TypeError` or `ValueError` for data that is not JSON."""
        rest: EventBody = {
            "type": event.type,
            "api_version": f"v{version}",
            **_SANDBOX[settings.SANDBOX],
            "timestamp": utc(event.made_at or created_at),
            "occurred_at": utc(event.occurred_at),
            "data": event.data if version == 1 else _with_country(event),
        }
        self._rest = json.dumps(rest, ensure_ascii=False, allow_nan=False, separators=(",", ":"))[1:].encode()

    def under(self, delivery_id: str) -> bytes:
        return b'{"id":"%s",%s' % (delivery_id.encode("ascii"), self._rest)


def _with_country(event: Event) -> Mapping[str, object]:
    if len(event.countries) != 1 or event.type.startswith(BY_NAME_ALONE):
        return event.data
    (country,) = event.countries
    return {**event.data, "country": country}


def delivery_id(uuid: UUID) -> DeliveryId:
    """The contract's `evt_<uuid>`: header X-Service-Delivery-Id and the payload's `id`."""
    return f"evt_{uuid}"


def subscription_id(uuid: UUID) -> SubscriptionId:
    """`sub_<uuid>`: a subscription's id in the API and in events. Random, so that it reveals no number of others."""
    return f"sub_{uuid}"
