"""Endpoints that have been failing for an hour or more: their clients receive nothing, and may not notice."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.urls import reverse

from webhooks.admin.advice import advice
from webhooks.models import Delivery, Subscription, SubscriptionQuerySet

UNTOLD_FOR = timedelta(hours=1)
LISTED = 5
"""The number of subscriptions listed; if more fail at once, the fault is probably ours."""


@dataclass(frozen=True, slots=True)
class Failing:
    """A failing subscription; `last_reason`: an explanation of its last failure."""

    company: str
    url: str
    last_reason: str
    link: str
    log: str


@dataclass(frozen=True, slots=True)
class FailingWebhooks:
    """The start page's warning. is_more: there are others beyond `listed`."""

    listed: Sequence[Failing]
    is_more: bool
    link: str


def failing_webhooks(subscriptions: SubscriptionQuerySet, now: datetime) -> FailingWebhooks | None:
    """Find the active `subscriptions` whose first failure was at least an hour ago, without a success since; None if
    there are none.
    """
    failing = subscriptions.failing_since(now - UNTOLD_FOR).select_related("company").order_by("pk")
    found = list(failing[: LISTED + 1])
    if not found:
        return None
    listed = [_failing(subscription) for subscription in found[:LISTED]]
    return FailingWebhooks(listed, len(found) > LISTED, reverse("admin:webhooks_subscription_changelist"))


def _failing(subscription: Subscription) -> Failing:
    last = Delivery.objects.last_failure_of(subscription)
    return Failing(
        company=str(subscription.company),
        url=subscription.url,
        last_reason=(advice(last) or last.reason) if last else "",
        link=reverse("admin:webhooks_subscription_change", args=[subscription.pk]),
        log=f"{reverse('admin:webhooks_delivery_changelist')}?subscription__id__exact={subscription.pk}&state__exact=failed",
    )
