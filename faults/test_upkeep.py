"""Row 35: a backup taken under load."""

import os
import shutil
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from faults import invariants, own_postgres
from faults.conftest import Say
from faults.load import load
from faults.records import Records
from faults.running import Service
from faults.witness import Witness, status
from tests.webhooks.receivers import Authority


@pytest.mark.fault(35)
def test_what_was_acknowledged_before_the_backup_is_there(
    service: Service, witness: Witness, authority: Authority, tmp_path: Path, note: Say
) -> None:
    with load(witness, readers=1, uploaders=2):
        time.sleep(2)
        before = list(witness.acknowledged)
        url = backup(service.records, tmp_path)
        files = tmp_path / "media"
        shutil.copytree(service.server.environment["MEDIA_ROOT"], files)  # after the database: no row without its file
        time.sleep(1)
    assert before
    assert len(before) < len(witness.acknowledged)
    restored = Service(tmp_path / "restored", url, authority, service.receiver, MEDIA_ROOT=str(files))
    try:
        restored.start()
        then = Witness(restored, witness.tenant, witness.rival, acknowledged=list(before), sent=dict(witness.sent))
        assert status(then.get("/mawbs")) == 200
        invariants.acknowledged_is_there(then)
        invariants.nothing_is_partial(then)
        invariants.one_row_for_each_change(then)
        invariants.nothing_is_seen_by_the_other(then)
        known = len(before)
        kept = len(restored.records.manifests(witness.codes))
        waiting = restored.records.ask("SELECT count(*) FROM webhooks_delivery WHERE finished_at IS NULL")[0][0]
        assert status(then.upload()) == 201
    finally:
        restored.stop()
    note(f"{known} acknowledged before, {kept} restored, {waiting} deliveries were waiting")


def backup(records: Records, directory: Path) -> str:
    """Take a backup of a database in use and restore it elsewhere; the URL of the copy."""
    if records.is_sqlite:
        copy = directory / "copy.sqlite3"
        with closing(sqlite3.connect(records.path, timeout=30)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        return f"sqlite:///{copy}"
    folder, name = own_postgres.binaries(), f"restored_{os.urandom(4).hex()}"
    assert folder is not None
    url, archive = records.url.rpartition("/")[0] + f"/{name}", directory / "archive"
    commands = [
        [str(folder / "pg_dump"), "-Fc", "-f", str(archive), records.url],
        [str(folder / "createdb"), "--maintenance-db", records.url, name],
        [str(folder / "pg_restore"), "-d", url, str(archive)],
    ]
    for command in commands:
        subprocess.run(command, check=True, timeout=120)
    return url
