"""The catalogue: what a client may hear of, and the shape in which it hears it."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Literal, NotRequired, TypedDict
from uuid import UUID

from webhooks.json_types import Keywords, Moment, Uuid


class EventType(StrEnum):
    """The values of `type` and of the header X-Service-Event; never changed once public, only added to."""

    PRE_ALERT_INGESTED = "pre_alert.ingested"
    GUIDE_STATUS_CHANGED = "guide.status_changed"
    GUIDE_OUT_FOR_DELIVERY = "guide.out_for_delivery"
    GUIDE_DELIVERED = "guide.delivered"
    GUIDE_EXCEPTION = "guide.exception"
    WEBHOOK_TEST = "webhook.test"
    PRE_ALERT_VOIDED = "pre_alert.voided"
    UPLOAD_SUCCEEDED = "upload.succeeded"
    UPLOAD_FAILED = "upload.failed"
    WEBHOOK_SUBSCRIPTION_DISABLED = "webhook.subscription_disabled"


V2_ONLY = frozenset(
    {
        EventType.PRE_ALERT_VOIDED,
        EventType.UPLOAD_SUCCEEDED,
        EventType.UPLOAD_FAILED,
        EventType.WEBHOOK_SUBSCRIPTION_DISABLED,
    }
)
"""What endpoints of version 1 never hear of: their catalogue is closed."""
_BY_NAME_ALONE = ("webhook.", "upload.")
"""Types that are no news of a shipment; a subscription hears of them only when its filter names them."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something a client shall hear of.

    occurred_at: when it happened, aware. subject: what operators look for in the log: a tracking code, a MAWB.
    data: the body's `data`, JSON as it stands: text, numbers, booleans, None, lists and mappings of these.
    countries: what it speaks of, alpha-2, for who may read the log of it; without any, those who see everything. They
    are no part of the body.
    """

    type: EventType
    occurred_at: datetime
    subject: str
    data: Mapping[str, object]
    countries: Collection[str] = ()


class TestData(TypedDict):
    """What an operator's test button sends."""

    message: str
    test: NotRequired[Annotated[Literal[True], "Where a client asked for it by API."]]


class UploadEndedData(TypedDict):
    """An upload that was answered with 202 was processed; ask for its job."""

    job_id: Uuid


class EventBody(TypedDict):
    """What the deliveries of an event have in common; `data` depends on `type`."""

    type: EventType
    api_version: str
    timestamp: Annotated[Moment, "When the event was made; UTC."]
    occurred_at: Annotated[Moment, "When the thing itself happened; UTC. Order by this."]
    data: Mapping[str, object]


DeliveryId = Annotated[
    str,
    Keywords(pattern="^evt_[0-9a-f-]{36}$"),
    "Unique to the delivery, as in X-Service-Delivery-Id: drop an id that you have seen.",
]
SubscriptionId = Annotated[str, Keywords(pattern="^sub_[0-9]+$"), "The webhook's id."]


def is_heard(
    event: Event, version: int, event_types: Collection[str] | None = None, countries: Collection[str] | None = None
) -> bool:
    """Whether an endpoint of this version, with these filters, is sent `event`.

    event_types: None takes all news of shipments. countries: alpha-2; None takes all, and an event that speaks of no
    shipment is of no country.
    """
    if version == 1:
        return event.type not in V2_ONLY
    if event_types is None:
        return not event.type.startswith(_BY_NAME_ALONE) and _is_of(event, countries)
    return event.type in event_types and (event.type.startswith("webhook.") or _is_of(event, countries))


def _is_of(event: Event, countries: Collection[str] | None) -> bool:
    return countries is None or not event.countries or not set(countries).isdisjoint(event.countries)


class Body:
    """An event's body in one version of the webhooks, encoded once; each delivery puts its own id in front."""

    __slots__ = ("_rest",)

    def __init__(self, event: Event, created_at: datetime, version: int = 1) -> None:
        """Raise `TypeError` or `ValueError` for data that JSON cannot say."""
        rest: EventBody = {
            "type": event.type,
            "api_version": f"v{version}",
            "timestamp": utc(created_at),
            "occurred_at": utc(event.occurred_at),
            "data": event.data if version == 1 else _with_country(event),
        }
        self._rest = json.dumps(rest, ensure_ascii=False, allow_nan=False, separators=(",", ":"))[1:].encode()

    def under(self, delivery_id: str) -> bytes:
        """The bytes of the POST whose id is `delivery_id`."""
        return b'{"id":"%s",%s' % (delivery_id.encode("ascii"), self._rest)


def _with_country(event: Event) -> Mapping[str, object]:
    """Version 2 says of which country a shipment's event is, so that a receiver need not ask."""
    if len(event.countries) != 1 or event.type.startswith("webhook."):
        return event.data
    (country,) = event.countries
    return {**event.data, "country": country}


def delivery_id(uuid: UUID) -> DeliveryId:
    """The contract's `evt_<uuid>`: header X-Service-Delivery-Id and the payload's `id`."""
    return f"evt_{uuid}"


def utc(moment: datetime) -> str:
    """An aware moment as the API writes them: ISO 8601, UTC, `Z`. Raises `ValueError` for a naive one."""
    if moment.tzinfo is None:
        raise ValueError("A moment of an event needs its offset.")
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
