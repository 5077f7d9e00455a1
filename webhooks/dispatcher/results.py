"""What became of the claimed rows, written in batches and only by whoever holds the claim."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction

from webhooks.dispatcher.claims import Claimed
from webhooks.models import State
from webhooks.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Result:
    """A claimed row, when its POST began and ended (aware), and the verdict."""

    row: Claimed
    attempted_at: datetime
    finished_at: datetime
    verdict: Verdict


_COLUMNS = {
    "state": "text",
    "attempted_at": "timestamptz",
    "finished_at": "timestamptz",
    "duration_ms": "int",
    "http_status": "int",
    "error": "text",
    "reason": "text",
    "remote_address": "text",
    "excerpt": "text",
}

# The whole batch as one JSON value: encoding thousands of parameters one by one costs more than the update itself.
_RECORD_POSTGRESQL = """
UPDATE webhooks_delivery AS d SET {assignments}
FROM json_to_recordset(%s::json) AS r(id bigint, claim_id uuid, {columns})
WHERE d.id = r.id AND d.claim_id = r.claim_id AND d.state = 'sending'
""".format(
    assignments=", ".join(f"{name} = r.{name}" for name in _COLUMNS),
    columns=", ".join(f"{name} {kind}" for name, kind in _COLUMNS.items()),
)

_RECORD_SQLITE = """
UPDATE webhooks_delivery SET {assignments} WHERE id = %s AND claim_id = %s AND state = 'sending'
""".format(assignments=", ".join(f"{name} = %s" for name in _COLUMNS))


def record(results: Sequence[Result]) -> int:
    """Write the results; returns how many rows took theirs.

    A row that somebody else has finished meanwhile, or that is not under this claim any more, is left as it is.
    """
    if connection.vendor == "postgresql":
        return _record_postgresql(results)
    return _record_sqlite(results)


def _record_postgresql(results: Sequence[Result]) -> int:
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
        return int(cursor.rowcount)


def _record_sqlite(results: Sequence[Result]) -> int:
    adapt = connection.ops.adapt_datetimefield_value
    rows = [(*_values(result, adapt), result.row.id, result.row.claim_id.hex) for result in results]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.executemany(_RECORD_SQLITE, rows)
        return int(cursor.rowcount)


def _values(result: Result, moment: Callable[[datetime], str | None]) -> tuple[str | int | None, ...]:
    """In the order of `_COLUMNS`; `moment` writes a datetime the way the database takes it."""
    verdict = result.verdict
    return (
        State.DELIVERED.value if verdict.is_delivered else State.FAILED.value,
        moment(result.attempted_at),
        moment(result.finished_at),
        verdict.duration_ms,
        verdict.http_status,
        verdict.error.value if verdict.error else "",
        verdict.reason,
        verdict.remote_address,
        verdict.excerpt,
    )
