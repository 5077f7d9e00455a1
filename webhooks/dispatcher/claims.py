"""Which subscriptions wait, and the claim: due rows become `sending`, committed before any byte leaves.

Raw SQL, because this runs a hundred times a second and no ORM expression says `LATERAL ... FOR UPDATE SKIP LOCKED`.
On PostgreSQL any number of dispatchers claim side by side; SQLite has one writer at a time by nature.
"""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F, Q, QuerySet, Value
from django.db.models.functions import Greatest
from django.utils import timezone

from webhooks.models import Delivery, State
from webhooks.outbox_state import aware

FRESH_SECONDS = 1.0
"""How long a claimed row may wait for its turn. A staler one is put back and claimed anew, so that a secret that was
rotated, or a subscription that was disabled, counts for it."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """A row that is ours to send, once; what its subscription says of it as it was in the moment of the claim.

    claimed_at: by the database's clock. taken_at: the same moment by this machine's monotonic one. attempt: which one
    this is, from 1. sealed_previous_secret: signs beside the other; empty once its time is over. is_failing: nothing
    has reached the endpoint since some failure, as far as was recorded.
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
        """Whether a failure leads to another attempt."""
        return self.max_attempts > 1


_Row = tuple[int, int, UUID, str, bytes, datetime, datetime, int, int, str, int, str, str, bool]

# Counting stops at the limit, so ten thousand waiting rows cost no more than ten; and a scalar subquery keeps the
# planner from reading all of them at once for a hash join.
_WAITING = """
SELECT waiting.* FROM (
    SELECT s.id,
        (SELECT count(*) FROM (
            SELECT 1 FROM webhooks_delivery d WHERE d.subscription_id = s.id AND d.state = 'pending' LIMIT %s
        ) due) AS rows
    FROM webhooks_subscription s JOIN companies_company c ON c.id = s.company_id
    WHERE s.is_active AND c.is_active{but_for}
    ORDER BY s.id
) waiting WHERE waiting.rows > 0
"""

# MATERIALIZED: joined as it stands the subquery might be run once more, and lock more rows than its limits say.
# The subscription is read by the claim itself: what was looked at before may have been disabled or rotated since.
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
FROM due WHERE d.id = due.id AND d.state = 'pending'
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


def waiting(full: Sequence[int], limit: int) -> dict[int, int]:
    """How many rows wait for each live subscription that has any, counted up to `limit`; without those in `full`."""
    but_for = f" AND s.id NOT IN ({', '.join(['%s'] * len(full))})" if full else ""
    with connection.cursor() as cursor:
        cursor.execute(_WAITING.format(but_for=but_for), [limit, *full])
        return dict(cursor.fetchall())


def claim(rooms: Mapping[int, int], claim_id: UUID) -> list[Claimed]:
    """Make up to so many pending rows of each subscription ours, oldest first. Committed when this returns."""
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


def put_back(rows: Collection[Claimed]) -> int:
    """Let rows that were claimed and never begun wait again; returns how many."""
    ids, claims = {row.id for row in rows}, {row.claim_id for row in rows}
    return _put_back(Delivery.objects.filter(pk__in=ids, claim_id__in=claims))


def put_back_claim(claim_id: UUID) -> int:
    """The same for a claim whose answer was lost on its way from the database: nothing of it was ever begun."""
    return _put_back(Delivery.objects.filter(claim_id=claim_id))


def _put_back(claimed: QuerySet[Delivery]) -> int:
    held = claimed.filter(state=State.SENDING)
    with transaction.atomic():
        # Whose subscription was deleted or disabled meanwhile has nobody to wait for.
        unheard = held.filter(Q(subscription=None) | Q(subscription__is_active=False))
        unheard.filter(max_attempts=1).update(state=State.CANCELLED, finished_at=timezone.now(), attempts=0)
        not_made = Greatest(F("attempts") - 1, Value(0))  # it was counted with the claim; older ones were not
        unheard.update(state=State.DEAD, finished_at=timezone.now(), attempts=not_made)
        return held.update(state=State.PENDING, claim_id=None, claimed_at=None, attempts=not_made)
