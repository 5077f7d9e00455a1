"""Finishes rows that no one else will: those of dead dispatchers and those of closed subscriptions."""

import time
from collections import Counter
from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from companies.models import Company
from webhooks.dispatcher import endpoint_health
from webhooks.models import Delivery, DeliveryAttempt, DeliveryQuerySet, State, Subscription
from webhooks.sender import DEADLINE_SECONDS
from webhooks.subscriptions import cancel_part
from webhooks.verdicts import Failure, pause_after

STALE_SECONDS = 3 * DEADLINE_SECONDS
"""No row is in flight for longer: it waits briefly, has one deadline, and some time to record the result."""
_LOST = ["state", "due_at", "finished_at", "error", "reason", "http_status", "duration_ms", "remote_address", "excerpt"]
_SENT_AGAIN = "The dispatcher ended before recording the result; the POST may have arrived."
_REASON = f"{_SENT_AGAIN} It is not sent again."


class Reaper:
    """Finishes the rows of dead dispatchers, whose POSTs may have arrived.

    Version 1 is sent at most once, so they are abandoned; version 2 at least once, so they are retried.
    """

    def __init__(self) -> None:
        self._first_seen: dict[tuple[int, object], float] = {}

    def abandon(self, mine: Collection[int]) -> int:
        """Abandon stale rows of version 1, except those that this dispatcher holds; return how many."""
        now = _now()
        return (
            self._stale(mine, now)
            .filter(max_attempts=1)
            .update(state=State.ABANDONED, finished_at=now, error=Failure.OUTCOME_UNKNOWN, reason=_REASON)
        )

    def send_again(self, mine: Collection[int]) -> int:
        """Schedule the next attempt of other stale rows, or give them up after the last; return how many."""
        stale = self._stale(mine, _now()).filter(max_attempts__gt=1)
        with transaction.atomic():
            rows = list(stale.select_for_update(skip_locked=connection.vendor == "postgresql").without_body())
            ended_at = timezone.now()
            for row in rows:
                is_last = row.attempts >= row.max_attempts
                row.state = State.DEAD if is_last else State.WAITING
                row.due_at = None if is_last else ended_at + pause_after(row.attempts)
                row.finished_at = ended_at if is_last else None
                row.error, row.reason = Failure.OUTCOME_UNKNOWN, _SENT_AGAIN
                row.http_status = row.duration_ms = None
                row.remote_address = row.excerpt = ""
            Delivery.objects.bulk_update(rows, _LOST, batch_size=100)
            lost = {"error": Failure.OUTCOME_UNKNOWN, "reason": _SENT_AGAIN}
            DeliveryAttempt.objects.bulk_create(
                DeliveryAttempt(delivery=row, number=row.attempts, begun_at=row.claimed_at or row.created_at, **lost)
                for row in rows
            )
        endpoint_health.note_lost(Counter(row.subscription_id for row in rows if row.subscription_id), ended_at)
        return len(rows)

    def _stale(self, mine: Collection[int], now: Now | datetime) -> DeliveryQuerySet:
        """Return `sending` rows that no dispatcher can still be sending, by the database's clock.

        If a row was claimed in that clock's future (the clock was set back), it counts how long we have seen it.
        """
        sending = Delivery.objects.filter(state=State.SENDING).exclude(pk__in=mine)
        of_the_future = sending.filter(claimed_at__gt=now).values_list("pk", "claim_id")
        self._first_seen = {key: self._first_seen.get(key, time.monotonic()) for key in of_the_future}
        long_seen = [pk for (pk, _), since in self._first_seen.items() if time.monotonic() - since > STALE_SECONDS]
        return sending.filter(Q(claimed_at__lt=now - timedelta(seconds=STALE_SECONDS)) | Q(pk__in=long_seen))


def _now() -> Now | datetime:
    return Now() if connection.vendor == "postgresql" else timezone.now()


def cancel_undeliverable() -> int:
    """Cancel some of the rows that wait for closed subscriptions; return how many, 0 if there are none.

    Disabling cancels rows itself; this finds those committed at the same moment and those of deactivated companies.
    """
    # Not joined with the deliveries: when the statistics show no waiting rows, as after a quiet hour, the planner
    # would compare every waiting row with every other.
    undeliverable = Q(subscription__in=Subscription.everyone.filter(is_active=False)) | Q(
        company__in=Company.objects.filter(is_active=False)
    )
    return cancel_part(Delivery.objects.filter(undeliverable), State.DEAD)
