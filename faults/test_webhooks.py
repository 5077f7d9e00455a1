"""Rows 28, 30 and, for webhooks, 35: endpoints that misbehave, before the real dispatcher."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from faults.backups import backup
from faults.conftest import Pick, Say
from faults.environment.processes import soon
from faults.environment.running import Service
from faults.matrix import SQLITE
from faults.observation.witness import Witness, new_mawb, status
from tests.shipments.manifests.payloads import body, guide
from tests.webhooks.receivers import Authority, Receiver, answer, forever, hang, raw

DEADLINE_MS = 10_000
SLACK_MS = 1_500
"""The deadline itself is exact on a quiet machine; this one may be busy with others."""
GOOD_DELAY_SECONDS = 5.0
HANGS_AT_LEAST_SECONDS = 9
"""What reaches the dead endpoint within that time of the first waits beside it: the deadline is ten seconds."""
MOST_AT_ONCE = 10

Receivers = Callable[..., Receiver]


@pytest.fixture
def receivers(authority: Authority) -> Iterator[Receivers]:
    """Further endpoints, for as long as the row lasts."""
    with ExitStack() as stack:

        def make(behave: Any = None, context: Any = "trusted", **options: Any) -> Receiver:
            tls = authority.server() if context == "trusted" else context
            return stack.enter_context(Receiver(tls, behave, **options))

        yield make


def subscribe(service: Service, code: str, *urls: str, version: int = 1) -> None:
    """Further subscriptions of a company."""
    register = "register" if version == 1 else "register_signed"
    service.server.manage(
        "shell", "-v", "0", "-c",
        f"from companies.models import Company; from webhooks.subscriptions import {register}; "
        f"company = Company.objects.get(client_code={code!r}); [{register}(company, url) for url in {urls!r}]",
    )  # fmt: skip


async def silent(reader: Any, _writer: Any) -> None:
    """Accepts, listens, says nothing: not even TLS."""
    await reader.read()


@pytest.mark.fault(28)
@pytest.mark.long(SQLITE)
def test_each_gets_one_attempt_and_its_reason_is_recorded(
    service: Service, witness: Witness, receivers: Receivers, authority: Authority, pick: Pick
) -> None:
    expected = {
        receivers(answer(302, location=f"{service.receiver.url}/stolen")): ("failed", "redirect"),
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
    subscribe(service, witness.tenant.code, *(receiver.url for receiver in expected))
    witness.listeners[witness.tenant.code] = 1 + len(expected)
    assert status(witness.upload()) == 201
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
    service: Service, witness: Witness, receivers: Receivers, authority: Authority, pick: Pick
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
    subscribe(service, witness.tenant.code, *(receiver.url for receiver in expected), version=2)
    witness.listeners[witness.tenant.code] = 1 + len(expected)
    assert status(witness.upload()) == 201

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
def test_the_good_one_hears_of_everything_in_time(
    service: Service, witness: Witness, receivers: Receivers, pick: Pick, note: Say, version: int
) -> None:
    events, mawb = pick(100, 1_000), new_mawb()
    dead = receivers(hang)
    subscribe(service, witness.tenant.code, dead.url, version=version)
    witness.listeners[witness.tenant.code] = 2
    assert status(witness.post_json(body(*[guide(hawb=f"H{number}") for number in range(events)], mawb=mawb))) == 201
    service.server.manage("advance_status", "--to", "in_transit", "--company", witness.tenant.code, "--mawb", mawb)
    ours = f"/{witness.tenant.code}"

    def heard() -> list[Any]:
        found = [request for request in service.receiver.received if request.path.endswith(ours)]
        return found if len(found) > events else []

    offset = time.time() - time.monotonic()
    delays = sorted(
        offset + request.at - datetime.fromisoformat(json.loads(request.body)["timestamp"]).timestamp()
        for request in soon(heard, 120, "the good endpoint's events")
    )
    waited = delays[int(len(delays) * 0.99)]
    (key,) = service.records.ask("SELECT id FROM webhooks_subscription WHERE url = %s", dead.url)
    service.server.manage("disable_webhook", str(key[0]))
    begun = [request.at for request in dead.received]
    at_once = sum(at < begun[0] + HANGS_AT_LEAST_SECONDS for at in begun)
    note(f"{events} events, the dead endpoint (v{version}) got {len(begun)}; the good one's p99 {waited:.2f} s")
    assert waited < GOOD_DELAY_SECONDS
    assert at_once <= MOST_AT_ONCE, "an endpoint that hangs holds no more than its seats"


@pytest.mark.fault(35)
@pytest.mark.long(SQLITE)
def test_in_version_2_what_waited_when_the_backup_was_taken_arrives_from_the_restored_service(
    service: Service, witness: Witness, receivers: Receivers, authority: Authority, tmp_path: Path, note: Say
) -> None:
    is_down = [True]

    async def recovering(request: Any, writer: Any) -> None:
        await answer(503 if is_down else 200)(request, writer)

    endpoint = receivers(recovering)
    subscribe(service, witness.tenant.code, endpoint.url, version=2)
    witness.listeners[witness.tenant.code] = 2
    for _ in range(3):
        assert status(witness.upload()) == 201
    soon(lambda: _settled(service, witness), what="the first attempts")
    restored = Service(tmp_path / "restored", backup(service.records, tmp_path), authority, service.receiver)
    ((key,),) = service.records.ask("SELECT id FROM webhooks_subscription WHERE url = %s", endpoint.url)
    service.server.manage("disable_webhook", str(key))  # from now on the restored service alone sends to it
    before = {request.headers["webhook-id"]: request.body for request in endpoint.received}
    seen = len(endpoint.received)
    is_down.clear()
    try:
        restored.dispatch()
        delivered = f"SELECT count(*) FROM webhooks_delivery WHERE subscription_id = {key} AND state = 'delivered'"  # noqa: S608  # a number
        soon(lambda: restored.records.ask(delivered) == [(3,)], 40, "the attempts of the restored service")
        again = {request.headers["webhook-id"]: request.body for request in endpoint.received[seen:]}
        assert again == before, "the same ids and bodies"
        attempts = restored.records.ask("SELECT attempts FROM webhooks_delivery WHERE subscription_id = %s", key)
        assert min(count for (count,) in attempts) >= 2, "they go on counting"
    finally:
        restored.stop()
    note(f"{len(before)} deliveries of version 2 waited, and arrived under their ids")


def _settled(service: Service, witness: Witness) -> bool:
    """Version 1 is finished, so that the restored service finds nothing of it to send; version 2 waits."""
    rows = service.records.ask(
        "SELECT d.max_attempts, d.state FROM webhooks_delivery d JOIN companies_company c ON c.id = d.company_id "
        "WHERE c.client_code = %s",
        witness.tenant.code,
    )
    busy = service.records.ask("SELECT count(*) FROM webhooks_delivery WHERE state IN ('pending', 'sending')")
    return busy == [(0,)] and sorted(rows) == [(1, "delivered")] * 3 + [(10, "waiting")] * 3
