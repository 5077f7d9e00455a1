"""Rows 24 and 26: bodies, hostile workbooks, and mutants of a good one."""

import statistics
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import requests

from faults.conftest import Pick
from faults.environment.running import SQLITE, Service
from faults.observation.witness import Witness, book, outcome, status
from tests.live.server import BASE
from tests.processes import resident_megabytes
from tests.shipments.manifests import hostile
from tests.shipments.manifests.hostile import mutants
from tests.shipments.manifests.xlsx import test_workbook_opening as opened
from tests.webhooks.running import wait_until

SEED = 20261121
GROWTH_MEGABYTES = 50
PROMPT_SECONDS = 20.0
"""For each on a machine that may be busy; a second or two on a quiet one; a reader without limits takes 27."""
READ_AT_MOST_MB = 40
"""20 are read before it is refused; the rest is what lies in buffers and what is read so that the answer arrives."""
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@contextmanager
def workers_do_not_suffer(service: Service, *, are_the_same: bool = True) -> Iterator[None]:
    """Assert that the workers live and do not grow."""
    workers = set(service.workers())
    before = max(map(resident_megabytes, workers))
    yield
    assert not are_the_same or set(service.workers()) == workers
    grown = max(map(resident_megabytes, workers & set(service.workers())), default=before) - before
    assert grown < GROWTH_MEGABYTES


@pytest.mark.fault(24)
def test_two_hundred_megabytes_are_not_read_to_the_end(service: Service, witness: Witness) -> None:
    sent = 0

    def body() -> Iterator[bytes]:
        nonlocal sent
        yield b'--B\r\nContent-Disposition: form-data; name="manifest_file"; filename="m.xlsx"\r\n\r\n'
        for _ in range(200):
            yield bytes(1024 * 1024)
            sent += 1
        yield b"\r\n--B--\r\n"

    headers = {**witness.tenant.headers, "Content-Type": "multipart/form-data; boundary=B"}
    with workers_do_not_suffer(service):
        try:
            answer = requests.post(service.address + BASE + "/upload", data=body(), headers=headers, timeout=60)
        except requests.ConnectionError:
            pass  # closed before this client listened
        else:
            assert outcome(answer) == (400, "validation_failed")
    assert sent < READ_AT_MOST_MB


@pytest.mark.fault(26, SQLITE)
def test_what_is_made_to_hurt_is_refused_and_the_workers_live(
    service: Service, witness: Witness, tmp_path: Path, pick: Pick
) -> None:
    """Uploaded, and validated for an answer in JSON and for the annotated workbook."""
    witness.accepted()
    before = files(service)
    with workers_do_not_suffer(service):
        for parts in [*hurtful()][:: pick(3, 1)]:
            content = hostile.pack(tmp_path / "hostile.xlsx", parts).read_bytes()
            started = time.monotonic()
            answer = witness.upload(manifest_file=content)
            assert time.monotonic() - started < PROMPT_SECONDS
            assert status(answer) == 400, answer and answer.text
            validated, annotated = (validate(service, witness, content, accept) for accept in ("*/*", XLSX))
            assert (validated.status_code, annotated.status_code) == (200, 200), (validated.text, annotated.text)
            assert validated.json()["refusal"]["error"]
            assert annotated.headers["Content-Type"] == XLSX
    wait_until(lambda: files(service) == before, 20, "all files gone")  # the last one after its answer


def validate(service: Service, witness: Witness, content: bytes, accept: str) -> requests.Response:
    """POST upload/validate."""
    headers = {**witness.tenant.headers, "Accept": accept}
    address = f"{service.address}{BASE}/upload/validate"
    return requests.post(address, files={"manifest_file": content}, headers=headers, timeout=120)


def files(service: Service) -> tuple[set[str], set[str]]:
    """The stored files, and the temporary ones."""
    return service.stored_files(), {path.name for path in (service.directory / "tmp").iterdir()}


def hurtful() -> Iterator[list[hostile.Part]]:
    """The packages of the suite's tests: false sizes, bombs, reader killers, entities, lookalikes."""
    for test in (
        opened.test_a_package_that_lies_is_refused,
        opened.test_a_workbook_that_hurts_its_reader_hurts_only_the_child,
        opened.test_what_only_looks_dangerous_gives_its_rows,
    ):
        yield from (parts for parts, _expected in cases(test))
    for sheet, strings in cases(opened.test_a_zip_bomb_is_refused_before_it_is_unpacked):
        yield hostile.workbook_parts(sheet, shared_strings=strings)
    for doctype, text in cases(opened.test_no_entity_is_ever_expanded):
        sheet = f"{doctype}<worksheet><sheetData>{hostile.row(text)}</sheetData></worksheet>"
        yield hostile.workbook_parts(hostile.part("", sheet))


def cases(test: Callable[..., None]) -> list[Any]:
    """What a test is parametrized with."""
    (mark,) = (mark for mark in test.pytestmark if mark.name == "parametrize")  # type: ignore[attr-defined]  # pytest's
    return list(mark.args[1])


@pytest.mark.fault(26)
@pytest.mark.timeout(3600)
def test_every_mutant_is_read_or_refused_and_no_worker_suffers(
    service: Service, witness: Witness, backend: str, pick: Pick
) -> None:
    count = pick(100, 10_000) if backend == SQLITE else pick(10, 1_000)  # reading does not ask the database
    good = book("045-12345675", 8)
    witness.accepted(manifest_file=good, tenant=witness.rival)
    heard: set[int | None] = set()
    seconds: list[float] = []

    def upload(mutant: bytes) -> None:
        started = time.monotonic()
        heard.add(status(witness.upload(manifest_file=mutant)))
        seconds.append(time.monotonic() - started)

    with workers_do_not_suffer(service, are_the_same=False), ThreadPoolExecutor(4) as pool:
        list(pool.map(upload, mutants(good, count, SEED)))
    witness.sent.clear()  # a mutant may have any number of guides; the counts must still agree
    assert heard <= {201, 400, 409}
    assert statistics.quantiles(seconds, n=100)[-1] < PROMPT_SECONDS
    assert status(witness.get("/mawbs")) == 200
