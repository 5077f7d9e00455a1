"""Row 38: two web machines and two dispatchers, of which one each is gone."""

import csv
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from faults.conftest import NewDatabase, OpenSpecial, Witnessed
from faults.environment.machine import swallowed
from faults.environment.running import POSTGRESQL, Service
from faults.environment.tools import needed
from faults.observation import invariants
from faults.observation.operator import Operator
from faults.observation.witness import Responses, Witness, book, load, new_mawb
from tests.buckets import object_store
from tests.processes import soon
from tests.proxy import nginx

pytestmark = [pytest.mark.fault(38, POSTGRESQL), pytest.mark.xdist_group("machines")]

BACK_SECONDS = 30
SILENCE_SECONDS = 120
"""For a request that the machine took and never answered nginx waits 75 s."""
ENOUGH = 5
"""Uploads that each machine has acknowledged before one goes."""


@dataclass(frozen=True)
class Machines:
    """Two machines with a web server and a dispatcher each, behind nginx, on one database and one bucket."""

    first: Service
    second: Service
    proxy: nginx.Proxy
    witness: Witness

    def both_have_accepted(self, each: int) -> bool:
        """Whether each machine has accepted so many uploads."""
        return all(machine.logs().count('"status": 201') >= each for machine in (self.first, self.second))


@pytest.fixture
def bucket() -> Iterator[dict[str, str]]:
    with object_store() as store:
        yield store.new_bucket().environment


@pytest.fixture
def machines(
    bucket: dict[str, str], new_database: NewDatabase, open_special: OpenSpecial, witnessed: Witnessed
) -> Iterator[Machines]:
    """The witness is at the second machine, and its requests go through nginx."""
    needed("nginx")
    url = new_database(POSTGRESQL, f"machines_{os.urandom(4).hex()}")
    first, second = (open_special(url, BEHIND_HTTPS="on", **bucket) for _ in range(2))
    witness = witnessed(second)
    upstreams = ["{}:{}".format(*machine.server.host_and_port) for machine in (first, second)]
    directory = second.directory / "nginx"
    directory.mkdir()
    with nginx.running(directory, upstreams) as proxy:
        witness.address, witness.authority = proxy.https, proxy.authority
        yield Machines(first, second, proxy, witness)
        invariants.logs_tell_nobody(replace(witness, service=first))


def test_what_began_on_the_machine_that_was_killed_goes_on_at_the_other(machines: Machines) -> None:
    witness, proxy = machines.witness, machines.proxy
    operator = Operator(machines.first, proxy.authority)
    mawb = new_mawb()
    accepted = replace(witness, address=machines.first.address).accepted(mawb)  # the records are the same
    code = accepted["guides"][0]["tracking_code"]
    rows = f"tracking_code,status\n{code},in_transit\n".encode()
    sent = operator.post(f"{machines.first.address}/admin/events/import/", ("scans.csv", rows))
    assert sent.status_code == 302, sent.text[:2000]

    with load(witness, uploaders=2) as heard:
        soon(lambda: machines.both_have_accepted(ENOUGH), 90, "uploads at both machines")
        gone = time.monotonic()
        machines.first.kill()
        soon(lambda: heard.statuses(gone)[201] >= ENOUGH, BACK_SECONDS, "uploads at the other machine")
        soon(lambda: heard.is_calm(gone), BACK_SECONDS, "answers to all")
    only_what_was_under_way_is_lost(heard, gone)

    file = operator.get(f"{proxy.https}/admin/shipments/manifest/{accepted['manifest_id']}/files/manifest/")
    assert (file.status_code, file.content) == (200, book(mawb, 3))
    waiting = f"{proxy.https}{sent.headers['Location']}"
    assert operator.get(waiting).status_code == 200
    assert operator.post(waiting).status_code == 302
    report = csv.DictReader(
        operator.get(waiting.replace("change/", "guides.csv")).content.decode("utf-8-sig").splitlines()
    )
    assert [line["Outcome"] for line in report] == ["advanced"]
    assert witness.shown(f"/guides/{code}")["status"] == "in_transit"


@pytest.mark.long
def test_a_machine_that_no_longer_answers_is_passed_over(machines: Machines) -> None:
    """Nobody says that its connections have ended: nginx gives up connecting after three seconds."""
    with load(machines.witness, uploaders=2) as heard:
        soon(lambda: machines.both_have_accepted(ENOUGH), 90, "uploads at both machines")
        gone = time.monotonic()
        with swallowed(machines.first.server.host_and_port[1]):
            soon(lambda: heard.statuses(gone)[201] >= ENOUGH, SILENCE_SECONDS, "uploads at the other machine")
            machines.first.kill()
        soon(lambda: heard.is_calm(gone), SILENCE_SECONDS, "answers to all")
    only_what_was_under_way_is_lost(heard, gone)


def only_what_was_under_way_is_lost(heard: Responses, gone: float) -> None:
    """By a 503, or in the middle of its answer."""
    assert set(heard.statuses()) <= {200, 201, 503, None}
    assert None not in heard.statuses(gone)
