"""The receivers of docs/webhooks.md, run as programs: they store what is signed, once, and refuse the rest."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
import requests
from standardwebhooks import Webhook

from tests.live.samples import FENCE
from tests.live.server import ROOT, free_port

pytestmark = pytest.mark.live

PAGE = (ROOT / "docs" / "webhooks.md").read_text(encoding="utf-8")
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def receiver(language: str, word: str) -> str:
    programs: list[str] = [text for info, text in FENCE.findall(PAGE) if info == language and word in text]
    assert len(programs) == 1
    return programs[0]


@contextmanager
def running(command: list[str], place: Path) -> Iterator[str]:
    """The receiver's address; it is stopped afterwards."""
    port = free_port()
    environment = {**os.environ, "WEBHOOK_SECRET": SECRET, "PORT": str(port)}
    process = subprocess.Popen(command, cwd=place, env=environment, stderr=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}/hooks"
        _wait_for(lambda: requests.post(address, data=b"{}", timeout=5).status_code == 401)
        yield address
    finally:
        process.kill()
        process.wait(timeout=60)


def _wait_for(is_there: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            assert is_there()
        except requests.ConnectionError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("The receiver does not listen.")


def signed(body: str, identifier: str, secret: str = SECRET) -> dict[str, str]:
    now = datetime.now(UTC)
    signature = Webhook(secret).sign(identifier, now, body)
    return {
        "webhook-id": identifier,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": signature,
        "Content-Type": "application/json",
    }


def assert_stores_what_is_signed(address: str, stored: Callable[[], list[bytes]]) -> None:
    body = json.dumps({"id": "evt_1", "type": "guide.delivered", "data": {"reason": "Recibido por María"}})

    def post(headers: dict[str, str], sent: str = body) -> int:
        return requests.post(address, data=sent.encode(), headers=headers, timeout=30).status_code

    assert post(signed(body, "evt_1", f"whsec_{'A' * 32}")) == 401
    assert post(signed(body, "evt_1"), body.replace("evt_1", "evt_2")) == 401
    assert post({**signed(body, "evt_1"), "webhook-signature": "nonsense"}) == 401
    assert stored() == []
    assert [post(signed(body, "evt_1")) for _ in range(2)] == [204, 204]
    assert stored() == [body.encode()]


def test_the_receiver_in_python(tmp_path: Path) -> None:
    (tmp_path / "receiver.py").write_text(receiver("python", "serve_forever"), encoding="utf-8")

    def stored() -> list[bytes]:
        with closing(sqlite3.connect(tmp_path / "events.sqlite3")) as database:
            return [bytes(body) for (body,) in database.execute("SELECT body FROM events")]

    with running([sys.executable, "receiver.py"], tmp_path) as address:
        assert_stores_what_is_signed(address, stored)
