"""The webhooks: what a receiver gets, one entry for each type of the catalogue.

The examples are made by the encoder that makes the deliveries (`webhooks.events.Body`).
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Literal, TypedDict, get_type_hints
from uuid import UUID

from drf_spectacular.utils import OpenApiExample, OpenApiRequest, OpenApiResponse, OpenApiWebhook, extend_schema

from prealerts.reference import examples
from shipments.statuses import GuideStatus, Source
from shipments.tracking.announcements import GuideMovedData, PreAlertIngestedData
from webhooks.events import Body, DeliveryId, Event, EventBody, EventType, TestData, delivery_id

_OCCURRED_AT = datetime(2026, 11, 21, 15, 39, 49, 161260, UTC)
_CREATED_AT = datetime(2026, 11, 21, 15, 39, 49, 168579, UTC)
_DELIVERY = UUID("ab181e27-c073-4611-aa57-081315d42970")

_GUIDE = {
    "manifest_id": examples.MANIFEST_ID,
    "mawb": "045-70310122",
    "hawb": "AND2612150102",
    "tracking_code": "DEMHGD7DBQVS3R",
}


def _moved(status: GuideStatus, previous: GuideStatus, source: Source, **reason: str) -> dict[str, object]:
    standing = {"status": status.value, "status_code": status.code, "previous_status": previous.value}
    return {**_GUIDE, **standing, "source": source.value, **reason}


CATALOGUE: Mapping[EventType, tuple[str, type[object], Mapping[str, object]]] = {
    EventType.PRE_ALERT_INGESTED: (
        "A manifest was taken in",
        PreAlertIngestedData,
        {
            "manifest_id": examples.MANIFEST_ID,
            "mawb": "045-70310122",
            "country": "CL",
            "eta": "2026-12-15T06:45:00-03:00",
            "total_guides": 2,
            "guides_by_status": {"registered": 2},
        },
    ),
    EventType.GUIDE_STATUS_CHANGED: (
        "A guide came into customs_processing, customs_released or in_transit",
        GuideMovedData,
        _moved(GuideStatus.CUSTOMS_PROCESSING, GuideStatus.REGISTERED, Source.CUSTOMS),
    ),
    EventType.GUIDE_OUT_FOR_DELIVERY: (
        "A guide is with the last-mile carrier",
        GuideMovedData,
        _moved(GuideStatus.OUT_FOR_DELIVERY, GuideStatus.CUSTOMS_RELEASED, Source.COURIER_SCAN),
    ),
    EventType.GUIDE_DELIVERED: (
        "A guide was delivered",
        GuideMovedData,
        _moved(GuideStatus.DELIVERED, GuideStatus.OUT_FOR_DELIVERY, Source.COURIER_SCAN),
    ),
    EventType.GUIDE_EXCEPTION: (
        "A guide came into an exception, terminal or not",
        GuideMovedData,
        _moved(GuideStatus.CUSTOMS_HELD, GuideStatus.CUSTOMS_PROCESSING, Source.CUSTOMS, reason="Inspección"),
    ),
    EventType.WEBHOOK_TEST: (
        "An operator sent a test",
        TestData,
        {"message": "A test event, sent by an operator."},
    ),
}
"""Type -> summary, the type of `data`, an example of `data`."""


def example(kind: EventType) -> dict[str, object]:
    """The body of a delivery of this type."""
    event = Event(kind, _OCCURRED_AT, "", CATALOGUE[kind][2])
    return dict(json.loads(Body(event, _CREATED_AT).under(delivery_id(_DELIVERY))))


def _payload(kind: EventType, data: type[object]) -> type[object]:
    """The type of the whole body: `GuideDeliveredEvent` for `guide.delivered`."""
    name = "".join(part.title() for part in kind.value.replace(".", "_").split("_"))
    shared = get_type_hints(EventBody, include_extras=True)
    fields = {"id": DeliveryId, **shared, "type": Literal[kind.value], "data": data}
    payload: type[object] = TypedDict(f"{name}Event", fields)  # type: ignore[misc]  # one for each type
    payload.__doc__ = f"The body of a `{kind}` delivery."
    return payload


_DESCRIPTION = """One attempt, of 10 seconds end to end; redirects are not followed, and a missed event is not sent
again. Events may arrive out of order. The GET endpoints are the record: reconcile with them at least once a shift."""
_STORED = "Any 2xx within 10 seconds: the event is stored at the receiver's."
_WRONG_SECRET = "The secret, compared in constant time, is not the one that was agreed."  # noqa: S105  # no secret


def _webhook(kind: EventType, summary: str, data: type[object]) -> OpenApiWebhook:
    body = OpenApiExample(kind.value, value=example(kind))
    payload = _payload(kind, data)
    return OpenApiWebhook(
        name=kind.value,
        decorator=extend_schema(
            operation_id=payload.__name__,
            summary=summary,
            description=" ".join(_DESCRIPTION.split()),
            request={"application/json": OpenApiRequest(payload, examples=[body])},
            responses={
                "2XX": OpenApiResponse(description=_STORED),
                "401": OpenApiResponse(description=_WRONG_SECRET),
            },
        ),
    )


WEBHOOKS = [_webhook(kind, summary, data) for kind, (summary, data, _data) in CATALOGUE.items()]
"""One for each type of the catalogue."""
