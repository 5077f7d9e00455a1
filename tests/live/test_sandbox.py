"""docs/sandbox.md, run sample by sample against a running sandbox; and a connection that breaks on demand."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection, RemoteDisconnected
from pathlib import Path

import pytest

from tests.conftest import BASE
from tests.documents import manifest
from tests.live import server
from tests.live.samples import run_samples
from tests.live.server import ROOT, Server, free_port

pytestmark = pytest.mark.live

PAGES = {"en": ROOT / "docs" / "sandbox.md", "es": ROOT / "docs" / "es" / "sandbox.md"}
SECRET = "a-secret-of-24-characters"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("sandbox")
    certificate = ["-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    named = ["-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "cert.pem"]
    made = ["openssl", "req", "-x509", *certificate, *named]
    subprocess.run(made, cwd=place, check=True, capture_output=True, timeout=60)
    (place / "both.pem").write_bytes((place / "key.pem").read_bytes() + (place / "cert.pem").read_bytes())
    (place / "secret").write_text(SECRET)
    return place


@pytest.fixture(scope="module")
def sandbox(place: Path) -> Iterator[Server]:
    """A sandbox with what `make sandbox` puts beside it: the demonstration company and a receiver."""
    port = str(free_port())
    environment = {
        "SANDBOX": "on",
        "WEBHOOK_SECRET": SECRET,
        "WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8",
        "WEBHOOK_CA_BUNDLE": str(place / "cert.pem"),
    }
    with server.served(place, **environment) as running:
        running.manage("first_sandbox", "--address", running.address, "--place", str(place), "--receiver-port", port)
        command = [sys.executable, "docs/examples/webhook_receiver.py", f"{place}/both.pem", port]
        receiver = subprocess.Popen([*command, f"{place}/events.sqlite3"], cwd=ROOT, env=running.environment)
        yield running
        receiver.terminate()
        receiver.wait(timeout=60)


@pytest.mark.parametrize("language", PAGES)
def test_each_sample_of_the_page_works_in_an_empty_folder_and_again(
    language: str, sandbox: Server, place: Path, tmp_path: Path
) -> None:
    replaced = {"https://sandbox.example.com": sandbox.address, "pa_test_...": (place / "password").read_text()}
    said = [
        ran.printed for ran in run_samples(PAGES[language].read_text("utf-8"), tmp_path, replaced, sandbox.environment)
    ]
    _variables, reset, upload, advance, log, events, trouble = said
    assert json.loads(reset)["success"]
    created = json.loads(upload)
    results = json.loads(advance)["results"]
    assert [each["status"] for each in results] == ["customs_released"] * created["guides_created"]
    sent = [each["subject"] for each in json.loads(log)["deliveries"]]
    assert {created["mawb"], *(each["tracking_code"] for each in created["guides"])} <= set(sent)
    assert json.loads(events)["results"][0]["outcome"] == "not_found"
    assert json.loads(trouble)["error"] == "unavailable"


@pytest.mark.parametrize(("key", "status"), [("a-key", 201), (None, 409)])
def test_a_connection_that_breaks_has_done_its_work(sandbox: Server, place: Path, key: str | None, status: int) -> None:
    body = manifest(mawb="045-12345675" if key else "045-12345686")
    headers = {"Authorization": f"Bearer {(place / 'password').read_text()}", "Content-Type": "application/json"}
    headers |= {"Idempotency-Key": key} if key else {}
    with closing(HTTPConnection(*sandbox.host_and_port, timeout=60)) as broken:
        cut = {**headers, "Sandbox-Answer": "cut"}
        broken.request("POST", f"{BASE}/process-pre-alert-json", json.dumps(body), cut)
        with pytest.raises((RemoteDisconnected, ConnectionResetError)):
            broken.getresponse()
    with closing(HTTPConnection(*sandbox.host_and_port, timeout=60)) as connection:
        connection.request("POST", f"{BASE}/process-pre-alert-json", json.dumps(body), headers)
        again = connection.getresponse()
        again.read()
    assert again.status == status
    assert (again.headers.get("Idempotent-Replayed") == "true") is bool(key)
