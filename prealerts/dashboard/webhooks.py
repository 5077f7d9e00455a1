"""The endpoints that have been failing for an hour: their clients hear of nothing, and do not know it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.urls import reverse

from webhooks.admin.advice import advice
from webhooks.models import Delivery, Subscription, SubscriptionQuerySet

UNTOLD_FOR = timedelta(hours=1)
LISTED = 5
"""Subscriptions that are named; where more fail at once, the fault is likely our own."""


@dataclass(frozen=True, slots=True)
class Failing:
    """A subscription to which nothing has got through; `last_reason`: what its last failure means."""

    company: str
    url: str
    last_reason: str
    link: str
    log: str


@dataclass(frozen=True, slots=True)
class FailingWebhooks:
    """What the start page warns of. is_more: there are others than those in `listed`."""

    listed: Sequence[Failing]
    is_more: bool
    link: str


def failing_webhooks(subscriptions: SubscriptionQuerySet, now: datetime) -> FailingWebhooks | None:
    """Those of `subscriptions`, of the live ones, that failed at least an hour ago and have not succeeded since; None
    where all is well.
    """
    failing = subscriptions.failing_since(now - UNTOLD_FOR).select_related("company").order_by("pk")
    found = list(failing[: LISTED + 1])
    if not found:
        return None
    listed = [_told(subscription) for subscription in found[:LISTED]]
    return FailingWebhooks(listed, len(found) > LISTED, reverse("admin:webhooks_subscription_changelist"))


def _told(subscription: Subscription) -> Failing:
    last = Delivery.objects.last_failure_of(subscription)
    return Failing(
        company=str(subscription.company),
        url=subscription.url,
        last_reason=(advice(last) or last.reason) if last else "",
        link=reverse("admin:webhooks_subscription_change", args=[subscription.pk]),
        log=f"{reverse('admin:webhooks_delivery_changelist')}?subscription__id__exact={subscription.pk}&state__exact=failed",
    )
