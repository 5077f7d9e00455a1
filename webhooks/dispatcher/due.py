"""Deliveries that wait for their next attempt become pending when it is due: a few of each subscription at a time.

The claim takes the oldest pending rows first, and retries are older than current events. So only a few may be pending
at a time: a replay of thousands, or the backlog of an endpoint that was down for a day, is sent between current events
and not before them.
"""

from django.db import connection, transaction
from django.utils import timezone

from webhooks.models import Delivery, State, Version

ROOM = 100
"""Rows that one healthy subscription may have pending before more become due; per second."""
AT_ONCE = 2_000
"""Rows of healthy subscriptions that one pass makes pending."""
ROOM_WHILE_FAILING = 2
"""Rows of a failing subscription: enough to notice when it works again."""
AT_ONCE_WHILE_FAILING = 50
"""Rows of all failing subscriptions together: hundreds of them must not slow down the others."""

# The first due row of each subscription is one lookup in the partial index, however many there are.
_DUE_POSTGRESQL = """
WITH room AS (
    SELECT s.id, %(room)s - (
        SELECT count(*) FROM (
            SELECT 1 FROM webhooks_delivery p WHERE p.subscription_id = s.id AND p.state = 'pending' LIMIT %(room)s
        ) pending
    ) AS rows
    FROM webhooks_subscription s JOIN companies_company c ON c.id = s.company_id
    WHERE s.version = %(version)s AND s.is_active AND c.is_active AND (s.failing_since IS NOT NULL) = %(is_failing)s
), due AS MATERIALIZED (
    SELECT w.id FROM room CROSS JOIN LATERAL (
        SELECT q.id, q.due_at FROM webhooks_delivery q
        WHERE q.subscription_id = room.id AND q.state = 'waiting' AND q.due_at <= statement_timestamp()
        ORDER BY q.due_at, q.id LIMIT room.rows FOR UPDATE SKIP LOCKED
    ) w
    ORDER BY w.due_at LIMIT %(at_once)s
)
UPDATE webhooks_delivery AS d SET state = 'pending', due_at = NULL, claim_id = NULL, claimed_at = NULL
FROM due WHERE d.id = due.id AND d.state = 'waiting'
"""

_LISTENING_SQLITE = """
SELECT s.id, (SELECT count(*) FROM webhooks_delivery p WHERE p.subscription_id = s.id AND p.state = 'pending'),
    (SELECT min(q.due_at) FROM webhooks_delivery q WHERE q.subscription_id = s.id AND q.state = 'waiting') AS first
FROM webhooks_subscription s JOIN companies_company c ON c.id = s.company_id
WHERE s.version = %s AND s.is_active AND c.is_active AND (s.failing_since IS NOT NULL) = %s AND first <= %s
ORDER BY first
"""


def promote() -> int:
    """Make due rows pending within the limits; return how many. By the database's clock."""
    of_one_kind = _promote_postgresql if connection.vendor == "postgresql" else _promote_sqlite
    healthy = of_one_kind(is_failing=False, room=ROOM, at_once=AT_ONCE)
    return healthy + of_one_kind(is_failing=True, room=ROOM_WHILE_FAILING, at_once=AT_ONCE_WHILE_FAILING)


def _promote_postgresql(*, is_failing: bool, room: int, at_once: int) -> int:
    limits = {"is_failing": is_failing, "room": room, "at_once": at_once, "version": Version.V2.value}
    with connection.cursor() as cursor:
        cursor.execute(_DUE_POSTGRESQL, limits)
        return int(cursor.rowcount)


def _promote_sqlite(*, is_failing: bool, room: int, at_once: int) -> int:
    now = timezone.now()
    moment = connection.ops.adapt_datetimefield_value(now)
    promoted = 0
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_LISTENING_SQLITE, [Version.V2.value, is_failing, moment])
        for key, pending, _first in cursor.fetchall():
            share = max(0, min(room - pending, at_once - promoted))
            due = Delivery.objects.filter(subscription=key, state=State.WAITING, due_at__lte=now)
            rows = list(due.order_by("due_at", "id").values_list("pk", flat=True)[:share])
            promoted += Delivery.objects.filter(pk__in=rows).update(
                state=State.PENDING, due_at=None, claim_id=None, claimed_at=None
            )
    return promoted
