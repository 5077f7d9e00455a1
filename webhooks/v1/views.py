"""`/api/public/pre-alerts/v1/webhooks/`: all views are limited to what the caller's company owns."""

from typing import Any

from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from companies.authentication import caller
from companies.models import Company
from webhooks import replays
from webhooks.errors import BodyRefused, CourierRefused, WebhookNotFound
from webhooks.events import EventType
from webhooks.models import Delivery, Subscription
from webhooks.v1 import answers, bodies, delivery_answers, pages, self_service


class WebhooksView(APIView):
    """A route for clients; couriers are refused before the request is read."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # DRF's signature
        super().initial(request, *args, **kwargs)
        if caller(request).is_courier:
            raise CourierRefused

    @staticmethod
    def body(request: Request) -> dict[str, Any]:
        """Return the JSON object that was sent; empty without a body. Raises `BodyRefused`."""
        try:
            data = request.data if request.stream else {}
        except UnsupportedMediaType:
            raise BodyRefused from None
        if not isinstance(data, dict):
            raise BodyRefused
        return data


class EventTypesView(WebhooksView):
    """`GET event-types`: the catalogue."""

    def get(self, request: Request) -> Response:  # noqa: ARG002  # the same for all
        return Response(answers.event_types())


class SubscriptionsView(WebhooksView):
    """`GET subscriptions`, `POST subscriptions`."""

    def get(self, request: Request) -> Response:
        page = bodies.Page.read(request.query_params)
        rows, next_cursor = pages.subscriptions(caller(request), page)
        return Response(answers.subscriptions_page(rows, next_cursor))

    def post(self, request: Request) -> Response:
        company = caller(request)
        wanted = bodies.NewSubscription.read(self.body(request))
        made = self_service.create(company, wanted)
        return Response(answers.subscription_created(made.subscription, made.secret, made.remark), status=201)


class SubscriptionView(WebhooksView):
    """`GET`, `PATCH` and `DELETE subscriptions/:id`."""

    def get(self, request: Request, subscription_id: str) -> Response:
        return Response(answers.subscription_item(_subscription(caller(request), subscription_id)))

    def patch(self, request: Request, subscription_id: str) -> Response:
        company = caller(request)
        wanted = bodies.ChangedSubscription.read(self.body(request), partial=True)
        subscription = _subscription(company, subscription_id)
        remark = self_service.change(subscription, wanted)
        subscription.refresh_from_db()
        return Response(answers.subscription_changed(subscription, remark))

    def delete(self, request: Request, subscription_id: str) -> Response:
        self_service.delete(_subscription(caller(request), subscription_id))
        return Response(status=204)


class RotateSecretView(WebhooksView):
    """`POST subscriptions/:id/rotate-secret`."""

    def post(self, request: Request, subscription_id: str) -> Response:
        wanted = bodies.Rotation.read(self.body(request))
        subscription = _subscription(caller(request), subscription_id)
        secret = self_service.rotate(subscription, **wanted)
        return Response(answers.subscription_secret(subscription, secret))


class TestView(WebhooksView):
    """`POST subscriptions/:id/test`."""

    __test__ = False  # pytest takes every Test... for its own

    def post(self, request: Request, subscription_id: str) -> Response:
        company = caller(request)
        wanted = bodies.Test.read(self.body(request))
        delivery = self_service.test(company, _subscription(company, subscription_id), EventType(wanted["type"]))
        answer: delivery_answers.TestSent = {"success": True, "delivery_id": delivery.delivery_id}
        return Response(answer, status=202)


class ReplayRangeView(WebhooksView):
    """`POST subscriptions/:id/replay`."""

    def post(self, request: Request, subscription_id: str) -> Response:
        wanted = bodies.Range.read(self.body(request))
        replayed, has_more = replays.replay_range(_subscription(caller(request), subscription_id), **wanted)
        answer: delivery_answers.ReplayedRange = {"success": True, "replayed": replayed, "has_more": has_more}
        return Response(answer)


class DeliveriesView(WebhooksView):
    """`GET deliveries`: the log, newest first."""

    def get(self, request: Request) -> Response:
        wanted = bodies.LogPage.read(request.query_params)
        rows, next_cursor = pages.deliveries(caller(request), wanted)
        return Response(delivery_answers.deliveries_page(rows, next_cursor))


class DeliveryView(WebhooksView):
    """`GET deliveries/:id`."""

    def get(self, request: Request, delivery_id: str) -> Response:
        mine = Delivery.objects.filter(company=caller(request), uuid=pages.uuid_of(delivery_id, "evt_"))
        delivery = mine.select_related("subscription").prefetch_related("past_attempts").first()
        if delivery is None:
            raise WebhookNotFound
        return Response(delivery_answers.delivery_detail(delivery))


class ReplayView(WebhooksView):
    """`POST deliveries/:id/replay`."""

    def post(self, request: Request, delivery_id: str) -> Response:
        bodies.RequestBody.read(self.body(request))
        delivery = replays.replay(caller(request), pages.uuid_of(delivery_id, "evt_"))
        return Response(delivery_answers.replayed_delivery(delivery), status=202)


def _subscription(company: Company, name: str) -> Subscription:
    """The company's subscription `sub_<uuid>`. Raises `WebhookNotFound`."""
    mine = Subscription.objects.filter(company=company).select_related("company")
    found: Subscription | None = mine.filter(uuid=pages.uuid_of(name, "sub_")).first()
    if found is None:
        raise WebhookNotFound
    return found
