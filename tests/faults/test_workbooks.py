"""Row 26: mutants of a good workbook, by the thousand, through the live server."""

import statistics
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.faults.conftest import Say
from tests.faults.house import House
from tests.faults.matrix import SQLITE
from tests.faults.processes import resident_megabytes
from tests.faults.witness import Witness, book, status, told
from tests.manifests.hostile import mutants

SEED = 20261121
GROWTH_MEGABYTES = 50


@pytest.mark.fault(26)
@pytest.mark.timeout(3600)
def test_every_mutant_is_read_or_refused_and_no_worker_suffers(
    house: House, witness: Witness, backend: str, request: pytest.FixtureRequest, note: Say
) -> None:
    asked = int(request.config.getoption("mutants"))
    count = asked or (100 if request.config.getoption("short") else 10_000)
    if backend != SQLITE:
        count //= 10  # reading does not ask the database
    good = book("045-12345675", 8)
    assert told(witness.upload(manifest_file=good, tenant=witness.rival))[0] == 201
    witness.sent.clear()  # how many guides a mutant has is anybody's guess; the counts must agree all the same
    workers = set(house.workers())
    before = max(map(resident_megabytes, workers))
    heard: Counter[tuple[int | None, str]] = Counter()
    seconds: list[float] = []

    def upload(mutant: bytes) -> None:
        started = time.monotonic()
        answer = witness.upload(manifest_file=mutant)
        seconds.append(time.monotonic() - started)
        heard[told(answer)] += 1

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(upload, mutants(good, count, SEED)))
    witness.sent.clear()
    assert {each for each, _error in heard} <= {201, 400, 409}
    grown = max(map(resident_megabytes, workers & set(house.workers())), default=before) - before
    assert grown < GROWTH_MEGABYTES
    assert status(witness.get("/mawbs")) == 200
    told_apart = ", ".join(f"{number} {error or 'taken'}" for (_status, error), number in heard.most_common())
    note(f"{count} mutants: {told_apart}; median {statistics.median(seconds):.2f} s, +{grown:.0f} MB")
