"""When the database goes away, a claim is lost, a dispatcher is stale, or a clock is wrong."""

import asyncio
import time
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.db import OperationalError, connection
from django.utils import timezone

from tests.webhooks.conftest import publish, subscribe
from tests.webhooks.dispatcher.retried import dispatch, ids
from tests.webhooks.receivers import Authority, Receiver, answer, hang
from tests.webhooks.running import InThread, states, wait_until
from webhooks.dispatcher import claims, loop, reaper
from webhooks.dispatcher.results import Result, record
from webhooks.models import Delivery, State, Subscription
from webhooks.verdicts import Failure, Verdict

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("shared_database")]


def test_a_claim_reads_the_subscription_as_it_is_then_and_takes_nothing_for_a_disabled_one() -> None:
    one, other = subscribe("https://127.0.0.1/1"), subscribe("https://127.0.0.1/2", "RIVAL")
    publish()
    publish(1, "RIVAL")
    rooms, _failing = claims.count_waiting([], 5)
    Subscription.objects.filter(pk=one.pk).update(is_active=False)
    Subscription.objects.filter(pk=other.pk).update(url="https://127.0.0.1/moved")
    (claimed,) = claims.claim(rooms, uuid4())
    assert (claimed.subscription_id, claimed.url) == (other.pk, "https://127.0.0.1/moved")


def test_the_log_is_kept_by_the_databases_clock_and_not_by_the_dispatchers(
    authority: Authority, receiver: Receiver
) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no clock but the machine's")
    subscribe(receiver.url)
    publish()
    with time_machine.travel(timezone.now() - timedelta(hours=1)), InThread(authority.bundle, once=True) as dispatcher:
        dispatcher.wait()
    delivery = Delivery.objects.get(state=State.DELIVERED)
    moments = [delivery.created_at, delivery.claimed_at, delivery.attempted_at, delivery.finished_at]
    assert moments == sorted(moment for moment in moments if moment)


def test_a_result_under_another_claim_writes_nothing() -> None:
    subscribe("https://127.0.0.1/")
    publish()
    (row,) = claims.claim({Subscription.objects.get().pk: 5}, uuid4())
    stale = replace(row, claim_id=uuid4())
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
    assert claims.count_waiting([], 3) == ({one.pk: 2, other.pk: 3}, set())
    Subscription.objects.filter(pk=other.pk).update(failing_since=timezone.now())
    assert claims.count_waiting([one.pk], 3) == ({other.pk: 3}, {other.pk})


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
    dispatch(authority)
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
    dispatch(authority)
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


def test_a_wake_up_that_is_lost_costs_a_moment_and_no_event(
    authority: Authority, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As behind a pooler without LISTEN: without notifications the dispatcher finds deliveries by polling."""

    async def deaf(_wake: Any) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(loop, "listen", deaf)
    subscribe(receiver.url)
    with InThread(authority.bundle):
        for number in range(1, 4):
            publish()
            receiver.wait_for(number)
        wait_until(lambda: states() == {"delivered": 3})


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
    with InThread(authority.bundle, deadline=5):
        hung.wait_for(1)
        with time_machine.travel(timezone.now() - timedelta(hours=1)):
            publish(3, "RIVAL")
            healthy.wait_for(3)
            wait_until(lambda: states() == {"failed": 1, "delivered": 3})
    failed = Delivery.objects.get(state=State.FAILED)
    assert failed.error == Failure.TIMEOUT
    assert failed.attempted_at
    assert failed.finished_at
    assert timedelta(seconds=4.9) < failed.finished_at - failed.attempted_at < timedelta(minutes=30)
