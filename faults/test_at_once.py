"""Row 16: locks."""

import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import psycopg
import pytest

from faults.conftest import NewDatabase, OpenSpecial, Witnessed
from faults.environment.records import Records
from faults.environment.running import POSTGRESQL, SQLITE, Service
from faults.observation.witness import Witness, outcome, status

SQLITE_WAITS_SECONDS = 20


@contextmanager
def locked(records: Records) -> Iterator[None]:
    """Lock manifests against writes; on SQLite lock everything."""
    if records.is_sqlite:
        with closing(sqlite3.connect(records.path, timeout=30, isolation_level=None)) as connection:
            connection.execute("BEGIN EXCLUSIVE")
            yield
        return
    with psycopg.connect(records.url) as connection:
        connection.execute("LOCK TABLE shipments_manifest IN ACCESS EXCLUSIVE MODE")
        yield


@pytest.mark.fault(16, POSTGRESQL)
@pytest.mark.parametrize("limit", ["lock_timeout", "statement_timeout"])
@pytest.mark.long
def test_a_wait_that_is_too_long_is_reported_and_the_connection_serves_on(
    open_special: OpenSpecial, witnessed: Witnessed, new_database: NewDatabase, limit: str
) -> None:
    url = new_database(POSTGRESQL, f"impatient_{limit}")
    witness = witnessed(open_special(f"{url}?options=-c%20{limit}%3D700ms", url))
    witness.accepted()
    with locked(witness.service.records):
        assert outcome(witness.upload()) == (503, "unavailable")
        assert outcome(witness.get("/mawbs")) == (503, "unavailable")
    assert status(witness.get("/mawbs")) == 200
    witness.accepted()


@pytest.mark.fault(16, SQLITE)
@pytest.mark.long
def test_a_database_that_stays_locked_is_reported(service: Service, witness: Witness) -> None:
    with locked(service.records):
        started = time.monotonic()
        assert outcome(witness.upload()) == (503, "unavailable")
        assert time.monotonic() - started < 2 * SQLITE_WAITS_SECONDS
    witness.accepted()


@pytest.mark.fault(16)
def test_a_short_wait_is_waited_out(service: Service, witness: Witness) -> None:
    with ThreadPoolExecutor(1) as pool:
        with locked(service.records):
            waiting = pool.submit(witness.upload)
            time.sleep(1)
            assert not waiting.done()
        assert status(waiting.result(60)) == 201
