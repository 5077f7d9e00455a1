"""Rows 9 to 14: PostgreSQL restarted, stopped, frozen, cut off, and silent after COMMIT."""

import os
import statistics
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from faults.conftest import NewDatabase, OpenSpecial, Pick, Witnessed
from faults.environment.machine import swallowed
from faults.environment.postgres import OwnPostgres
from faults.environment.proxy import Proxy
from faults.environment.running import POSTGRESQL, Service
from faults.observation.witness import Witness, load, new_mawb, outcome, status
from tests.processes import soon

PROMPT_SECONDS = 1.0
STALL_SECONDS = 5.0
"""One answer may be late on a busy machine; a pool that seeks a connection again and again takes 7 to 30 s."""
BLACK_HOLE_SECONDS = 20


def ready(service: Service) -> int:
    return requests.get(f"{service.address}/health/ready", timeout=10).status_code


@pytest.mark.fault(9, POSTGRESQL)
def test_a_crash_of_the_database_costs_503_while_it_is_away_and_nothing_after(
    witness: Witness, postgres: OwnPostgres
) -> None:
    with load(witness) as heard:
        time.sleep(1)
        postgres.restart("immediate")
        back = time.monotonic()
        time.sleep(2)
    assert set(heard.statuses()) <= {200, 201, 503}
    assert heard.statuses()[503]
    assert {200, 201} == set(heard.statuses(back)), "what is asked once it is back is answered"


@pytest.mark.fault(10, POSTGRESQL)
def test_connections_that_died_while_nobody_asked_cost_nothing(witness: Witness, postgres: OwnPostgres) -> None:
    many(witness)
    postgres.restart("fast")
    after = many(witness)
    assert {each for each, _seconds in after} == {200}
    assert max(seconds for _each, seconds in after) < STALL_SECONDS


def many(witness: Witness) -> list[tuple[int | None, float]]:
    """Status and seconds of so many reads at once that every thread of the service has a connection afterwards."""

    def one(_number: int) -> tuple[int | None, float]:
        started = time.monotonic()
        return status(witness.get("/mawbs")), time.monotonic() - started

    with ThreadPoolExecutor(16) as pool:
        return list(pool.map(one, range(48)))


@pytest.mark.fault(11, POSTGRESQL)
def test_every_request_is_reported_at_once(
    service: Service, witness: Witness, postgres: OwnPostgres, pick: Pick
) -> None:
    witness.upload()
    before = service.stored_files()
    postgres.stop("fast")
    try:
        until = time.monotonic() + pick(2, 60)
        seconds: list[float] = []
        while time.monotonic() < until or len(seconds) < 4:
            started = time.monotonic()
            assert outcome(witness.get("/mawbs")) == (503, "unavailable")
            assert outcome(witness.upload()) == (503, "unavailable")
            seconds.append((time.monotonic() - started) / 2)
            assert witness.answers[-1].headers["Retry-After"]
            assert service.answers()
            assert ready(service) == 503
            time.sleep(0.2)
    finally:
        postgres.start()
    assert statistics.median(seconds) < PROMPT_SECONDS
    assert max(seconds) < STALL_SECONDS
    assert service.stored_files() == before
    soon(lambda: ready(service) == 200, what="readiness")
    witness.accepted()


@pytest.mark.fault(12, POSTGRESQL)
def test_liveness_does_not_wait_for_a_frozen_database_and_everything_ends_when_it_thaws(
    service: Service, witness: Witness, postgres: OwnPostgres, pick: Pick
) -> None:
    """A request on an open connection waits; one that needs a new connection gets a 503 after connect_timeout."""
    witness.upload()
    with ThreadPoolExecutor(4) as pool, postgres.frozen():
        waiting = [pool.submit(witness.get, "/mawbs") for _ in range(3)] + [pool.submit(witness.upload)]
        for _ in range(pick(2, 10)):
            started = time.monotonic()
            assert service.answers()
            assert time.monotonic() - started < PROMPT_SECONDS
            assert ready(service) == 503
    assert {status(each.result(60)) for each in waiting} <= {200, 201, 503}
    soon(lambda: status(witness.upload()) == 201, what="an upload")


@pytest.mark.fault(13, POSTGRESQL)
def test_a_network_that_swallows_everything_is_noticed(
    service: Service, witness: Witness, postgres: OwnPostgres
) -> None:
    """On open connections: a new one would be given up after three seconds in any case."""
    witness.upload()
    many(witness)
    with swallowed(postgres.port), ThreadPoolExecutor(8) as pool:
        started = time.monotonic()
        waiting = [pool.submit(witness.get, "/mawbs", timeout=90) for _ in range(8)]
        assert service.answers()
        assert {outcome(each.result(90)) for each in waiting} == {(503, "unavailable")}
        seconds = time.monotonic() - started
    assert seconds < BLACK_HOLE_SECONDS
    soon(lambda: status(witness.get("/mawbs")) == 200, 40, "recovery")
    witness.accepted()


@pytest.fixture
def proxy(postgres: OwnPostgres) -> Iterator[Proxy]:
    """Between a service of the row's own and the cluster; it outlives the service."""
    with Proxy(postgres.port) as proxy:
        yield proxy


@pytest.fixture
def distant(
    proxy: Proxy, postgres: OwnPostgres, new_database: NewDatabase, open_special: OpenSpecial, witnessed: Witnessed
) -> Witness:
    """A witness at a service whose database is behind the proxy."""
    past = new_database(POSTGRESQL, f"distant_{os.urandom(4).hex()}")
    return witnessed(open_special(past.replace(f":{postgres.port}/", f":{proxy.port}/"), past))


@pytest.mark.fault(14, POSTGRESQL)
def test_a_commit_whose_acknowledgement_is_lost_is_kept_and_the_same_upload_names_it(
    distant: Witness, proxy: Proxy
) -> None:
    mawb = new_mawb()
    proxy.loses_commit_after = b'INSERT INTO "shipments_manifest"'
    assert outcome(distant.upload(mawb)) == (503, "unavailable")
    assert proxy.commits_lost == 1
    shown, again = distant.shown(f"/mawbs/{mawb}"), distant.upload(mawb)
    assert again is not None
    assert outcome(again) == (409, "mawb_already_exists")
    assert again.json()["manifest_id"] == shown["manifest_id"]


@pytest.mark.fault(14, POSTGRESQL)
@pytest.mark.long
def test_a_line_that_is_reset_before_the_commit_leaves_nothing(distant: Witness, proxy: Proxy) -> None:
    board, mawb = distant.service.board, new_mawb()
    board.arm("upload.before_commit", "barrier")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(distant.upload, mawb)
        board.wait_until_reached("upload.before_commit")
        proxy.reset_all()
        time.sleep(0.2)  # for the reset to arrive
        board.release("upload.before_commit")
        assert outcome(waiting.result(60)) == (503, "unavailable")
    assert status(distant.get(f"/mawbs/{mawb}")) == 404
    distant.accepted(mawb)
