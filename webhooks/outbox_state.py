"""How many deliveries wait for the dispatcher, for metrics: quick whatever the length of the log."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

# Count and minimum in one query, so that only the partial index of waiting rows is read: for the minimum alone
# PostgreSQL may scan the primary key through all past deliveries.
_PENDING = "SELECT count(*), min(id) FROM webhooks_delivery WHERE state = 'pending'"
_SENDING = "SELECT count(*) FROM webhooks_delivery WHERE state = 'sending'"
_CREATED = "SELECT created_at FROM webhooks_delivery WHERE id = %s"


@dataclass(frozen=True, slots=True)
class OutboxState:
    """Deliveries waiting, deliveries being sent, and when the oldest waiting one was created (aware)."""

    pending: int
    sending: int
    oldest_pending_at: datetime | None


def outbox_state(connection: Any) -> OutboxState:  # noqa: ANN401  # Django's connection has no name in the stubs
    """Query over `connection`: two partial indexes and one row."""
    with connection.cursor() as cursor:
        cursor.execute(_PENDING)
        pending, oldest = cursor.fetchone()
        cursor.execute(_SENDING)
        (sending,) = cursor.fetchone()
        cursor.execute(_CREATED, [oldest])
        row = cursor.fetchone()
    return OutboxState(pending, sending, aware(row[0]) if row else None)


def aware(moment: datetime | str) -> datetime:
    """Parse a time as raw SQL returns it: on SQLite text in UTC, perhaps without an offset."""
    read = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return read if read.tzinfo else read.replace(tzinfo=UTC)
