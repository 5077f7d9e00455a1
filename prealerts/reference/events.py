"""The webhooks: what a receiver gets, one entry for each type of the catalogue.

The examples are made by the encoder that makes the deliveries (`webhooks.events.Body`).
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Literal, TypedDict, get_type_hints
from uuid import UUID

from base.http.json_types import Keywords
from prealerts.reference.schemas import Schema, parameter
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
from webhooks.events import V2_ONLY, Body, DeliveryId, Event, EventBody, EventType, TestData, delivery_id
from webhooks.sender import SIGNED_USER_AGENT, USER_AGENT

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

_header = partial(parameter, "header")
_ID = "^evt_[0-9a-f-]{36}$"
_SIGNATURE = "v1,[A-Za-z0-9+/]{43}="
_SIGNATURE_HEADERS = [
    _header("webhook-id", "Version 2: the body's `id`, the same over all attempts and replays.", pattern=_ID),
    _header(
        "webhook-timestamp", "Version 2: when this attempt was made, in seconds since 1970. Refuse what is old.",
        pattern="^[0-9]+$",
    ),
    _header(
        "webhook-signature",
        "Version 2: `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body` (Standard Webhooks 1.0). Two, with a blank "
        "between them, while one secret replaces another.",
        pattern=f"^{_SIGNATURE}( {_SIGNATURE})*$",
    ),
]  # fmt: skip
_DELIVERY_HEADERS = [
    _header("X-Service-Delivery-Id", "Unique to the delivery; the same as the body's `id`.", pattern=_ID),
    _header("X-Service-Event", "The same as the body's `type`."),
    _header("User-Agent", enum=[USER_AGENT, SIGNED_USER_AGENT]),
]


def _describe(kind: EventType, data: type[object]) -> Schema:
    is_signed_always = kind in V2_ONLY
    payload = _payload(kind, data)
    bodies = {name.upper(): {"value": example(kind, int(name[1:])), "summary": name} for name in versions_of(kind)}
    signature = [{**each, "required": is_signed_always} for each in _SIGNATURE_HEADERS]
    return {
        "operationId": payload.__name__,
        "description": " ".join(_DESCRIPTION.split()),
        "summary": CATALOGUE[kind][0],
        "requestBody": {
            "content": {"application/json": {"schema": {"$ref": payload}, "examples": bodies}}, "required": True
        },
        "responses": {
            "2XX": {"description": "Any 2xx within 10 seconds: the event is stored at the receiver's."},
            "401": {
                "description": "The secret (version 1) or the signature (version 2) is not the one that was agreed."
            },
            "410": {
                "description": "Version 2: the endpoint no longer exists. The webhook is disabled immediately."
            },
        },
        "security": [{}] if is_signed_always else [{"WebhookSecret": []}, {}],
        "parameters": [*({**each, "required": True} for each in _DELIVERY_HEADERS), *signature],
    }  # fmt: skip


EVENTS: Mapping[str, Schema] = {kind.value: {"post": _describe(kind, data)} for kind, data in DATA.items()}
"""The `webhooks` of OpenAPI: one for each type of the catalogue."""
