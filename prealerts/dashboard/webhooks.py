"""Endpoints that nothing reaches: failing for an hour or many times in a row, or disabled by the dispatcher.

Their clients receive nothing, and may not notice.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count
from django.urls import reverse

from companies.models.contact import contact_of
from webhooks.admin.advice import advice
from webhooks.models import Delivery, State, Subscription, SubscriptionQuerySet
from webhooks.replays import to_send_again

FAILING_FOR = timedelta(hours=1)
FAILURES_IN_A_ROW = 20
"""A busy endpoint fails this often long before the hour is over. The dispatcher uses the same number."""
DISABLED_WITHIN = timedelta(days=7)
"""How long a disabled endpoint stays on the page, unless it is enabled or deleted: over a week's holidays."""
LISTED = 5
"""The number of subscriptions listed; if more fail at once, the fault is probably ours."""


def failing_webhooks(subscriptions: SubscriptionQuerySet, now: datetime) -> Mapping[str, Any] | None:
    """Find the active `subscriptions` that have failed for `FAILING_FOR`, or `FAILURES_IN_A_ROW` times, without a
    success since; None if there are none.
    """
    failing = subscriptions.unreached(now - FAILING_FOR, FAILURES_IN_A_ROW).select_related("company").order_by("pk")
    return _listed(list(failing[: LISTED + 1]), is_active__exact=1)


def disabled_webhooks(subscriptions: SubscriptionQuerySet, now: datetime) -> Mapping[str, Any] | None:
    """Find the `subscriptions` that the dispatcher disabled in the last days, newest first; None if there are none."""
    disabled = subscriptions.disabled_since(now - DISABLED_WITHIN).select_related("company").order_by("-disabled_at")
    return _listed(list(disabled[: LISTED + 1]), is_active__exact=0)


def _listed(found: Sequence[Subscription], **lookups: int) -> Mapping[str, Any] | None:
    if not found:
        return None
    shown = found[:LISTED]
    link = reverse("admin:webhooks_subscription_changelist", query=lookups)
    versions = frozenset(subscription.version for subscription in shown)
    by_subscription = to_send_again(*shown)[0].values_list("subscription").order_by().annotate(rows=Count("pk"))
    waiting = dict(by_subscription) if lookups["is_active__exact"] else {}
    listed = [_unreached(one, waiting.get(one.pk, 0)) for one in shown]
    return {"listed": listed, "is_more": len(found) > LISTED, "link": link, "versions": versions}


def _unreached(subscription: Subscription, waiting: int) -> Mapping[str, Any]:
    """Return what `unreached_webhooks.html` shows. waiting: for another attempt; `send_again` sends them now."""
    last = Delivery.objects.last_failure_of(subscription)
    state = last.state if last else State.FAILED
    log = {"subscription__id__exact": subscription.pk, "state__exact": state}
    return {
        "company": str(subscription.company),
        "contact": contact_of(subscription.company),
        "url": subscription.shown_url,
        "last_reason": (advice(last) or last.reason) if last else "",
        "link": reverse("admin:webhooks_subscription_change", args=[subscription.pk]),
        "log": reverse("admin:webhooks_delivery_changelist", query=log),
        "disabled_at": subscription.disabled_at,
        "disabled_reason": subscription.get_disabled_reason_display(),
        "waiting": waiting,
        "send_again": reverse("admin:webhooks_subscription_send_again", args=[subscription.pk]),
    }
