"""An endpoint that is gone, or fails for five days, is disabled; what waits for it is given up."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from tests.webhooks.conftest import publish, subscribe_signed
from tests.webhooks.dispatcher.retried import dispatch, failing_for, in_turn
from tests.webhooks.receivers import Authority, answer
from tests.webhooks.running import states
from webhooks import subscriptions
from webhooks.models import Delivery, DisabledReason, State, Subscription

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("shared_database")]


def test_one_that_answers_410_is_disabled_at_once_and_others_go_on(authority: Authority, receivers: Any) -> None:
    gone, well, rival = receivers(answer(410)), receivers(), receivers()
    closed = subscribe_signed(gone.url)
    subscribe_signed(well.url, event_types=["guide.delivered", "webhook.subscription_disabled"])
    subscribe_signed(rival.url, "RIVAL", event_types=["webhook.subscription_disabled"])
    publish(3)
    dispatch(authority)
    dispatch(authority)
    closed.refresh_from_db()
    assert (closed.is_active, closed.disabled_reason) == (False, DisabledReason.GONE)
    assert closed.disabled_at
    ended = Delivery.objects.filter(subscription=closed)
    assert {delivery.state for delivery in ended} == {State.DEAD}
    assert 1 <= len(gone.received) <= 3
    told = [json.loads(request.body) for request in well.received]
    assert [body["type"] for body in told].count("guide.delivered") == 3
    (news,) = (body["data"] for body in told if body["type"] == "webhook.subscription_disabled")
    assert news == {"subscription": closed.public_id, "url": gone.url, "reason": "gone"}
    assert rival.received == []


@pytest.mark.parametrize(("hours", "failures", "is_active"), [(121, 19, False), (121, 18, True), (119, 50, True)])
def test_five_days_and_twenty_attempts_of_nothing_but_failures_disable_it(
    authority: Authority,
    receivers: Any,
    hours: int,
    failures: int,
    is_active: bool,  # noqa: FBT001  # a parameter
) -> None:
    subscription = failing_for(hours, failures, receivers(answer(500)).url)
    publish()
    dispatch(authority)
    subscription.refresh_from_db()
    assert subscription.is_active is is_active
    assert subscription.disabled_reason == ("" if is_active else DisabledReason.FAILING)
    assert states() == ({"waiting": 1} if is_active else {"dead": 1})


def test_one_success_ends_the_count(authority: Authority, receivers: Any) -> None:
    subscription = failing_for(200, 50, receivers(in_turn(200, 500)).url)
    publish()
    dispatch(authority)
    subscription.refresh_from_db()
    assert (subscription.failing_since, subscription.failures) == (None, 0)
    publish()
    dispatch(authority)
    subscription.refresh_from_db()
    assert subscription.is_active
    assert subscription.failures == 1


def test_a_success_that_was_not_counted_saves_it_all_the_same(authority: Authority, receivers: Any) -> None:
    subscription = failing_for(121, 30, receivers(in_turn(200, 500)).url)
    publish()
    dispatch(authority)
    Subscription.objects.filter(pk=subscription.pk).update(
        failing_since=timezone.now() - timedelta(hours=121), failures=30
    )
    publish()
    dispatch(authority)
    subscription.refresh_from_db()
    assert subscription.is_active


def test_disabling_gives_up_what_waits_and_enabling_sends_nothing_old(authority: Authority, receivers: Any) -> None:
    receiver = receivers(in_turn(500, 200))
    subscription = subscribe_signed(receiver.url)
    publish()
    dispatch(authority)
    publish()
    subscriptions.disable(subscription)
    assert states() == {"dead": 2}
    subscriptions.enable(subscription)
    dispatch(authority)
    assert len(receiver.received) == 1
