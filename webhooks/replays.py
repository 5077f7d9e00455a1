"""Clients and operators send deliveries of version 2 again; operators resend single deliveries of version 1."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from django.db import connection, transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from base.errors import NotFound
from companies.models import Company
from webhooks import outbox
from webhooks.errors import DeliveryInFlight, ReplayNotAvailable, ResendNotAvailable
from webhooks.models import OUTCOME, Delivery, DeliveryAttempt, DeliveryQuerySet, State, Subscription

REPLAYABLE = (State.DEAD, State.DELIVERED, State.WAITING)
REPLAYABLE_FOR = timedelta(days=30)
"""Since the event; deliveries that were given up are kept at least as long."""
AT_ONCE = 5_000
"""Deliveries in one replay of a range."""
RESENT_AT_ONCE = 500
"""Deliveries of version 1 that are resent by one click."""
RESENDABLE = (State.FAILED, State.ABANDONED)

log = structlog.get_logger(__name__)

_ANEW = {
    "attempts": 0, "finished_at": None, "claim_id": None, "claimed_at": None, "attempted_at": None, "error": "",
    "reason": "", "http_status": None, "duration_ms": None, "remote_address": "", "excerpt": "",
}  # fmt: skip
"""A delivery that starts again, with its id and body."""


def replay(company: Company, uuid: UUID) -> Delivery:
    """Send a delivery of `company` again from its first attempt, with the same id and body.

    Raises `NotFound`, `ReplayNotAvailable`, `DeliveryInFlight`; of two concurrent calls, one gets the last.
    """
    with transaction.atomic():
        row = Delivery.objects.select_for_update(no_key=True).filter(company=company, uuid=uuid).first()
        if row is None:
            raise NotFound
        if not row.is_retried:
            raise ReplayNotAvailable
        if row.state in {State.PENDING, State.SENDING}:
            raise DeliveryInFlight
        if row.state not in REPLAYABLE:
            raise ReplayNotAvailable("This delivery was cancelled with its webhook.")
        if row.created_at < timezone.now() - REPLAYABLE_FOR:
            raise ReplayNotAvailable("Deliveries can be replayed for 30 days.")
        if not Subscription.objects.live().filter(pk=row.subscription_id).exists():
            raise ReplayNotAvailable("The webhook of this delivery is disabled; enable it first.")
        _keep_outcomes([row])
        Delivery.objects.filter(pk=row.pk).update(**_ANEW, state=State.PENDING, due_at=None, replays=F("replays") + 1)
        outbox.wake_dispatchers()
    log.info("delivery_replayed", delivery=row.delivery_id)
    row.refresh_from_db()
    return row


def replay_range(
    subscription: Subscription,
    *,
    since: datetime,
    until: datetime,
    states: Collection[str] = (State.DEAD,),
    event_types: Collection[str] | None = None,
) -> tuple[int, bool]:
    """Send the events of `subscription` between `since` and `until` again; return how many, and whether more are left
    for another call.

    states: `dead` and perhaps `delivered`. A delivered one counts only if it was delivered before `until`, so that a
    second call does not start over. They are sent beside current events (`dispatcher/claims.py`). Raises
    `ReplayNotAvailable` for version 1 and for an inactive subscription.
    """
    _require_active(subscription)
    since = max(since, timezone.now() - REPLAYABLE_FOR)
    wanted = Delivery.objects.filter(
        Q(state=State.DEAD) | Q(state=State.DELIVERED, finished_at__lt=until),
        subscription=subscription, state__in=states, created_at__gte=since, created_at__lt=until, max_attempts__gt=1,
    )  # fmt: skip
    if event_types is not None:
        wanted = wanted.filter(event_type__in=event_types)
    rows, has_more = _restart(wanted, subscription=subscription.pk)
    return len(rows), has_more


def to_send_again(*subscriptions: Subscription) -> tuple[DeliveryQuerySet, DeliveryQuerySet]:
    """Return deliveries of these webhooks of version 2: those that wait for a later attempt, and those that were given
    up and can still be replayed.
    """
    now = timezone.now()
    mine = Delivery.objects.filter(subscription__in=subscriptions, max_attempts__gt=1)
    return (
        mine.filter(state=State.WAITING, due_at__gt=now),
        mine.filter(state=State.DEAD, created_at__gte=now - REPLAYABLE_FOR),
    )


def restartable(deliveries: DeliveryQuerySet) -> DeliveryQuerySet:
    """Return those of the deliveries that *Send again* would send, as `to_send_again`, of active webhooks."""
    waiting, dead = to_send_again(
        *Subscription.objects.live().filter(pk__in=deliveries.order_by().values("subscription"))
    )
    return deliveries.filter(pk__in=(waiting | dead).order_by().values("pk"))


def restart(deliveries: DeliveryQuerySet) -> tuple[Sequence[Delivery], bool]:
    """Send these deliveries of version 2 now, as `send_again` does; return them, and whether more are left for another
    call. Others among them are left alone.
    """
    return _restart(restartable(deliveries))


def resendable(deliveries: DeliveryQuerySet) -> DeliveryQuerySet:
    """Return those of the deliveries that are of version 1, failed, and have an active subscription."""
    live = Subscription.objects.live().order_by().values("pk")
    return deliveries.filter(max_attempts=1, state__in=RESENDABLE, subscription__in=live)


def send_again(subscription: Subscription, *, with_dead: bool, since: datetime | None = None) -> tuple[int, bool]:
    """Send what waits for a later attempt now, from the first attempt; return how many, and whether more are left for
    another call.

    with_dead: include those that were given up. since: only events from then on. Repeating it does not start over what
    is not sent yet: that is due already. They are sent beside current events, as a replayed range. Raises
    `ReplayNotAvailable` as `replay_range`.
    """
    _require_active(subscription)
    waiting, dead = to_send_again(subscription)
    wanted = waiting | dead if with_dead else waiting
    wanted = wanted.filter(created_at__gte=since) if since else wanted
    rows, has_more = _restart(wanted, subscription=subscription.pk)
    return len(rows), has_more


def _require_active(subscription: Subscription) -> None:
    if not subscription.signs:
        raise ReplayNotAvailable
    if not subscription.is_active:
        raise ReplayNotAvailable("This webhook is disabled; enable it first.")


def _restart(wanted: DeliveryQuerySet, **logged: int) -> tuple[Sequence[Delivery], bool]:
    """Make at most `AT_ONCE` of the `wanted` deliveries due again; return them, and whether there are more."""
    with transaction.atomic():
        locked = wanted.select_for_update(no_key=True, skip_locked=connection.features.has_select_for_update)
        rows = list(locked.order_by("id").without_body()[: AT_ONCE + 1])
        has_more, rows = len(rows) > AT_ONCE, rows[:AT_ONCE]
        _keep_outcomes(rows)
        keys = [row.pk for row in rows]
        Delivery.objects.filter(pk__in=keys).update(
            **_ANEW, state=State.WAITING, due_at=timezone.now(), replays=F("replays") + 1
        )
    log.info("deliveries_replayed", rows=len(rows), has_more=has_more, **logged)
    return rows, has_more


def resend(delivery: Delivery, *, reason: str, actor: str) -> None:
    """Resend a delivery of version 1 for an operator, with the same id and body: the one exception to its single
    attempt.

    reason, actor: for the log; the caller also records them. Raises `ResendNotAvailable`.
    """
    with transaction.atomic():
        row = Delivery.objects.select_for_update(no_key=True).filter(pk=delivery.pk).first()
        if row is None or row.is_retried or row.state not in RESENDABLE:
            raise ResendNotAvailable(_("Only failed or abandoned deliveries can be resent."))
        if not Subscription.objects.live().filter(pk=row.subscription_id).exists():
            raise ResendNotAvailable(_("Its subscription is disabled; enable it first."))
        _keep_outcomes([row])
        made = max(row.attempts, 1)  # rows older than the column have no count
        Delivery.objects.filter(pk=row.pk).update(
            **{**_ANEW, "attempts": made}, state=State.PENDING, resends=F("resends") + 1
        )
        outbox.wake_dispatchers()
    log.info("delivery_resent", delivery=row.delivery_id, reason=reason, actor=actor)


def _keep_outcomes(rows: Iterable[Delivery]) -> None:
    """Store what will be overwritten, as attempts. Failures of version 2 are stored already."""
    past: Sequence[DeliveryAttempt] = [
        DeliveryAttempt(
            delivery=row,
            number=max(row.attempts, 1),
            begun_at=row.attempted_at or row.claimed_at or row.created_at,
            **{name: getattr(row, name) for name in OUTCOME},
        )
        for row in rows
        if row.state in {State.DELIVERED, *RESENDABLE}
    ]
    DeliveryAttempt.objects.bulk_create(past, batch_size=1000)
