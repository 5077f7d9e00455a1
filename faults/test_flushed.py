"""Rows 5 and 21: killed, or refused, at the moment in which something is flushed to the disk."""

from functools import partial

import pytest

from faults.conftest import NewHouse, Pick, Say, Witnessed
from faults.environment.processes import soon
from faults.environment.running import Service
from faults.environment.traced import injected
from faults.matrix import POSTGRESQL, SQLITE
from faults.observation.invariants import orphans
from faults.observation.witness import Witness, new_mawb, status

UPLOADS_AT_MOST = 30


@pytest.fixture
def single(open_special: NewHouse, witnessed: Witnessed) -> Witness:
    """A service of one worker with one thread, so that calls are counted one after the other."""
    return witnessed(open_special(WEB_CONCURRENCY="1", TEST_THREADS="1"))


@pytest.mark.fault(5, SQLITE)
@pytest.mark.timeout(900)
def test_whenever_it_dies_the_database_is_whole_and_holds_what_was_acknowledged(
    single: Witness, pick: Pick, note: Say
) -> None:
    service = single.service
    numbers = pick((2, 5), range(1, 41))
    for number in numbers:
        (worker,) = service.workers()
        mawb = ""
        with injected(worker, f"fdatasync:signal=KILL:when={number}", service.directory):
            for _ in range(UPLOADS_AT_MOST):
                mawb = new_mawb()
                if single.upload(mawb) is None:
                    break
            else:
                pytest.fail(f"nothing was flushed {number} times")
        soon(partial(_has_another, service, worker), 60, "a new worker")
        assert service.records.is_whole(), number
        was_committed = status(single.get(f"/mawbs/{mawb}")) == 200
        assert status(single.upload(mawb)) == (409 if was_committed else 201), number
    note(f"killed at fdatasync 1 to {max(numbers)}, {len(numbers)} times; {len(single.acknowledged)} acknowledged")


def _has_another(service: Service, worker: int) -> bool:
    return service.answers() and service.workers() != [worker]


@pytest.mark.fault(21)
@pytest.mark.long(POSTGRESQL)
def test_an_upload_whose_file_cannot_be_flushed_is_not_acknowledged_and_leaves_nothing(
    single: Witness, backend: str, note: Say
) -> None:
    upload_with_eio(single, "fsync")
    if backend != SQLITE:
        note("the files alone: PostgreSQL flushes its own, and stops when it cannot")


@pytest.mark.fault(21, SQLITE)
@pytest.mark.long
def test_an_upload_that_sqlite_cannot_flush_is_not_acknowledged_and_leaves_nothing(single: Witness) -> None:
    upload_with_eio(single, "fdatasync")


def upload_with_eio(single: Witness, call: str) -> None:
    """An upload while every call of this kind fails; then the same again."""
    service, mawb = single.service, new_mawb()
    assert status(single.upload()) == 201
    before = service.stored_files()
    (worker,) = service.workers()
    with injected(worker, f"{call}:error=EIO", service.directory):
        assert status(single.upload(mawb)) in {500, 503}
        assert status(single.get("/mawbs")) == 200
    assert status(single.get(f"/mawbs/{mawb}")) == 404
    if call == "fdatasync":  # a commit that failed may stand all the same: its file is kept until that is known
        service.server.manage("sweep_files", "--older-than-hours", "0")
    assert not orphans(service)
    assert service.stored_files() == before
    assert status(single.upload(mawb)) == 201
