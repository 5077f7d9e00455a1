"""The descriptions of the webhooks' views in the document; see `operations` for the others."""

from collections.abc import Mapping

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiRequest, OpenApiResponse, extend_schema

from prealerts.reference import refusals, webhook_examples
from prealerts.reference.about import WEBHOOKS
from webhooks.catalogue import SUBSCRIPTION
from webhooks.events import SUBSCRIPTION_ID_PATTERN, EventType
from webhooks.models import State
from webhooks.v1 import answers, bodies, delivery_answers, views


def _answer(kind: type[object], sentence: str, value: Mapping[str, object]) -> OpenApiResponse:
    return OpenApiResponse(kind, sentence, examples=[OpenApiExample("answer", summary=sentence, value=dict(value))])


def _sent(kind: type[bodies.RequestBody], value: Mapping[str, object]) -> dict[str, OpenApiRequest]:
    return {"application/json": OpenApiRequest(kind, examples=[OpenApiExample("request", value=dict(value))])}


def _in_path(name: str, example: str, pattern: str) -> OpenApiParameter:
    shown = [OpenApiExample("id", value=example)]
    return OpenApiParameter(name, {"type": "string", "pattern": pattern}, OpenApiParameter.PATH, examples=shown)


_SUBSCRIPTION_ID = _in_path("subscription_id", SUBSCRIPTION, SUBSCRIPTION_ID_PATTERN)
_DELIVERY_ID = _in_path("delivery_id", webhook_examples.DELIVERY_ID, "^evt_[0-9a-f-]{36}$")
_PAGE = [
    OpenApiParameter("limit", {"type": "integer", "minimum": 1, "maximum": 100, "default": 50}),
    OpenApiParameter("cursor", OpenApiTypes.STR, description="`next_cursor` of the previous page."),
]
_LOG = [
    OpenApiParameter("subscription", {"type": "string", "pattern": SUBSCRIPTION_ID_PATTERN}),
    OpenApiParameter("state", {"type": "string", "enum": State.values}),
    OpenApiParameter("type", {"type": "string", "enum": [kind.value for kind in EventType]}),
    OpenApiParameter("subject", {"type": "string", "maxLength": 64}, description="A whole tracking code or MAWB."),
    OpenApiParameter("from", OpenApiTypes.DATETIME, description="Created at this time or later; with an offset."),
    OpenApiParameter("to", OpenApiTypes.DATETIME, description="Created before this time; with an offset."),
]


extend_schema(
    operation_id="listEventTypes",
    tags=[WEBHOOKS],
    summary="The event types",
    description="Every event type with a description, an example of its `data`, and the versions that send it.",
    responses={
        200: _answer(answers.EventTypes, "The event types.", webhook_examples.EVENT_TYPES),
        **refusals.responses(refusals.WEBHOOKS),
    },
)(views.EventTypesView.get)


extend_schema(
    operation_id="listSubscriptions",
    tags=[WEBHOOKS],
    summary="Your webhooks",
    description="Newest first, including those of version 1, which operators manage.",
    parameters=_PAGE,
    responses={
        200: _answer(answers.Subscriptions, "A page.", webhook_examples.SUBSCRIPTIONS),
        **refusals.responses(refusals.WEBHOOKS_PAGE),
    },
)(views.SubscriptionsView.get)


extend_schema(
    operation_id="createSubscription",
    tags=[WEBHOOKS],
    summary="Create a webhook of version 2",
    description=(
        "At most 10 active ones. The secret is generated and shown only once. Without `event_types` it receives "
        "everything except `webhook.*`; filters apply to new events. "
        "`warning` says so if the host does not resolve to a public address at the moment."
    ),
    request=_sent(bodies.NewSubscription, webhook_examples.NEW_SUBSCRIPTION),
    responses={
        201: _answer(answers.SubscriptionCreated, "Created.", webhook_examples.CREATED),
        **refusals.responses(refusals.WEBHOOK_CREATE),
    },
)(views.SubscriptionsView.post)


extend_schema(
    operation_id="getSubscription",
    tags=[WEBHOOKS],
    summary="One webhook",
    description="With its health: since when every attempt has failed, and why the service disabled it.",
    parameters=[_SUBSCRIPTION_ID],
    responses={
        200: _answer(answers.SubscriptionItem, "The webhook.", webhook_examples.SUBSCRIPTION),
        **refusals.responses(refusals.WEBHOOK),
    },
)(views.SubscriptionView.get)


extend_schema(
    operation_id="changeSubscription",
    tags=[WEBHOOKS],
    summary="Change a webhook",
    description=(
        "Fields that are left out stay. Once deactivated, nothing more is sent and waiting deliveries are given up: "
        "replay them once the webhook is active again; activating does not send them."
    ),
    parameters=[_SUBSCRIPTION_ID],
    request=_sent(bodies.ChangedSubscription, {"countries": None}),
    responses={
        200: _answer(answers.SubscriptionChanged, "Changed.", webhook_examples.CHANGED),
        **refusals.responses(refusals.WEBHOOK_CHANGE),
    },
)(views.SubscriptionView.patch)


extend_schema(
    operation_id="deleteSubscription",
    tags=[WEBHOOKS],
    summary="Delete a webhook",
    description="Waiting deliveries are cancelled; the log stays.",
    parameters=[_SUBSCRIPTION_ID],
    responses={
        204: OpenApiResponse(description="Deleted."),
        **refusals.responses(refusals.WEBHOOK_DELETE),
    },
)(views.SubscriptionView.delete)


extend_schema(
    operation_id="rotateSecret",
    tags=[WEBHOOKS],
    summary="A new secret",
    description="Both secrets sign for `overlap_hours`, then only the new one; 0 drops the old one immediately.",
    parameters=[_SUBSCRIPTION_ID],
    request=_sent(bodies.Rotation, {"overlap_hours": 24}),
    responses={
        200: _answer(answers.SubscriptionSecret, "The new secret.", webhook_examples.ROTATED),
        **refusals.responses(refusals.WEBHOOK_ROTATE),
    },
)(views.RotateSecretView.post)


extend_schema(
    operation_id="sendTest",
    tags=[WEBHOOKS],
    summary="Send a test",
    description=(
        "Send the example of a type, with `test: true` in `data`, to this webhook only, regardless of its filters. "
        "At most 10 a minute."
    ),
    parameters=[_SUBSCRIPTION_ID],
    request=_sent(bodies.Test, {"type": "guide.delivered"}),
    responses={
        202: _answer(delivery_answers.TestSent, "Being sent; see the delivery.", webhook_examples.TEST_SENT),
        **refusals.responses(refusals.WEBHOOK_TEST),
    },
)(views.TestView.post)


extend_schema(
    operation_id="replayRange",
    tags=[WEBHOOKS],
    summary="Replay a range",
    description=(
        "Deliveries created from `since` to before `until`, within the last 30 days, at most 5,000 per call; "
        "oldest first, behind current events. Only version 2."
    ),
    parameters=[_SUBSCRIPTION_ID],
    request=_sent(bodies.Range, webhook_examples.RANGE),
    responses={
        200: _answer(delivery_answers.ReplayedRange, "Waiting to be sent.", webhook_examples.REPLAYED_RANGE),
        **refusals.responses(refusals.WEBHOOK_REPLAY_RANGE),
    },
)(views.ReplayRangeView.post)


extend_schema(
    operation_id="listDeliveries",
    tags=[WEBHOOKS],
    summary="The log",
    description="Every delivery to your webhooks, newest first, with its last attempt.",
    parameters=[*_LOG, *_PAGE],
    responses={
        200: _answer(delivery_answers.Deliveries, "A page.", webhook_examples.DELIVERIES),
        **refusals.responses(refusals.WEBHOOKS_PAGE),
    },
)(views.DeliveriesView.get)


extend_schema(
    operation_id="getDelivery",
    tags=[WEBHOOKS],
    summary="One delivery",
    description="Its body as sent, and every attempt.",
    parameters=[_DELIVERY_ID],
    responses={
        200: _answer(delivery_answers.DeliveryDetail, "The delivery.", webhook_examples.DELIVERY_DETAIL),
        **refusals.responses(refusals.WEBHOOK),
    },
)(views.DeliveryView.get)


extend_schema(
    operation_id="replayDelivery",
    tags=[WEBHOOKS],
    summary="Replay a delivery",
    description=(
        "With the same id and body, from the first attempt. Only version 2, within the last 30 "
        "days, if it is dead, delivered or waiting."
    ),
    parameters=[_DELIVERY_ID],
    request=None,
    responses={
        202: _answer(delivery_answers.ReplayedDelivery, "Being sent.", webhook_examples.REPLAYED),
        **refusals.responses(refusals.WEBHOOK_REPLAY),
    },
)(views.ReplayView.post)
