"""Claiming rows: pending rows become `sending`, committed before anything is sent.

Raw SQL, because this runs a hundred times a second and the ORM does not support `LATERAL ... FOR UPDATE SKIP LOCKED`.
On PostgreSQL several dispatchers can claim at the same time; SQLite allows one writer anyway.

Deliveries that wait for their next attempt become pending when it is due: a few of each subscription at a time. The
claim takes the oldest pending rows first, and retries are older than current events: a replay of thousands, or the
backlog of an endpoint that was down for a day, is sent between current events and not before them.
"""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F, Q
from django.utils import timezone

from base.db.moments import aware
from webhooks.models import Delivery, State, Version

FRESH_SECONDS = 1.0
"""Seconds that a claimed row may wait to be sent. After that it is put back and claimed again, so that a rotated secret
or a disabled subscription takes effect."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """A claimed row, to be sent once, with its subscription's state at the time of the claim.

    claimed_at: by the database's clock. taken_at: the same moment by this machine's monotonic clock. attempt: its
    number, from 1. sealed_previous_secret: one or two, with a space, that also sign; empty after their overlap.
    is_failing: a failure was recorded and no success since.
    """

    id: int
    subscription_id: int
    uuid: UUID
    event_type: str
    body: bytes
    created_at: datetime
    claimed_at: datetime
    attempt: int
    max_attempts: int
    url: str
    version: int
    sealed_secret: str
    sealed_previous_secret: str
    is_failing: bool
    claim_id: UUID
    taken_at: float = field(default_factory=time.monotonic)

    @property
    def is_fresh(self) -> bool:
        return time.monotonic() - self.taken_at < FRESH_SECONDS

    @property
    def is_retried(self) -> bool:
        return self.max_attempts > 1


_Row = tuple[int, int, UUID, str, bytes, datetime, datetime, int, int, str, int, str, str, bool]

# Counting stops at the limit, so ten thousand waiting rows cost no more than ten. The scalar subquery keeps the
# planner from reading all of them for a hash join; MATERIALIZED, from running it again for the condition outside.
_WAITING = """
WITH waiting AS MATERIALIZED (
    SELECT s.id, s.failing_since IS NOT NULL AS is_failing,
        (SELECT count(*) FROM (
            SELECT 1 FROM webhooks_delivery d WHERE d.subscription_id = s.id AND d.state = 'pending' LIMIT %s
        ) due) AS rows
    FROM webhooks_subscription s JOIN companies_company c ON c.id = s.company_id
    WHERE s.is_active AND c.is_active{but_for}
)
SELECT id, is_failing, rows FROM waiting WHERE rows > 0 ORDER BY id
"""

# MATERIALIZED, because otherwise a join could run the subquery again and lock more rows than its limits.
# The claim itself reads the subscription, which may have been disabled or rotated since it was counted. The outer
# UPDATE names the ids as an array and no state, although `due` has locked rows that are pending: otherwise the planner
# joins with all pending rows, and the longer the backlog, the more a claim costs.
_CLAIM_POSTGRESQL = """
WITH due AS MATERIALIZED (
    SELECT d.id, s.url, s.version, s.sealed_secret,
        CASE WHEN s.previous_until > statement_timestamp() THEN s.sealed_previous_secret ELSE '' END AS previous,
        s.failing_since IS NOT NULL AS is_failing
    FROM unnest(%s::bigint[], %s::int[]) AS given(subscription_id, rows)
    JOIN webhooks_subscription s ON s.id = given.subscription_id AND s.is_active
    CROSS JOIN LATERAL (
        SELECT p.id FROM webhooks_delivery p
        WHERE p.subscription_id = given.subscription_id AND p.state = 'pending'
        ORDER BY p.id LIMIT given.rows FOR UPDATE SKIP LOCKED
    ) d
)
UPDATE webhooks_delivery AS d SET state = 'sending', claim_id = %s, claimed_at = statement_timestamp(),
    attempts = attempts + 1
FROM due WHERE d.id = due.id AND d.id = ANY(ARRAY(SELECT id FROM due))
RETURNING d.id, d.subscription_id, d.uuid, d.event_type, d.body, d.created_at, d.claimed_at, d.attempts, d.max_attempts,
    due.url, due.version, due.sealed_secret, due.previous, due.is_failing
"""

_DESTINATION_SQLITE = """
SELECT url, version, sealed_secret, CASE WHEN previous_until > %s THEN sealed_previous_secret ELSE '' END,
    failing_since IS NOT NULL
FROM webhooks_subscription WHERE id = %s AND is_active
"""

_CLAIM_SQLITE = """
UPDATE webhooks_delivery SET state = 'sending', claim_id = %s, claimed_at = %s, attempts = attempts + 1
WHERE state = 'pending' AND id IN (
    SELECT id FROM webhooks_delivery WHERE subscription_id = %s AND state = 'pending' ORDER BY id LIMIT %s
)
RETURNING id, subscription_id, uuid, event_type, body, created_at, attempts, max_attempts
"""


def count_waiting(full: Sequence[int], limit: int) -> tuple[dict[int, int], set[int]]:
    """Return the waiting rows by active subscription, each counted up to `limit`, except those in `full`; and which of
    these subscriptions are failing, which is known only for version 2.
    """
    but_for = f" AND s.id NOT IN ({', '.join(['%s'] * len(full))})" if full else ""
    with connection.cursor() as cursor:
        cursor.execute(_WAITING.format(but_for=but_for), [limit, *full])
        found = cursor.fetchall()
    return {key: rows for key, _is_failing, rows in found}, {key for key, is_failing, _rows in found if is_failing}


def claim(rooms: Mapping[int, int], claim_id: UUID) -> list[Claimed]:
    """Claim up to so many pending rows of each subscription, oldest first. Committed when this returns."""
    take = _claim_postgresql if connection.vendor == "postgresql" else _claim_sqlite
    rows = take(rooms, claim_id)
    return sorted((Claimed(*row, claim_id) for row in rows), key=lambda row: row.id)


def _claim_postgresql(rooms: Mapping[int, int], claim_id: UUID) -> list[_Row]:
    with connection.cursor() as cursor:
        cursor.execute(_CLAIM_POSTGRESQL, [list(rooms), list(rooms.values()), claim_id])
        return [(*row[:4], bytes(row[4]), *row[5:]) for row in cursor.fetchall()]


def _claim_sqlite(rooms: Mapping[int, int], claim_id: UUID) -> list[_Row]:
    now = timezone.now()
    claimed_at = connection.ops.adapt_datetimefield_value(now)
    found: list[_Row] = []
    with transaction.atomic(), connection.cursor() as cursor:
        for key, rows in rooms.items():
            cursor.execute(_DESTINATION_SQLITE, [claimed_at, key])
            if (destination := cursor.fetchone()) is None:
                continue
            cursor.execute(_CLAIM_SQLITE, [claim_id.hex, claimed_at, key, rows])
            found += [
                (*row[:2], UUID(hex=row[2]), row[3], bytes(row[4]), aware(row[5]), now, *row[6:], *destination)
                for row in cursor.fetchall()
            ]
    return found


def put_back(claims: Collection[UUID], ids: Collection[int] | None = None) -> int:
    """Put back claimed rows that were not started; return how many. ids: only these of the claims' rows."""
    held = Delivery.objects.filter(claim_id__in=claims, state=State.SENDING)
    if ids is not None:
        held = held.filter(pk__in=ids)
    with transaction.atomic():
        # Rows whose subscription was deleted or disabled in the meantime are ended.
        undeliverable = held.filter(Q(subscription=None) | Q(subscription__is_active=False))
        undeliverable.filter(max_attempts=1).update(state=State.CANCELLED, finished_at=timezone.now(), attempts=0)
        not_made = F("attempts") - 1
        undeliverable.update(state=State.DEAD, finished_at=timezone.now(), attempts=not_made)
        return held.update(state=State.PENDING, claim_id=None, claimed_at=None, attempts=not_made)


# --- retries that are due ---------------------------------------------------------------------------------------

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
