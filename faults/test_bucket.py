"""Row 39: the bucket of the received files answers slowly, fails half of the time, not at all, and comes back."""

import statistics
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from faults.conftest import OpenSpecial, Witnessed
from faults.environment.running import POSTGRESQL
from faults.environment.store import Troubles, troubled_store
from faults.observation.operator import Operator
from faults.observation.witness import Witness, book, load, new_mawb, outcome, status
from tests.processes import soon

pytestmark = [pytest.mark.fault(39, POSTGRESQL), pytest.mark.long, pytest.mark.xdist_group("machines")]

SLOW_SECONDS = 2.0
PROMPT_SECONDS = 1.0
SILENT_SECONDS = 12.0
"""Longer than the ten seconds that an attempt waits; three attempts are made."""
GIVEN_UP_SECONDS = 60


@pytest.fixture
def bucket() -> Iterator[tuple[dict[str, str], Troubles]]:
    with troubled_store() as (store, troubles):
        yield store.new_bucket().environment, troubles


@pytest.fixture
def witness(
    bucket: tuple[dict[str, str], Troubles], open_special: OpenSpecial, witnessed: Witnessed
) -> Iterator[Witness]:
    """At a service whose files are in the bucket, which is well again at the end."""
    environment, troubles = bucket
    yield witnessed(open_special(**environment))
    troubles.end()


@pytest.fixture
def troubles(bucket: tuple[dict[str, str], Troubles]) -> Troubles:
    return bucket[1]


def test_while_it_is_slow_uploads_take_longer_and_reads_do_not(witness: Witness, troubles: Troubles) -> None:
    witness.accepted()
    troubles.delay = SLOW_SECONDS
    with load(witness, readers=2, uploaders=2) as heard:
        soon(lambda: heard.statuses()[201] >= 12, 120, "uploads")
    assert set(heard.statuses()) == {200, 201}
    reads, uploads = (
        statistics.median(took for _at, each, took in heard.heard if each == wanted) for wanted in (200, 201)
    )
    assert uploads >= SLOW_SECONDS
    assert reads < PROMPT_SECONDS
    troubles.end()
    witness.accepted()


def test_while_half_of_its_answers_are_failures_an_upload_is_stored_or_refused(
    witness: Witness, troubles: Troubles
) -> None:
    witness.accepted()
    troubles.fails = 0.5
    with load(witness, readers=1, uploaders=4) as heard:
        soon(lambda: heard.statuses()[503] and heard.statuses()[201] >= 40, 300, "an upload that is refused")
    troubles.end()
    assert set(heard.statuses()) == {200, 201, 503}
    refused = [answer for answer in witness.answers if answer.status_code == 503]
    assert all(outcome(answer) == (503, "unavailable") and answer.headers["Retry-After"] for answer in refused)
    witness.service.sweep()
    assert not witness.service.orphans()
    witness.accepted()


def test_while_it_says_nothing_uploads_are_refused_in_time_and_operators_are_informed(
    witness: Witness, troubles: Troubles
) -> None:
    service, mawb = witness.service, new_mawb()
    key = witness.accepted(mawb)["manifest_id"]
    operator, file = Operator(service), f"{service.address}/admin/shipments/manifest/{key}/files/manifest/"
    troubles.delay = SILENT_SECONDS
    with ThreadPoolExecutor(3) as pool:
        started = time.monotonic()
        waiting = [pool.submit(witness.upload, timeout=GIVEN_UP_SECONDS * 2) for _ in range(2)]
        download = pool.submit(operator.get, file)
        assert status(witness.get("/mawbs")) == 200
        assert service.answers()
        assert {outcome(each.result()) for each in waiting} == {(503, "unavailable")}
        assert time.monotonic() - started < GIVEN_UP_SECONDS
        page = download.result()
    assert page.status_code == 503
    assert "The stored files cannot be reached" in page.text
    troubles.end()
    assert operator.get(file).content == book(mawb, 3)
    witness.accepted()
    service.sweep()
