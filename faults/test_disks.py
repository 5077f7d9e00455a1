"""Rows 5 and 19 to 21: full disks, and what happens at the moment in which something is flushed to one."""

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from faults.conftest import OpenSpecial, Pick, Witnessed
from faults.environment.machine import Disk, injected, small_disk
from faults.environment.postgres import OwnPostgres, scratch_for_postgres
from faults.environment.running import POSTGRESQL, SQLITE, Service
from faults.environment.tools import needed
from faults.observation.witness import Witness, new_mawb, outcome, status
from tests.live.databases import migrate
from tests.processes import soon

UPLOADS_AT_MOST = 30


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    """A small disk that outlives the row's own service."""
    with small_disk(tmp_path / "disk", megabytes=8) as disk:
        yield disk


def fill_and_see(witness: Witness, disk: Disk, uploads: int) -> None:
    """Upload until the disk is full; reads continue; with space again, so do uploads."""
    code = witness.accepted()["guides"][0]["tracking_code"]
    disk.fill(but_for=1_200_000)
    heard = {outcome(witness.upload(rows=300)) for _ in range(uploads)}
    assert {(503, "unavailable")} <= heard <= {(503, "unavailable"), (201, "")}
    assert status(witness.get("/mawbs")) == 200
    assert status(witness.get(f"/guides/{code}")) == 200
    assert witness.service.records.is_whole()
    disk.empty()
    witness.accepted()


@pytest.mark.fault(19, SQLITE)
def test_sqlite(disk: Disk, open_special: OpenSpecial, witnessed: Witnessed, pick: Pick) -> None:
    url = f"sqlite:///{disk.path}/database.sqlite3"
    migrate(url)
    fill_and_see(witnessed(open_special(url)), disk, pick(7, 12))


@pytest.fixture
def crowded() -> Iterator[tuple[OwnPostgres, Disk]]:
    """A cluster whose tables lie on a small disk; its write-ahead log lies elsewhere, as it should."""
    needed("initdb")
    owner = "postgres" if os.geteuid() == 0 else "root"
    with scratch_for_postgres() as directory, small_disk(directory / "disk", 120, owner) as disk:
        server = OwnPostgres(disk.path / "data", write_ahead_log=directory / "wal")
        server.start()
        try:
            yield server, disk
        finally:
            disk.empty()
            server.stop("immediate")


@pytest.mark.fault(19, POSTGRESQL)
@pytest.mark.long
def test_postgresql(crowded: tuple[OwnPostgres, Disk], open_special: OpenSpecial, witnessed: Witnessed) -> None:
    server, disk = crowded
    url = server.create("crowded")
    migrate(url)
    fill_and_see(witnessed(open_special(url)), disk, 12)


@pytest.mark.fault(20)
@pytest.mark.long(POSTGRESQL)
@pytest.mark.parametrize("variable", ["MEDIA_ROOT", pytest.param("TMPDIR", marks=pytest.mark.long)])
def test_no_room_for_files(disk: Disk, open_special: OpenSpecial, witnessed: Witnessed, variable: str) -> None:
    service = open_special(**{variable: str(disk.path)})
    witness = witnessed(service)
    invoice = b"%PDF-1.4 " + b"x" * 60_000
    witness.accepted(invoice_file=invoice)
    before, count = service.stored_files(), len(service.records.manifests(witness.codes))
    disk.fill(but_for=20_000 if variable == "MEDIA_ROOT" else 0)
    heard = [outcome(witness.upload(rows=600, invoice_file=invoice)) for _ in range(4)]
    assert status(witness.get("/mawbs")) == 200
    assert len(service.records.manifests(witness.codes)) == count + heard.count((201, ""))
    if variable == "MEDIA_ROOT":
        assert set(heard) == {(503, "unavailable")}
        assert service.stored_files() - {"ballast"} == before
    else:  # a worker that first asks for a temporary directory now takes the next one; SQLite wants one too
        assert set(heard) <= {(503, "unavailable"), (201, "")}
        assert {path.name for path in disk.path.iterdir()} <= {"ballast", f"prealerts-parse-slots-{os.geteuid()}"}
    disk.empty()
    service.sweep()
    assert not service.orphans()
    witness.accepted(invoice_file=invoice)


@pytest.fixture
def single(open_special: OpenSpecial, witnessed: Witnessed) -> Witness:
    """At a service of one worker with one thread, so that calls are counted one after the other."""
    return witnessed(open_special(WEB_CONCURRENCY="1", TEST_THREADS="1"))


@pytest.mark.fault(5, SQLITE)
@pytest.mark.timeout(900)
def test_whenever_it_dies_the_database_is_whole_and_holds_what_was_acknowledged(single: Witness, pick: Pick) -> None:
    service = single.service
    for number in pick((2, 5), range(1, 41)):
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


def _has_another(service: Service, worker: int) -> bool:
    return service.answers() and service.workers() != [worker]


@pytest.mark.fault(21)
@pytest.mark.long(POSTGRESQL)
def test_an_upload_whose_file_cannot_be_flushed_is_not_acknowledged_and_leaves_nothing(single: Witness) -> None:
    """The files alone: PostgreSQL flushes its own, and stops when it cannot."""
    upload_with_eio(single, "fsync")


@pytest.mark.fault(21, SQLITE)
@pytest.mark.long
def test_an_upload_that_sqlite_cannot_flush_is_not_acknowledged_and_leaves_nothing(single: Witness) -> None:
    upload_with_eio(single, "fdatasync")


def upload_with_eio(witness: Witness, call: str) -> None:
    """An upload while every call of this kind fails; then the same again."""
    service, mawb = witness.service, new_mawb()
    witness.accepted()
    before = service.stored_files()
    (worker,) = service.workers()
    with injected(worker, f"{call}:error=EIO", service.directory):
        assert status(witness.upload(mawb)) in {500, 503}
        assert status(witness.get("/mawbs")) == 200
    assert status(witness.get(f"/mawbs/{mawb}")) == 404
    if call == "fdatasync":  # a commit that failed may stand all the same: its file is kept until that is known
        service.sweep()
    assert service.stored_files() == before
    witness.accepted(mawb)
