"""The two databases, each filled once; kept for another run if that is asked for."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg

from benchmarks.growth import contents
from tests.live.server import WITHOUT_CHECKS, Server, prepared

DAYS_OF_THE_SMALLER = 100
"""The larger has ten times as many days, at the same rate: what happens on a day is the same in both."""
MANIFESTS_OF_A_PART = 2_000
PASSWORD = "only-for-the-benchmark"  # noqa: S105  # of a database that is gone soon
INDEXED = ("shipments_guide", "shipments_guideevent", "webhooks_delivery")
"""The large tables, whose indexes are made once they are full: seven times as fast as growing them row by row."""

_INDEXES = """
SELECT x.indexrelid::regclass::text, pg_get_indexdef(x.indexrelid), coalesce(c.conname, ''),
    pg_get_constraintdef(c.oid)
FROM pg_index x LEFT JOIN pg_constraint c ON c.conindid = x.indexrelid AND c.contype = 'u'
WHERE x.indrelid = %s::regclass AND NOT x.indisprimary ORDER BY 1
"""


_SETTINGS = (
    "session_replication_role = replica",
    "synchronous_commit = off",
    "maintenance_work_mem = '1GB'",
    "work_mem = '64MB'",
)


@dataclass(frozen=True)
class Filled:
    """A database of `guides` guides. seconds: of its rows and of its indexes, and of VACUUM ANALYZE."""

    url: str
    guides: int
    rows_seconds: float
    index_seconds: float
    vacuum_seconds: float


@contextmanager
def filled(url: str, rows: int, days: int, directory: Path, *, is_kept: bool) -> Iterator[Filled]:
    """A database beside `url` with about `rows` guides of `days` days; one that an earlier run kept is used again."""
    name = f"prealerts_growth_{rows}"
    database_url = urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
    with psycopg.connect(url, autocommit=True) as server:
        found = server.execute(
            "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = %s", [name]
        ).fetchone()
        if not found or not found[0]:
            server.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
            server.execute(f'CREATE DATABASE "{name}"')
            made = _fill(database_url, rows, days, directory)
            known = psycopg.ClientCursor(server).mogrify("%s", [json.dumps(made)])
            server.execute(f'COMMENT ON DATABASE "{name}" IS {known}')
            found = (json.dumps(made),)
    yield Filled(database_url, **json.loads(found[0]))
    if not is_kept:
        with psycopg.connect(url, autocommit=True) as server:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def service(directory: Path, database_url: str) -> Server:
    """The service on a database, not started yet."""
    return prepared(
        directory, database_url, is_migrated=True, LOG_LEVEL="WARNING", GUNICORN_CMD_ARGS="--max-requests=0"
    )


def _fill(database_url: str, rows: int, days: int, directory: Path) -> dict[str, Any]:
    manager = service(directory, database_url)
    manager.manage("migrate", "--verbosity", "0", *WITHOUT_CHECKS)
    manager.company("GROWTH", "CL,PE,AR")
    manager.manage("add_webhook", "GROWTH", "https://hooks.example.com/in", *WITHOUT_CHECKS)
    manager.operator("bench", PASSWORD)
    manifests = rows // contents.GUIDES_OF_A_MANIFEST
    values = {
        **contents.NAMES, "manifests": manifests, "days": days, "people": max(1, rows // 3), "now": datetime.now(UTC),
        "active": manifests // (days // DAYS_OF_THE_SMALLER) // 10,
    }  # fmt: skip
    with psycopg.connect(database_url, autocommit=True, cursor_factory=psycopg.ClientCursor) as connection:
        # Foreign keys are not looked up row by row, and no index grows; a crash would only cost another filling.
        for setting in _SETTINGS:
            connection.execute(f"SET {setting}")
        started = time.perf_counter()
        later = _without_indexes(connection)
        _insert(connection, manifests, values)
        at_indexes = time.perf_counter()
        for statement in later:
            _timed(connection, statement)
        at_vacuum = time.perf_counter()
        _timed(connection, "VACUUM ANALYZE")
        ended = time.perf_counter()
        ((guides,),) = connection.execute("SELECT count(*) FROM shipments_guide").fetchall()
    return {
        "guides": guides, "rows_seconds": at_indexes - started, "index_seconds": at_vacuum - at_indexes,
        "vacuum_seconds": ended - at_vacuum,
    }  # fmt: skip


def _insert(connection: psycopg.Connection[tuple[Any, ...]], manifests: int, values: dict[str, Any]) -> None:
    connection.execute(contents.TABLES, values)
    connection.execute("ANALYZE growth_people")
    connection.execute(contents.COMPANIES_AND_SUBSCRIPTIONS, values)
    last_guide = 0
    for first in range(1, manifests + 1, MANIFESTS_OF_A_PART):
        last = min(manifests, first + MANIFESTS_OF_A_PART - 1)
        part = {**values, "first": first, "last": last, "last_guide": last_guide}
        for statements in (contents.MANIFESTS, contents.GUIDES, contents.EVENTS, contents.DELIVERIES):
            connection.execute(statements, part)
        ((last_guide,),) = connection.execute("SELECT max(id) FROM shipments_guide").fetchall()
        print(f"  {last_guide:>12,} guides", flush=True)
    connection.execute("DROP TABLE growth_people, growth_given, growth_surnames")


def _without_indexes(connection: psycopg.Connection[tuple[Any, ...]]) -> list[str]:
    """Drop the indexes of the large tables but the primary keys; the statements that make them again."""
    later = []
    for table in INDEXED:
        connection.execute(f"ALTER TABLE {table} SET (autovacuum_enabled = false)")
        later.append(f"ALTER TABLE {table} RESET (autovacuum_enabled)")
        for name, definition, constraint, constraint_definition in connection.execute(_INDEXES, [table]).fetchall():
            if constraint:
                connection.execute(f"ALTER TABLE {table} DROP CONSTRAINT {constraint}")
                later.append(f"ALTER TABLE {table} ADD CONSTRAINT {constraint} {constraint_definition}")
            else:
                connection.execute(f"DROP INDEX {name}")
                later.append(definition)
    return later


def _timed(connection: psycopg.Connection[tuple[Any, ...]], statement: str) -> None:
    started = time.perf_counter()
    connection.execute(statement)
    print(f"  {time.perf_counter() - started:6.1f} s  {statement[:110]}", flush=True)
