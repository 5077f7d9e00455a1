"""What clients do with their own webhooks of version 2; those of version 1 are the operators'."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import Any

from django.db import transaction
from django.utils import timezone, translation

from companies.models import Company
from webhooks import destinations, outbox, subscriptions
from webhooks.catalogue import example_data
from webhooks.errors import DestinationRefused, FieldsRefused, ManagedByOperators, SubscriptionLimit, TooManyTests
from webhooks.events import EventType
from webhooks.models import Delivery, Subscription, Version
from webhooks.v1.answers import Remark

LIVE_AT_MOST = 10
"""Active webhooks of version 2 that a company may have."""
TESTS_A_MINUTE = 10
TEST_SUBJECT = "test"
"""What the log says that a test speaks of; by it tests are counted. No tracking code or MAWB is spelled so."""
LOOK_UP_SECONDS = 3.0
"""How long a request waits for the DNS; a name that answers later is taken, with a warning."""
_LOOK_UPS = 4


@dataclass(frozen=True, slots=True)
class Made:
    """A new webhook with its secret in clear; `remark`: about its URL, perhaps nothing."""

    subscription: Subscription
    secret: str
    remark: Remark


def create(company: Company, wanted: Mapping[str, Any]) -> Made:
    """wanted: as `bodies.NewSubscription` reads it. Raises `FieldsRefused` for the URL, `SubscriptionLimit`,
    `AlreadySubscribed`."""
    remark = _inspected(wanted["url"])
    with transaction.atomic(), translation.override("en"):
        _lock(company)
        _require_room(company)
        subscription, secret = subscriptions.register_signed(company, **wanted)
    return Made(subscription, secret, remark)


def change(subscription: Subscription, wanted: Mapping[str, Any]) -> Remark:
    """wanted: those keys of `bodies.ChangedSubscription` that change. Returns what the answer says besides.

    Raises `ManagedByOperators`, and as `create`.
    """
    _require_own(subscription)
    url = wanted.get("url", subscription.url)
    remark: Remark = _inspected(url) if url != subscription.url else {}
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


def rotate(subscription: Subscription, overlap_hours: int) -> str:
    """Returns the new secret. Raises `ManagedByOperators`."""
    _require_own(subscription)
    return subscriptions.rotate_secret(subscription, overlap=timedelta(hours=overlap_hours))


def test(company: Company, subscription: Subscription, kind: EventType) -> Delivery:
    """Send the example of a type to this one endpoint, whatever it filters. Raises `ManagedByOperators`,
    `TooManyTests`."""
    _require_own(subscription)
    if not subscription.is_active:
        raise FieldsRefused("This webhook is inactive; activate it first.")
    message = {"message": "A test event, asked for by API."} if kind is EventType.WEBHOOK_TEST else {}
    with transaction.atomic():
        _lock(company)
        _require_pace(company)
        return outbox.send_to(subscription, kind, {**example_data(kind), **message, "test": True}, subject=TEST_SUBJECT)


test.__test__ = False  # type: ignore[attr-defined]  # pytest takes every test... for its own


def _require_own(subscription: Subscription) -> None:
    if subscription.version == Version.V1:
        raise ManagedByOperators


def _lock(company: Company) -> None:
    """Of two requests of one company at once, the second counts what the first has made."""
    Company.objects.select_for_update(no_key=True).get(pk=company.pk)


def _require_room(company: Company) -> None:
    if Subscription.objects.filter(company=company, version=Version.V2, is_active=True).count() >= LIVE_AT_MOST:
        raise SubscriptionLimit


def _require_pace(company: Company) -> None:
    minute_ago = timezone.now() - timedelta(minutes=1)
    tests = Delivery.objects.filter(company=company, subject=TEST_SUBJECT, created_at__gt=minute_ago)
    recent = list(tests.order_by("-created_at").values_list("created_at", flat=True)[:TESTS_A_MINUTE])
    if len(recent) == TESTS_A_MINUTE:
        raise TooManyTests(max(1, round((recent[-1] - minute_ago).total_seconds())))


def _inspected(url: str) -> Remark:
    """Look at a URL, and ask the DNS about its host. Raises `FieldsRefused`."""
    with translation.override("en"):
        try:
            destinations.inspect(url, destinations.allowed_networks())
        except DestinationRefused as refused:
            raise FieldsRefused(details={"url": [refused.message]}) from None
    try:
        remark = _look_ups().submit(_looked_up, url).result(timeout=LOOK_UP_SECONDS)
    except TimeoutError:
        remark = "The host's name does not resolve at the moment; deliveries will fail until it does."
    except DestinationRefused:
        # Which address it is, our own network's name servers may have said; that is not for everybody.
        refusal = "The host resolves to an address that deliveries may not reach."
        raise FieldsRefused(details={"url": [refusal]}) from None
    return {"warning": remark} if remark else {}


def _looked_up(url: str) -> str | None:
    with translation.override("en"):  # in a thread of its own, which has a language of its own
        return destinations.inspect_name(url)


@cache
def _look_ups() -> ThreadPoolExecutor:
    """The system's resolver knows no deadline: in threads, slow name servers of a client hold no request for long."""
    return ThreadPoolExecutor(_LOOK_UPS, thread_name_prefix="webhook-names")
