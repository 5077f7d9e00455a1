"""Endpoints that fail, with all that is due to them, beside healthy ones: who is served first, whatever the clock."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from tests.webhooks.conftest import publish, subscribe, subscribe_signed
from tests.webhooks.receivers import Authority, Receiver, answer
from tests.webhooks.running import InThread, states, wait_until
from webhooks.dispatcher import claims
from webhooks.dispatcher.claims import count_waiting
from webhooks.dispatcher.seats import CLAIMED_AHEAD, PER_SUBSCRIPTION, UNRESERVED_AT_ONCE, Seats
from webhooks.models import Delivery, State, Subscription, Version

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("shared_database")]

FAILING, EACH = 150, 10
LIMIT = PER_SUBSCRIPTION + CLAIMED_AHEAD


def failing_with_full_schedules(url: str) -> None:
    """Endpoints of version 2 that fail, and some deliveries to each that are due again."""
    now = timezone.now()
    first = subscribe_signed(f"{url}/0", "RIVAL")
    Subscription.objects.bulk_create(
        Subscription(
            company=first.company, url=f"{url}/{number}", version=Version.V2,
            sealed_secret=first.sealed_secret, secret_set_at=now,
        )
        for number in range(1, FAILING)
    )  # fmt: skip
    Subscription.objects.update(failing_since=now, failures=EACH)
    publish(EACH, "RIVAL")
    Delivery.objects.update(state=State.WAITING, due_at=now - timedelta(seconds=1), attempts=1)


def healthy(url: str) -> set[int]:
    """An endpoint of either version, the newest of all, and a delivery for each; their keys."""
    keys = {subscribe(url).pk, subscribe_signed(url).pk}
    publish()
    return keys


def test_a_dispatcher_that_has_just_started_serves_the_healthy_with_its_first_claim() -> None:
    failing_with_full_schedules("https://8.8.8.8/fails")
    keys = healthy("https://8.8.8.8/well")
    for _second in range(5):
        claims.promote()
    found, failing = count_waiting((), LIMIT)
    assert len(failing) > 5 * UNRESERVED_AT_ONCE, "many more that fail than one claim lets in"
    assert keys <= Seats(1000).allot(found, failing).keys()
    assert keys <= Seats(2 * len(keys)).allot(found, failing).keys(), "and with hardly a seat"


def test_one_that_has_seen_them_keeps_a_few_of_those_that_fail_and_all_that_the_healthy_need() -> None:
    failing_with_full_schedules("https://8.8.8.8/fails")
    keys = healthy("https://8.8.8.8/well")
    publish(LIMIT)
    seats = Seats(1000)
    for key in keys:
        seats.claim(key)
        seats.begin(key)
        seats.finish(key, duration_ms=5, has_timed_out=False)
    for _second in range(5):
        claims.promote()
        given = seats.allot(*count_waiting(seats.full(), LIMIT))
        assert {key: given[key] for key in keys} == dict.fromkeys(keys, LIMIT)
        assert sum(rows for key, rows in given.items() if key not in keys) <= UNRESERVED_AT_ONCE


def test_many_that_are_due_let_today_pass_and_are_attempted_a_few_at_a_time(
    authority: Authority, receivers: Any, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    down, looks = receivers(answer(503)), []

    def promote() -> int:
        looks.append(claims.promote())
        return looks[-1]

    monkeypatch.setattr("webhooks.dispatcher.loop.promote", promote)
    failing_with_full_schedules(down.url)
    keys = healthy(receiver.url)
    with InThread(authority.bundle):
        wait_until(lambda: states().get("delivered") == len(keys))
    assert set(Delivery.objects.filter(state=State.DELIVERED).values_list("subscription", flat=True)) == keys
    assert len(down.received) <= claims.AT_ONCE_WHILE_FAILING * len(looks)
    assert states()["waiting"] > FAILING * EACH / 2, "the healthy did not wait for their turn behind these"
