"""Row 34: migrations under code that they were not written for."""

import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from faults.conftest import NewHouse, Say, Witnessed
from faults.environment.running import ARMED, Service
from faults.matrix import POSTGRESQL, SQLITE
from faults.observation.load import Responses, load
from faults.observation.witness import Witness, new_mawb, outcome, status
from faults.versions import earlier
from faults.versions.earlier import Version
from tests.live.server import ROOT, Server, free_port, started
from tests.shipments.manifests.payloads import body, guide

MIGRATE = ("manage.py", "migrate", "--noinput", "--verbosity", "0")
NEXT = ("-m", "faults.versions.next_migration")
DEADLOCKS = {"shipments/0005_anonymised", "shipments/0028_notes"}
"""Migrations that hold two tables in one transaction, which an upload takes in the other order. PostgreSQL ends one of
the two: an upload gets a 503, or `migrate` fails and is run again. `tests/test_migrations.py` refuses any new one.
"""
ATTEMPTS = 5


def first_version() -> Version:
    """The earliest whole one: all that was added since is applied under it."""
    return earlier.versions()[-1]


def version_before() -> Version:
    """The one that lacks the newest migration."""
    return earlier.versions()[0]


@pytest.mark.fault(34)
@pytest.mark.long(SQLITE)
@pytest.mark.parametrize("version", [first_version, pytest.param(version_before, marks=pytest.mark.long)])
def test_an_earlier_version_serves_on_while_todays_migrations_are_applied(
    version: Callable[[], Version],
    backend: str,
    open_special: NewHouse,
    witnessed: Witnessed,
    tmp_path: Path,
    note: Say,
) -> None:
    before = version()
    old = open_special(root=before.lay_out(tmp_path / "earlier"), PREALERTS_FAULT_POINTS="")
    witness = witnessed(old)
    code = a_guide(witness)
    may_deadlock = backend == POSTGRESQL and not DEADLOCKS.isdisjoint(before.lacking)
    with load(witness, readers=1) as during:
        time.sleep(0.5)
        again = apply(old, *MIGRATE, attempts=ATTEMPTS if may_deadlock else 1)
    with load(witness, readers=1) as after, replaced(old) as new:
        goes_on(old, witness, code)
        works_beside(old, new, witness)
    refused = expect_no_refusal(during, but_for={503} if may_deadlock else set())
    expect_no_refusal(after)
    assert waiting_migrations(old) == ""
    note(f"{before.commit[:7]} under {len(before.lacking)} later migrations: {summary_of(during)}")
    if refused or again:
        note(f"known weak spot: a deadlock, {refused} got a 503, migrate run again {again} times")


@pytest.mark.fault(34)
@pytest.mark.long(POSTGRESQL)
def test_the_code_of_today_serves_on_under_a_migration_to_come(service: Service, witness: Witness, note: Say) -> None:
    code = a_guide(witness)
    with load(witness) as heard:
        time.sleep(0.5)
        apply(service, *NEXT)
        time.sleep(1)
    expect_no_refusal(heard)
    goes_on(service, witness, code)
    note(f"one to come: {summary_of(heard)}")


def apply(service: Service, *migration: str, attempts: int = 1) -> int:
    """Change the database of a running service by the code of today; how often that had to be done again."""
    for attempt in range(attempts):
        finished = subprocess.run(
            [sys.executable, *migration],
            cwd=ROOT, env=service.server.environment, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        if finished.returncode == 0:
            return attempt
        assert "deadlock detected" in finished.stderr, finished.stderr[-2000:]
    raise AssertionError(finished.stderr[-2000:])


def waiting_migrations(service: Service) -> str:
    """What today's `migrate --plan` would still do; empty: nothing."""
    plan = replace(service.server, root=ROOT).manage("migrate", "--plan")
    return "" if "No planned migration operations" in plan else plan


@contextmanager
def replaced(old: Service) -> Iterator[Server]:
    """A web server of today beside the earlier one, on the same database and files: as while they are replaced."""
    port = free_port()
    environment = {**old.server.environment, "BIND": f"127.0.0.1:{port}"}
    new = replace(old.server, address=f"http://127.0.0.1:{port}", environment=environment, root=ROOT)
    process = started(new, configuration=ARMED)
    try:
        yield new
    finally:
        process.terminate()
        process.wait(timeout=60)


def a_guide(witness: Witness) -> str:
    """The tracking code of a guide uploaded now."""
    answer = witness.upload()
    assert answer is not None
    assert answer.status_code == 201
    return str(answer.json()["guides"][0]["tracking_code"])


def goes_on(service: Service, witness: Witness, earlier_code: str) -> None:
    """Everything that a client does: a workbook, a document, reading, a refusal; and an operator's move of a guide that
    was there before. What is to be sent of it, the invariants count.
    """
    code = a_guide(witness)
    assert status(witness.post_json(body(guide(), mawb=new_mawb()))) == 201
    service.server.manage("advance_status", "--to", "in_transit", earlier_code, code)
    for each in (earlier_code, code):
        shown = witness.get(f"/guides/{each}")
        assert shown is not None
        assert shown.json()["status"] == "in_transit"
    assert outcome(witness.get("/guides/nothing")) == (404, "not_found")
    assert status(witness.get("/mawbs")) == 200


def works_beside(old: Service, new: Server, witness: Witness) -> None:
    """What one accepts the other shows and moves."""
    at_new = replace(witness, address=new.address)
    for here, there, mover in ((witness, at_new, new), (at_new, witness, old.server)):
        code = a_guide(here)
        mover.manage("advance_status", "--to", "in_transit", code)
        shown = there.get(f"/guides/{code}")
        assert shown is not None
        assert shown.json()["status"] == "in_transit"


def expect_no_refusal(heard: Responses, but_for: Collection[int] = ()) -> int:
    """Assert that all requests succeeded except those with these statuses; return their number."""
    statuses = heard.statuses()
    assert {200, 201} <= set(statuses) <= {200, 201, *but_for}
    return sum(statuses[each] for each in but_for)


def summary_of(heard: Responses) -> str:
    return f"{sum(heard.statuses().values())} requests meanwhile, the slowest {heard.slowest():.1f} s"
