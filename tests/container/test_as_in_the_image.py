"""The commands of the image and of compose.yaml: a read-only tree, no capabilities, two writable directories."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests

from prealerts.documentation.pages import PAGES, SAMPLES
from tests.books import workbook_bytes
from tests.container import files
from tests.container.files import ROOT, services
from tests.live.databases import scratch_database
from tests.live.server import BASE, Server, free_port
from tests.live.test_over_http import form

STOP_SECONDS = 60


@dataclass(frozen=True)
class Container:
    """A directory laid out as the image is, and the environment its processes get."""

    place: Path
    environment: dict[str, str]

    @property
    def port(self) -> int:
        return int(self.environment["BIND"].rpartition(":")[2])

    @property
    def server(self) -> Server:
        return Server(f"http://127.0.0.1:{self.port}", self.environment, self.place)

    def run(self, command: list[str]) -> "subprocess.CompletedProcess[str]":
        """Run to the end."""
        return subprocess.run(
            confined(command), cwd=self.place / "app", env=self.environment, capture_output=True, text=True,
            timeout=120, check=False,
        )  # fmt: skip

    @contextmanager
    def started(self, command: list[str], log: str) -> Iterator["subprocess.Popen[bytes]"]:
        """Run beside the test; killed at its end if it is still running."""
        with (self.place / log).open("wb") as output:
            process = subprocess.Popen(
                confined(command), cwd=self.place / "app", env=self.environment, stdout=output, stderr=output
            )
            try:
                yield process
            finally:
                process.kill()
                process.wait(STOP_SECONDS)

    def log(self, name: str) -> str:
        return (self.place / name).read_text(encoding="utf-8")

    def tree(self) -> dict[str, float]:
        """Everything under /app, with its last change."""
        return {str(path): path.stat().st_mtime for path in (self.place / "app").rglob("*")}


def confined(command: list[str]) -> list[str]:
    """As `cap_drop: [ALL]` and no-new-privileges have it; without its capabilities root must obey file modes too."""
    if os.geteuid() != 0:
        return command
    return ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", *command]


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Container]:
    place = tmp_path_factory.mktemp("container")
    app = place / "app"
    app.mkdir()
    for source in files.copied():
        (app / source).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, app / source, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / source, app / source)
    subprocess.run(files.compilation(app), check=True)
    for writable in ("media", "static"):
        (place / "srv" / writable).mkdir(parents=True)
    for path in [app, *app.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    with scratch_database(os.environ["DATABASE_URL"], place) as database_url:
        yield Container(place, environment(place, database_url))
    for path in [app, *app.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)


def environment(place: Path, database_url: str) -> dict[str, str]:
    """The image's ENV and the settings that example.env asks for; nothing of the test's own environment but these."""
    secrets = ("SECRET_KEY", "API_PASSWORD_PEPPER", "FIELD_ENCRYPTION_KEYS")
    image = {name: value.replace("/srv/", f"{place}/srv/") for name, value in files.environment().items()}
    return {
        **image,
        **{name: os.environ[name] for name in secrets},
        "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
        "BIND": f"127.0.0.1:{free_port()}",
        "WEB_CONCURRENCY": "1",
        "DATABASE_URL": database_url,
        "ALLOWED_HOSTS": "127.0.0.1",
    }


@pytest.fixture(scope="module")
def released(container: Container) -> Container:
    """After the release job, which only waits for the database."""
    finished = container.run(services()["release"]["command"])
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return container


def test_the_tree_really_is_read_only(container: Container) -> None:
    assert container.run(["touch", "written"]).returncode != 0
    assert container.run(["mkdir", "prealerts/written"]).returncode != 0


def test_the_release_migrates_lays_out_static_files_and_may_be_run_again(released: Container) -> None:
    assert (released.place / "srv" / "static" / "admin" / "css" / "base.css").exists()
    assert released.run(["python", "manage.py", "migrate", "--check"]).returncode == 0
    assert released.run(services()["release"]["command"]).returncode == 0


def test_the_release_stops_at_settings_that_contradict_each_other(released: Container) -> None:
    spoilt = Container(released.place, {**released.environment, "API_PASSWORD_PEPPER": "short"})
    finished = spoilt.run(services()["release"]["command"])
    assert finished.returncode != 0
    assert "prealerts.E001" in finished.stderr


def test_the_web_server_serves_and_its_health_check_agrees(released: Container) -> None:
    before = released.tree()
    assert released.run(files.health_check()).returncode != 0
    with released.started(files.command(), "web.log") as process:
        wait_until_healthy(released, process)
        client = released.server.company("IMAGE")
        uploaded = requests.post(
            f"{released.server.api}/upload", files={"manifest_file": workbook_bytes()}, headers=client, timeout=60
        )
        assert uploaded.status_code == 201, uploaded.text
        assert requests.get(f"{released.server.address}/health/ready", timeout=60).status_code == 200
        https = {"X-Forwarded-Proto": "https"}
        pages = [f"{language}/{page.slug}" for page in PAGES.values() for language in page.languages]
        for page in (*pages, *(f"examples/{name}" for name in SAMPLES)):
            assert (
                requests.get(f"{released.server.address}/docs/{page}", timeout=60, headers=https).status_code == 200
            ), page
        process.send_signal(signal.SIGTERM)
        assert process.wait(STOP_SECONDS) == 0
    assert released.tree() == before
    kept = {path.suffix for path in (released.place / "srv" / "media").rglob("*") if path.is_file()}
    assert kept - {".pdf"} == {".xlsx"}  # the invoice is another test's; nothing half-received stays


def test_a_request_that_is_under_way_at_sigterm_is_answered_and_no_new_one_is_taken(released: Container) -> None:
    client = released.server.company("DRAIN")
    body = form(workbook_bytes(), invoice=b"%PDF-" + bytes(2_000_000))
    head = (
        f"POST {BASE}/upload HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: {client['Authorization']}\r\n"
        f"Content-Type: multipart/form-data; boundary=BOUNDARY\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with released.started(files.command(), "drain.log") as process:
        wait_until_healthy(released, process)
        with socket.create_connection(("127.0.0.1", released.port), timeout=60) as connection:
            connection.sendall(head.encode() + body[:1_000_000])
            incoming = released.place / "srv" / "media" / ".incoming"
            wait_until(lambda: incoming.is_dir() and any(incoming.iterdir()))
            process.send_signal(signal.SIGTERM)
            wait_until(lambda: refuses(released.port))
            assert process.poll() is None
            connection.sendall(body[1_000_000:])
            assert connection.recv(65536).startswith(b"HTTP/1.1 201")
        assert process.wait(STOP_SECONDS) == 0


def test_the_dispatcher_runs_and_stops_in_good_order(released: Container) -> None:
    with released.started(services()["dispatcher"]["command"], "dispatcher.log") as process:
        wait_until(lambda: '"dispatching"' in released.log("dispatcher.log"))
        process.send_signal(signal.SIGTERM)
        assert process.wait(STOP_SECONDS) == 0
    assert '"stopped"' in released.log("dispatcher.log")


def test_upkeep_runs_any_command(released: Container) -> None:
    finished = released.run([*services()["upkeep"]["entrypoint"], "sweep_files", "--dry-run"])
    assert finished.returncode == 0, finished.stderr
    assert re.search(r"Would delete 0 stored", finished.stdout)


def wait_until_healthy(container: Container, process: "subprocess.Popen[bytes]") -> None:
    def is_healthy() -> bool:
        assert process.poll() is None, "it ended"
        return container.run(files.health_check()).returncode == 0

    wait_until(is_healthy)


def wait_until(condition: object, seconds: float = 40) -> None:
    assert callable(condition)
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


def refuses(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return True
    return False
