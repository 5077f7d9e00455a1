"""What a guide occupies, and what takes as long as the database is large: indexes, migrations, backups."""

import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg

from benchmarks.growth.databases import Filled, service
from tests.live.server import ROOT, WITHOUT_CHECKS

TABLES = ("shipments_guide", "shipments_guideevent", "shipments_manifest", "webhooks_delivery")
_SIZES = """
SELECT pg_table_size(%(table)s::regclass), pg_indexes_size(%(table)s::regclass), count(*) FROM {table}
"""
_INDEXES = """
SELECT c.relname, pg_relation_size(c.oid) FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid
WHERE x.indrelid = ANY(%s::regclass[]) ORDER BY 2 DESC
"""
AN_INDEX = "CREATE INDEX CONCURRENTLY growth_timeline ON shipments_guideevent (guide_id, occurred_at, id)"


@dataclass(frozen=True)
class Size:
    """Of a table, in bytes: rows with what is stored out of line, and indexes. rows: how many."""

    table_bytes: int
    index_bytes: int
    rows: int


@dataclass(frozen=True)
class Occupied:
    """What a database of `guides` guides occupies. indexes: bytes by name, the largest first."""

    guides: int
    database_bytes: int
    tables: Mapping[str, Size]
    indexes: Mapping[str, int]

    def bytes_by_what(self, indexes: Sequence[str]) -> Mapping[str, float]:
        """Bytes for each row and each guide, with a label. indexes: those listed one by one."""
        log = self.tables["webhooks_delivery"]
        whole = sum(size.table_bytes + size.index_bytes for size in self.tables.values())
        found: dict[str, float] = {
            "the database, MB": self.database_bytes / 1e6,
            "bytes a guide, with its events and its share of the manifest, all with indexes": (
                whole - log.table_bytes - log.index_bytes
            )
            / self.guides,
            "the same, and one delivery in the log": whole / self.guides,
        }
        for table, size in self.tables.items():
            found[f"bytes a row of {table}"] = size.table_bytes / size.rows
            found[f"its indexes, bytes a row of {table}"] = size.index_bytes / size.rows
        for name in indexes:
            found[f"index {name}, bytes a guide"] = self.indexes[name] / self.guides
        return found


def occupied(filled: Filled) -> Occupied:
    """Measure it."""
    with psycopg.connect(filled.url) as connection, psycopg.ClientCursor(connection) as cursor:
        tables = {}
        for table in TABLES:
            cursor.execute(_SIZES.format(table=table), {"table": table})
            row = cursor.fetchone()
            assert row
            tables[table] = Size(*row)
        indexes: dict[str, int] = dict(connection.execute(_INDEXES, [list(TABLES)]).fetchall())
        ((size,),) = connection.execute("SELECT pg_database_size(current_database())").fetchall()
    return Occupied(filled.guides, int(size), tables, indexes)


def of_the_whole(filled: Filled, directory: Path) -> Mapping[str, str]:
    """What is done to the whole database, in words, by what it is."""
    migrate = ("migrate", "--verbosity", "0", *WITHOUT_CHECKS)
    idle = _seconds_of(lambda: service(directory, filled.url).manage(*migrate))
    found = {
        "filled by SQL: rows": f"{filled.rows_seconds:,.0f} s",
        "filled by SQL: indexes": f"{filled.index_seconds:,.0f} s",
        "`VACUUM ANALYZE`": f"{filled.vacuum_seconds:,.0f} s",
        "`migrate` with nothing to do": f"{idle:.1f} s",
        "an index over all events, `CONCURRENTLY`": f"{index_seconds(filled):,.0f} s",
    }
    for options in (("-Fc",), ("-Fd", "-j2")):
        seconds, size = dumped(filled, directory, *options)
        found[f"`pg_dump {' '.join(options)}`"] = f"{seconds:,.0f} s, {size / 1e9:.2f} GB"
    return found


def index_seconds(filled: Filled) -> float:
    """Of an index over all events, made while rows may be written, as migrations make them."""
    with psycopg.connect(filled.url, autocommit=True) as connection:
        started = time.perf_counter()
        connection.execute(AN_INDEX)
        seconds = time.perf_counter() - started
        connection.execute("DROP INDEX growth_timeline")
    return seconds


def dumped(filled: Filled, directory: Path, *options: str) -> tuple[float, int]:
    """How long `pg_dump` takes in seconds, and how many bytes it writes; the dump is deleted."""
    target = directory / "dump"
    command = ["pg_dump", *options, f"--file={target}", filled.url]
    seconds = _seconds_of(lambda: subprocess.run(command, cwd=ROOT, check=True))
    size = sum(path.stat().st_size for path in (target, *target.rglob("*")) if path.is_file())
    shutil.rmtree(target) if target.is_dir() else target.unlink()
    return seconds, size


def _seconds_of(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started
