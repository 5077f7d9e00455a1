"""Publishing: rows in the caller's transaction, one for each live subscription, with a body that never changes."""

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.db import connection, transaction

from companies.onboarding import deactivate
from tests.webhooks.conftest import company, event, subscribe
from webhooks import outbox
from webhooks.models import Delivery, State, Subscription
from webhooks.subscriptions import disable

pytestmark = pytest.mark.django_db

URL = "https://hooks.example.com/"


def test_the_body_is_the_contracts() -> None:
    subscribe(URL)
    occurred_at = datetime(2026, 11, 21, 9, 30, tzinfo=timezone(timedelta(hours=-3)))
    data = {"tracking_code": "ACM1", "status": "delivered", "reason": "Entregado en recepción"}
    outbox.publish(company(), [event(occurred_at=occurred_at, data=data)])
    delivery = Delivery.objects.get()
    body = json.loads(bytes(delivery.body))
    assert list(body) == ["id", "type", "api_version", "timestamp", "occurred_at", "data"]
    assert body["id"] == delivery.delivery_id == f"evt_{delivery.uuid}"
    assert UUID(body["id"].removeprefix("evt_")).version == 4
    assert (body["type"], body["api_version"]) == ("guide.delivered", "v1")
    assert body["occurred_at"] == "2026-11-21T12:30:00Z"
    assert body["timestamp"] == delivery.created_at.astimezone(UTC).isoformat().replace("+00:00", "Z")
    assert body["data"] == data
    assert "recepción".encode() in bytes(delivery.body)


def test_each_live_subscription_of_the_company_gets_its_own_delivery_and_nobody_else() -> None:
    mine = [subscribe(f"{URL}{number}") for number in range(2)]
    disable(subscribe(f"{URL}off"))
    subscribe(URL, "RIVAL")
    assert outbox.publish(company(), [event(1), event(2)]) == 4
    found = Delivery.objects.all()
    assert {delivery.subscription_id for delivery in found} == {subscription.pk for subscription in mine}
    assert len({delivery.uuid for delivery in found}) == 4
    assert {delivery.company_id for delivery in found} == {company().pk}
    assert {delivery.state for delivery in found} == {State.PENDING}
    assert Delivery.objects.filter(subject="ACM0000002").count() == 2


def test_a_company_without_a_subscription_costs_one_query(django_assert_num_queries: Any) -> None:
    acme = company()
    with django_assert_num_queries(1):
        assert outbox.publish(acme, [event(number) for number in range(1000)]) == 0
    with django_assert_num_queries(0):
        assert outbox.publish(acme, []) == 0


def test_a_thousand_are_one_insert(django_assert_max_num_queries: Any) -> None:
    subscribe(URL)
    acme, events = company(), [event(number) for number in range(1000)]
    # SQLite takes so many parameters at once and no more.
    with django_assert_max_num_queries(5 if connection.vendor == "postgresql" else 5 + 1000 // 40):
        assert outbox.publish(acme, events) == 1000
    assert Delivery.objects.count() == 1000


def test_a_deactivated_company_hears_of_nothing() -> None:
    subscribe(URL)
    acme = company()
    deactivate(acme)
    assert outbox.publish(acme, [event()]) == 0


@pytest.mark.parametrize("data", [{"at": datetime.now(UTC)}, {"x": float("nan")}, {"x": "\ud800"}])
def test_what_json_cannot_say_is_refused_and_leaves_no_row(data: dict[str, Any]) -> None:
    subscribe(URL)
    with pytest.raises((TypeError, ValueError)), transaction.atomic():
        outbox.publish(company(), [event(1), event(data=data)])
    assert not Delivery.objects.exists()


def test_a_moment_without_an_offset_is_refused() -> None:
    subscribe(URL)
    with pytest.raises(ValueError, match="aware"):
        outbox.publish(company(), [event(occurred_at=datetime(2026, 11, 21))])  # noqa: DTZ001  # that is the point


def test_a_test_event_goes_to_one_subscription_alone() -> None:
    one, _other = subscribe(URL), subscribe(f"{URL}other")
    delivery = outbox.send_test(one, "Hello from the operators.")
    assert Delivery.objects.get() == delivery
    body = json.loads(bytes(delivery.body))
    assert (body["type"], body["data"]) == ("webhook.test", {"message": "Hello from the operators."})


@pytest.mark.django_db(transaction=True)
def test_nothing_is_left_of_a_change_that_is_rolled_back() -> None:
    subscribe(URL)
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        outbox.publish(company(), [event()])
        raise ZeroDivisionError
    assert not Delivery.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_publishing_outside_a_transaction_is_refused() -> None:
    subscribe(URL)
    with pytest.raises(transaction.TransactionManagementError, match="transaction"):
        outbox.publish(company(), [event()])
    assert not Delivery.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_dispatchers_hear_of_what_is_committed_and_of_nothing_else() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no NOTIFY; its dispatcher polls")
    subscribe(URL)
    parameters = connection.get_connection_params()
    for name in ("cursor_factory", "context"):
        parameters.pop(name, None)
    with psycopg.connect(**parameters, autocommit=True) as listening:
        listening.execute(f"LISTEN {outbox.CHANNEL}")
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            outbox.publish(company(), [event()])
            raise ZeroDivisionError
        with transaction.atomic():
            outbox.publish(company("NOBODY"), [event()])
        assert list(listening.notifies(timeout=0.2)) == []
        with transaction.atomic():
            outbox.publish(company(), [event(1), event(2)])
            assert list(listening.notifies(timeout=0.2)) == []
        assert len(list(listening.notifies(timeout=60, stop_after=1))) == 1


@pytest.mark.django_db(transaction=True)
def test_a_subscription_that_is_being_published_to_cannot_be_deleted_under_the_change() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer: the deletion waits for the whole transaction")
    subscription = subscribe(URL)
    parameters = connection.get_connection_params()
    for name in ("cursor_factory", "context"):
        parameters.pop(name, None)
    with psycopg.connect(**parameters, autocommit=True) as operator:
        operator.execute("SET lock_timeout = '200ms'")
        with transaction.atomic():
            assert [one.id for one in Subscription.objects.subscribers_of(company())] == [subscription.pk]
            with pytest.raises(psycopg.errors.LockNotAvailable):
                operator.execute("DELETE FROM webhooks_subscription WHERE id = %s", [subscription.pk])
            # And it hinders nobody who only switches it off.
            operator.execute("UPDATE webhooks_subscription SET is_active = false WHERE id = %s", [subscription.pk])
