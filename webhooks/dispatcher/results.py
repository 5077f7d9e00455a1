"""Recording outcomes, in batches and only under the claim of this dispatcher."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction

from webhooks.dispatcher.claims import Claimed
from webhooks.models import OUTCOME, DeliveryAttempt, State, Version
from webhooks.verdicts import Verdict, pause_after

_GONE = 410


@dataclass(frozen=True, slots=True)
class Result:
    """A claimed row, the start and end of its POST (aware), and the verdict."""

    row: Claimed
    attempted_at: datetime
    finished_at: datetime
    verdict: Verdict

    @property
    def is_gone(self) -> bool:
        """Whether the endpoint says that it no longer exists (410), so that nothing is sent again."""
        return self.row.version == Version.V2 and self.verdict.http_status == _GONE

    @property
    def state(self) -> State:
        if self.verdict.is_delivered:
            return State.DELIVERED
        if not self.row.is_retried:
            return State.FAILED
        return State.DEAD if self.is_gone or self.row.attempt >= self.row.max_attempts else State.WAITING

    @property
    def due_at(self) -> datetime | None:
        """When it is attempted again, or None."""
        if self.state != State.WAITING:
            return None
        return self.finished_at + pause_after(self.row.attempt, self.verdict.retry_after)


_COLUMNS = {
    "state": "text",
    "attempted_at": "timestamptz",
    "finished_at": "timestamptz",
    "due_at": "timestamptz",
    "duration_ms": "int",
    "http_status": "int",
    "error": "text",
    "reason": "text",
    "remote_address": "text",
    "excerpt": "text",
}

# The whole batch as one JSON value: encoding thousands of parameters costs more than the update.
_RECORD_POSTGRESQL = """
UPDATE webhooks_delivery AS d SET {assignments}
FROM json_to_recordset(%s::json) AS r(id bigint, claim_id uuid, {columns})
WHERE d.id = r.id AND d.claim_id = r.claim_id AND d.state = 'sending' RETURNING d.id
""".format(
    assignments=", ".join(f"{name} = r.{name}" for name in _COLUMNS),
    columns=", ".join(f"{name} {kind}" for name, kind in _COLUMNS.items()),
)

_RECORD_SQLITE = """
UPDATE webhooks_delivery SET {assignments} WHERE id = %s AND claim_id = %s AND state = 'sending'
""".format(assignments=", ".join(f"{name} = %s" for name in _COLUMNS))


def record(results: Sequence[Result]) -> int:
    """Write the results; return how many rows were updated.

    A row that another process has finished, or that is no longer under this claim, is not changed. A failure of
    version 2 is also stored as an attempt, since the row shows only the last one.
    """
    write = _record_postgresql if connection.vendor == "postgresql" else _record_sqlite
    failures = [result for result in results if result.row.is_retried and not result.verdict.is_delivered]
    if not failures:
        return len(write(results))
    with transaction.atomic():
        written = write(results)
        DeliveryAttempt.objects.bulk_create(
            DeliveryAttempt(
                delivery_id=result.row.id,
                number=result.row.attempt,
                begun_at=result.attempted_at,
                **{name: getattr(result.verdict, name) for name in OUTCOME},
            )
            for result in failures
            if result.row.id in written
        )
    return len(written)


def _record_postgresql(results: Sequence[Result]) -> set[int]:
    rows = [
        {
            "id": result.row.id,
            "claim_id": str(result.row.claim_id),
            **dict(zip(_COLUMNS, _values(result, datetime.isoformat), strict=True)),
        }
        for result in results
    ]
    with connection.cursor() as cursor:
        cursor.execute(_RECORD_POSTGRESQL, [json.dumps(rows)])
        return {row[0] for row in cursor.fetchall()}


def _record_sqlite(results: Sequence[Result]) -> set[int]:
    adapt = connection.ops.adapt_datetimefield_value
    written = set()
    with transaction.atomic(), connection.cursor() as cursor:
        for result in results:
            cursor.execute(_RECORD_SQLITE, (*_values(result, adapt), result.row.id, result.row.claim_id.hex))
            written |= {result.row.id} if cursor.rowcount else set()
    return written


def _values(result: Result, moment: Callable[[datetime], str | None]) -> tuple[str | int | None, ...]:
    """Return the values in the order of `_COLUMNS`; `moment` formats a datetime for the database."""
    verdict, due_at = result.verdict, result.due_at
    return (
        result.state.value,
        moment(result.attempted_at),
        None if due_at else moment(result.finished_at),
        moment(due_at) if due_at else None,
        verdict.duration_ms,
        verdict.http_status,
        verdict.error.value if verdict.error else "",
        verdict.reason,
        verdict.remote_address,
        verdict.excerpt,
    )
