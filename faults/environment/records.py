"""The contents of a service's database, read directly: a new connection for each query."""

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from typing import Any
from uuid import UUID, uuid4

import psycopg

_MANIFESTS = """
SELECT m.id, c.client_code, m.mawb, m.total_guides, m.guides_by_status,
    (SELECT count(*) FROM shipments_guide g WHERE g.manifest_id = m.id),
    (SELECT count(*) FROM shipments_guideevent e JOIN shipments_guide g ON g.id = e.guide_id
        WHERE g.manifest_id = m.id AND e.status = 'registered')
FROM shipments_manifest m JOIN companies_company c ON c.id = m.company_id WHERE c.client_code = %s
"""
_DELIVERIES = """
SELECT c.client_code, d.subject, d.state, d.uuid, s.url FROM webhooks_delivery d
JOIN companies_company c ON c.id = d.company_id JOIN webhooks_subscription s ON s.id = d.subscription_id
WHERE c.client_code = %s
"""
_STATUSES = """
SELECT m.id, g.status, count(*) FROM shipments_guide g
JOIN shipments_manifest m ON m.id = g.manifest_id JOIN companies_company c ON c.id = m.company_id
WHERE c.client_code = %s GROUP BY m.id, g.status
"""
_TIMELINES = """
SELECT g.tracking_code, e.status, e.occurred_at
FROM shipments_guideevent e JOIN shipments_guide g ON g.id = e.guide_id
JOIN shipments_manifest m ON m.id = g.manifest_id JOIN companies_company c ON c.id = m.company_id
WHERE c.client_code = %s ORDER BY e.id
"""


class Records:
    """The database at `url`, in use by a service."""

    def __init__(self, url: str) -> None:
        self.url = url

    @property
    def is_sqlite(self) -> bool:
        return self.url.startswith("sqlite")

    @property
    def path(self) -> str:
        """The file of an SQLite database."""
        return self.url.removeprefix("sqlite:///")

    def ask(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows of a query, or of a statement that returns some; `%s` for each value."""
        if self.is_sqlite:
            # Not read-only: after a crash the first to open the file rolls back.
            with closing(sqlite3.connect(self.path, timeout=30)) as file, file:
                return file.execute(query.replace("%s", "?"), values).fetchall()
        with psycopg.connect(self.url, autocommit=True) as connection:
            return connection.execute(query, values).fetchall()

    def age(self, table: str, column: str) -> None:
        """Age what a dead process left, its claims or holds, as if it had died long ago."""
        old = "2020-01-01 00:00:00" + ("" if self.is_sqlite else "+00")
        self.ask(f"UPDATE {table} SET {column} = %s WHERE {column} IS NOT NULL RETURNING id", old)  # noqa: S608  # ours

    def queue_move(self, mawb: str, status: str) -> str:
        """Queue a bulk move of all guides of a manifest, as its page does once confirmed; returns its id."""
        (manifest,) = self.ask("SELECT id FROM shipments_manifest WHERE mawb = %s", mawb)[0]
        guides = [key for (key,) in self.ask("SELECT id FROM shipments_guide WHERE manifest_id = %s", manifest)]
        event = dict.fromkeys(("occurred_at", "internal_note", "client_note", "doubt", "language"), "")
        event |= {"status": status, "source": "operator"}
        row = {
            "id": uuid4().hex, "actor": "olga", "kind": "advance", "state": "queued", "original_name": "",
            "event": json.dumps(event), "guides": json.dumps(sorted(guides)), "total": len(guides), "done": 0,
            "tally": "{}", "lines": "[]", "notices": "{}", "recipients": "[]", "attempts": 0,
            "table": "[]", "moved": "[]", "warnings": "{}",
            "created_at": "2026-01-01 00:00:00" + ("" if self.is_sqlite else "+00"),
        }  # fmt: skip
        marks = ", ".join(["%s"] * len(row))
        names = ", ".join(f'"{name}"' for name in row)
        into = f"INSERT INTO shipments_bulkmove ({names})"
        self.ask(f"{into} VALUES ({marks}) RETURNING id", *row.values())  # the names are above
        return str(row["id"])

    def is_whole(self) -> bool:
        """SQLite's integrity check; PostgreSQL has recovered if it answers at all."""
        return not self.is_sqlite or self.ask("PRAGMA integrity_check") == [("ok",)]

    def manifests(self, codes: Iterable[str]) -> dict[str, dict[str, Any]]:
        """By id (with hyphens): each manifest of the companies with these client codes."""
        return {
            plain_id(key): {
                "code": code, "mawb": mawb, "total": total, "guides": guides, "registered": registered,
                "by_status": json.loads(by_status) if isinstance(by_status, str) else by_status,
            }
            for key, code, mawb, total, by_status, guides, registered in self._of_each(_MANIFESTS, codes)
        }  # fmt: skip

    def statuses(self, codes: Iterable[str]) -> dict[str, dict[str, int]]:
        """Manifest's id -> the number of its guides in each status."""
        found: dict[str, dict[str, int]] = {}
        for key, status, count in self._of_each(_STATUSES, codes):
            found.setdefault(plain_id(key), {})[status] = count
        return found

    def deliveries(self, codes: Iterable[str]) -> list[tuple[str, str, str, str, str]]:
        """(client code, subject, state, id as sent, URL) of each delivery of these companies."""
        rows = self._of_each(_DELIVERIES, codes)
        return [(code, subject, state, f"evt_{plain_id(key)}", url) for code, subject, state, key, url in rows]

    def timelines(self, codes: Iterable[str]) -> dict[str, list[tuple[str, str]]]:
        """Tracking code -> (status, occurred_at) of its events in the order in which they were recorded."""
        found: dict[str, list[tuple[str, str]]] = {}
        for code, status, at in self._of_each(_TIMELINES, codes):
            found.setdefault(code, []).append((status, str(at)))
        return found

    def _of_each(self, query: str, codes: Iterable[str]) -> list[tuple[Any, ...]]:
        return [row for code in sorted(codes) for row in self.ask(query, code)]

    def stored_names(self) -> set[str]:
        """The names of all files that rows refer to."""
        return {
            name
            for query in (
                "SELECT file FROM shipments_manifestfile",
                "SELECT manifest_file FROM shipments_uploadjob WHERE finished_at IS NULL",
            )
            for (name,) in self.ask(query)
        }


def plain_id(key: object) -> str:
    """A UUID in the API's format; SQLite stores it without hyphens."""
    return str(UUID(str(key)))
