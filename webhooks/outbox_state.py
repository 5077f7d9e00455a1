"""How much waits for the dispatcher: asked by those who watch, at every scrape, whatever the length of the log."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

# Count and min in one, so that the partial index over what waits is read, and nothing else: asked for the minimum alone
# PostgreSQL may walk the primary key through all that was ever delivered.
_PENDING = "SELECT count(*), min(id) FROM webhooks_delivery WHERE state = 'pending'"
_SENDING = "SELECT count(*) FROM webhooks_delivery WHERE state = 'sending'"
_CREATED = "SELECT created_at FROM webhooks_delivery WHERE id = %s"


@dataclass(frozen=True, slots=True)
class OutboxState:
    """Deliveries that wait, that are being sent, and since when the oldest that waits has been there (aware)."""

    pending: int
    sending: int
    oldest_pending_at: datetime | None


def outbox_state(connection: Any) -> OutboxState:  # noqa: ANN401  # Django's connection, which its stubs give no name
    """Ask over `connection`. Three reads of partial indexes and of one row."""
    with connection.cursor() as cursor:
        cursor.execute(_PENDING)
        pending, oldest = cursor.fetchone()
        cursor.execute(_SENDING)
        (sending,) = cursor.fetchone()
        cursor.execute(_CREATED, [oldest])
        row = cursor.fetchone()
    return OutboxState(pending, sending, aware(row[0]) if row else None)


def aware(moment: datetime | str) -> datetime:
    """A moment as raw SQL gives it: SQLite keeps text, in UTC, and may not say so."""
    read = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return read if read.tzinfo else read.replace(tzinfo=UTC)
