"""The webhooks: what a receiver gets, one entry for each type of the catalogue.

The examples are made by the encoder that makes the deliveries (`webhooks.events.Body`).
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from uuid import UUID

from drf_spectacular.utils import OpenApiExample, OpenApiRequest, OpenApiResponse, OpenApiWebhook, extend_schema
from rest_framework import serializers

from prealerts.reference.responses import described, word
from shipments.statuses import GuideStatus, Source
from webhooks.catalogue import CATALOGUE, example_data, versions_of
from webhooks.events import Body, Event, EventType, delivery_id
from webhooks.models import DisabledReason

_OCCURRED_AT = datetime(2026, 11, 21, 15, 39, 49, 161260, UTC)
_CREATED_AT = datetime(2026, 11, 21, 15, 39, 49, 168579, UTC)
_DELIVERY = UUID("ab181e27-c073-4611-aa57-081315d42970")


class PreAlertIngestedData(serializers.Serializer[object]):
    """A manifest that was taken in."""

    manifest_id = serializers.UUIDField()
    mawb = described({"type": "string", "pattern": r"^[0-9]{3}-[0-9]{8}$"})
    country = serializers.CharField(help_text="ISO 3166 alpha-2 of the destination.")
    eta = serializers.DateTimeField(allow_null=True)
    total_guides = serializers.IntegerField(min_value=1)
    guides_by_status = serializers.DictField(child=serializers.IntegerField(min_value=1))


class GuideMovedData(serializers.Serializer[object]):
    """A guide that came into another status. Never a consignee's data."""

    manifest_id = serializers.UUIDField()
    mawb = described({"type": "string", "pattern": r"^[0-9]{3}-[0-9]{8}$"})
    hawb = serializers.CharField()
    tracking_code = serializers.CharField()
    status = word("Where the guide stands now. More may come.", GuideStatus)
    status_code = serializers.IntegerField(min_value=1)
    previous_status = word("Where it stood before.", GuideStatus)
    source = word("Who told us. More may come.", Source)  # type: ignore[assignment]  # DRF's Field has one of its own
    reason = serializers.CharField(required=False, help_text="Why, where somebody said so.")
    country = serializers.CharField(
        required=False, help_text="ISO 3166 alpha-2 of the destination; in version 2 alone, and there always."
    )


class TestData(serializers.Serializer[object]):
    """What an operator's test button sends."""

    __test__ = False  # pytest takes every Test... for its own

    message = serializers.CharField()
    test = described({"type": "boolean", "const": True}, required=False)


class PreAlertVoidedData(serializers.Serializer[object]):
    """A manifest that was voided, with all its guides."""

    manifest_id = serializers.UUIDField()
    mawb = described({"type": "string", "pattern": r"^[0-9]{3}-[0-9]{8}$"})
    country = serializers.CharField(help_text="ISO 3166 alpha-2 of the destination.")
    total_guides = serializers.IntegerField(min_value=1)


class UploadEndedData(serializers.Serializer[object]):
    """An upload that was answered with 202 came to its end; ask for its job."""

    job_id = serializers.UUIDField()


class SubscriptionDisabledData(serializers.Serializer[object]):
    """Another webhook of yours that we sent nothing more to."""

    subscription = described({"type": "string", "pattern": "^sub_[0-9]+$"})
    url = serializers.CharField()
    reason = word("Why. More may come.", DisabledReason.values)


_DATA: Mapping[EventType, type[serializers.Serializer[object]]] = {
    EventType.PRE_ALERT_INGESTED: PreAlertIngestedData,
    EventType.GUIDE_STATUS_CHANGED: GuideMovedData,
    EventType.GUIDE_OUT_FOR_DELIVERY: GuideMovedData,
    EventType.GUIDE_DELIVERED: GuideMovedData,
    EventType.GUIDE_EXCEPTION: GuideMovedData,
    EventType.WEBHOOK_TEST: TestData,
    EventType.PRE_ALERT_VOIDED: PreAlertVoidedData,
    EventType.UPLOAD_SUCCEEDED: UploadEndedData,
    EventType.UPLOAD_FAILED: UploadEndedData,
    EventType.WEBHOOK_SUBSCRIPTION_DISABLED: SubscriptionDisabledData,
}
"""Type -> the serializer of `data`; words and examples are the catalogue's."""


def example(kind: EventType, version: int) -> dict[str, object]:
    """The body of a delivery of this type, in this version of the webhooks."""
    event = Event(kind, _OCCURRED_AT, "", CATALOGUE[kind].data if version == 1 else example_data(kind))
    return dict(json.loads(Body(event, _CREATED_AT, version).under(delivery_id(_DELIVERY))))


def _payload(kind: EventType, data: type[serializers.Serializer[object]]) -> type[serializers.Serializer[object]]:
    """The serializer of the whole body: `GuideDeliveredEvent` for `guide.delivered`."""
    fields = {
        "__doc__": f"The body of a `{kind}` delivery.",
        "id": described(
            {
                "type": "string",
                "pattern": "^evt_[0-9a-f-]{36}$",
                "description": "Unique to the delivery, as in X-Service-Delivery-Id: drop an id that you have seen.",
            }
        ),
        "type": described({"type": "string", "const": kind.value}),
        "api_version": described({"type": "string", "enum": versions_of(kind)}),
        "timestamp": serializers.DateTimeField(help_text="When the event was made; UTC."),
        "occurred_at": serializers.DateTimeField(help_text="When the thing itself happened; UTC. Order by this."),
        "data": data(),
    }
    name = "".join(part.title() for part in kind.value.replace(".", "_").split("_"))
    return type(f"{name}Event", (serializers.Serializer,), fields)


_DESCRIPTION = """Version 1: one attempt, of 10 seconds end to end; a missed event is not sent again. Version 2: signed,
and attempted up to ten times over 75 hours. In both redirects are not followed, and events may arrive out of order. The
GET endpoints are the record: reconcile with them at least once a shift."""
_STORED = "Any 2xx within 10 seconds: the event is stored at the receiver's."
_REFUSED = "The secret (version 1) or the signature (version 2) is not the one that was agreed."
_GONE = "Version 2: the endpoint is no more. The webhook is disabled at once."


def _webhook(kind: EventType, data: type[serializers.Serializer[object]]) -> OpenApiWebhook:
    bodies = [OpenApiExample(name, value=example(kind, int(name[1:]))) for name in versions_of(kind)]
    payload = _payload(kind, data)
    return OpenApiWebhook(
        name=kind.value,
        decorator=extend_schema(
            operation_id=payload.__name__,
            summary=CATALOGUE[kind].meaning,
            description=" ".join(_DESCRIPTION.split()),
            request={"application/json": OpenApiRequest(payload, examples=bodies)},
            responses={
                "2XX": OpenApiResponse(description=_STORED),
                "401": OpenApiResponse(description=_REFUSED),
                "410": OpenApiResponse(description=_GONE),
            },
        ),
    )


WEBHOOKS = [_webhook(kind, data) for kind, data in _DATA.items()]
"""One for each type of the catalogue."""
