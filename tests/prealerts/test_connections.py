"""What our connections ask of the database: nobody waits for those who are gone, or for a large upload."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from django.db import connection, transaction

from companies.models import Company
from prealerts.connections import derive_settings
from tests.factories import ClientFactory
from tests.webhooks.running import wait_until

on_postgresql = pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has no server")

HOLDER = """
import psycopg, sys
connection = psycopg.connect(sys.argv[1], options=sys.argv[2])
connection.execute("UPDATE companies_company SET name = 'Held' WHERE id = %s", [sys.argv[3]])
print("held", flush=True)
connection.execute("SELECT pg_sleep(600)")
"""


SLEEPING = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND state = 'active' AND query LIKE 'SELECT pg_sleep(600)%'
"""


def is_under_way() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(SLEEPING)
        return bool(cursor.fetchone()[0])


@on_postgresql
@pytest.mark.django_db(transaction=True)
def test_the_locks_of_a_process_that_was_killed_in_the_middle_of_a_statement_are_free_in_time() -> None:
    """The other waits as ours do, 15 s; without the check the lock would last until the statement ended, 30 s."""
    company = ClientFactory.create(name="Before SpA")
    parameters = connection.get_connection_params()
    options = parameters["options"]
    assert "client_connection_check_interval" in options
    reached = {
        name: parameters[name] for name in ("dbname", "user", "password", "host", "port") if parameters.get(name)
    }
    address = " ".join(f"{name}={value}" for name, value in reached.items())
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, address, options, str(company.pk)], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        wait_until(is_under_way)
        holder.kill()
    with transaction.atomic():
        Company.objects.filter(pk=company.pk).update(name="After SpA")
    company.refresh_from_db()
    assert company.name == "After SpA"


@on_postgresql
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("limit", ["statement_timeout", "lock_timeout", "client_connection_check_interval"])
def test_each_limit_is_in_force(limit: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT setting::int FROM pg_settings WHERE name = %s", [limit])
        assert cursor.fetchone()[0] > 0


def test_readers_of_sqlite_do_not_wait_for_a_transaction_that_outgrows_the_cache(tmp_path: Path) -> None:
    file, ours = tmp_path / "file.sqlite3", derive_settings({"ENGINE": "django.db.backends.sqlite3"})["OPTIONS"]
    with (
        closing(sqlite3.connect(file, isolation_level=None)) as writer,
        closing(sqlite3.connect(file, timeout=0)) as reader,
    ):
        writer.executescript(ours["init_command"])
        writer.execute("CREATE TABLE stored (text)")
        writer.execute("BEGIN IMMEDIATE")
        writer.executemany("INSERT INTO stored VALUES (?)", [("x" * 4_000,)] * 2_000)  # 8 MB
        assert reader.execute("SELECT count(*) FROM stored").fetchone() == (0,)
        writer.execute("COMMIT")
        assert reader.execute("SELECT count(*) FROM stored").fetchone() == (2_000,)
