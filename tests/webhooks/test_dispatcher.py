"""From a committed row to one POST and back to the row: against real endpoints and a real database."""

import json
import time
from datetime import timedelta
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from companies.activation import deactivate
from tests.webhooks.conftest import SECRET, company, event, subscribe
from tests.webhooks.receivers import Authority, Received, Receiver, answer, hang
from tests.webhooks.running import InThread, states, wait_until
from webhooks import outbox, subscriptions
from webhooks.dispatcher import claims, loop, reaper
from webhooks.dispatcher.results import Result, record
from webhooks.models import Delivery, State, Subscription
from webhooks.verdicts import Failure, Verdict

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("shared_database")]


def publish(count: int = 1, code: str = "ACME") -> None:
    with transaction.atomic():
        outbox.publish(company(code), [event(number) for number in range(count)])


def ids(requests: list[Received]) -> set[str]:
    return {request.headers["x-service-delivery-id"] for request in requests}


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
    receiver = receivers(answer(401, b"wrong secret"))
    subscribe(receiver.url)
    publish(3)
    for _run in range(2):
        with InThread(authority.bundle, once=True) as dispatcher:
            dispatcher.wait()
    assert len(receiver.received) == 3
    delivery = Delivery.objects.filter(state=State.FAILED).first()
    assert delivery
    assert states() == {"failed": 3}
    assert (delivery.error, delivery.http_status, delivery.excerpt) == ("http_status", 401, "wrong secret")
    assert delivery.reason == "401 Told"


def test_once_sends_what_is_due_to_everybody_and_ends(authority: Authority, receivers: Any) -> None:
    first, second = receivers(), receivers()
    subscribe(first.url)
    subscribe(second.url, "RIVAL", "secret-of-the-rival")
    publish(60)
    publish(1, "RIVAL")
    with InThread(authority.bundle, once=True) as dispatcher:
        dispatcher.wait()
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
    with InThread(authority.bundle, once=True) as dispatcher:
        dispatcher.wait()
    assert states() == {"delivered": 80}
    assert 1 < most <= 10


def test_a_rotated_secret_counts_for_what_already_waits(authority: Authority, receiver: Receiver) -> None:
    subscription = subscribe(receiver.url)
    publish()
    new = subscriptions.rotate_secret(subscription)
    with InThread(authority.bundle, once=True) as dispatcher:
        dispatcher.wait()
    assert receiver.received[0].headers["authorization"] == f"Bearer {new}"


def test_a_secret_that_cannot_be_opened_fails_the_delivery_and_no_other(authority: Authority, receivers: Any) -> None:
    lost, healthy = receivers(), receivers()
    subscribe(lost.url)
    subscribe(healthy.url, "RIVAL")
    Subscription.objects.filter(company=company()).update(sealed_secret="of another key")
    publish()
    publish(1, "RIVAL")
    with InThread(authority.bundle, once=True) as dispatcher:
        dispatcher.wait()
    assert Delivery.objects.get(company=company()).error == Failure.SECRET_UNREADABLE
    assert len(healthy.received) == 1
    assert lost.received == []


def test_a_hung_endpoint_with_ten_thousand_waiting_does_not_hinder_a_healthy_one(
    authority: Authority, receivers: Any
) -> None:
    hung, healthy = receivers(hang), receivers()
    subscribe(hung.url)
    subscribe(healthy.url, "RIVAL")
    publish(10_000)
    with InThread(authority.bundle, deadline=5, concurrency=20):
        hung.wait_for(1)
        publish(30, "RIVAL")
        healthy.wait_for(30, seconds=4)
        assert Delivery.objects.filter(company=company(), state=State.SENDING).count() == 1
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
    with InThread(authority.bundle, deadline=1):
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


def test_disabling_stops_what_waits_and_lets_the_one_in_flight_end(authority: Authority, receivers: Any) -> None:
    receiver = receivers(answer(after=0.6))
    subscription = subscribe(receiver.url)
    publish(5)
    with InThread(authority.bundle):
        receiver.wait_for(1)
        subscriptions.disable(subscription)
        wait_until(lambda: states() == {"delivered": 1, "cancelled": 4})
    assert len(receiver.received) == 1


def test_a_subscription_deleted_in_flight_leaves_a_log_that_is_true(authority: Authority, receivers: Any) -> None:
    receiver = receivers(answer(after=0.6))
    subscription = subscribe(receiver.url)
    publish(5)
    with InThread(authority.bundle):
        receiver.wait_for(1)
        subscriptions.remove(subscription)
        wait_until(lambda: states() == {"delivered": 1, "cancelled": 4})
    assert len(receiver.received) == 1


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


def test_a_result_under_another_claim_writes_nothing() -> None:
    subscribe("https://127.0.0.1/")
    publish()
    (row,) = claims.claim({Subscription.objects.get().pk: 5}, uuid4())
    stale = claims.Claimed(row.id, row.subscription_id, row.uuid, row.event_type, row.body, row.created_at, uuid4())
    now = timezone.now()
    assert record([Result(stale, now, now, Verdict(duration_ms=1))]) == 0
    assert states() == {"sending": 1}
    assert record([Result(row, now, now, Verdict(duration_ms=1))]) == 1
    assert record([Result(row, now, now, Verdict(duration_ms=1, error=Failure.TLS))]) == 0
    assert states() == {"delivered": 1}


def test_a_claim_takes_the_oldest_and_no_more_than_it_may() -> None:
    one, other = subscribe("https://127.0.0.1/1"), subscribe("https://127.0.0.1/2", "RIVAL")
    publish(5)
    publish(5, "RIVAL")
    oldest = list(Delivery.objects.filter(subscription=one).order_by("id").values_list("pk", flat=True)[:3])
    claimed = claims.claim({one.pk: 3, other.pk: 1}, uuid4())
    assert [row.id for row in claimed if row.subscription_id == one.pk] == oldest
    assert len(claimed) == 4
    assert {found.subscription_id: found.rows for found in claims.waiting([], 3)} == {one.pk: 2, other.pk: 3}
    assert [found.subscription_id for found in claims.waiting([one.pk], 3)] == [other.pk]


def test_a_claim_whose_answer_was_lost_is_put_back_and_sent_once(
    authority: Authority, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost: list[list[claims.Claimed]] = []

    def lose_the_first(*args: Any) -> list[claims.Claimed]:
        rows = claims.claim(*args)
        if not lost:
            lost.append(rows)
            raise OperationalError("the connection broke after COMMIT")
        return rows

    monkeypatch.setattr(loop, "claim", lose_the_first)
    subscribe(receiver.url)
    publish()
    with InThread(authority.bundle, once=True) as dispatcher:
        dispatcher.wait()
    assert lost
    assert states() == {"delivered": 1}
    assert len(receiver.received) == 1


def test_results_survive_a_database_that_is_away_for_a_while(
    authority: Authority, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusals = iter(range(3))

    def refuse_at_first(*args: Any) -> int:
        if next(refusals, None) is not None:
            raise OperationalError("not now")
        return record(*args)

    refuse_at_first.__name__ = "record"
    monkeypatch.setattr(loop, "record", refuse_at_first)
    subscribe(receiver.url)
    publish(20)
    with InThread(authority.bundle, once=True) as dispatcher:
        dispatcher.wait()
    assert states() == {"delivered": 20}
    assert len(receiver.received) == 20


def test_a_database_that_stays_away_does_not_keep_the_dispatcher_from_stopping(
    authority: Authority, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_args: Any) -> int:
        raise OperationalError("not any more")

    away.__name__ = "record"
    monkeypatch.setattr(loop, "record", away)
    monkeypatch.setattr(loop, "STOP_SECONDS", 0.5)
    subscribe(receiver.url)
    publish()
    with pytest.raises(BaseExceptionGroup) as ended, InThread(authority.bundle):  # leaving is what raises
        receiver.wait_for(1)
    assert ended.value.subgroup(OperationalError)
    assert states() == {"sending": 1}


def test_connections_that_are_cut_in_flight_cost_no_event_and_repeat_none(authority: Authority, receivers: Any) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no server to restart")
    receiver = receivers(answer(after=0.05))
    subscribe(receiver.url)
    publish(200)
    with InThread(authority.bundle):
        for _cut in range(5):
            receiver.wait_for(len(receiver.received) + 10)
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
        wait_until(lambda: states() == {"delivered": 200}, seconds=40)
        publish()  # and it is still awake
        wait_until(lambda: states() == {"delivered": 201})
    assert len(receiver.received) == len(ids(receiver.received)) == 201


def sending(**changes: Any) -> Delivery:
    """A row that a dispatcher claimed and nobody finished."""
    subscribe("https://127.0.0.1/")
    publish()
    claims.claim({Subscription.objects.get().pk: 1}, uuid4())
    Delivery.objects.update(**changes)
    return Delivery.objects.get()


def test_the_reaper_abandons_what_is_stale_and_leaves_the_rest() -> None:
    stale = sending()
    one = reaper.Reaper()
    assert one.abandon([]) == 0
    Delivery.objects.update(claimed_at=timezone.now() - timedelta(seconds=31))
    assert one.abandon([stale.pk]) == 0  # this dispatcher knows better
    assert one.abandon([]) == 1
    stale.refresh_from_db()
    assert (stale.state, stale.error) == (State.ABANDONED, Failure.OUTCOME_UNKNOWN)
    assert stale.finished_at
    assert "not sent again" in stale.reason


def test_what_was_claimed_before_the_clock_was_set_back_is_abandoned_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    sending(claimed_at=timezone.now() + timedelta(hours=1))
    one = reaper.Reaper()
    assert one.abandon([]) == 0
    later = time.monotonic() + reaper.STALE_SECONDS + 1
    monkeypatch.setattr("webhooks.dispatcher.reaper.time", SimpleNamespace(monotonic=lambda: later))
    assert one.abandon([]) == 1


def test_a_clock_that_is_set_back_in_flight_changes_neither_deadline_nor_order(
    authority: Authority, receivers: Any
) -> None:
    hung, healthy = receivers(hang), receivers()
    subscribe(hung.url)
    subscribe(healthy.url, "RIVAL")
    publish()
    with InThread(authority.bundle, deadline=1):
        hung.wait_for(1)
        with time_machine.travel(timezone.now() - timedelta(hours=1)):
            publish(3, "RIVAL")
            healthy.wait_for(3)
            wait_until(lambda: states() == {"failed": 1, "delivered": 3}, seconds=10)
    failed = Delivery.objects.get(state=State.FAILED)
    assert failed.error == Failure.TIMEOUT
    assert failed.attempted_at
    assert failed.finished_at
    assert timedelta(seconds=0.9) < failed.finished_at - failed.attempted_at < timedelta(seconds=10)
