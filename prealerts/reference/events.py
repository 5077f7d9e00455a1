"""The webhooks: what a receiver gets, one entry for each type of the catalogue.

The examples are made by the encoder that makes the deliveries (`webhooks.events.Body`).
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Literal, TypedDict, get_type_hints
from uuid import UUID

from drf_spectacular.utils import OpenApiExample, OpenApiRequest, OpenApiResponse, OpenApiWebhook, extend_schema

from base.http.json_types import Keywords
from shipments.tracking.announcements import (
    GuideCorrectedData,
    GuideMovedData,
    PreAlertIngestedData,
    PreAlertVoidedData,
    UploadFailedData,
    UploadSucceededData,
)
from webhooks.catalogue import CATALOGUE, example_data, versions_of
from webhooks.dispatcher.endpoint_health import SubscriptionDisabledData
from webhooks.events import Body, DeliveryId, Event, EventBody, EventType, TestData, delivery_id

_OCCURRED_AT = datetime(2026, 11, 21, 15, 39, 49, 161260, UTC)
_CREATED_AT = datetime(2026, 11, 21, 15, 39, 49, 168579, UTC)
_DELIVERY = UUID("ab181e27-c073-4611-aa57-081315d42970")


DATA: Mapping[EventType, type[object]] = {
    EventType.PRE_ALERT_INGESTED: PreAlertIngestedData,
    EventType.GUIDE_STATUS_CHANGED: GuideMovedData,
    EventType.GUIDE_OUT_FOR_DELIVERY: GuideMovedData,
    EventType.GUIDE_DELIVERED: GuideMovedData,
    EventType.GUIDE_EXCEPTION: GuideMovedData,
    EventType.WEBHOOK_TEST: TestData,
    EventType.PRE_ALERT_VOIDED: PreAlertVoidedData,
    EventType.GUIDE_CORRECTED: GuideCorrectedData,
    EventType.UPLOAD_SUCCEEDED: UploadSucceededData,
    EventType.UPLOAD_FAILED: UploadFailedData,
    EventType.WEBHOOK_SUBSCRIPTION_DISABLED: SubscriptionDisabledData,
}
"""Type -> the type of `data`; its meaning and an example are in the catalogue."""


def example(kind: EventType, version: int) -> dict[str, object]:
    event = Event(kind, _OCCURRED_AT, "", CATALOGUE[kind][1] if version == 1 else example_data(kind))
    return dict(json.loads(Body(event, _CREATED_AT, version).under(delivery_id(_DELIVERY))))


def _payload(kind: EventType, data: type[object]) -> type[object]:
    """The type of the whole body: `GuideDeliveredEvent` for `guide.delivered`."""
    name = "".join(part.title() for part in kind.value.replace(".", "_").split("_"))
    shared = get_type_hints(EventBody, include_extras=True)
    version = Annotated[str, Keywords(enum=versions_of(kind))]
    fields = {"id": DeliveryId, **shared, "type": Literal[kind.value], "api_version": version, "data": data}
    payload: type[object] = TypedDict(f"{name}Event", fields)  # type: ignore[misc]  # one for each type
    payload.__doc__ = f"The body of a `{kind}` delivery."
    return payload


_DESCRIPTION = """Version 1: one attempt, of 10 seconds end to end; a missed event is not sent again. Version 2: signed,
and attempted up to ten times over 75 hours. In both redirects are not followed, and events may arrive out of order. The
GET endpoints are the record: reconcile with them at least once a shift."""
_STORED = "Any 2xx within 10 seconds: the event is stored at the receiver's."
_REFUSED = "The secret (version 1) or the signature (version 2) is not the one that was agreed."
_GONE = "Version 2: the endpoint no longer exists. The webhook is disabled immediately."


def _webhook(kind: EventType, data: type[object]) -> OpenApiWebhook:
    bodies = [OpenApiExample(name, value=example(kind, int(name[1:]))) for name in versions_of(kind)]
    payload = _payload(kind, data)
    return OpenApiWebhook(
        name=kind.value,
        decorator=extend_schema(
            operation_id=payload.__name__,
            summary=CATALOGUE[kind][0],
            description=" ".join(_DESCRIPTION.split()),
            request={"application/json": OpenApiRequest(payload, examples=bodies)},
            responses={
                "2XX": OpenApiResponse(description=_STORED),
                "401": OpenApiResponse(description=_REFUSED),
                "410": OpenApiResponse(description=_GONE),
            },
        ),
    )


WEBHOOKS = [_webhook(kind, data) for kind, data in DATA.items()]
"""One for each type of the catalogue."""
