"""From a committed row to one POST and back to the row: against real endpoints and a real database."""

import asyncio
import json
import re
import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from companies.onboarding import deactivate
from tests.webhooks.conftest import SECRET, company, publish, subscribe
from tests.webhooks.dispatcher.retried import dispatch, ids
from tests.webhooks.receivers import Authority, Received, Receiver, answer, hang
from tests.webhooks.running import InThread, states, wait_until
from webhooks import subscriptions
from webhooks.dispatcher import claims
from webhooks.dispatcher.reaper import cancel_undeliverable
from webhooks.models import Delivery, State, Subscription
from webhooks.verdicts import Failure

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("shared_database")]


def test_what_was_published_arrives_and_the_row_tells(authority: Authority, receiver: Receiver) -> None:
    subscribe(receiver.url)
    with InThread(authority.bundle):
        publish()
        (request,) = receiver.wait_for(1)
        wait_until(lambda: states() == {"delivered": 1})
    delivery = Delivery.objects.get()
    assert request.headers["x-service-delivery-id"] == delivery.delivery_id == json.loads(request.body)["id"]
    assert request.headers["authorization"] == f"Bearer {SECRET}"
    assert request.body == bytes(delivery.body)
    assert (delivery.http_status, delivery.error, delivery.excerpt) == (200, "", "ok")
    assert delivery.remote_address == "127.0.0.1"
    moments = [delivery.created_at, delivery.claimed_at, delivery.attempted_at, delivery.finished_at]
    assert moments == sorted(moment for moment in moments if moment)


def test_a_failure_is_recorded_with_its_reason_and_never_sent_again(authority: Authority, receivers: Any) -> None:
    receiver = receivers(answer(410, b"not here"))
    subscription = subscribe(receiver.url)
    publish(3)
    for _run in range(2):
        with InThread(authority.bundle, once=True) as dispatcher:
            dispatcher.wait()
    assert len(receiver.received) == 3
    delivery = Delivery.objects.filter(state=State.FAILED).first()
    assert delivery
    assert states() == {"failed": 3}
    assert (delivery.error, delivery.http_status, delivery.excerpt) == ("http_status", 410, "not here")
    assert delivery.reason == "410 Told"
    subscription.refresh_from_db()
    assert subscription.is_active
    assert not delivery.past_attempts.exists()


def test_once_sends_what_is_due_to_everybody_and_ends(authority: Authority, receivers: Any) -> None:
    first, second = receivers(), receivers()
    subscribe(first.url)
    subscribe(second.url, "RIVAL", "secret-of-the-rival")
    publish(60)
    publish(1, "RIVAL")
    dispatch(authority)
    assert states() == {"delivered": 61}
    assert len(first.received) == len(ids(first.received)) == 60
    (request,) = second.received
    assert request.headers["authorization"] == "Bearer secret-of-the-rival"


def test_no_more_than_ten_are_in_flight_to_one_endpoint(authority: Authority, receivers: Any) -> None:
    now, most = 0, 0

    async def count(request: Received, writer: Any) -> None:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await answer(after=0.02)(request, writer)
        now -= 1

    subscribe(receivers(count).url)
    publish(80)
    dispatch(authority)
    assert states() == {"delivered": 80}
    assert 1 < most <= 10


def test_a_secret_that_cannot_be_opened_fails_the_delivery_and_no_other(authority: Authority, receivers: Any) -> None:
    lost, healthy = receivers(), receivers()
    subscribe(lost.url)
    subscribe(healthy.url, "RIVAL")
    Subscription.objects.filter(company=company()).update(sealed_secret="of another key")
    publish()
    publish(1, "RIVAL")
    dispatch(authority)
    assert Delivery.objects.get(company=company()).error == Failure.SECRET_UNREADABLE
    assert len(healthy.received) == 1
    assert lost.received == []


def test_a_hung_endpoint_with_two_thousand_waiting_does_not_hinder_a_healthy_one(
    authority: Authority, receivers: Any
) -> None:
    is_released = threading.Event()

    async def until_released(request: Received, writer: Any) -> None:
        await asyncio.to_thread(is_released.wait, 120)
        await answer()(request, writer)

    hung, healthy = receivers(until_released), receivers()
    subscribe(hung.url)
    subscribe(healthy.url, "RIVAL")
    publish(2_000)
    with InThread(authority.bundle, deadline=200, concurrency=20) as dispatcher:
        hung.wait_for(1)
        publish(30, "RIVAL")
        healthy.wait_for(30)
        assert Delivery.objects.filter(company=company(), state=State.SENDING).count() == 1
        dispatcher.stop()
        is_released.set()
    assert len(hung.received) == 1


def test_what_was_claimed_ahead_waits_again_when_the_endpoint_begins_to_hang(
    authority: Authority, receivers: Any
) -> None:
    receiver = receivers()

    async def tire(request: Received, writer: Any) -> None:
        await (answer() if len(receiver.received) <= 5 else hang)(request, writer)

    receiver.behave = tire
    subscribe(receiver.url)
    publish(60)
    with InThread(authority.bundle, deadline=3):
        wait_until(lambda: states().get("failed", 0) >= 2)
    told = states()
    assert told["pending"] >= 30
    assert told.get("sending", 0) == 0
    assert len(ids(receiver.received)) == len(receiver.received) == told["delivered"] + told["failed"]


def test_stopping_finishes_what_is_in_flight_and_leaves_the_rest_waiting(authority: Authority, receivers: Any) -> None:
    receiver = receivers(answer(after=0.5))
    subscribe(receiver.url)
    publish(200)
    with InThread(authority.bundle) as dispatcher:
        receiver.wait_for(5)
        dispatcher.stop()
        dispatcher.wait()
    told = states()
    assert set(told) == {"delivered", "pending"}
    assert told["delivered"] == len(receiver.received)
    assert all(delivery.claim_id is None for delivery in Delivery.objects.pending())


@pytest.mark.parametrize("end", [subscriptions.disable, subscriptions.remove])
def test_disabling_or_deleting_stops_what_waits_and_lets_the_one_in_flight_end(
    authority: Authority, receivers: Any, end: Callable[[Subscription], object]
) -> None:
    receiver = receivers(answer(after=0.6))
    subscription = subscribe(receiver.url)
    publish(5)
    with InThread(authority.bundle):
        receiver.wait_for(1)
        end(subscription)
        wait_until(lambda: states() == {"delivered": 1, "cancelled": 4})
    assert len(receiver.received) == 1


@pytest.fixture
def nothing_stays_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is claimed ahead is looked at again before it is sent, as it is when it has waited for a while."""
    monkeypatch.setattr(claims, "FRESH_SECONDS", 0.0)


@pytest.mark.usefixtures("nothing_stays_fresh")
def test_what_was_claimed_ahead_is_not_sent_to_a_subscription_that_was_disabled_since(
    authority: Authority, receivers: Any
) -> None:
    receiver = receivers(answer(after=0.3))
    subscription = subscribe(receiver.url)
    publish(60)
    with InThread(authority.bundle):
        receiver.wait_for(11)  # the first alone, ten beside each other; ten more are claimed
        subscriptions.disable(subscription)
        wait_until(lambda: states().keys() == {"delivered", "cancelled"})
    assert states()["delivered"] == len(receiver.received) == 11


@pytest.mark.usefixtures("nothing_stays_fresh")
def test_what_was_claimed_ahead_carries_a_secret_that_was_rotated_since(authority: Authority, receivers: Any) -> None:
    receiver = receivers(answer(after=0.3))
    subscription = subscribe(receiver.url)
    publish(30)
    with InThread(authority.bundle):
        receiver.wait_for(11)
        secret = subscriptions.rotate_secret(subscription)
        wait_until(lambda: states() == {"delivered": 30})
    sent = [request.headers["authorization"] for request in receiver.received]
    assert sent == [f"Bearer {SECRET}"] * 11 + [f"Bearer {secret}"] * 19


def test_what_waits_for_a_closed_company_or_slipped_past_a_disabling_is_cancelled(
    authority: Authority, receiver: Receiver
) -> None:
    subscribe(receiver.url)
    subscribe(receiver.url, "RIVAL")
    publish()
    publish(1, "RIVAL")
    deactivate(company())
    Subscription.objects.filter(company=company("RIVAL")).update(is_active=False)
    with InThread(authority.bundle):
        wait_until(lambda: states() == {"cancelled": 2})
    assert receiver.received == []


def test_a_long_backlog_that_nobody_hears_is_cancelled_in_parts_with_room_for_other_work_between(
    authority: Authority, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscriptions, "CANCELLED_AT_ONCE", 2)
    subscribe(receiver.url)
    publish(7)
    deactivate(company())
    assert cancel_undeliverable() == 2
    with InThread(authority.bundle):
        wait_until(lambda: states() == {"cancelled": 7})
    assert cancel_undeliverable() == 0
    assert receiver.received == []


def test_the_search_for_what_nobody_hears_reads_what_waits_once() -> None:
    """Compared with itself, a backlog that the statistics do not know yet takes the square of its rows."""
    subscribe("https://127.0.0.1:1/")
    with CaptureQueriesContext(connection) as queries:
        assert cancel_undeliverable() == 0
    read = [re.findall(r'(?:UPDATE|FROM|JOIN) "webhooks_delivery"', query["sql"]) for query in queries]
    assert read == [['FROM "webhooks_delivery"']] * 2  # what is pending, and what waits for its next attempt
