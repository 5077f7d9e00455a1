"""The image itself: built from docker/Dockerfile, migrated, serving, sending and stopping as the unprivileged user."""

import json
import os
import re
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests
from standardwebhooks import Webhook

from tests.books import workbook_bytes
from tests.container import files
from tests.container.files import services
from tests.container.test_as_in_the_image import refuses, wait_until
from tests.image import engine
from tests.image.conftest import USER, Image
from tests.live.server import BASE, ROOT
from tests.live.test_over_http import form
from tests.processes import children
from tests.webhooks.receivers import Authority, Receiver

AT_MOST_MEGABYTES = 220
"""What our layers add. Whoever raises it says in the Dockerfile what for."""


@pytest.fixture(scope="module")
def released(image: Image) -> Image:
    """After the release job of compose.yaml."""
    image.run(*services()["release"]["command"])
    return image


@contextmanager
def serving(image: Image) -> Iterator[int]:
    """A healthy web server; the process id of gunicorn's master, which is what a container engine would signal."""
    with image.started(*files.command()) as process:

        def is_healthy() -> bool:
            assert process.poll() is None, image.log()
            try:
                return requests.get(f"{image.address}/health", timeout=2).status_code == 200
            except requests.RequestException:
                return False

        wait_until(is_healthy, 90)
        yield program(process.pid)


def program(process: int) -> int:
    """The eldest Python below buildah's own processes, which must run as the unprivileged user."""
    level = [process]
    while level:
        for each in level:
            if Path(f"/proc/{each}/exe").readlink().name.startswith("python"):
                assert Path(f"/proc/{each}").stat().st_uid == USER
                return each
        level = [child for each in level for child in children(each)]
    raise AssertionError("no Python runs")


def company(image: Image, code: str) -> dict[str, str]:
    made = json.loads(
        image.run("python", "manage.py", "create_company", f"{code} SpA", "--client-code", code, "--countries", "CL")
    )
    return {"Authorization": f"Bearer {made['api_password']}"}


def test_its_layers_are_no_larger_than_they_have_to_be(image: Image, capsys: pytest.CaptureFixture[str]) -> None:
    held = image.engine.bytes_of(image.container)
    own, whole = (held - engine.size(engine.base())) // 1_000_000, held // 1_000_000
    with capsys.disabled():
        sys.stdout.write(f"\nThe image: {own} MB of our layers, {whole} MB with this base.\n")
    assert own <= AT_MOST_MEGABYTES


def test_it_holds_no_tool_of_the_build_and_no_language_that_nobody_reads(image: Image) -> None:
    modules = image.run("python", "-c", "import pkgutil; print(*[m.name for m in pkgutil.iter_modules()])").split()
    assert not {"pip", "setuptools", "wheel", "pytest", "mypy"} & set(modules)
    assert image.run("find", "/usr/local/lib", "-path", "*/locale/de", "-o", "-path", "*/locales/de").split() == []


def test_it_serves_an_upload_and_sends_its_webhook(released: Image, authority: Authority) -> None:
    client = company(released, "IMAGE")
    with Receiver(authority.server()) as receiver, serving(released):
        made = released.run("python", "manage.py", "add_webhook", "IMAGE", receiver.url, "--v2")
        secret = re.search(r"whsec_[A-Za-z0-9+/]+=", made)
        assert secret
        manifest = (ROOT / "docs" / "examples" / "manifest-CL.xlsx").read_bytes()
        uploaded = requests.post(
            f"{released.address}{BASE}/upload", headers=client, files={"manifest_file": manifest}, timeout=60
        )
        assert uploaded.status_code == 201, uploaded.text
        assert requests.get(f"{released.address}{BASE}/mawbs", headers=client, timeout=30).status_code == 200
        released.run(*files.health_check())
        with released.started(*services()["dispatcher"]["command"]) as dispatcher:
            (request, *_more) = receiver.wait_for(1, 60)
            body = Webhook(secret[0]).verify(request.body, request.headers)
            assert body["data"]["manifest_id"] == uploaded.json()["manifest_id"]
            stop(program(dispatcher.pid))
            assert dispatcher.wait(60) == 0


def test_an_upload_that_is_under_way_at_sigterm_is_answered(released: Image) -> None:
    client = company(released, "DRAIN")
    body = form(workbook_bytes(), invoice=b"%PDF-" + bytes(2_000_000))
    head = (
        f"POST {BASE}/upload HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: {client['Authorization']}\r\n"
        f"Content-Type: multipart/form-data; boundary=BOUNDARY\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    port = int(released.environment["BIND"].rpartition(":")[2])
    with serving(released) as master, socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(head.encode() + body[:1_000_000])
        incoming = released.data / "media" / ".incoming"
        wait_until(lambda: incoming.is_dir() and any(incoming.iterdir()))
        stop(master)
        wait_until(lambda: refuses(port))
        connection.sendall(body[1_000_000:])
        assert connection.recv(65536).startswith(b"HTTP/1.1 201")


def stop(process: int) -> None:
    os.kill(process, signal.SIGTERM)
