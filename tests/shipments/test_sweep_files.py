"""`sweep_files`: what a crash left behind goes, what a manifest speaks of stays."""

import errno
import os
import time
from io import StringIO
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from shipments.models import ManifestFile
from tests.conftest import Caller

pytestmark = pytest.mark.django_db

HOUR = 3600


def sweep(*arguments: str) -> str:
    output = StringIO()
    call_command("sweep_files", *arguments, stdout=output)
    return output.getvalue()


def aged(path: Path, hours: float) -> Path:
    moment = time.time() - hours * HOUR
    os.utime(path, (moment, moment))
    return path


@pytest.fixture
def orphan() -> Path:
    """A stored file, 25 hours old, whose row was never committed."""
    return aged(Path(default_storage.path(default_storage.save("2026/01/orphan.xlsx", ContentFile(b"x")))), 25)


def test_an_old_file_without_a_row_goes_after_a_dry_run_and_a_known_one_stays(acme: Caller, orphan: Path) -> None:
    acme.upload()
    known = aged(Path(ManifestFile.objects.get().file.path), 1000)
    foreseen = sweep("--dry-run")
    assert "2026/01/orphan.xlsx" in foreseen
    assert "Would delete 1" in foreseen
    assert orphan.exists()
    assert "Deleted 1 stored and 0 unfinished files." in sweep()
    assert known.exists()
    assert not orphan.exists()


def test_a_young_file_is_left_alone_for_its_row_may_be_on_its_way(orphan: Path) -> None:
    aged(orphan, 23)
    sweep()
    assert orphan.exists()
    sweep("--older-than-hours", "22")
    assert not orphan.exists()


def test_an_upload_that_never_finished_goes_after_an_hour(media: Path) -> None:
    incoming = media / ".incoming"
    incoming.mkdir(parents=True)
    for name, hours in (("old.upload", 1.1), ("young.upload", 0.9)):
        (incoming / name).write_bytes(b"half")
        aged(incoming / name, hours)
    sweep()
    assert [path.name for path in incoming.iterdir()] == ["young.upload"]


def test_with_nothing_ever_stored_there_is_nothing_to_do() -> None:
    assert sweep() == "Deleted 0 stored and 0 unfinished files.\n"


def test_hours_count_from_zero() -> None:
    with pytest.raises(CommandError, match="at least 0"):
        sweep("--older-than-hours", "-1")


def test_a_file_that_cannot_be_flushed_is_not_kept(media: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_descriptor: int) -> None:
        raise OSError(errno.EIO, "the disk is failing")

    monkeypatch.setattr("shipments.files.storage.os.fsync", fail)
    with pytest.raises(OSError, match="failing"):
        default_storage.save("2026/11/a.xlsx", ContentFile(b"rows"))
    assert not [path for path in media.rglob("*") if path.is_file()]


def test_an_upload_that_ends_while_we_look_stops_no_sweep(media: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    incoming = media / ".incoming"
    incoming.mkdir(parents=True)
    for name in ("ending.upload", "left.upload"):
        (incoming / name).write_bytes(b"half")
        aged(incoming / name, 2)
    listed = list(incoming.iterdir())
    (incoming / "ending.upload").unlink()  # kept under its own name, or refused
    monkeypatch.setattr(Path, "iterdir", lambda _directory: iter(listed))
    assert "and 1 unfinished files." in sweep()
    assert not (incoming / "left.upload").exists()
