"""Rows 16 to 18: locks and concurrent requests."""

import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import psycopg
import pytest

from faults.conftest import NewDatabase, OpenSpecial, Pick, Witnessed
from faults.environment.records import Records
from faults.environment.running import POSTGRESQL, SQLITE, Service
from faults.observation.witness import Witness, book, new_mawb, outcome, status
from tests.processes import soon

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


@pytest.mark.fault(17)
def test_one_is_created_and_eleven_name_it(service: Service, witness: Witness, pick: Pick) -> None:
    rounds, before = pick(3, 30), service.orphans()
    for _round in range(rounds):
        mawb = new_mawb()
        book(mawb, 5)  # made beforehand, for it takes longer than to send it
        with ThreadPoolExecutor(12) as pool:
            answers = [each.result() for each in [pool.submit(witness.upload, mawb, 5) for _ in range(12)]]
        assert Counter(map(status, answers)) == {201: 1, 409: 11}
        assert len({answer.json()["manifest_id"] for answer in answers if answer is not None}) == 1
    assert len(service.records.manifests([witness.tenant.code])) == rounds
    # What an upload wrote before it was refused goes after its answer.
    soon(lambda: service.orphans() <= before, what="the end of the rejected uploads' files")


@pytest.mark.fault(18)
@pytest.mark.parametrize("other", [pytest.param("lost", marks=pytest.mark.long), "customs_held"])
def test_the_first_to_commit_wins_and_the_order_is_legal(service: Service, witness: Witness, other: str) -> None:
    """`delivered` is held just before its commit while the other comes; so it wins, and the other is refused."""
    code = witness.accepted(rows=1)["guides"][0]["tracking_code"]
    service.board.arm("advance.before_commit", "barrier")
    first = service.command("advance_status", "--to", "delivered", code, log="first.log")
    service.board.wait_until_reached("advance.before_commit", 60)
    second = service.command("advance_status", "--to", other, code, log="second.log")
    with pytest.raises(AssertionError):
        soon(lambda: second.poll() is not None, 3)
    service.board.release("advance.before_commit")
    assert (first.wait(60), second.wait(60)) == (0, 1)
    shown = witness.shown(f"/guides/{code}")
    assert [event["status"] for event in shown["events"]] == ["registered", "delivered"]
    assert shown["status"] == "delivered"
