"""Row 26: hostile workbooks, and thousands of mutants of a valid one, through the live server."""

import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from faults.conftest import Pick, Say
from faults.environment.processes import resident_megabytes
from faults.environment.running import Service
from faults.matrix import SQLITE
from faults.observation.witness import Witness, book, outcome, status
from tests.shipments.manifests import hostile
from tests.shipments.manifests.hostile import mutants
from tests.shipments.manifests.xlsx import test_workbook_opening as opened

SEED = 20261121
GROWTH_MEGABYTES = 50
PROMPT_SECONDS = 20.0
"""For each on a machine that may be busy; a second or two on a quiet one; a reader without limits takes 27."""


@pytest.mark.fault(26, SQLITE)
def test_what_is_made_to_hurt_is_refused_and_the_workers_live(
    service: Service, witness: Witness, tmp_path: Path, pick: Pick, note: Say
) -> None:
    workers = set(service.workers())
    before = max(map(resident_megabytes, workers))
    seconds = []
    for parts in [*hurtful()][:: pick(3, 1)]:
        content = hostile.pack(tmp_path / "hostile.xlsx", parts).read_bytes()
        started = time.monotonic()
        answer = witness.upload(manifest_file=content)
        seconds.append(time.monotonic() - started)
        assert status(answer) == 400, answer and answer.text
    assert set(service.workers()) == workers
    assert max(map(resident_megabytes, workers)) - before < GROWTH_MEGABYTES
    assert max(seconds) < PROMPT_SECONDS
    note(f"{len(seconds)} hostile workbooks, the slowest {max(seconds):.1f} s")


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
    service: Service, witness: Witness, backend: str, request: pytest.FixtureRequest, note: Say
) -> None:
    asked = int(request.config.getoption("mutants"))
    count = asked or (100 if request.config.getoption("short") else 10_000)
    if backend != SQLITE:
        count //= 10  # reading does not ask the database
    good = book("045-12345675", 8)
    assert outcome(witness.upload(manifest_file=good, tenant=witness.rival))[0] == 201
    witness.sent.clear()  # a mutant may have any number of guides; the counts must still agree
    workers = set(service.workers())
    before = max(map(resident_megabytes, workers))
    heard: Counter[tuple[int | None, str]] = Counter()
    seconds: list[float] = []

    def upload(mutant: bytes) -> None:
        started = time.monotonic()
        answer = witness.upload(manifest_file=mutant)
        seconds.append(time.monotonic() - started)
        heard[outcome(answer)] += 1

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(upload, mutants(good, count, SEED)))
    witness.sent.clear()
    assert {each for each, _error in heard} <= {201, 400, 409}
    grown = max(map(resident_megabytes, workers & set(service.workers())), default=before) - before
    assert grown < GROWTH_MEGABYTES
    assert statistics.quantiles(seconds, n=100)[-1] < PROMPT_SECONDS
    assert status(witness.get("/mawbs")) == 200
    counts = ", ".join(f"{number} {error or 'taken'}" for (_status, error), number in heard.most_common())
    note(f"{count} mutants: {counts}; median {statistics.median(seconds):.2f} s, +{grown:.0f} MB")
