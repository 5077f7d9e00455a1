"""Row 36: the primary is gone, and its synchronous standby takes over."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from faults.conftest import REPLICATED, NewHouse, Say, Witnessed
from faults.environment.network import swallowed
from faults.environment.own_postgres import Pair
from faults.environment.processes import soon
from faults.matrix import POSTGRESQL
from faults.observation.load import Responses, load
from faults.observation.witness import Witness, status

BACK_SECONDS = 30
"""From the moment the primary is gone, its standby promoted as soon as that is noticed."""
ENOUGH = 10
"""Uploads that are acknowledged before the primary goes."""


@pytest.fixture
def replicated(pair: Pair, open_special: NewHouse, witnessed: Witnessed) -> Witness:
    """A witness at a service whose database is the pair."""
    url = pair.url(REPLICATED)
    return witnessed(open_special(url, f"{url}&connect_timeout=3", is_migrated=True))


@pytest.mark.fault(36, POSTGRESQL)
def test_a_killed_primary_is_replaced_by_its_standby_without_a_restart(
    replicated: Witness, pair: Pair, note: Say
) -> None:
    with load(replicated, uploaders=2) as heard:
        soon(lambda: heard.statuses()[201] >= ENOUGH, 60, "some uploads")
        gone = time.monotonic()
        pair.primary.kill()
        said = take_over(replicated, pair, heard, gone)
    note(f"killed: {said}")


@pytest.mark.fault(36, POSTGRESQL)
@pytest.mark.long
def test_a_primary_that_no_longer_answers_is_replaced_by_its_standby(
    replicated: Witness, pair: Pair, note: Say
) -> None:
    """As when its machine loses its power: nobody says that the connections have ended."""
    with load(replicated, uploaders=2) as heard:
        soon(lambda: heard.statuses()[201] >= ENOUGH, 60, "some uploads")
        gone = time.monotonic()
        with swallowed(pair.primary.port):
            said = take_over(replicated, pair, heard, gone)
            pair.primary.kill()  # it must not come back as a second primary
    note(f"cut off: {said}")


@pytest.mark.fault(36, POSTGRESQL)
@pytest.mark.long
def test_without_its_standby_the_primary_acknowledges_nothing(replicated: Witness, pair: Pair) -> None:
    assert status(replicated.upload()) == 201
    pair.standby.stop("immediate")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(replicated.upload)
        committing = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        soon(lambda: replicated.service.records.ask(committing), 60, "a commit that waits")
        assert status(replicated.get("/mawbs")) == 200
        assert not waiting.done()
        pair.standby.start()
        assert status(waiting.result(60)) == 201


def take_over(witness: Witness, pair: Pair, heard: Responses, gone: float) -> str:
    """Promote the standby once clients have noticed, and see that everything is answered again; the figures."""
    soon(lambda: heard.statuses(gone)[503], BACK_SECONDS, "a refusal")
    pair.standby.promote()
    promoted = time.monotonic()
    soon(lambda: status(witness.upload()) == 201, BACK_SECONDS, "an upload")
    soon(lambda: heard.is_calm(gone), BACK_SECONDS, "answers to all")
    back = heard.last_failure(gone)
    assert back - gone < BACK_SECONDS
    assert set(heard.statuses(gone)) <= {200, 201, 503}
    refusals = [answer for answer in witness.answers if answer.status_code == 503]
    assert all(answer.headers["Retry-After"] for answer in refusals)
    return (
        f"promoted after {promoted - gone:.1f} s, the last 503 after {back - gone:.1f} s, "
        f"{heard.statuses()[503]} of them; {heard.statuses()[201]} uploads acknowledged"
    )
