"""What waits for its next attempt becomes pending again when it is due: a little of each subscription at a time.

The claim takes the oldest pending rows first, and these are older than what happens today. So only so many may be
pending beside what is: a replay of thousands, or the backlog of an endpoint that was away for a day, goes out between
the fresh events and not before them.
"""

from datetime import datetime

from django.db import connection, transaction
from django.utils import timezone

from webhooks.models import Delivery, State, Version

ROOM = 100
"""Rows of one healthy subscription that may be pending, and be joined by what is due. Each second's share."""
ROOM_WHILE_FAILING = 2
"""The same for one whose last attempts failed: enough to find out whether it is back."""
AT_ONCE = 2_000
"""Rows that one statement makes pending; healthy subscriptions come first."""

# Where each subscription's due rows begin is one look into the partial index, however many there are.
_DUE_POSTGRESQL = """
WITH room AS (
    SELECT s.id, s.failing_since IS NOT NULL AS is_failing,
        CASE WHEN s.failing_since IS NULL THEN %(room)s ELSE %(room_while_failing)s END - (
            SELECT count(*) FROM (
                SELECT 1 FROM webhooks_delivery p WHERE p.subscription_id = s.id AND p.state = 'pending' LIMIT %(room)s
            ) pending
        ) AS rows
    FROM webhooks_subscription s JOIN companies_company c ON c.id = s.company_id
    WHERE s.version = %(version)s AND s.is_active AND c.is_active
), due AS MATERIALIZED (
    SELECT w.id FROM room CROSS JOIN LATERAL (
        SELECT q.id FROM webhooks_delivery q
        WHERE q.subscription_id = room.id AND q.state = 'waiting' AND q.due_at <= statement_timestamp()
        ORDER BY q.due_at, q.id LIMIT GREATEST(room.rows, 0) FOR UPDATE SKIP LOCKED
    ) w
    ORDER BY room.is_failing LIMIT %(at_once)s
)
UPDATE webhooks_delivery AS d SET state = 'pending', due_at = NULL, claim_id = NULL, claimed_at = NULL
FROM due WHERE d.id = due.id AND d.state = 'waiting'
"""

_LISTENING_SQLITE = """
SELECT s.id, s.failing_since IS NOT NULL,
    (SELECT count(*) FROM webhooks_delivery p WHERE p.subscription_id = s.id AND p.state = 'pending')
FROM webhooks_subscription s JOIN companies_company c ON c.id = s.company_id
WHERE s.version = %s AND s.is_active AND c.is_active AND EXISTS (
    SELECT 1 FROM webhooks_delivery q WHERE q.subscription_id = s.id AND q.state = 'waiting' AND q.due_at <= %s
)
"""


def promote() -> int:
    """Make pending what is due, as far as there is room; returns how many rows. By the database's clock."""
    return _promote_postgresql() if connection.vendor == "postgresql" else _promote_sqlite(timezone.now())


def _promote_postgresql() -> int:
    limits = {
        "room": ROOM, "room_while_failing": ROOM_WHILE_FAILING, "version": Version.V2.value, "at_once": AT_ONCE,
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(_DUE_POSTGRESQL, limits)
        return int(cursor.rowcount)


def _promote_sqlite(now: datetime) -> int:
    moment = connection.ops.adapt_datetimefield_value(now)
    promoted = 0
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_LISTENING_SQLITE, [Version.V2.value, moment])
        for key, is_failing, pending in cursor.fetchall():
            room = max(0, (ROOM_WHILE_FAILING if is_failing else ROOM) - pending)
            due = Delivery.objects.filter(subscription=key, state=State.WAITING, due_at__lte=now)
            rows = list(due.order_by("due_at", "id").values_list("pk", flat=True)[:room])
            promoted += Delivery.objects.filter(pk__in=rows).update(
                state=State.PENDING, due_at=None, claim_id=None, claimed_at=None
            )
    return promoted
