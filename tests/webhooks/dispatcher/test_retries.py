"""Version 2 on its way: every attempt signed, failures attempted again, and an end to it."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from standardwebhooks import WebhookVerificationError

from base import encryption
from tests.webhooks.conftest import company, publish, subscribe, subscribe_signed
from tests.webhooks.dispatcher.retried import dispatch, ids, in_turn, make_due, secret_of, verify
from tests.webhooks.receivers import Authority, Receiver, answer
from tests.webhooks.running import states
from webhooks import subscriptions
from webhooks.models import Delivery, DeliveryAttempt, State, Subscription
from webhooks.verdicts import MAX_ATTEMPTS, Failure

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("shared_database")]


def pause() -> float:
    """Seconds from the end of the last attempt to the next."""
    delivery = Delivery.objects.get()
    assert delivery.attempted_at
    assert delivery.due_at
    assert delivery.duration_ms is not None
    return (delivery.due_at - delivery.attempted_at).total_seconds() - delivery.duration_ms / 1000


def test_a_signed_request_says_who_sent_it_and_carries_no_secret(authority: Authority, receiver: Receiver) -> None:
    subscription = subscribe_signed(receiver.url)
    publish()
    dispatch(authority)
    (request,) = receiver.received
    name = Delivery.objects.get().delivery_id
    assert verify(request, secret_of(subscription))["id"] == name
    assert request.headers["webhook-id"] == request.headers["x-service-delivery-id"] == name
    assert request.headers["x-service-event"] == "guide.delivered"
    assert request.headers["user-agent"] == "Service-Webhook/2.0"
    assert "authorization" not in request.headers
    assert not DeliveryAttempt.objects.exists()  # a success at once costs no second row


def test_twice_500_then_200_is_three_attempts_each_of_them_signed(authority: Authority, receivers: Any) -> None:
    receiver = receivers(in_turn(500, 500, 200))
    subscription = subscribe_signed(receiver.url)
    publish()
    dispatch(authority)
    assert Delivery.objects.get().state == State.WAITING
    assert 4 <= pause() <= 6
    dispatch(authority)
    assert len(receiver.received) == 1, "sent before it was due"
    make_due()
    dispatch(authority)
    assert 240 <= pause() <= 360
    make_due()
    dispatch(authority)
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.attempts, delivery.http_status) == (State.DELIVERED, 3, 200)
    assert delivery.due_at is None
    tried = DeliveryAttempt.objects.filter(delivery=delivery)
    assert [(one.number, one.http_status, one.error) for one in tried] == [(n, 500, "http_status") for n in (1, 2)]
    for request in receiver.received:
        verify(request, secret_of(subscription))
    assert len(ids(receiver.received)) == len({request.headers["webhook-id"] for request in receiver.received}) == 1
    assert len({request.body for request in receiver.received}) == 1


def test_the_signed_time_is_the_attempts_own(authority: Authority, receivers: Any, monkeypatch: Any) -> None:
    receiver = receivers(in_turn(500, 200))
    subscription = subscribe_signed(receiver.url)
    publish()
    dispatch(authority)
    make_due()
    Delivery.objects.update(claimed_at=None)
    monkeypatch.setattr("webhooks.dispatcher.loop.time.monotonic", later(120))
    dispatch(authority)
    first, second = receiver.received
    assert int(second.headers["webhook-timestamp"]) - int(first.headers["webhook-timestamp"]) >= 120
    assert first.headers["webhook-signature"] != second.headers["webhook-signature"]
    verify(second, secret_of(subscription))


def later(seconds: float) -> Any:
    """A monotonic clock by which a claim was made so long ago."""
    import time  # noqa: PLC0415  # the real one, before it is replaced

    real = time.monotonic
    return lambda: real() + seconds


def test_during_the_overlap_each_secret_verifies_and_after_it_the_new_one(
    authority: Authority, receiver: Receiver
) -> None:
    subscription = subscribe_signed(receiver.url)
    old = encryption.unseal(subscription.sealed_secret)
    publish()
    lost = subscriptions.rotate_secret(subscription)
    new = subscriptions.rotate_secret(subscription)
    dispatch(authority)
    Subscription.objects.update(previous_until=timezone.now() - timedelta(seconds=1))
    publish()
    dispatch(authority)
    during, after = receiver.received
    for secret in (old, lost, new):
        verify(during, secret)
    verify(after, new)
    with pytest.raises(WebhookVerificationError):
        verify(after, old)
    assert len(after.headers["webhook-signature"].split()) == 1


def test_after_ten_failures_it_is_dead_and_the_log_has_them_all(authority: Authority, receivers: Any) -> None:
    receiver = receivers(answer(503, b"private words"))
    subscribe_signed(receiver.url)
    publish()
    for _attempt in range(MAX_ATTEMPTS):
        make_due()
        dispatch(authority)
    make_due()
    dispatch(authority)
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.attempts) == (State.DEAD, MAX_ATTEMPTS)
    assert delivery.finished_at
    assert len(receiver.received) == MAX_ATTEMPTS == delivery.past_attempts.count()


@pytest.mark.parametrize("status", [302, 400])
def test_whatever_is_not_a_success_is_tried_again(authority: Authority, receivers: Any, status: int) -> None:
    subscribe_signed(receivers(answer(status)).url)
    publish()
    dispatch(authority)
    assert states() == {"waiting": 1}


def test_an_endpoint_that_asks_for_a_minute_gets_it(authority: Authority, receivers: Any) -> None:
    subscribe_signed(receivers(in_turn(500, 429, Retry_After="60")).url)
    publish()
    dispatch(authority)
    make_due()
    dispatch(authority)
    assert Delivery.objects.get().attempts == 2
    assert pause() >= 60
    Delivery.objects.update(attempts=1)
    subscribe_signed(receivers(answer(503, Retry_After="450")).url, "RIVAL")
    publish(1, "RIVAL")
    dispatch(authority)
    assert Delivery.objects.get(company=company("RIVAL")).due_at


def test_what_a_dead_dispatcher_held_is_sent_again_in_version_2_alone(authority: Authority, receivers: Any) -> None:
    receiver = receivers()
    subscribe(receiver.url)
    signed = subscribe_signed(receiver.url)
    publish()
    Delivery.objects.update(
        state=State.SENDING, claim_id="ea7a7054-73b2-4998-9298-70c2463ead7a", attempts=1,
        claimed_at=timezone.now() - timedelta(seconds=31),
    )  # fmt: skip
    dispatch(authority)
    assert states() == {"abandoned": 1, "waiting": 1}
    make_due()
    dispatch(authority)
    (delivery,) = Delivery.objects.filter(subscription=signed)
    assert (delivery.state, delivery.attempts) == (State.DELIVERED, 2)
    (lost,) = delivery.past_attempts.all()
    assert (lost.number, lost.error) == (1, Failure.OUTCOME_UNKNOWN)
    (request,) = receiver.received
    assert request.headers["webhook-id"] == delivery.delivery_id


def test_one_that_kills_the_dispatcher_every_time_is_given_up_too(authority: Authority, receiver: Receiver) -> None:
    subscribe_signed(receiver.url)
    publish()
    Delivery.objects.update(
        state=State.SENDING, claim_id="ea7a7054-73b2-4998-9298-70c2463ead7a", attempts=MAX_ATTEMPTS,
        claimed_at=timezone.now() - timedelta(seconds=31),
    )  # fmt: skip
    dispatch(authority)
    assert states() == {"dead": 1}
    assert receiver.received == []
