"""Whether endpoints of version 2 work: since when they fail, and when to disable one.

Stored on the subscription rather than counted from the log, because every failure needs it.
"""

import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Annotated, TypedDict

import structlog
from django.db import connection, transaction

from base.http.json_types import known_words
from companies.mail import outbox as mail
from companies.models import MailKind
from webhooks import outbox, subscriptions
from webhooks.dispatcher.results import Result
from webhooks.events import Event, EventType, SubscriptionId
from webhooks.models import Delivery, DisabledReason, State, Subscription, Version
from webhooks.models.delivery import ships_to

FAILING_AT_MOST = timedelta(hours=120)
"""A schedule of ten attempts, 75.6 hours, and a weekend."""
FAILURES_AT_LEAST = 20
"""With fewer, an endpoint with little traffic would be disabled after two failed events."""

_COUNT = """
UPDATE webhooks_subscription SET failing_since = COALESCE(failing_since, %s), failures = failures + %s WHERE id = %s
"""

log = structlog.get_logger(__name__)


class SubscriptionDisabledData(TypedDict):
    """Another of your webhooks, which the service disabled."""

    subscription: SubscriptionId
    url: Annotated[str, "Without its query, which may be secret."]
    reason: Annotated[str, known_words(DisabledReason), "Why. More values may be added."]


def note(results: Sequence[Result]) -> None:
    """Count the outcomes of these attempts, and disable endpoints that have failed too long.

    Call it after the results are recorded: stopping in between loses a few counts, but no delivery.
    """
    of_version_2 = [result for result in results if result.row.version == Version.V2]
    _record_recovery(
        {one.row.subscription_id for one in of_version_2 if one.verdict.is_delivered and one.row.is_failing}
    )
    failures: defaultdict[int, list[Result]] = defaultdict(list)
    for result in of_version_2:
        if not result.verdict.is_delivered:
            failures[result.row.subscription_id].append(result)
    if failures:
        _count((key, min(one.attempted_at for one in failures[key]), len(failures[key])) for key in sorted(failures))
        _disable_failing(failures)


def note_lost(lost: Mapping[int, int], at: datetime) -> None:
    """Count attempts whose outcome is unknown as failures, without disabling any endpoint. lost: attempts by
    subscription.
    """
    _count((key, at, lost[key]) for key in sorted(lost))


def _count(failures: Iterable[tuple[int, datetime, int]]) -> None:
    """failures: subscription, first attempt, number of attempts; in order of the subscriptions, so that several
    dispatchers lock them in the same order.

    In one transaction, because on SQLite each flushes the disk, and hundreds of endpoints may fail within a second.
    """
    adapt = connection.ops.adapt_datetimefield_value
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.executemany(_COUNT, [(adapt(at), attempts, key) for key, at, attempts in failures])


def _record_recovery(keys: Collection[int]) -> None:
    if keys:
        failing = Subscription.objects.filter(pk__in=keys, failing_since__isnull=False)
        failing.update(failing_since=None, failures=0)


def _disable_failing(failures: Mapping[int, Sequence[Result]]) -> None:
    gone = {key for key, results in failures.items() if any(result.is_gone for result in results)}
    for key in sorted(gone):
        _disable(key, DisabledReason.GONE)
    last = max(one.finished_at for results in failures.values() for one in results)
    worn_out = Subscription.objects.filter(
        pk__in=failures.keys() - gone,
        is_active=True,
        failing_since__lte=last - FAILING_AT_MOST,
        failures__gte=FAILURES_AT_LEAST,
    )
    for key, since in worn_out.order_by("pk").values_list("pk", "failing_since"):
        # A success in flight when the first failure was recorded has not been counted.
        if Delivery.objects.filter(subscription=key, state=State.DELIVERED, finished_at__gt=since).exists():
            _record_recovery([key])
        else:
            _disable(key, DisabledReason.FAILING)


def _disable(key: int, reason: DisabledReason) -> None:
    """Disable it, and notify the company's endpoints that subscribe to this."""
    subscription = Subscription.objects.select_related("company").filter(pk=key).first()
    if subscription is None:
        return
    with transaction.atomic():
        if subscriptions.switch_off(subscription, reason):
            subscription.refresh_from_db(fields=["disabled_at"])
            data: SubscriptionDisabledData = {
                "subscription": subscription.public_id,
                "url": subscription.shown_url,
                "reason": reason.value,
            }
            kind, countries = EventType.WEBHOOK_SUBSCRIPTION_DISABLED, ships_to(subscription.company)
            event = Event(kind, subscription.disabled_at, subscription.public_id, data, countries)
            outbox.publish(subscription.company, [event])
            mail.alert(MailKind.ENDPOINT_DISABLED, f"{key}@{time.time():.0f}")
            log.warning("webhook disabled", subscription=key, reason=reason.value)
    subscriptions.end_unsent(subscription)
