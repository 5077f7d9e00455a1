"""Rows 19 and 20: no space for the database, for the files, for temporary files."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from faults.conftest import NewHouse, Pick, Say, Witnessed
from faults.environment.disks import Disk, small_disk
from faults.environment.own_postgres import OwnPostgres, scratch_for_postgres
from faults.environment.tools import needed
from faults.matrix import POSTGRESQL, SQLITE
from faults.observation.invariants import orphans
from faults.observation.witness import Witness, outcome, status

Mounted = Callable[..., Disk]


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Mounted]:
    """`mounted(megabytes)`: a small disk, for as long as the row's own service lives."""
    with ExitStack() as stack:

        def mount(megabytes: int, path: Path | None = None, owner: str = "") -> Disk:
            place = path or tmp_path / f"disk_{os.urandom(4).hex()}"
            return stack.enter_context(small_disk(place, megabytes, owner))

        yield mount


def fill_and_see(witness: Witness, disk: Disk, uploads: int, note: Say) -> None:
    """Upload until the disk is full; reads continue; with space again, so do uploads."""
    service = witness.service
    assert status(witness.upload()) == 201
    disk.fill(but_for=1_200_000)
    heard = [outcome(witness.upload(rows=300)) for _ in range(uploads)]
    refused = [each for each in heard if each[0] != 201]
    assert refused
    assert set(refused) == {(503, "unavailable")}
    assert status(witness.get("/mawbs")) == 200
    assert status(witness.get(f"/guides/{witness.acknowledged[0].tracking_codes[0]}")) == 200
    assert service.records.is_whole()
    disk.empty()
    assert status(witness.upload()) == 201
    note(f"{len(heard) - len(refused)} uploads taken, then {len(refused)} times 503; 201 with space again")


@pytest.mark.fault(19, SQLITE)
def test_sqlite(mounted: Mounted, open_special: NewHouse, witnessed: Witnessed, pick: Pick, note: Say) -> None:
    disk = mounted(8)
    service = open_special(f"sqlite:///{disk.path}/database.sqlite3")
    fill_and_see(witnessed(service), disk, pick(7, 12), note)


@pytest.mark.fault(19, POSTGRESQL)
@pytest.mark.long
def test_postgresql(
    crowded: tuple[OwnPostgres, Disk],
    open_special: NewHouse,
    witnessed: Witnessed,
    note: Say,
) -> None:
    server, disk = crowded
    service = open_special(server.create("crowded"))
    fill_and_see(witnessed(service), disk, 12, note)


@pytest.fixture
def crowded(mounted: Mounted) -> Iterator[tuple[OwnPostgres, Disk]]:
    """A cluster whose tables lie on a small disk; its write-ahead log lies elsewhere, as it should."""
    needed("initdb")
    with scratch_for_postgres() as directory:
        disk = mounted(120, directory / "disk", owner="postgres" if os.geteuid() == 0 else "")
        server = OwnPostgres(disk.path / "data", write_ahead_log=directory / "wal")
        server.start()
        try:
            yield server, disk
        finally:
            disk.empty()
            server.stop("immediate")


@pytest.mark.fault(20)
@pytest.mark.long(POSTGRESQL)
@pytest.mark.parametrize("variable", ["MEDIA_ROOT", pytest.param("TMPDIR", marks=pytest.mark.long)])
def test_no_room_for_files(
    mounted: Mounted,
    open_special: NewHouse,
    witnessed: Witnessed,
    variable: str,
) -> None:
    disk = mounted(8)
    service = open_special(**{variable: str(disk.path)})
    witness = witnessed(service)
    invoice = b"%PDF-1.4 " + b"x" * 60_000
    assert status(witness.upload(invoice_file=invoice)) == 201
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
    service.server.manage("sweep_files", "--older-than-hours", "0")
    assert not orphans(service)
    assert status(witness.upload(invoice_file=invoice)) == 201
