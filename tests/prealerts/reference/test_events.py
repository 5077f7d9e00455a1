"""The webhooks of the document are the deliveries that the outbox writes."""

import json
from typing import Any

import pytest

from companies.models import Company
from shipments.models import Guide
from shipments.statuses import GuideStatus
from tests.conftest import BASE, Caller
from tests.prealerts.reference import schema
from tests.shipments.shipping import tell
from webhooks.events import EventType
from webhooks.models import Delivery, Subscription
from webhooks.outbox import send_test
from webhooks.sender import USER_AGENT
from webhooks.subscriptions import register

pytestmark = pytest.mark.django_db

SECOND_GUIDE = "AND2612150102"


def operation(kind: EventType) -> Any:
    return schema.document()["webhooks"][kind]["post"]


def example(kind: EventType) -> Any:
    ((_name, shown),) = operation(kind)["requestBody"]["content"]["application/json"]["examples"].items()
    return shown["value"]


def newest(kind: EventType) -> Any:
    delivery = Delivery.objects.filter(event_type=kind).order_by("-pk")[:1].get()
    return json.loads(bytes(delivery.body))


def listen(company: Company, settings: Any) -> Subscription:
    settings.WEBHOOK_ALLOWED_NETWORKS = ["127.0.0.0/8"]
    return register(company, "https://127.0.0.1/", "s" * 32)[0]


@pytest.fixture
def reported(acme: Caller, settings: Any) -> dict[EventType, Any]:
    """One body of each type: the way of the document's own example through the service."""
    subscription = listen(acme.company, settings)
    (request,) = schema.operations()["POST", f"{BASE}/process-pre-alert-json"]["requestBody"]["content"].values()
    (body,) = request["examples"].values()
    assert acme.post_json(body["value"]).status_code == 201
    guide = Guide.objects.get(hawb=SECOND_GUIDE)
    for status, source, reason in (
        ("customs_processing", "customs", ""),
        ("customs_held", "customs", "Inspección"),
        ("customs_released", "customs", ""),
        ("out_for_delivery", "courier_scan", ""),
        ("delivered", "courier_scan", ""),
    ):
        fact = {"reason": reason} if reason else {}
        assert tell(guide, status, source, **fact).outcome == "advanced"
    send_test(subscription, "A test event, sent by an operator.")
    bodies = [json.loads(bytes(row.body)) for row in Delivery.objects.order_by("pk")]
    return {EventType(body["type"]): body for body in reversed(bodies)}  # the first of each type


def test_every_type_of_the_catalogue_is_there() -> None:
    assert set(schema.document()["webhooks"]) == set(EventType)


@pytest.mark.parametrize("kind", EventType)
def test_an_example_is_what_the_outbox_writes(reported: dict[EventType, Any], kind: EventType) -> None:
    real, shown = reported[kind], example(kind)
    own = ("id", "timestamp", "occurred_at")
    assert all(real[name] for name in own)
    drawn = {name: real["data"][name] for name in ("manifest_id", "tracking_code") if name in real["data"]}
    assert {**real, **{name: shown[name] for name in own}} == {**shown, "data": shown["data"] | drawn}
    assert list(real) == list(shown)
    assert list(real["data"]) == list(shown["data"])


@pytest.mark.parametrize("kind", EventType)
def test_a_real_body_is_valid(reported: dict[EventType, Any], kind: EventType) -> None:
    (media,) = operation(kind)["requestBody"]["content"].values()
    assert schema.problems(reported[kind], media["schema"]) == []


def test_every_status_a_guide_comes_into_has_a_valid_body(acme: Caller, settings: Any) -> None:
    listen(acme.company, settings)
    acme.upload()
    guide = Guide.objects.order_by("pk")[:1].get()
    for status in GuideStatus:
        if status is GuideStatus.REGISTERED:
            continue
        previous = "customs_held" if status is GuideStatus.CUSTOMS_REJECTED else "in_transit"
        before = "registered" if status is GuideStatus.CANCELLED else previous
        Guide.objects.filter(pk=guide.pk).update(status=before)
        guide.manifest.guides_by_status = {before: 2}
        guide.manifest.save()
        if status == before:
            Guide.objects.filter(pk=guide.pk).update(status="out_for_delivery")
            guide.manifest.guides_by_status = {"out_for_delivery": 2}
            guide.manifest.save()
        assert tell(guide, status, "carrier").outcome == "advanced"
        body = json.loads(bytes(Delivery.objects.order_by("-pk")[:1].get().body))
        assert body["data"]["status"] == status
        (media,) = operation(EventType(body["type"]))["requestBody"]["content"].values()
        assert schema.problems(body, media["schema"]) == []


def test_the_headers_are_those_of_the_sender() -> None:
    for kind in EventType:
        headers = {parameter["name"]: parameter for parameter in operation(kind)["parameters"]}
        assert set(headers) == {"X-Service-Delivery-Id", "X-Service-Event", "User-Agent"}
        assert headers["User-Agent"]["schema"]["const"] == USER_AGENT
        assert operation(kind)["security"] == [{"WebhookSecret": []}]
        assert schema.problems(example(kind)["id"], headers["X-Service-Delivery-Id"]["schema"]) == []
