"""Rows 40 and 41: validation, which stores nothing, of hostile workbooks and by many at once."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

from faults.conftest import Pick, Say
from faults.environment.processes import resident_megabytes
from faults.environment.running import Service
from faults.matrix import SQLITE
from faults.observation.tenants import Tenant
from faults.observation.witness import Witness, book, new_mawb, status
from faults.workbooks.test_workbooks import GROWTH_MEGABYTES, hurtful
from tests.live.server import BASE
from tests.shipments.manifests import hostile

JSON = "application/json"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
AT_ONCE = 16
ROWS = 2_000


def validate(service: Service, tenant: Tenant, content: bytes, accept: str = JSON) -> requests.Response:
    """POST upload/validate."""
    headers = {**tenant.headers, "Accept": accept}
    files = {"manifest_file": content}
    return requests.post(f"{service.address}{BASE}/upload/validate", files=files, headers=headers, timeout=120)


def traces(service: Service) -> tuple[dict[str, int], set[str], set[str]]:
    """The rows of each table of shipments and webhooks, the stored files, and the temporary ones."""
    ask = service.records.ask
    names = (
        "SELECT name FROM sqlite_master WHERE type = 'table'"
        if service.records.is_sqlite
        else "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    )
    tables = [name for (name,) in ask(names) if name.startswith(("shipments_", "webhooks_"))]
    rows = {name: ask(f"SELECT count(*) FROM {name}")[0][0] for name in tables}  # noqa: S608  # its own tables
    temporary = {path.name for path in (service.directory / "tmp").iterdir()}
    return rows, set(service.stored_files()), temporary


@pytest.mark.fault(40, SQLITE)
def test_validating_hostile_workbooks_fails_no_worker_and_stores_nothing(
    service: Service, witness: Witness, tmp_path: Path, pick: Pick, note: Say
) -> None:
    assert validate(service, witness.tenant, book(new_mawb(), 3)).status_code == 200
    workers, before = set(service.workers()), traces(service)
    megabytes = max(map(resident_megabytes, workers))
    refused: Counter[str] = Counter()
    for parts in [*hurtful()][:: pick(6, 1)]:
        content = hostile.pack(tmp_path / "hostile.xlsx", parts).read_bytes()
        answer = validate(service, witness.tenant, content)
        assert answer.status_code == 200, answer.text
        refused[answer.json()["refusal"]["error"]] += 1
        annotated = validate(service, witness.tenant, content, XLSX)
        assert (annotated.status_code, annotated.headers["Content-Type"]) == (200, XLSX), annotated.text
    assert set(service.workers()) == workers
    assert max(map(resident_megabytes, workers)) - megabytes < GROWTH_MEGABYTES
    assert traces(service) == before
    note(", ".join(f"{number} {error}" for error, number in refused.most_common()))


@pytest.mark.fault(41)
def test_many_validations_at_once_leave_uploads_their_slot(
    service: Service, witness: Witness, pick: Pick, note: Say
) -> None:
    answers: Counter[int] = Counter()
    for accept in (JSON, XLSX)[: pick(1, 2)]:
        content = book(new_mawb(), ROWS)
        with ThreadPoolExecutor(AT_ONCE + 1) as pool:
            trials = [pool.submit(validate, service, witness.rival, content, accept) for _ in range(AT_ONCE)]
            uploads = [status(witness.upload(rows=20)) for _ in range(pick(2, 5))]
            answers.update(trial.result().status_code for trial in trials)
        assert set(uploads) == {201}
    assert set(answers) <= {200, 503}
    assert answers[200]
    assert not service.records.manifests([witness.rival.code])
    note(f"{answers[200]} validated, {answers[503]} asked to come again")
