"""Version 2 with much to send: what is due, beside what is new."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from tests.webhooks.conftest import publish, subscribe_signed
from tests.webhooks.dispatcher.retried import dispatch, failing_for, make_due
from tests.webhooks.receivers import Authority, Received, answer
from tests.webhooks.running import InThread, states
from webhooks.dispatcher import claims
from webhooks.models import Delivery, State, Subscription

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("shared_database")]


def test_two_dispatchers_bring_three_hundred_home_though_every_third_fails_once(
    authority: Authority, receivers: Any
) -> None:
    under_way: set[str] = set()
    twice_at_once, failed = [], set()

    async def fail_every_third(request: Received, writer: Any) -> None:
        name = request.headers["webhook-id"]
        if name in under_way:
            twice_at_once.append(name)
        under_way.add(name)
        fails = name not in failed and int(name[-4:], 16) % 3 == 0
        if fails:
            failed.add(name)
        await answer(500 if fails else 200)(request, writer)
        under_way.discard(name)

    receiver = receivers(fail_every_third)
    subscribe_signed(receiver.url)
    publish(300)
    for _round in range(3):
        with InThread(authority.bundle, once=True) as one, InThread(authority.bundle, once=True) as other:
            one.wait(120)
            other.wait(120)
        for _share in range(20):
            make_due()
            if not Delivery.objects.filter(state=State.WAITING).exists():
                break
            dispatch(authority)
    assert states() == {"delivered": 300}
    assert twice_at_once == []
    assert len(receiver.received) == 300 + len(failed)
    assert 60 < len(failed) < 140


def test_a_backlog_that_is_due_goes_out_beside_todays_events_and_not_before_them(
    authority: Authority, receivers: Any
) -> None:
    receiver = receivers()
    subscribe_signed(receiver.url)
    publish(1000)
    old = set(Delivery.objects.values_list("uuid", flat=True))
    Delivery.objects.update(state=State.WAITING, due_at=timezone.now() - timedelta(seconds=1))
    publish(10)
    fresh = {f"evt_{uuid}" for uuid in Delivery.objects.exclude(uuid__in=old).values_list("uuid", flat=True)}
    assert claims.promote() == claims.ROOM - 10
    assert claims.promote() == 0, "there is room for a share, and for no more until that is sent"
    dispatch(authority)
    first = [request.headers["webhook-id"] for request in receiver.received[: 2 * claims.ROOM]]
    assert fresh <= set(first)


def test_an_endpoint_that_fails_gets_a_little_of_its_backlog_and_a_healthy_one_its_share(receivers: Any) -> None:
    failing = failing_for(1, 5, "https://127.0.0.1:1/")
    healthy = subscribe_signed(receivers().url, "RIVAL")
    publish(300)
    publish(300, "RIVAL")
    Delivery.objects.update(state=State.WAITING, due_at=timezone.now() - timedelta(seconds=1))
    assert claims.promote() == claims.ROOM + claims.ROOM_WHILE_FAILING
    pending = Delivery.objects.pending()
    assert pending.filter(subscription=failing).count() == claims.ROOM_WHILE_FAILING
    assert pending.filter(subscription=healthy).count() == claims.ROOM


def test_nothing_is_promoted_for_a_closed_subscription(receivers: Any) -> None:
    subscription = subscribe_signed(receivers().url)
    publish(3)
    Delivery.objects.update(state=State.WAITING, due_at=timezone.now() - timedelta(seconds=1))
    Subscription.objects.filter(pk=subscription.pk).update(is_active=False)
    assert claims.promote() == 0
