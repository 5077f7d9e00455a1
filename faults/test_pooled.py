"""Row 37: PgBouncer in transaction mode between the service and PostgreSQL. That it follows a failover: row 36."""

import os
import subprocess
import time
from collections.abc import Iterator

import psycopg
import pytest

from faults.conftest import NewDatabase, OpenSpecial, Witnessed
from faults.environment.postgres import OwnPostgres, PgBouncer, pooling
from faults.environment.running import POSTGRESQL, Service
from faults.observation.witness import Witness, load, outcome, status
from prealerts.connections import SERVER_LIMITS
from tests.processes import soon

pytestmark = [pytest.mark.fault(37, POSTGRESQL), pytest.mark.long, pytest.mark.xdist_group("machines")]

BACK_SECONDS = 30
ENOUGH = 10


@pytest.fixture
def bouncer(postgres: OwnPostgres) -> Iterator[PgBouncer]:
    with pooling(postgres) as bouncer:
        yield bouncer


@pytest.fixture
def witness(bouncer: PgBouncer, new_database: NewDatabase, open_special: OpenSpecial, witnessed: Witnessed) -> Witness:
    """At a service behind PgBouncer."""
    past = new_database(POSTGRESQL, f"pooled_{os.urandom(4).hex()}")
    return witnessed(open_special(bouncer.url(past), past, BEHIND_PGBOUNCER="on"))


def test_a_restart_of_pgbouncer_costs_503_while_it_is_away_and_nothing_after(
    bouncer: PgBouncer, witness: Witness
) -> None:
    with load(witness, uploaders=2) as heard:
        soon(lambda: heard.statuses()[201] >= ENOUGH, 60, "some uploads")
        gone = time.monotonic()
        bouncer.kill()
        soon(lambda: heard.statuses(gone)[503], BACK_SECONDS, "a refusal")
        bouncer.start()
        back = time.monotonic()
        soon(lambda: heard.is_calm(back), BACK_SECONDS, "answers to all")
    assert set(heard.statuses()) == {200, 201, 503}
    assert {200, 201} == set(heard.statuses(back)), "what is sent once it is back is answered"


def test_the_limits_of_the_role_hold_behind_it_and_their_absence_is_reported(
    bouncer: PgBouncer, witness: Witness
) -> None:
    """Its role gets the limits as docs/scaling.md has it; PgBouncer's connections are renewed by a restart."""
    assert misses_limits(witness.service)
    with psycopg.connect(witness.service.records.url, autocommit=True) as connection:
        for limit in SERVER_LIMITS:
            name, _, value = limit.partition("=")
            base = connection.info.dbname
            connection.execute(f"ALTER ROLE CURRENT_USER IN DATABASE {base} SET {name} = '{value}'")
    bouncer.kill()
    bouncer.start()
    assert not misses_limits(witness.service)
    soon(lambda: status(witness.upload()) == 201, what="an upload")
    with psycopg.connect(witness.service.records.url) as other:  # until lock_timeout has ended the others' wait
        other.execute("LOCK TABLE shipments_manifest IN ACCESS EXCLUSIVE MODE")
        assert outcome(witness.get("/mawbs")) == (503, "unavailable")
    assert status(witness.get("/mawbs")) == 200


def misses_limits(service: Service) -> bool:
    """Whether the system checks report that the role has no limits."""
    try:
        service.server.manage("check", "--database", "default", "--fail-level", "WARNING")
    except subprocess.CalledProcessError as failed:
        return "prealerts.W005" in failed.stderr
    return False
