"""Connection settings for PostgreSQL and SQLite beyond DATABASE_URL, with their reasons."""

import sqlite3
from collections.abc import Mapping
from typing import Any

SERVER_LIMITS = (
    "statement_timeout=30s",
    "lock_timeout=15s",
    "idle_in_transaction_session_timeout=60s",
    # The server must also notice when we are gone, whether killed in the middle of a statement or cut off, before
    # anybody has waited 15 s for our locks. Its own defaults are never, and two hours.
    "client_connection_check_interval=2s",
    "tcp_keepalives_idle=5s",
    "tcp_keepalives_interval=2s",
    "tcp_keepalives_count=3",
    "tcp_user_timeout=10s",
)
"""Settings of each PostgreSQL connection."""


PREPARED_AFTER = 5
"""How often a connection sends a statement before PostgreSQL keeps its plan: psycopg's own default."""


def derive_settings(
    database: Mapping[str, Any], *, is_pooled: bool = False, is_prepared: bool = False
) -> dict[str, Any]:
    """Return Django's settings in addition to `database`, an entry of DATABASES; options in it take precedence.

    is_pooled: PgBouncer in transaction mode is in between: nothing of a session lasts longer than a transaction.
    is_prepared: PostgreSQL keeps the plans of repeated statements, unless `is_pooled` (decision 0009).
    """
    if database["ENGINE"] == "django.db.backends.sqlite3":
        return _sqlite()
    options: dict[str, Any] = dict(database.get("OPTIONS", {}))
    if "," in str(database.get("HOST", "")):
        # A primary and its standbys. Without this the first to answer is taken, and a standby refuses to write.
        options.setdefault("target_session_attrs", "read-write")
    if is_prepared:
        # Only parameters that are sent apart from the statement leave it the same each time.
        options = {"server_side_binding": True, "prepare_threshold": PREPARED_AFTER, **options}
    return _pooled(options) if is_pooled else _postgresql(options)


def _sqlite() -> dict[str, Any]:
    # Before 3.51.3 SQLite's write-ahead log can corrupt the file when it is reset (sqlite.org/wal.html#walresetbug).
    mode = "WAL" if sqlite3.sqlite_version_info >= (3, 51, 3) else "DELETE"
    return {
        "OPTIONS": {
            # A deferred transaction that reads and then writes fails with "database is locked" under any load.
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            # With a rollback journal, a transaction that outgrows the cache would lock out readers until it commits.
            "init_command": f"PRAGMA journal_mode={mode};PRAGMA synchronous=FULL;PRAGMA foreign_keys=ON;"
            "PRAGMA cache_spill=OFF;",
        }
    }


def _postgresql(options: Mapping[str, Any]) -> dict[str, Any]:
    # Persistent connections with health checks, not a pool: after a database restart a pool's back-off stalls the first
    # requests for seconds, while a checked connection is simply replaced.
    return {
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {
            "connect_timeout": 3,
            "tcp_user_timeout": 10_000,
            "keepalives_idle": 10,
            "keepalives_interval": 3,
            "keepalives_count": 3,
            "application_name": "prealerts",
            "options": " ".join(f"-c {limit}" for limit in SERVER_LIMITS),
            **options,
        },
    }


def _pooled(options: Mapping[str, Any]) -> dict[str, Any]:
    settings = _postgresql(options)
    if "options" not in options:
        # PgBouncer rejects connections that bring `options`; the role has the limits instead (prealerts.W005).
        del settings["OPTIONS"]["options"]
    # The next transaction may be on another connection to the server, without this one's statements and cursors.
    settings["OPTIONS"]["prepare_threshold"] = None
    return settings | {"DISABLE_SERVER_SIDE_CURSORS": True}
