"""Operations of clients on their webhooks of version 2; operators manage those of version 1."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import cache
from typing import Any

from django.db import transaction
from django.utils import timezone, translation

from base.errors import ValidationFailed
from companies.models import Company
from webhooks import destinations, outbox, subscriptions
from webhooks.catalogue import example_data
from webhooks.errors import DestinationRefused, ManagedByOperators, SubscriptionLimit, TooManyTests
from webhooks.events import EventType
from webhooks.models import Delivery, Subscription, Version
from webhooks.v1.answers import Remark

LIVE_AT_MOST = 10
"""Active webhooks of version 2 that a company may have."""
TESTS_A_MINUTE = 10
TEST_SUBJECT = "test"
"""The subject of test deliveries in the log, by which they are counted. No tracking code or MAWB has this form."""
LOOK_UP_SECONDS = 3.0
"""Seconds that a request waits for the DNS; a host that takes longer is accepted with a warning."""
_LOOK_UPS = 4


def create(company: Company, wanted: Mapping[str, Any]) -> tuple[Subscription, str, Remark]:
    """Return the webhook, its secret in clear, and the remark about its URL.

    wanted: from `bodies.NewSubscription`. Raises `ValidationFailed` for the URL, `SubscriptionLimit`,
    `AlreadySubscribed`."""
    remark = _inspect(wanted["url"])
    with transaction.atomic(), translation.override("en"):
        _lock(company)
        _require_room(company)
        subscription, secret = subscriptions.register_signed(company, **wanted)
    return subscription, secret, remark


def change(subscription: Subscription, wanted: Mapping[str, Any]) -> Remark:
    """wanted: the keys of `bodies.ChangedSubscription` that change. Returns the response's remark.

    Raises `ManagedByOperators` and the errors of `create`.
    """
    _require_own(subscription)
    url = wanted.get("url", subscription.url)
    remark: Remark = _inspect(url) if url != subscription.url else {}
    with transaction.atomic(), translation.override("en"):
        _lock(subscription.company)
        for name in ("url", "description"):
            setattr(subscription, name, wanted.get(name, getattr(subscription, name)))
        for name in ("event_types", "countries"):
            if name in wanted:
                setattr(subscription, name, None if wanted[name] is None else sorted(set(wanted[name])))
        subscriptions.store(subscription, "url", "description", "event_types", "countries")
        if wanted.get("is_active") and not subscription.is_active:
            _require_room(subscription.company)
            subscriptions.enable(subscription)
    if wanted.get("is_active") is False:
        subscriptions.disable(subscription)
    return remark


def delete(subscription: Subscription) -> None:
    """Raises `ManagedByOperators`."""
    _require_own(subscription)
    subscriptions.remove(subscription)


def rotate(subscription: Subscription, overlap_hours: int, secret: str | None = None) -> str:
    """Returns the new secret: the client's own, if there is one. Raises `ManagedByOperators`."""
    _require_own(subscription)
    return subscriptions.rotate_secret(subscription, secret, overlap=timedelta(hours=overlap_hours))


def test(company: Company, subscription: Subscription, kind: EventType) -> Delivery:
    """Send the example of a type to this endpoint, regardless of its filters. Raises `ManagedByOperators`,
    `TooManyTests`."""
    _require_own(subscription)
    if not subscription.is_active:
        raise ValidationFailed("This webhook is disabled; enable it first.")
    message = {"message": "A test event, requested by API."} if kind is EventType.WEBHOOK_TEST else {}
    with transaction.atomic():
        _lock(company)
        minute_ago = timezone.now() - timedelta(minutes=1)
        tests = Delivery.objects.filter(company=company, subject=TEST_SUBJECT, created_at__gt=minute_ago)
        recent = list(tests.order_by("-created_at").values_list("created_at", flat=True)[:TESTS_A_MINUTE])
        if len(recent) == TESTS_A_MINUTE:
            raise TooManyTests(max(1, round((recent[-1] - minute_ago).total_seconds())))
        return outbox.send_to(subscription, kind, {**example_data(kind), **message, "test": True}, subject=TEST_SUBJECT)


test.__test__ = False  # type: ignore[attr-defined]  # pytest collects every test... function


def _require_own(subscription: Subscription) -> None:
    if subscription.version == Version.V1:
        raise ManagedByOperators


def _lock(company: Company) -> None:
    """Lock, so that of two concurrent requests of a company the second counts the first's."""
    Company.objects.select_for_update(no_key=True).get(pk=company.pk)


def _require_room(company: Company) -> None:
    if Subscription.objects.filter(company=company, version=Version.V2, is_active=True).count() >= LIVE_AT_MOST:
        raise SubscriptionLimit


def _inspect(url: str) -> Remark:
    try:
        remark = _resolvers().submit(_look_up, url, translation.get_language()).result(timeout=LOOK_UP_SECONDS)
    except TimeoutError:
        remark = str(destinations.UNRESOLVED)
    except DestinationRefused as refused:
        raise ValidationFailed(details={"url": [refused.message]}) from None
    return {"warning": remark} if remark else {}


def _look_up(url: str, language: str | None) -> str | None:
    with translation.override(language):  # which is local to a thread
        return destinations.inspect_name(url)


@cache
def _resolvers() -> ThreadPoolExecutor:
    """The system's resolver has no timeout; it runs in threads so that slow name servers do not hold up a request."""
    return ThreadPoolExecutor(_LOOK_UPS, thread_name_prefix="webhook-names")
