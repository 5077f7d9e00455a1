"""docs/examples/webhook_receiver.py as clients run it: a process behind real TLS, with real dispatchers."""

import hmac
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Self

import pytest
import requests

from tests.live.server import free_port
from tests.webhooks.conftest import SECRET, publish, subscribe
from tests.webhooks.dispatcher.retried import dispatch
from tests.webhooks.receivers import Authority
from tests.webhooks.running import ROOT, InThread, states, wait_until
from webhooks.models import Delivery, State

pytestmark = pytest.mark.django_db(transaction=True)

PROGRAM = ROOT / "docs" / "examples" / "webhook_receiver.py"


class Example:
    """The example, running; its port and its table of events stay the same when it is started again."""

    def __init__(self, directory: Path, authority: Authority, secret: str = SECRET) -> None:
        self._certificate = authority.certificate(directory)
        self._bundle = authority.bundle
        self._environment = {**os.environ, "WEBHOOK_SECRET": secret}
        self._port = free_port()
        self._events = directory / "events.sqlite3"

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self._port}/hooks/pre-alerts"

    def __enter__(self) -> Self:
        command = [sys.executable, str(PROGRAM), self._certificate, str(self._port), str(self._events)]
        self._process = subprocess.Popen(command, env=self._environment, stderr=subprocess.DEVNULL)
        wait_until(self._listens)
        return self

    def __exit__(self, *_details: object) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(10)

    def _listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self._port)) == 0

    def connect(self) -> socket.socket:
        """A connection on which nothing is said."""
        return socket.create_connection(("127.0.0.1", self._port), timeout=10)

    def post(self, body: bytes, **headers: str) -> int:
        headers = {
            "Authorization": f"Bearer {SECRET}",
            **{name.replace("_", "-"): each for name, each in headers.items()},
        }
        return requests.post(self.url, data=body, headers=headers, verify=self._bundle, timeout=10).status_code

    def stored(self) -> dict[str, bytes]:
        """The events on disk: id -> body."""
        with closing(sqlite3.connect(self._events)) as database:
            return dict(database.execute("SELECT id, body FROM events"))

    def forget(self) -> None:
        """Delete the events on disk."""
        with closing(sqlite3.connect(self._events)) as database, database:
            database.execute("DELETE FROM events")


@pytest.fixture(scope="module")
def running_example(tmp_path_factory: pytest.TempPathFactory, authority: Authority) -> Iterator[Example]:
    with Example(tmp_path_factory.mktemp("example"), authority) as example:
        yield example


@pytest.fixture
def example(running_example: Example) -> Iterator[Example]:
    """One process for all tests here, with nothing stored at the start of each."""
    yield running_example
    running_example.forget()


def in_state(state: State) -> set[str]:
    return {delivery.delivery_id for delivery in Delivery.objects.filter(state=state)}


@pytest.mark.usefixtures("shared_database")
def test_every_event_is_stored_as_it_was_sent(authority: Authority, example: Example) -> None:
    subscribe(example.url)
    publish(50)
    dispatch(authority)
    assert states() == {"delivered": 50}
    assert example.stored() == {each.delivery_id: bytes(each.body) for each in Delivery.objects.all()}


@pytest.mark.usefixtures("shared_database")
def test_what_was_answered_is_on_disk_whenever_the_receiver_dies(tmp_path: Path, authority: Authority) -> None:
    example = Example(tmp_path, authority)
    with ExitStack() as first:
        first.enter_context(example)
        subscribe(example.url)
        publish(400)
        with InThread(authority.bundle):
            wait_until(lambda: len(example.stored()) > 50)
            first.close()  # SIGKILL
            publish()  # the others may all have been sent by now
            wait_until(lambda: states().get("failed", 0) > 0)
    with example:
        dispatch(authority)
        assert states()["failed"] > 0
        assert in_state(State.DELIVERED) <= example.stored().keys()


def test_the_same_event_twice_is_answered_twice_and_stored_once(example: Example) -> None:
    body = b'{"id": "evt_1", "data": {}}'
    assert [example.post(body), example.post(body)] == [200, 200]
    assert example.stored() == {"evt_1": body}


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"7", b'{"id": "evt_1"}', b'"evt_1"', b"\xff", b"[" * 99_000])
def test_what_is_not_an_event_is_refused(example: Example, body: bytes) -> None:
    assert example.post(body) in {400, 413}
    assert example.stored() == {}


@pytest.mark.parametrize("authorization", ["", "Bearer", f"bearer {SECRET}", f"Bearer {SECRET} ", "Bearer ñ", SECRET])
def test_whoever_has_not_the_secret_stores_nothing(example: Example, authorization: str) -> None:
    assert example.post(b'{"id": "evt_1", "data": {}}', Authorization=authorization) == 401
    assert example.stored() == {}


def test_it_does_not_start_with_a_secret_that_anybody_knows(tmp_path: Path) -> None:
    command = [sys.executable, str(PROGRAM), "none.pem", "0", str(tmp_path / "events.sqlite3")]
    environment = {**os.environ, "WEBHOOK_SECRET": " \n"}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (1, "WEBHOOK_SECRET is empty.\n")


def test_a_secret_of_version_1_signs_nothing(tmp_path: Path, authority: Authority) -> None:
    """As base64 it may be few bytes or none: then anybody could sign with it."""
    body, now = b'{"id": "evt_1", "data": {}}', str(int(time.time()))
    signature = b64encode(hmac.digest(b"", f"evt_1.{now}.".encode() + body, "sha256")).decode()
    with Example(tmp_path, authority, "¡ñandú, ñandú!") as example:
        sent = {"webhook_id": "evt_1", "webhook_timestamp": now, "webhook_signature": f"v1,{signature}"}
        assert example.post(body, **sent) == 401
        assert example.stored() == {}


def test_a_body_that_is_too_large_is_refused(example: Example) -> None:
    with suppress(requests.ConnectionError):  # it hangs up without reading, which may overtake its answer
        assert example.post(b" " * 100_000) == 413
    assert example.stored() == {}


def test_peers_that_stall_stop_nobody_else(example: Example) -> None:
    with ExitStack() as stalled:
        for _peer in range(20):
            stalled.enter_context(example.connect())
        started = time.monotonic()
        assert example.post(json.dumps({"id": "evt_1", "data": {}}).encode()) == 200
        assert time.monotonic() - started < 9  # the peers stall for ten seconds
