"""`backup` and `restore` of a service at work: whole under load, and a quiet one row by row and file by file."""

import os
import shutil
import sqlite3
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
import requests
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from shipments.models import ManifestFile
from tests.books import guide_row, workbook_bytes
from tests.conftest import Caller
from tests.live import databases, server
from tests.live.server import WITHOUT_CHECKS, Server
from tests.operations_page import IS_POSTGRESQL

needs_pg_dump = pytest.mark.skipif(
    IS_POSTGRESQL and not shutil.which("pg_dump") and not os.environ.get("REQUIRE_TOOLS"),
    reason="pg_dump is not installed (Debian: postgresql-client)",
)


@contextmanager
def uploading(service: Server, client: dict[str, str]) -> Iterator[list[str]]:
    """Upload one manifest after another while the `with` lasts; the MAWBs that were answered 201, so far."""
    taken: list[str] = []
    is_over = threading.Event()
    answered = threading.Event()

    def upload() -> None:
        for number in range(1_000_000, 1_001_000):
            if is_over.is_set():
                return
            mawb = f"045-{number}{number % 7}"
            files = {
                "manifest_file": workbook_bytes([guide_row(each) for each in range(1, 41)], mawb=mawb),
                "invoice_file": b"%PDF-1.7 " + mawb.encode(),
            }
            answer = requests.post(f"{service.api}/upload", files=files, headers=client, timeout=60)
            assert answer.status_code == 201, answer.text
            taken.append(mawb)
            if len(taken) >= 3:
                answered.set()

    thread = threading.Thread(target=upload)
    thread.start()
    assert answered.wait(60), "nothing was taken"
    try:
        yield taken
    finally:
        is_over.set()
        thread.join(60)


def backed_up(service: Server, directory: Path) -> Path:
    """The file of a backup of the running service."""
    before = set(directory.glob("*.tar"))
    service.manage("backup", str(directory), *WITHOUT_CHECKS)
    (made,) = set(directory.glob("*.tar")) - before
    return made


@contextmanager
def elsewhere(service: Server, place: Path) -> Iterator[Server]:
    """An installation with the same keys, an empty database and no files; it is not started."""
    place.mkdir()
    with databases.scratch_database(os.environ["DATABASE_URL"], place) as url:
        environment = {**service.environment, "DATABASE_URL": url, "MEDIA_ROOT": str(place / "media")}
        yield Server("", environment, place)


def rows(service: Server) -> Mapping[str, list[str]]:
    """Table -> its rows."""
    url = service.environment["DATABASE_URL"]
    with ExitStack() as stack:
        if IS_POSTGRESQL:
            database: Any = stack.enter_context(psycopg.connect(url))
            names = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        else:
            database = sqlite3.connect(url.removeprefix("sqlite:///"))
            stack.callback(database.close)
            names = "SELECT name FROM sqlite_master WHERE type = 'table'"
        tables = [name for (name,) in database.execute(names).fetchall()]
        return {table: sorted(map(repr, database.execute(f'SELECT * FROM "{table}"'))) for table in tables}  # noqa: S608  # ours


def files(service: Server) -> Mapping[str, bytes]:
    root = Path(service.environment["MEDIA_ROOT"])
    found = (path for path in root.rglob("*") if path.is_file() and ".incoming" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


@contextmanager
def at_work(directory: Path) -> Iterator[tuple[Server, dict[str, str]]]:
    """A service with two companies, one of them with an endpoint; and the headers of that one's programs."""
    directory.mkdir()
    with server.served(directory) as service:
        client = service.company("ACME")
        service.manage("add_webhook", "ACME", "https://hooks.example.com/in", *WITHOUT_CHECKS)
        yield service, client


@needs_pg_dump
@pytest.mark.timeout(900)
def test_a_backup_taken_under_load_restores_whole_and_sends_nothing_again(tmp_path: Path) -> None:
    with ExitStack() as stack:
        service, client = stack.enter_context(at_work(tmp_path / "old"))
        neighbour = service.company("RIVAL")
        with uploading(service, client) as taken:
            sure = list(taken)
            backup = backed_up(service, tmp_path / "backups")
        assert len(taken) >= len(sure) >= 3

        there = stack.enter_context(elsewhere(service, tmp_path / "new"))
        said = there.manage("restore", str(backup), *WITHOUT_CHECKS)
        assert "All totals agree." in said
        assert "files are present and intact." in said
        assert deliveries(there) == {("cancelled", "Restored from a backup.")}
        restored_rows, all_rows = rows(there), rows(service)
        assert len(restored_rows["shipments_guide"]) >= 40 * len(sure)
        changed = {table for table, found in restored_rows.items() if not set(found) <= set(all_rows[table])}
        assert changed - {"shipments_layout", "sqlite_sequence"} == {"webhooks_delivery"}  # the two count uploads
        url = there.environment["DATABASE_URL"]
        restored = stack.enter_context(server.running(there.directory, url, is_migrated=True))
        listed = requests.get(f"{restored.api}/mawbs", headers=client, timeout=60).json()["mawbs"]
        assert set(sure) <= {each["mawb"] for each in listed}
        assert {each["total_guides"] for each in listed} == {40}
        assert requests.get(f"{restored.api}/mawbs", headers=neighbour, timeout=60).json()["mawbs"] == []


@needs_pg_dump
@pytest.mark.timeout(900)
def test_a_quiet_service_is_restored_row_by_row_and_file_by_file(tmp_path: Path) -> None:
    with ExitStack() as stack:
        service, client = stack.enter_context(at_work(tmp_path / "old"))
        with uploading(service, client):
            pass
        backup = backed_up(service, tmp_path / "backups")
        there = stack.enter_context(elsewhere(service, tmp_path / "new"))
        there.manage("restore", str(backup), "--send-waiting", *WITHOUT_CHECKS)
        assert rows(there) == rows(service)
        assert files(there) == files(service) != {}
        assert {state for state, _reason in deliveries(there)} == {"pending"}
        with_other_keys(service, backup, tmp_path / "other")


def deliveries(service: Server) -> set[tuple[str, str]]:
    script = "from webhooks.models import Delivery; print(*Delivery.objects.values_list('state', 'reason'), sep='\\n')"
    return {eval(line) for line in service.manage("shell", "--no-imports", "-c", script).splitlines()}  # noqa: S307  # pairs


def with_other_keys(service: Server, backup: Path, place: Path) -> None:
    """Without the keys and the pepper of the backup its secrets are useless, and this is reported."""
    other = {
        "FIELD_ENCRYPTION_KEYS": "b3RoZXItb3RoZXItb3RoZXItb3RoZXItb3RoZXItISE=",
        "API_PASSWORD_PEPPER": "another-" + "p" * 40,
    }
    with elsewhere(service, place) as there, pytest.raises(subprocess.CalledProcessError) as reported:
        replace(there, environment={**there.environment, **other}).manage("restore", str(backup), *WITHOUT_CHECKS)
    assert reported.value.returncode == 1
    assert "No key in FIELD_ENCRYPTION_KEYS opens the secrets of these (subscriptions: 1)" in reported.value.stderr
    assert "API_PASSWORD_PEPPER is another one" in reported.value.stderr


@pytest.mark.parametrize(
    ("spoil", "word"), [(lambda path: path.unlink(), "missing"), (lambda path: path.write_bytes(b"x"), "damaged")]
)
@pytest.mark.django_db
def test_a_file_that_a_backup_lacks_is_named(acme: Caller, rival: Caller, spoil: Any, word: str, capsys: Any) -> None:
    acme.upload()
    rival.upload()
    call_command("check_files")
    file = ManifestFile.objects.earliest("pk")
    spoil(Path(default_storage.path(str(file.file.name))))
    call_command("check_files", newest=1)
    with pytest.raises(CommandError, match="1 of 2 files"):
        call_command("check_files")
    assert f"{word}  {file.file.name}" in capsys.readouterr().out
    with pytest.raises(CommandError, match="at least 1"):
        call_command("check_files", newest=0)
