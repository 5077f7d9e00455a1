"""Row 37: PgBouncer in transaction mode between the service and PostgreSQL."""

import os
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass

import psycopg
import pytest

from faults.conftest import REPLICATED, NewDatabase, NewHouse, Pick, Say, Witnessed
from faults.environment.own_postgres import OwnPostgres, Pair
from faults.environment.pgbouncer import PgBouncer, pooling
from faults.environment.processes import soon
from faults.environment.running import Service
from faults.matrix import POSTGRESQL
from faults.observation.load import load
from faults.observation.witness import Witness, outcome, status
from prealerts.connections import SERVER_LIMITS

pytestmark = pytest.mark.long  # past one machine, the short form has the rows 36 and 38

BACK_SECONDS = 30
ENOUGH = 10


@dataclass(frozen=True)
class Pooled:
    """A service behind PgBouncer. past: the URL of its database without it."""

    service: Service
    bouncer: PgBouncer
    past: str

    def limit(self) -> None:
        """Give the role its limits, as docs/operations.md has it; PgBouncer's connections are renewed after a while."""
        with psycopg.connect(self.past, autocommit=True) as connection:
            base = connection.info.dbname
            for limit in SERVER_LIMITS:
                name, _, value = limit.partition("=")
                connection.execute(f"ALTER ROLE CURRENT_USER IN DATABASE {base} SET {name} = '{value}'")
        self.bouncer.kill()
        self.bouncer.start()


@pytest.fixture
def pooled(postgres: OwnPostgres, new_database: NewDatabase, open_special: NewHouse) -> Iterator[Pooled]:
    past = new_database(POSTGRESQL, f"pooled_{os.urandom(4).hex()}")
    with pooling(postgres) as bouncer:
        service = open_special(bouncer.url(past), past, is_migrated=True, BEHIND_PGBOUNCER="on")
        yield Pooled(service, bouncer, past)


@pytest.fixture
def witness(pooled: Pooled, witnessed: Witnessed) -> Witness:
    """Also in the place of the usual one: the invariants hold for the service behind PgBouncer."""
    return witnessed(pooled.service)


@pytest.mark.fault(37, POSTGRESQL)
def test_a_restart_of_pgbouncer_costs_503_while_it_is_away_and_nothing_after(
    pooled: Pooled, witness: Witness, pick: Pick, note: Say
) -> None:
    with load(witness, uploaders=2) as heard:
        soon(lambda: heard.statuses()[201] >= pick(3, 10), 60, "some uploads")
        gone = time.monotonic()
        pooled.bouncer.kill()
        soon(lambda: heard.statuses(gone)[503], BACK_SECONDS, "a refusal")
        pooled.bouncer.start()
        back = time.monotonic()
        soon(lambda: heard.is_calm(back), BACK_SECONDS, "answers to all")
    assert set(heard.statuses()) == {200, 201, 503}
    assert {200, 201} == set(heard.statuses(back)), "what is sent once it is back is answered"
    note(f"away {back - gone:.1f} s, {heard.statuses()[503]} times 503; none after")


@pytest.mark.fault(37, POSTGRESQL)
def test_the_limits_of_the_role_hold_behind_it_and_their_absence_is_reported(pooled: Pooled, witness: Witness) -> None:
    assert misses_limits(pooled.service)
    pooled.limit()
    assert not misses_limits(pooled.service)
    soon(lambda: status(witness.upload()) == 201, what="an upload")
    with psycopg.connect(pooled.past) as other:  # until lock_timeout has ended the others' wait
        other.execute("LOCK TABLE shipments_manifest IN ACCESS EXCLUSIVE MODE")
        assert outcome(witness.get("/mawbs")) == (503, "unavailable")
    assert status(witness.get("/mawbs")) == 200


@dataclass(frozen=True)
class PooledPair:
    """A witness at a service behind PgBouncer, which leads to the primary."""

    pair: Pair
    bouncer: PgBouncer
    witness: Witness


@pytest.fixture
def before_the_primary(pair: Pair) -> Iterator[PgBouncer]:
    with pooling(pair.primary) as bouncer:
        yield bouncer


@pytest.fixture
def pooled_pair(pair: Pair, before_the_primary: PgBouncer, open_special: NewHouse, witnessed: Witnessed) -> PooledPair:
    url = before_the_primary.url(pair.primary.url(REPLICATED))
    service = open_special(url, f"{pair.url(REPLICATED)}&connect_timeout=3", is_migrated=True, BEHIND_PGBOUNCER="on")
    return PooledPair(pair, before_the_primary, witnessed(service))


@pytest.mark.fault(37, POSTGRESQL)
def test_pgbouncer_leads_to_the_standby_once_that_is_promoted(pooled_pair: PooledPair, note: Say) -> None:
    pair, witness = pooled_pair.pair, pooled_pair.witness
    with load(witness, uploaders=2) as heard:
        soon(lambda: heard.statuses()[201] >= ENOUGH, 60, "some uploads")
        gone = time.monotonic()
        pair.primary.kill()
        soon(lambda: heard.statuses(gone)[503], BACK_SECONDS, "a refusal")
        pair.standby.promote()
        pooled_pair.bouncer.lead_to(pair.standby)
        soon(lambda: status(witness.upload()) == 201, BACK_SECONDS, "an upload")
        soon(lambda: heard.is_calm(gone), BACK_SECONDS, "answers to all")
    assert set(heard.statuses()) == {200, 201, 503}
    seconds = heard.last_failure(gone) - gone
    assert seconds < BACK_SECONDS
    note(f"the primary killed: the last 503 after {seconds:.1f} s, {heard.statuses()[503]} of them")


def misses_limits(service: Service) -> bool:
    """Whether the system checks report that the role has no limits."""
    try:
        service.server.manage("check", "--database", "default", "--fail-level", "WARNING")
    except subprocess.CalledProcessError as failed:
        return "prealerts.W005" in failed.stderr
    return False
