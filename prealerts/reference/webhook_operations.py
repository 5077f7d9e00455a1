"""What the document says of the webhooks' views, as `operations` does of the others."""

from collections.abc import Mapping

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiRequest, OpenApiResponse, extend_schema

from prealerts.reference import refusals, webhook_examples
from prealerts.reference.about import WEBHOOKS
from webhooks.events import EventType
from webhooks.models import State
from webhooks.v1 import answers, bodies, delivery_answers, views


def _answer(kind: type[object], sentence: str, value: Mapping[str, object]) -> OpenApiResponse:
    return OpenApiResponse(kind, sentence, examples=[OpenApiExample("answer", summary=sentence, value=dict(value))])


def _sent(kind: type[bodies.Body], value: Mapping[str, object]) -> dict[str, OpenApiRequest]:
    return {"application/json": OpenApiRequest(kind, examples=[OpenApiExample("request", value=dict(value))])}


def _in_path(name: str, example: str, pattern: str) -> OpenApiParameter:
    shown = [OpenApiExample("id", value=example)]
    return OpenApiParameter(name, {"type": "string", "pattern": pattern}, OpenApiParameter.PATH, examples=shown)


_SUBSCRIPTION_ID = _in_path("subscription_id", "sub_12", "^sub_[0-9]+$")
_DELIVERY_ID = _in_path("delivery_id", webhook_examples.DELIVERY_ID, "^evt_[0-9a-f-]{36}$")
_PAGE = [
    OpenApiParameter("limit", {"type": "integer", "minimum": 1, "maximum": 100, "default": 50}),
    OpenApiParameter("cursor", OpenApiTypes.STR, description="`next_cursor` of the page before."),
]
_LOG = [
    OpenApiParameter("subscription", {"type": "string", "pattern": "^sub_[0-9]{1,18}$"}),
    OpenApiParameter("state", {"type": "string", "enum": State.values}),
    OpenApiParameter("type", {"type": "string", "enum": [kind.value for kind in EventType]}),
    OpenApiParameter("subject", {"type": "string", "maxLength": 64}, description="Tracking code or MAWB, written out."),
    OpenApiParameter("from", OpenApiTypes.DATETIME, description="Made at this moment or later; with an offset."),
    OpenApiParameter("to", OpenApiTypes.DATETIME, description="Made before this moment; with an offset."),
]


extend_schema(
    operation_id="listEventTypes",
    tags=[WEBHOOKS],
    summary="The catalogue of events",
    description="Every type in a sentence, with an example of its `data`, and the versions that hear of it.",
    responses={
        200: _answer(answers.EventTypes, "The catalogue.", webhook_examples.EVENT_TYPES),
        **refusals.responses(refusals.WEBHOOKS),
    },
)(views.EventTypesView.get)


extend_schema(
    operation_id="listSubscriptions",
    tags=[WEBHOOKS],
    summary="Your webhooks",
    description="Newest first; those of version 1, which the operators keep, among them.",
    parameters=_PAGE,
    responses={
        200: _answer(answers.Subscriptions, "A page.", webhook_examples.SUBSCRIPTIONS),
        **refusals.responses(refusals.WEBHOOKS_PAGE),
    },
)(views.SubscriptionsView.get)


extend_schema(
    operation_id="createSubscription",
    tags=[WEBHOOKS],
    summary="Make a webhook of version 2",
    description=(
        "At most 10 active ones. The secret is ours and shown this once. Without `event_types` it hears "
        "of everything but `webhook.*` and `upload.*`; filters count for what happens from now on. "
        "`warning` says so when the name of the host does not resolve at the moment."
    ),
    request=_sent(bodies.NewSubscription, webhook_examples.NEW_SUBSCRIPTION),
    responses={
        201: _answer(answers.SubscriptionCreated, "Made.", webhook_examples.CREATED),
        **refusals.responses(refusals.WEBHOOK_CREATE),
    },
)(views.SubscriptionsView.post)


extend_schema(
    operation_id="getSubscription",
    tags=[WEBHOOKS],
    summary="One webhook",
    description="With its health: since when every attempt has failed, and why we disabled it.",
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
        "What is left out stays. Deactivated, it is sent nothing more, and what waits is given up: "
        "replay it once the webhook is active again, which sends nothing old by itself."
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
    description="What waits is cancelled; the log stays.",
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
    description="Both secrets sign for `overlap_hours`, then the new one alone; 0 drops the old one at once.",
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
        "The example of a type, with `test: true` in `data`, to this webhook alone, whatever it filters. "
        "At most 10 a minute."
    ),
    parameters=[_SUBSCRIPTION_ID],
    request=_sent(bodies.Test, {"type": "guide.delivered"}),
    responses={
        202: _answer(delivery_answers.TestSent, "On its way; ask for the delivery.", webhook_examples.TEST_SENT),
        **refusals.responses(refusals.WEBHOOK_TEST),
    },
)(views.TestView.post)


extend_schema(
    operation_id="replayRange",
    tags=[WEBHOOKS],
    summary="Send a range once more",
    description=(
        "What was made from `since` until before `until`, of the last 30 days, at most 5,000 at a call; "
        "oldest first, and behind what happens today. Version 2 alone."
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
    description="Its body as it is sent, and every attempt.",
    parameters=[_DELIVERY_ID],
    responses={
        200: _answer(delivery_answers.DeliveryDetail, "The delivery.", webhook_examples.DELIVERY_DETAIL),
        **refusals.responses(refusals.WEBHOOK),
    },
)(views.DeliveryView.get)


extend_schema(
    operation_id="replayDelivery",
    tags=[WEBHOOKS],
    summary="Send a delivery once more",
    description=(
        "Under its id and with its body, from the first attempt on. One of version 2, of the last 30 "
        "days, that is dead, delivered or waiting."
    ),
    parameters=[_DELIVERY_ID],
    request=None,
    responses={
        202: _answer(delivery_answers.ReplayedDelivery, "On its way.", webhook_examples.REPLAYED),
        **refusals.responses(refusals.WEBHOOK_REPLAY),
    },
)(views.ReplayView.post)
