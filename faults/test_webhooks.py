"""Rows 28, 30 and 35: endpoints that misbehave, before the real dispatcher, and before one that was restored."""

import json
import os
import sqlite3
import subprocess
import time
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from faults.conftest import OpenReceivers, Pick
from faults.environment.records import Records
from faults.environment.running import SQLITE, Service
from faults.environment.tools import needed
from faults.observation.witness import Witness, new_mawb
from tests.processes import soon
from tests.shipments.manifests.payloads import body, guide
from tests.webhooks.receivers import Authority, answer, forever, hang, raw

DEADLINE_MS = 10_000
SLACK_MS = 1_500
"""The deadline itself is exact on a quiet machine; this one may be busy with others."""
GOOD_DELAY_SECONDS = 5.0
HANGS_AT_LEAST_SECONDS = 9
"""What reaches the dead endpoint within that time of the first waits beside it: the deadline is ten seconds."""
MOST_AT_ONCE = 10


async def silent(reader: Any, _writer: Any) -> None:
    """Accepts, listens, says nothing: not even TLS."""
    await reader.read()


@pytest.mark.fault(28)
@pytest.mark.long(SQLITE)
def test_each_gets_one_attempt_and_its_reason_is_recorded(
    service: Service, witness: Witness, receivers: OpenReceivers, authority: Authority, pick: Pick
) -> None:
    stolen = f"{service.receiver.url}/stolen"
    expected = {
        receivers(answer(302, location=stolen)): ("failed", "redirect"),
        receivers(answer(500)): ("failed", "http_status"),
        receivers(context=authority.server("elsewhere.test")): ("failed", "tls"),
        receivers(raw(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal", then="reset")): ("failed", None),
        receivers(forever(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 4096)): ("delivered", ""),
    }
    if pick("short", "full") == "full":
        expected |= {
            receivers(hang): ("failed", "timeout"),
            receivers(context=None): ("failed", "timeout"),
            receivers(context=None, connection=silent): ("failed", "timeout"),
            receivers(raw(*[b"HTTP/1.1 200 OK\r\n", *[b"X: y\r\n"] * 400], pause=0.1)): ("failed", "timeout"),
        }
    witness.subscribe(*(receiver.url for receiver in expected))
    witness.accepted()
    rows = soon(lambda: _outcomes(witness), 40, "the end of every delivery")
    for receiver, (state, error) in expected.items():
        ended = rows[receiver.url]
        assert ended[0] == state, (receiver.url, ended)
        assert error is None or ended[1] == error, ended
        assert ended[2] <= DEADLINE_MS + SLACK_MS, ended
        if error == "timeout":
            assert ended[2] >= DEADLINE_MS - SLACK_MS, ended
        assert len(receiver.received) <= 1
    assert not any(request.path.endswith("stolen") for request in service.receiver.received)


def _outcomes(witness: Witness) -> dict[str, tuple[str, str, int]]:
    """URL -> state, error, milliseconds of the tenant's deliveries, once all are final."""
    rows = witness.service.records.ask(
        "SELECT s.url, d.state, d.error, d.duration_ms FROM webhooks_delivery d "
        "JOIN webhooks_subscription s ON s.id = d.subscription_id JOIN companies_company c ON c.id = d.company_id "
        "WHERE c.client_code = %s",
        witness.tenant.code,
    )
    if any(state in {"pending", "sending"} for _url, state, _error, _duration in rows):
        return {}
    return {url: (state, error, duration) for url, state, error, duration in rows}


@pytest.mark.fault(28)
@pytest.mark.long(SQLITE)
def test_in_version_2_each_is_attempted_again_and_never_twice_at_the_same_time(
    service: Service, witness: Witness, receivers: OpenReceivers, authority: Authority, pick: Pick
) -> None:
    under_way: set[str] = set()
    twice_at_once: list[str] = []

    async def slow_refusal(request: Any, writer: Any) -> None:
        name = request.headers["webhook-id"]
        if name in under_way:
            twice_at_once.append(name)
        under_way.add(name)
        await answer(500, after=1.0)(request, writer)
        under_way.discard(name)

    expected = {
        receivers(answer(302, location=f"{service.receiver.url}/stolen")): "redirect",
        receivers(slow_refusal): "http_status",
        receivers(context=authority.server("elsewhere.test")): "tls",
    }
    if pick("short", "full") == "full":
        expected |= {receivers(hang): "timeout", receivers(context=None, connection=silent): "timeout"}
    witness.subscribe(*(receiver.url for receiver in expected), version=2)
    witness.accepted()

    def tried_twice() -> dict[str, tuple[str, str]]:
        rows = service.records.ask(
            "SELECT s.url, d.state, a.error FROM webhooks_delivery d "
            "JOIN webhooks_subscription s ON s.id = d.subscription_id "
            "JOIN webhooks_deliveryattempt a ON a.delivery_id = d.id WHERE s.version = 2 AND a.number = 2"
        )
        found = {url: (state, error) for url, state, error in rows}
        return found if all(receiver.url in found for receiver in expected) else {}

    rows = soon(tried_twice, 60, "the second attempt of each")  # 5 s after the first, give or take one
    for receiver, error in expected.items():
        assert rows[receiver.url] == ("waiting", error)
    assert twice_at_once == []
    assert not any(request.path.endswith("stolen") for request in service.receiver.received)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.fault(30)
@pytest.mark.long(SQLITE)
def test_a_good_endpoint_beside_a_dead_one_gets_everything_in_time(
    service: Service, witness: Witness, receivers: OpenReceivers, pick: Pick, version: int
) -> None:
    events, mawb, dead = pick(100, 1_000), new_mawb(), receivers(hang)
    witness.subscribe(dead.url, version=version)
    witness.post_json(body(*[guide(hawb=f"H{number}") for number in range(events)], mawb=mawb))
    service.server.manage("advance_status", "--to", "in_transit", "--company", witness.tenant.code, "--mawb", mawb)

    def heard() -> list[Any]:
        found = [request for request in service.receiver.received if request.path.endswith(f"/{witness.tenant.code}")]
        return found if len(found) > events else []

    offset = time.time() - time.monotonic()
    delays = sorted(
        offset + request.at - datetime.fromisoformat(json.loads(request.body)["timestamp"]).timestamp()
        for request in soon(heard, 120, "the good endpoint's events")
    )
    waited = delays[int(len(delays) * 0.99)]
    ((key,),) = service.records.ask("SELECT id FROM webhooks_subscription WHERE url = %s", dead.url)
    service.server.manage("disable_webhook", str(key))
    begun = [request.at for request in dead.received]
    at_once = sum(at < begun[0] + HANGS_AT_LEAST_SECONDS for at in begun)
    assert waited < GOOD_DELAY_SECONDS
    assert at_once <= MOST_AT_ONCE, "an endpoint that hangs holds no more than its seats"


@pytest.mark.fault(35)
@pytest.mark.long(SQLITE)
def test_in_version_2_what_waited_when_the_backup_was_taken_arrives_from_the_restored_service(
    service: Service, witness: Witness, receivers: OpenReceivers, authority: Authority, tmp_path: Path
) -> None:
    is_down = [True]

    async def recovering(request: Any, writer: Any) -> None:
        await answer(503 if is_down else 200)(request, writer)

    endpoint = receivers(recovering)
    witness.subscribe(endpoint.url, version=2)
    for _ in range(3):
        witness.accepted()
    soon(lambda: _settled(service, witness), what="the first attempts")
    restored = Service(tmp_path / "restored", backup(service.records, tmp_path), authority, service.receiver)
    ((key,),) = service.records.ask("SELECT id FROM webhooks_subscription WHERE url = %s", endpoint.url)
    service.server.manage("disable_webhook", str(key))  # from now on the restored service alone sends to it
    before = {request.headers["webhook-id"]: request.body for request in endpoint.received}
    seen = len(endpoint.received)
    is_down.clear()
    rows = "SELECT state, attempts FROM webhooks_delivery WHERE subscription_id = %s"
    try:
        restored.dispatch()
        soon(lambda: {state for state, _count in restored.records.ask(rows, key)} == {"delivered"}, 40, "its attempts")
        again = {request.headers["webhook-id"]: request.body for request in endpoint.received[seen:]}
        assert again == before, "the same ids and bodies"
        assert min(count for _state, count in restored.records.ask(rows, key)) >= 2, "attempts go on counting"
    finally:
        restored.stop()


def _settled(service: Service, witness: Witness) -> bool:
    """Version 1 is finished, so that the restored service finds nothing of it to send; version 2 waits."""
    rows = service.records.ask(
        "SELECT d.max_attempts, d.state FROM webhooks_delivery d JOIN companies_company c ON c.id = d.company_id "
        "WHERE c.client_code = %s",
        witness.tenant.code,
    )
    busy = service.records.ask("SELECT count(*) FROM webhooks_delivery WHERE state IN ('pending', 'sending')")
    return busy == [(0,)] and sorted(rows) == [(1, "delivered")] * 3 + [(10, "waiting")] * 3


def backup(records: Records, directory: Path) -> str:
    """Take a backup of a database in use and restore it elsewhere; the URL of the copy."""
    if records.is_sqlite:
        copy = directory / "copy.sqlite3"
        with closing(sqlite3.connect(records.path, timeout=30)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        return f"sqlite:///{copy}"
    name, archive = f"restored_{os.urandom(4).hex()}", directory / "archive"
    url = records.url.rpartition("/")[0] + f"/{name}"
    for command in (
        [needed("pg_dump"), "-Fc", "-f", str(archive), records.url],
        [needed("createdb"), "--maintenance-db", records.url, name],
        [needed("pg_restore"), "-d", url, str(archive)],
    ):
        subprocess.run(command, check=True, timeout=120)
    return url
