"""Version 2: which events an endpoint is sent, and in which body; version 1 beside it hears what it always did."""

import json
from typing import Any

import pytest

from tests.webhooks.conftest import company, event, subscribe, subscribe_signed
from webhooks import outbox
from webhooks.events import V2_ONLY, EventType, is_subscribed
from webhooks.models import Delivery
from webhooks.verdicts import MAX_ATTEMPTS

pytestmark = pytest.mark.django_db

URL = "https://hooks.example.com/"
KINDS = [
    EventType.PRE_ALERT_INGESTED, EventType.GUIDE_STATUS_CHANGED, EventType.GUIDE_OUT_FOR_DELIVERY,
    EventType.GUIDE_DELIVERED, EventType.GUIDE_EXCEPTION, EventType.PRE_ALERT_VOIDED,
]  # fmt: skip


def body_of(delivery: Delivery) -> Any:
    return json.loads(bytes(delivery.body))


def test_of_six_kinds_and_two_countries_a_filter_lets_one_through() -> None:
    subscribe_signed(URL, event_types=["guide.delivered"], countries=["CL"])
    events = [event(type=kind, countries=[country]) for kind in KINDS for country in ("CL", "PE")]
    assert outbox.publish(company(), events) == 1
    (delivery,) = Delivery.objects.all()
    assert (delivery.event_type, delivery.countries, delivery.max_attempts) == ("guide.delivered", "CL", MAX_ATTEMPTS)


def test_both_versions_hear_of_one_fact_each_in_its_own_body() -> None:
    first, second, _rival = subscribe(URL), subscribe_signed(URL), subscribe_signed(URL, "RIVAL")
    assert outbox.publish(company(), [event(countries=["CL"])]) == 2
    old, new = (Delivery.objects.get(subscription=one) for one in (first, second))
    assert old.uuid != new.uuid
    assert (old.max_attempts, new.max_attempts) == (1, MAX_ATTEMPTS)
    v1, v2 = body_of(old), body_of(new)
    assert list(v1) == list(v2) == ["id", "type", "api_version", "timestamp", "occurred_at", "data"]
    assert (v1["api_version"], v2["api_version"]) == ("v1", "v2")
    assert v2["data"] == v1["data"] | {"country": "CL"}
    assert "country" not in v1["data"]
    assert (v1["timestamp"], v1["occurred_at"]) == (v2["timestamp"], v2["occurred_at"])


def test_version_1_hears_of_none_of_the_new_types() -> None:
    subscribe(URL)
    assert outbox.publish(company(), [event(type=kind) for kind in V2_ONLY]) == 0


def test_without_a_filter_an_endpoint_hears_of_shipments_and_of_nothing_else() -> None:
    subscribe_signed(URL)
    outbox.publish(company(), [event(type=kind) for kind in EventType])
    assert set(Delivery.objects.values_list("event_type", flat=True)) == {*KINDS, EventType.GUIDE_CORRECTED}


def test_events_about_webhooks_are_sent_only_to_those_who_name_them_whatever_the_country() -> None:
    disabled = event(type=EventType.WEBHOOK_SUBSCRIPTION_DISABLED, countries=["PE"])
    assert is_subscribed(disabled, 2, [disabled.type], ["CL"])
    assert not is_subscribed(disabled, 2, None)


def test_a_filter_that_is_changed_later_touches_nothing_that_was_written() -> None:
    subscription = subscribe_signed(URL)
    outbox.publish(company(), [event()])
    subscription.event_types = ["guide.exception"]
    subscription.save(update_fields=["event_types"])
    assert outbox.publish(company(), [event()]) == 0
    assert Delivery.objects.pending().count() == 1
