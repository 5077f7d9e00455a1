"""Endpoints that nothing reaches: failing for an hour or many times in a row, or disabled by the dispatcher.

Their clients receive nothing, and may not notice.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from base.admin.confirmed_action import Grouped
from companies.clocks import in_words
from prealerts.dashboard.entries import LISTED, Entry
from webhooks.admin.advice import advice
from webhooks.models import Delivery, SubscriptionQuerySet
from webhooks.replays import to_send_again

FAILING_FOR = timedelta(hours=1)
FAILURES_IN_A_ROW = 20
"""A busy endpoint fails this often long before the hour is over. The dispatcher uses the same number."""
DISABLED_WITHIN = timedelta(days=7)
"""How long a disabled endpoint stays on the page, unless it is enabled or deleted: over a week's holidays."""


def failing_webhooks(subscriptions: SubscriptionQuerySet, user: Any, now: datetime) -> Iterator[Entry]:  # noqa: ANN401  # a user
    """Yield the active `subscriptions` that have failed for `FAILING_FOR`, or `FAILURES_IN_A_ROW` times, without a
    success since; the button sends what waits, for those who may.
    """
    failing = subscriptions.unreached(now - FAILING_FOR, FAILURES_IN_A_ROW).select_related("company").order_by("pk")
    found = list(failing[: LISTED + 1])
    by_subscription = to_send_again(*found)[0].values_list("subscription").order_by().annotate(rows=Count("pk"))
    waiting = dict(by_subscription) if found else {}
    for subscription in found[:LISTED]:
        last, rows = Delivery.objects.last_failure_of(subscription), waiting.get(subscription.pk, 0)
        texts = [gettext("Nothing arrives at %s.") % subscription.shown_url]
        if last:
            texts.append(advice(last) or last.reason)
        if rows:
            texts.append(ngettext("%s delivery waits.", "%s deliveries wait.", rows) % Grouped(rows))
        is_sent = rows and user.has_perm("webhooks.change_subscription")
        link = reverse(f"admin:webhooks_subscription_{'send_again' if is_sent else 'change'}", args=[subscription.pk])
        button = gettext("Send again") if is_sent else gettext("Open the endpoint")
        yield Entry("warning", subscription.company.name, " ".join(texts), link, button, rows or 1, is_urgent=True)
    if len(found) > LISTED:
        link = reverse("admin:webhooks_subscription_changelist", query={"is_active__exact": 1})
        yield Entry("warning", gettext("Webhooks"), gettext("More endpoints fail."), link, gettext("Open the list"))


def disabled_webhooks(subscriptions: SubscriptionQuerySet, now: datetime) -> Iterator[Entry]:
    """Yield the `subscriptions` that the dispatcher disabled in the last days, newest first."""
    disabled = subscriptions.disabled_since(now - DISABLED_WITHIN).select_related("company").order_by("-disabled_at")
    for subscription in disabled[:LISTED]:
        text = gettext("%(url)s was disabled on %(when)s: %(reason)s.") % {
            "url": subscription.shown_url,
            "when": in_words(timezone.localtime(subscription.disabled_at)),
            "reason": subscription.get_disabled_reason_display(),
        }
        link = reverse("admin:webhooks_subscription_change", args=[subscription.pk])
        yield Entry("block", subscription.company.name, text, link, gettext("Open the endpoint"), is_urgent=True)
