"""`/api/public/pre-alerts/v1/webhooks/`: all views are limited to what the caller's company owns."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from base.errors import BodyRefused, QueryRefused
from base.http.bodies import Page, RequestBody
from base.http.paging import page_of
from companies.authentication import caller
from companies.models import Company
from webhooks import replays
from webhooks.errors import CourierRefused, WebhookNotFound
from webhooks.events import EventType
from webhooks.models import Delivery, Subscription
from webhooks.v1 import answers, bodies, self_service


def uuid_of(name: str, prefix: str) -> UUID:
    """The UUID in `evt_<uuid>` or `sub_<uuid>`. Raises `WebhookNotFound`."""
    try:
        uuid = UUID(name.removeprefix(prefix))
    except ValueError:
        raise WebhookNotFound from None
    if name != f"{prefix}{uuid}":
        raise WebhookNotFound
    return uuid


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
        catalogue: answers.EventTypeList = {"event_types": [answers.event_type_item(kind) for kind in EventType]}
        return Response(catalogue)


class SubscriptionsView(WebhooksView):
    """`GET subscriptions`, `POST subscriptions`."""

    def get(self, request: Request) -> Response:
        page = Page.read(request.query_params)
        mine = Subscription.objects.filter(company=caller(request))
        rows, next_cursor = _page_of(mine, page, {"list": "subscriptions", "company": caller(request).pk})
        items = [answers.subscription_item(row) for row in rows]
        listed: answers.SubscriptionList = {"subscriptions": items, "next_cursor": next_cursor}
        return Response(listed)

    def post(self, request: Request) -> Response:
        company = caller(request)
        wanted = bodies.NewSubscription.read(self.body(request))
        subscription, secret, remark = self_service.create(company, wanted)
        item = answers.subscription_item(subscription)
        created: answers.SubscriptionCreated = {"success": True, **item, "secret": secret, **remark}
        return Response(created, status=201)


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
        changed: answers.SubscriptionChanged = {"success": True, **answers.subscription_item(subscription), **remark}
        return Response(changed)

    def delete(self, request: Request, subscription_id: str) -> Response:
        self_service.delete(_subscription(caller(request), subscription_id))
        return Response(status=204)


class RotateSecretView(WebhooksView):
    """`POST subscriptions/:id/rotate-secret`."""

    def post(self, request: Request, subscription_id: str) -> Response:
        wanted = bodies.Rotation.read(self.body(request))
        subscription = _subscription(caller(request), subscription_id)
        secret = self_service.rotate(subscription, **wanted)
        item = answers.subscription_item(subscription)
        rotated: answers.SubscriptionSecret = {"success": True, **item, "secret": secret}
        return Response(rotated)


class TestView(WebhooksView):
    """`POST subscriptions/:id/test`."""

    __test__ = False  # pytest takes every Test... for its own

    def post(self, request: Request, subscription_id: str) -> Response:
        company = caller(request)
        wanted = bodies.Test.read(self.body(request))
        delivery = self_service.test(company, _subscription(company, subscription_id), EventType(wanted["type"]))
        answer: answers.TestSent = {"success": True, "delivery_id": delivery.delivery_id}
        return Response(answer, status=202)


class ReplayRangeView(WebhooksView):
    """`POST subscriptions/:id/replay`."""

    def post(self, request: Request, subscription_id: str) -> Response:
        wanted = bodies.Range.read(self.body(request))
        replayed, has_more = replays.replay_range(_subscription(caller(request), subscription_id), **wanted)
        answer: answers.ReplayedRange = {"success": True, "replayed": replayed, "has_more": has_more}
        return Response(answer)


class DeliveriesView(WebhooksView):
    """`GET deliveries`: the log, newest first."""

    def get(self, request: Request) -> Response:
        wanted = bodies.LogPage.read(request.query_params)
        rows, next_cursor = _own_deliveries(caller(request), wanted)
        items = [answers.delivery_item(row) for row in rows]
        listed: answers.DeliveryList = {"deliveries": items, "next_cursor": next_cursor}
        return Response(listed)


def _own_deliveries(company: Company, wanted: Mapping[str, Any]) -> tuple[list[Delivery], str | None]:
    """Return a page of the company's log. wanted: from `bodies.LogPage`. Raises `QueryRefused`."""
    filters = {name: value for name, value in wanted.items() if name not in {"limit", "cursor"}}
    columns = {"state": "state", "type": "event_type", "subject": "subject", "from": "created_at__gte",
               "to": "created_at__lt"}  # fmt: skip
    rows = Delivery.objects.filter(company=company).select_related("subscription").without_body()
    rows = rows.filter(**{column: filters[name] for name, column in columns.items() if name in filters})
    if "subscription" in filters:
        # By key, which the log has an index for. Deleted webhooks are in the log too.
        mine = Subscription.everyone.filter(company=company, uuid=uuid_of(filters["subscription"], "sub_"))
        rows = rows.filter(subscription=mine.values_list("pk", flat=True).first() or 0)
    return _page_of(rows, wanted, {"list": "deliveries", "company": company.pk, **filters})


class DeliveryView(WebhooksView):
    """`GET deliveries/:id`."""

    def get(self, request: Request, delivery_id: str) -> Response:
        mine = Delivery.objects.filter(company=caller(request), uuid=uuid_of(delivery_id, "evt_"))
        delivery = mine.select_related("subscription").prefetch_related("past_attempts").first()
        if delivery is None:
            raise WebhookNotFound
        return Response(answers.delivery_detail(delivery))


class ReplayView(WebhooksView):
    """`POST deliveries/:id/replay`."""

    def post(self, request: Request, delivery_id: str) -> Response:
        RequestBody.read(self.body(request))
        delivery = replays.replay(caller(request), uuid_of(delivery_id, "evt_"))
        replayed: answers.ReplayedDelivery = {"success": True, **answers.delivery_item(delivery)}
        return Response(replayed, status=202)


def _page_of(
    rows: QuerySet[Any], page: Mapping[str, Any], made_with: Mapping[str, object]
) -> tuple[list[Any], str | None]:
    """Return a page, newest first. page: `limit` and perhaps `cursor`. Raises `QueryRefused`."""
    asked = {"limit": page["limit"], "cursor": page.get("cursor")}
    return page_of(rows, order=["-id"], made_with=made_with, refusal=QueryRefused, **asked)


def _subscription(company: Company, name: str) -> Subscription:
    """The company's subscription `sub_<uuid>`. Raises `WebhookNotFound`."""
    mine = Subscription.objects.filter(company=company).select_related("company")
    found: Subscription | None = mine.filter(uuid=uuid_of(name, "sub_")).first()
    if found is None:
        raise WebhookNotFound
    return found
