"""Dispatching once, endpoints that fail, and a clock that moves on."""

from datetime import timedelta
from typing import Any

from django.utils import timezone
from standardwebhooks import Webhook

from base import encryption
from tests.webhooks.conftest import subscribe_signed
from tests.webhooks.receivers import Authority, Behaviour, Received, answer
from tests.webhooks.running import InThread
from webhooks.models import Delivery, State, Subscription


def dispatch(authority: Authority) -> None:
    with InThread(authority.bundle, once=True) as dispatcher:
        dispatcher.wait()


def ids(requests: list[Received]) -> set[str]:
    return {request.headers["x-service-delivery-id"] for request in requests}


def make_due() -> None:
    """The clock moves on until everything that waits is due."""
    Delivery.objects.filter(state=State.WAITING).update(due_at=timezone.now() - timedelta(seconds=1))


def in_turn(*statuses: int, **headers: Any) -> Behaviour:
    """These answers, the last one for ever."""
    left = list(statuses)

    async def behave(request: Received, writer: Any) -> None:
        await answer(left.pop(0) if len(left) > 1 else left[0], **headers)(request, writer)

    return behave


def verify(request: Received, secret: str) -> Any:
    return Webhook(secret).verify(request.body, request.headers)


def secret_of(subscription: Subscription) -> str:
    return encryption.unseal(subscription.sealed_secret)


def failing_for(hours: int, failures: int, url: str) -> Subscription:
    subscription = subscribe_signed(url)
    since = timezone.now() - timedelta(hours=hours)
    Subscription.objects.filter(pk=subscription.pk).update(failing_since=since, failures=failures)
    return subscription
