"""Databases of a test's own, and one that is migrated once for a whole run: `migrate` takes seconds, a copy none."""

import atexit
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg

ROOT = Path(__file__).resolve().parent.parent.parent
SHARED = "TESTS_SHARED_DIRECTORY"
"""The environment variable with the directory of a run, which its workers have in common."""
MIGRATION_SECONDS = 180
"""A machine that is busy with other things takes ten times as long as a quiet one."""


@contextmanager
def scratch_database(url: str, directory: Path, *, template: str = "") -> Iterator[str]:
    """A database of the same kind as `url`, gone afterwards; empty, or a copy of `template`, which nobody uses."""
    made = _create(url, directory, template)
    try:
        yield made
    finally:
        _drop(url, made)


def _create(url: str, directory: Path, template: str = "") -> str:
    if not url.startswith("postgres"):
        file = directory / "live.sqlite3"
        if template:
            shutil.copy(template.removeprefix("sqlite:///"), file)
        return f"sqlite:///{file}"
    name = f"prealerts_{directory.name}_{os.getpid()}"  # a worker may run two services at once
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{name_of(template) or "template1"}"')
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


def _drop(url: str, made: str) -> None:
    """Drop what `_create` made, on the server of `url`; a file goes with its directory."""
    if url.startswith("postgres"):
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name_of(made)}" WITH (FORCE)')


def _disconnect(url: str, made: str) -> None:
    """End what still uses `made`: PgBouncer keeps connections open, and PostgreSQL copies no database that has any."""
    if url.startswith("postgres"):
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name_of(made)]
            )


def name_of(url: str) -> str:
    """What the database is called: on SQLite, its file."""
    return urlsplit(url).path.removeprefix("/")


def migrate(url: str) -> None:
    """Give a database the tables of today; nobody serves it yet."""
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "--verbosity", "0", "--skip-checks"],
        cwd=ROOT, env={**os.environ, "DATABASE_URL": url}, check=True, timeout=MIGRATION_SECONDS,
    )  # fmt: skip


@cache
def migrated_database(url: str) -> str:
    """A database like `url` with all its tables, for copies of it. Made once in a run; gone at its end."""
    directory = Path(os.environ.get(SHARED) or share(url))
    made = directory / "migrated"
    with (directory / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            database = _create(url, directory)
            migrate(database)
            _disconnect(url, database)
            made.write_text(database, encoding="utf-8")
    return made.read_text(encoding="utf-8")


def share(url: str) -> str:
    """The directory that this process and those that it starts have in common; its database goes when this one ends.

    url: a database of the server on which `migrated_database` will make its own.
    """
    directory = Path(tempfile.mkdtemp(prefix="prealerts-run-"))
    os.environ[SHARED] = str(directory)

    def forget() -> None:
        made = directory / "migrated"
        if made.exists():
            _drop(url, made.read_text(encoding="utf-8"))
        shutil.rmtree(directory)

    atexit.register(forget)
    return str(directory)
