"""Row 35: a backup taken under load."""

import shutil
from pathlib import Path

import pytest

from faults.backups import backup
from faults.conftest import Say
from faults.environment.processes import soon
from faults.environment.running import Service
from faults.matrix import SQLITE
from faults.observation import invariants
from faults.observation.load import load
from faults.observation.witness import Witness, status
from tests.webhooks.receivers import Authority


@pytest.mark.fault(35)
@pytest.mark.long(SQLITE)
def test_what_was_acknowledged_before_the_backup_is_there(
    service: Service, witness: Witness, authority: Authority, tmp_path: Path, note: Say
) -> None:
    with load(witness, readers=1, uploaders=2):
        soon(lambda: len(witness.acknowledged) > 3, 60, "a few uploads")
        before = list(witness.acknowledged)
        url = backup(service.records, tmp_path)
        files = tmp_path / "media"
        # After the database: no row without its file. Without uploads under way, as docs/operations.md has it.
        shutil.copytree(service.server.environment["MEDIA_ROOT"], files, ignore=shutil.ignore_patterns(".incoming"))
        soon(lambda: len(witness.acknowledged) > len(before), 60, "an upload after the backup")
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
