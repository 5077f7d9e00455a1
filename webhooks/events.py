"""The catalogue: what a client may hear of, and the shape in which it hears it."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Literal, TypedDict
from uuid import UUID

from webhooks.json_types import Keywords, Moment

API_VERSION: Literal["v1"] = "v1"


class EventType(StrEnum):
    """The values of `type` and of the header X-Service-Event; never changed once public, only added to."""

    PRE_ALERT_INGESTED = "pre_alert.ingested"
    GUIDE_STATUS_CHANGED = "guide.status_changed"
    GUIDE_OUT_FOR_DELIVERY = "guide.out_for_delivery"
    GUIDE_DELIVERED = "guide.delivered"
    GUIDE_EXCEPTION = "guide.exception"
    WEBHOOK_TEST = "webhook.test"


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


class EventBody(TypedDict):
    """What the deliveries of an event have in common; `data` depends on `type`."""

    type: EventType
    api_version: Literal["v1"]
    timestamp: Annotated[Moment, "When the event was made; UTC."]
    occurred_at: Annotated[Moment, "When the thing itself happened; UTC. Order by this."]
    data: Mapping[str, object]


DeliveryId = Annotated[
    str,
    Keywords(pattern="^evt_[0-9a-f-]{36}$"),
    "Unique to the delivery, as in X-Service-Delivery-Id: drop an id that you have seen.",
]


class Body:
    """An event's body, encoded once; each delivery puts its own id in front."""

    __slots__ = ("_rest",)

    def __init__(self, event: Event, created_at: datetime) -> None:
        """Raise `TypeError` or `ValueError` for data that JSON cannot say."""
        rest: EventBody = {
            "type": event.type,
            "api_version": API_VERSION,
            "timestamp": utc(created_at),
            "occurred_at": utc(event.occurred_at),
            "data": event.data,
        }
        self._rest = json.dumps(rest, ensure_ascii=False, allow_nan=False, separators=(",", ":"))[1:].encode()

    def under(self, delivery_id: str) -> bytes:
        """The bytes of the POST whose id is `delivery_id`."""
        return b'{"id":"%s",%s' % (delivery_id.encode("ascii"), self._rest)


def delivery_id(uuid: UUID) -> DeliveryId:
    """The contract's `evt_<uuid>`: header X-Service-Delivery-Id and the payload's `id`."""
    return f"evt_{uuid}"


def utc(moment: datetime) -> str:
    """An aware moment as the API writes them: ISO 8601, UTC, `Z`. Raises `ValueError` for a naive one."""
    if moment.tzinfo is None:
        raise ValueError("A moment of an event needs its offset.")
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
