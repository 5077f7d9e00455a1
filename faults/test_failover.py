"""Row 36: the primary is gone, and its synchronous standby takes over."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from faults.conftest import OpenSpecial, Witnessed
from faults.environment.machine import swallowed
from faults.environment.postgres import Pair, PgBouncer, pooling
from faults.environment.running import POSTGRESQL
from faults.observation.witness import Responses, Witness, load, status
from tests.processes import soon

pytestmark = [pytest.mark.fault(36, POSTGRESQL), pytest.mark.xdist_group("machines")]

BACK_SECONDS = 30
"""From the moment the primary is gone, its standby promoted as soon as that is noticed."""
ENOUGH = 10
"""Uploads that are acknowledged before the primary goes."""


@pytest.fixture
def witness(pair: Pair, replicated: str, open_special: OpenSpecial, witnessed: Witnessed) -> Witness:
    """At a service whose database is the pair."""
    url = pair.url(replicated)
    return witnessed(open_special(url, f"{url}&connect_timeout=3"))


def test_a_killed_primary_is_replaced_by_its_standby_without_a_restart(witness: Witness, pair: Pair) -> None:
    killed_and_replaced(witness, pair)


@pytest.mark.long
def test_a_primary_that_no_longer_answers_is_replaced_by_its_standby(witness: Witness, pair: Pair) -> None:
    """As when its machine loses its power: nobody says that the connections have ended."""
    with load(witness, uploaders=2) as heard:
        soon(lambda: heard.statuses()[201] >= ENOUGH, 60, "some uploads")
        gone = time.monotonic()
        with swallowed(pair.primary.port):
            take_over(witness, pair, heard, gone)
            pair.primary.kill()  # it must not come back as a second primary


@pytest.mark.long
def test_without_its_standby_the_primary_acknowledges_nothing(witness: Witness, pair: Pair) -> None:
    witness.accepted()
    pair.standby.stop("immediate")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(witness.upload)
        committing = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        soon(lambda: witness.service.records.ask(committing), 60, "a commit that waits")
        assert status(witness.get("/mawbs")) == 200
        assert not waiting.done()
        pair.standby.start()
        assert status(waiting.result(60)) == 201


@pytest.fixture
def bouncer(pair: Pair) -> Iterator[PgBouncer]:
    """Leads to the primary."""
    with pooling(pair.primary) as bouncer:
        yield bouncer


@pytest.mark.long
def test_pgbouncer_leads_to_the_standby_once_that_is_promoted(
    pair: Pair, replicated: str, bouncer: PgBouncer, open_special: OpenSpecial, witnessed: Witnessed
) -> None:
    past = f"{pair.url(replicated)}&connect_timeout=3"
    witness = witnessed(open_special(bouncer.url(pair.primary.url(replicated)), past, BEHIND_PGBOUNCER="on"))
    killed_and_replaced(witness, pair, bouncer)


def killed_and_replaced(witness: Witness, pair: Pair, bouncer: PgBouncer | None = None) -> None:
    with load(witness, uploaders=2) as heard:
        soon(lambda: heard.statuses()[201] >= ENOUGH, 60, "some uploads")
        gone = time.monotonic()
        pair.primary.kill()
        take_over(witness, pair, heard, gone, bouncer)


def take_over(witness: Witness, pair: Pair, heard: Responses, gone: float, bouncer: PgBouncer | None = None) -> None:
    """Promote the standby once clients have noticed, and see that everything is answered again."""
    soon(lambda: heard.statuses(gone)[503], BACK_SECONDS, "a refusal")
    pair.standby.promote()
    if bouncer:
        bouncer.lead_to(pair.standby)
    soon(lambda: status(witness.upload()) == 201, BACK_SECONDS, "an upload")
    soon(lambda: heard.is_calm(gone), BACK_SECONDS, "answers to all")
    assert heard.last_failure(gone) - gone < BACK_SECONDS
    assert set(heard.statuses(gone)) <= {200, 201, 503}
    refusals = [answer for answer in witness.answers if answer.status_code == 503]
    assert all(answer.headers["Retry-After"] for answer in refusals)
