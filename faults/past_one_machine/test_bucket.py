"""Row 39: the bucket of the received files answers slowly, fails half of the time, not at all, and comes back."""

import statistics
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from faults.conftest import NewHouse, Pick, Say, Witnessed
from faults.environment.processes import soon
from faults.environment.troubled_store import Troubles, troubled_store
from faults.matrix import POSTGRESQL
from faults.observation.invariants import orphans
from faults.observation.load import load
from faults.observation.operator import Operator
from faults.observation.witness import Witness, book, new_mawb, outcome, status

pytestmark = pytest.mark.long  # past one machine, the short form has the rows 36 and 38

SLOW_SECONDS = 2.0
PROMPT_SECONDS = 1.0
SILENT_SECONDS = 12.0
"""Longer than the ten seconds that an attempt waits; three attempts are made."""
GIVEN_UP_SECONDS = 60


@dataclass(frozen=True)
class Stored:
    """A service whose files are in a bucket, and what is wrong with that."""

    witness: Witness
    troubles: Troubles


@pytest.fixture
def troubles() -> Iterator[tuple[dict[str, str], Troubles]]:
    with troubled_store() as (store, troubles):
        yield store.new_bucket().environment, troubles


@pytest.fixture
def stored(troubles: tuple[dict[str, str], Troubles], open_special: NewHouse, witnessed: Witnessed) -> Iterator[Stored]:
    environment, its_troubles = troubles
    yield Stored(witnessed(open_special(**environment)), its_troubles)
    its_troubles.end()


@pytest.mark.fault(39, POSTGRESQL)
def test_while_it_is_slow_uploads_take_longer_and_reads_do_not(stored: Stored, pick: Pick, note: Say) -> None:
    witness = stored.witness
    assert status(witness.upload()) == 201
    stored.troubles.delay = SLOW_SECONDS
    with load(witness, readers=2, uploaders=2) as heard:
        soon(lambda: heard.statuses()[201] >= pick(4, 12), 120, "uploads")
    assert set(heard.statuses()) == {200, 201}
    reads, uploads = (
        statistics.median(took for _at, each, took in heard.heard if each == wanted) for wanted in (200, 201)
    )
    assert uploads >= SLOW_SECONDS
    assert reads < PROMPT_SECONDS
    stored.troubles.end()
    started = time.monotonic()
    assert status(witness.upload()) == 201
    note(
        f"{SLOW_SECONDS:.0f} s slow: an upload takes {uploads:.1f} s, a read {reads:.2f} s (medians); "
        f"{time.monotonic() - started:.1f} s afterwards"
    )


@pytest.mark.fault(39, POSTGRESQL)
def test_while_half_of_its_answers_are_failures_an_upload_is_stored_or_refused(
    stored: Stored, pick: Pick, note: Say
) -> None:
    witness, troubles = stored.witness, stored.troubles
    assert status(witness.upload()) == 201
    troubles.fails = 0.5
    with load(witness, readers=1, uploaders=4) as heard:
        soon(lambda: heard.statuses()[503] and heard.statuses()[201] >= pick(10, 40), 300, "an upload that is refused")
    troubles.end()
    assert set(heard.statuses()) == {200, 201, 503}
    refused = [answer for answer in witness.answers if answer.status_code == 503]
    assert all(outcome(answer) == (503, "unavailable") and answer.headers["Retry-After"] for answer in refused)
    left = len(orphans(witness.service))
    witness.service.server.manage("sweep_files", "--older-than-hours", "0")
    assert not orphans(witness.service)
    assert status(witness.upload()) == 201
    note(
        f"{troubles.failed} answers lost: {heard.statuses()[201]} uploads accepted, {len(refused)} got a 503; "
        f"{left} files without a row, swept"
    )


@pytest.mark.fault(39, POSTGRESQL)
def test_while_it_says_nothing_uploads_are_refused_in_time_and_operators_are_informed(
    stored: Stored, note: Say
) -> None:
    witness, mawb = stored.witness, new_mawb()
    accepted = witness.upload(mawb)
    assert accepted is not None
    operator = Operator(witness.service)
    service = witness.service
    file = f"{service.address}/admin/shipments/manifest/{accepted.json()['manifest_id']}/files/manifest/"
    stored.troubles.delay = SILENT_SECONDS
    with ThreadPoolExecutor(3) as pool:
        started = time.monotonic()
        waiting = [pool.submit(witness.upload, timeout=GIVEN_UP_SECONDS * 2) for _ in range(2)]
        download = pool.submit(operator.get, file)
        assert status(witness.get("/mawbs")) == 200
        assert service.answers()
        assert {outcome(each.result()) for each in waiting} == {(503, "unavailable")}
        took = time.monotonic() - started
        page = download.result()
    assert took < GIVEN_UP_SECONDS
    assert page.status_code == 503
    assert "The stored files cannot be reached" in page.text
    stored.troubles.end()
    assert operator.get(file).content == book(mawb, 3)
    assert status(witness.upload()) == 201
    service.server.manage("sweep_files", "--older-than-hours", "0")
    note(f"silent: two uploads got a 503 after {took:.0f} s")
