"""Rows 16 to 18: locks, and many at one thing."""

import json
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import psycopg
import pytest

from faults.conftest import NewHouse, Pick, Say, Witnessed
from faults.house import House
from faults.invariants import orphans
from faults.matrix import POSTGRESQL, SQLITE
from faults.own_postgres import OwnPostgres
from faults.processes import soon
from faults.records import Records
from faults.witness import Witness, new_mawb, status, told

SQLITE_WAITS_SECONDS = 20


@contextmanager
def locked(records: Records) -> Iterator[None]:
    """Nobody else may write manifests meanwhile; on SQLite nobody may do anything."""
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
def test_a_wait_that_is_too_long_is_told_and_the_connection_serves_on(
    open_special: NewHouse, witnessed: Witnessed, postgres: OwnPostgres, limit: str
) -> None:
    url = postgres.create(f"impatient_{limit}")
    house = open_special(f"{url}?options=-c%20{limit}%3D700ms", past=url)
    witness = witnessed(house)
    assert status(witness.upload()) == 201
    with locked(house.records):
        assert told(witness.upload()) == (503, "unavailable")
        assert told(witness.get("/mawbs")) == (503, "unavailable")
    assert status(witness.get("/mawbs")) == 200
    assert status(witness.upload()) == 201


@pytest.mark.fault(16, SQLITE)
@pytest.mark.long
def test_a_database_that_stays_locked_is_told(house: House, witness: Witness, note: Say) -> None:
    with locked(house.records):
        started = time.monotonic()
        assert told(witness.upload()) == (503, "unavailable")
        seconds = time.monotonic() - started
    assert status(witness.upload()) == 201
    note(f"told 503 after {seconds:.0f} s")
    assert seconds < 2 * SQLITE_WAITS_SECONDS


@pytest.mark.fault(16)
def test_a_short_wait_is_waited_out(house: House, witness: Witness) -> None:
    with ThreadPoolExecutor(1) as pool:
        with locked(house.records):
            waiting = pool.submit(witness.upload)
            time.sleep(1)
            assert not waiting.done()
        assert status(waiting.result(60)) == 201


@pytest.mark.fault(17)
def test_one_is_created_and_eleven_name_it(house: House, witness: Witness, pick: Pick) -> None:
    rounds, before = pick(3, 30), orphans(house)
    for _round in range(rounds):
        mawb, start = new_mawb(), threading.Barrier(12)

        def upload(_number: int, mawb: str = mawb, start: threading.Barrier = start) -> tuple[int | None, str]:
            start.wait(30)
            answer = witness.upload(mawb, rows=5)
            return status(answer), answer.json()["manifest_id"] if answer is not None else ""

        with ThreadPoolExecutor(12) as pool:
            answers = list(pool.map(upload, range(12)))
        assert Counter(each for each, _id in answers) == {201: 1, 409: 11}
        assert len({manifest_id for _status, manifest_id in answers}) == 1
    assert len(house.records.manifests([witness.tenant.code])) == rounds
    assert orphans(house) <= before, "who came too late leaves no file"


@pytest.mark.fault(18)
@pytest.mark.parametrize("other", [pytest.param("lost", marks=pytest.mark.long), "customs_held"])
def test_the_first_to_commit_wins_and_the_order_is_legal(house: House, witness: Witness, other: str) -> None:
    """`delivered` is held just before its commit while the other comes; so it wins, and the other is refused."""
    answer = witness.upload(rows=1)
    assert answer is not None
    code = answer.json()["guides"][0]["tracking_code"]
    house.board.arm("advance.before_commit", "barrier")
    first = house.command("advance_status", "--to", "delivered", code, log="first.log")
    house.board.wait_until_reached("advance.before_commit", 60)
    second = house.command("advance_status", "--to", other, code, log="second.log")
    with pytest.raises(AssertionError):
        soon(lambda: second.poll() is not None, 3)
    house.board.release("advance.before_commit")
    assert (first.wait(60), second.wait(60)) == (0, 1)
    shown = witness.get(f"/guides/{code}")
    assert shown is not None
    assert [event["status"] for event in shown.json()["events"]] == ["registered", "delivered"]
    assert json.loads(shown.content)["status"] == "delivered"
