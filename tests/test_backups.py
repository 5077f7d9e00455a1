"""docs/operations.md: its backups restored, and a database moved."""

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import requests
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from shipments.models import ManifestFile
from tests.books import guide_row, workbook_bytes
from tests.conftest import Caller
from tests.live import databases, server
from tests.live.server import WITHOUT_CHECKS, Server
from tests.operations_page import IS_POSTGRESQL, KIND, places, shell


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


@pytest.mark.skipif(
    IS_POSTGRESQL and not shutil.which("pg_dump") and not os.environ.get("REQUIRE_TOOLS"),
    reason="pg_dump is not installed (Debian: postgresql-client)",
)
def test_a_backup_taken_under_load_restores_whole_and_secrets_open(tmp_path: Path) -> None:
    old, new, backup = tmp_path / "old", tmp_path / "new", tmp_path / "backup"
    for directory in (old, new, backup):
        directory.mkdir()
    with ExitStack() as stack:
        service = stack.enter_context(server.served(old))
        url = service.environment["DATABASE_URL"]
        restored_url = stack.enter_context(databases.scratch_database(os.environ["DATABASE_URL"], new))
        client, neighbour = service.company("ACME"), service.company("RIVAL")
        service.manage("add_webhook", "ACME", "https://hooks.example.com/in", *WITHOUT_CHECKS)
        with uploading(service, client) as taken:
            sure = list(taken)
            shell(f"backup {KIND}", **places(url, old), BACKUP=str(backup))
        assert len(taken) >= len(sure) >= 3

        shell(f"restore {KIND}", **places(restored_url, new), BACKUP=str(backup))
        environment = {**service.environment, **places(restored_url, new)}
        shell("after a restore", **environment)
        restored = stack.enter_context(server.running(new, restored_url, is_migrated=True))

        listed = requests.get(f"{restored.api}/mawbs", headers=client, timeout=60).json()["mawbs"]
        assert set(sure) <= {each["mawb"] for each in listed}
        assert {each["total_guides"] for each in listed} == {40}
        assert requests.get(f"{restored.api}/mawbs", headers=neighbour, timeout=60).json()["mawbs"] == []
        detail = requests.get(f"{restored.api}/mawbs/{sure[0]}", headers=client, timeout=60)
        assert detail.content == requests.get(f"{service.api}/mawbs/{sure[0]}", headers=client, timeout=60).content
        again = requests.post(
            f"{restored.api}/upload", files={"manifest_file": workbook_bytes(mawb=sure[0])}, headers=client, timeout=60
        )
        assert again.status_code == 409
        with_other_keys(restored)


def with_other_keys(restored: Server) -> None:
    """Without the keys and the pepper of the backup its secrets are useless, and this is reported."""
    other = {"FIELD_ENCRYPTION_KEYS": "b3RoZXItb3RoZXItb3RoZXItb3RoZXItb3RoZXItISE="}
    with pytest.raises(subprocess.CalledProcessError) as reported:
        replace(restored, environment={**restored.environment, **other}).manage("rotate_field_keys")
    assert "No key decrypts" in str(reported.value.stderr)


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
