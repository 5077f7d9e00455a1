"""Whether endpoints of version 2 work: since when they fail, and when it is time to switch one off.

On the subscription and not counted from the log, because it is asked at every failure.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Annotated, TypedDict

import structlog
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Coalesce

from webhooks import outbox, subscriptions
from webhooks.countries import ships_to
from webhooks.dispatcher.results import Result
from webhooks.events import Event, EventType, SubscriptionId
from webhooks.json_types import known_words
from webhooks.models import Delivery, DisabledReason, State, Subscription, Version

FAILING_AT_MOST = timedelta(hours=120)
"""A schedule of ten attempts, 75.6 hours, and a weekend."""
FAILURES_AT_LEAST = 20
"""Below it a quiet endpoint that two events did not reach would be switched off."""

log = structlog.get_logger(__name__)


class SubscriptionDisabledData(TypedDict):
    """Another webhook of yours that the service disabled."""

    subscription: SubscriptionId
    url: str
    reason: Annotated[str, known_words(DisabledReason), "Why. More may come."]


def note(results: Sequence[Result]) -> None:
    """Keep count of what these attempts say of their endpoints, and disable those for which it is time.

    Best after the results are recorded: to be stopped between the two loses a count of some, and no delivery.
    """
    of_version_2 = [result for result in results if result.row.version == Version.V2]
    _recovered({one.row.subscription_id for one in of_version_2 if one.verdict.is_delivered and one.row.is_failing})
    failures: defaultdict[int, list[Result]] = defaultdict(list)
    for result in of_version_2:
        if not result.verdict.is_delivered:
            failures[result.row.subscription_id].append(result)
    for key in sorted(failures):
        _failed(key, failures[key])


def note_lost(subscription_id: int, at: datetime, attempts: int) -> None:
    """The same for attempts whose outcome nobody knows: they count as failures, and disable nothing by themselves."""
    _count(subscription_id, at, attempts)


def _recovered(keys: Collection[int]) -> None:
    if keys:
        failing = Subscription.objects.filter(pk__in=keys, failing_since__isnull=False)
        failing.update(failing_since=None, failures=0)


def _failed(key: int, results: Sequence[Result]) -> None:
    first, last = min(one.attempted_at for one in results), max(one.finished_at for one in results)
    _count(key, first, len(results))
    if any(result.is_gone for result in results):
        _disable(key, DisabledReason.GONE)
        return
    worn_out = Subscription.objects.filter(
        pk=key, is_active=True, failing_since__lte=last - FAILING_AT_MOST, failures__gte=FAILURES_AT_LEAST
    )
    since = worn_out.values_list("failing_since", flat=True).first()
    if since is None:
        return
    # A success that was under way when the first failure was recorded has not been counted.
    if Delivery.objects.filter(subscription=key, state=State.DELIVERED, finished_at__gt=since).exists():
        _recovered([key])
    else:
        _disable(key, DisabledReason.FAILING)


def _count(key: int, at: datetime, attempts: int) -> None:
    Subscription.objects.filter(pk=key).update(
        failing_since=Coalesce("failing_since", at), failures=F("failures") + attempts
    )


def _disable(key: int, reason: DisabledReason) -> None:
    """Switch it off, and tell the company's endpoints that want to hear of it."""
    subscription = Subscription.objects.select_related("company").filter(pk=key).first()
    if subscription is None:
        return
    with transaction.atomic():
        if subscriptions.switch_off(subscription, reason):
            outbox.publish(subscription.company, [_told(subscription, reason)])
            log.warning("a webhook was disabled", subscription=key, reason=reason.value)
    subscriptions.end_unsent(subscription)


def _told(subscription: Subscription, reason: DisabledReason) -> Event:
    disabled_at = Subscription.objects.values_list("disabled_at", flat=True).get(pk=subscription.pk)
    data: SubscriptionDisabledData = {
        "subscription": subscription.public_id,
        "url": subscription.url,
        "reason": reason.value,
    }
    countries = ships_to(subscription.company)
    return Event(EventType.WEBHOOK_SUBSCRIPTION_DISABLED, disabled_at, subscription.public_id, data, countries)
