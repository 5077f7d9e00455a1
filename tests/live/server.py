"""The service as it runs in production: gunicorn with two workers, on a database of its own."""

import atexit
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import requests

from tests.live.databases import migrated_database, scratch_database

ROOT = Path(__file__).resolve().parent.parent.parent
BASE = "/api/public/pre-alerts/v1"
START_SECONDS = 90
"""Longer is a failure. A machine that is busy with other things takes ten times as long as a quiet one."""
COMMAND_SECONDS = 180
"""For the same reason: a command takes two seconds."""
WITHOUT_CHECKS = ("--skip-checks",)
"""For commands that only prepare a test: the checks load every page of the admin, most of a command's time."""


@dataclass(frozen=True)
class Server:
    """A running service and the way to its manage.py."""

    address: str
    environment: dict[str, str]
    directory: Path

    @property
    def api(self) -> str:
        return self.address + BASE

    @property
    def host_and_port(self) -> tuple[str, int]:
        parts = urlsplit(self.address)
        return str(parts.hostname), int(parts.port or 80)

    def manage(self, *arguments: str) -> str:
        """Run manage.py against the server's database; what it printed."""
        finished = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=COMMAND_SECONDS,
        )
        sys.stderr.write(finished.stderr)  # which pytest shows with the failure of a test
        finished.check_returncode()
        return finished.stdout

    def company(self, code: str, countries: str = "CL", *more: str) -> dict[str, str]:
        """Make a client company; the headers its integrator sends."""
        answer = json.loads(
            self.manage(
                "create_company",
                f"{code} SpA",
                "--client-code",
                code,
                "--countries",
                countries,
                *more,
                *WITHOUT_CHECKS,
            )
        )
        return {"Authorization": f"Bearer {answer['api_password']}"}

    def operator(self, username: str, password: str) -> None:
        """Make an operator who may do everything in the admin."""
        secret = {**self.environment, "DJANGO_SUPERUSER_PASSWORD": password}
        replace(self, environment=secret).manage(
            "createsuperuser", "--noinput", "--username", username, "--email", f"{username}@example.com",
            *WITHOUT_CHECKS,
        )  # fmt: skip

    def log(self) -> str:
        """What the server wrote so far."""
        return (self.directory / "server.log").read_text(encoding="utf-8")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@cache
def collected_static() -> str:
    """A directory with the static files, which a browser needs and the API does not; one for all tests of a process."""
    place = tempfile.mkdtemp(prefix="prealerts-static-")
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    subprocess.run(
        [sys.executable, "manage.py", "collectstatic", "--noinput", "--no-post-process", "--verbosity", "0"],
        cwd=ROOT,
        env={**os.environ, "STATIC_ROOT": place},
        check=True,
        timeout=120,
    )
    return place


def prepared(directory: Path, database_url: str, *, is_migrated: bool = False, **environment: str) -> Server:
    """A server that is not started yet, its database migrated; `environment` adds to what the tests run under."""
    port = free_port()
    merged = {
        **os.environ,
        "DATABASE_URL": database_url,
        "MEDIA_ROOT": str(directory / "media"),
        "BIND": f"127.0.0.1:{port}",
        "WEB_CONCURRENCY": "2",
        **environment,
    }
    server = Server(f"http://127.0.0.1:{port}", merged, directory)
    if not is_migrated:
        server.manage("migrate", "--verbosity", "0", *WITHOUT_CHECKS)
    return server


def started(
    server: Server, *, configuration: str = "gunicorn.conf.py", log: Path | None = None
) -> "subprocess.Popen[bytes]":
    """Start gunicorn and wait until it answers; what it says is added to server.log, or goes to `log`."""
    with (log or server.directory / "server.log").open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "gunicorn", "-c", configuration],
            cwd=ROOT,
            env=server.environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait_until_it_answers(server, process)
    except BaseException:
        process.kill()
        raise
    return process


@contextmanager
def served(directory: Path, **environment: str) -> Iterator[Server]:
    """A running service on a database of its own, of the kind that the tests run on; both are gone afterwards."""
    kind = os.environ["DATABASE_URL"]
    with (
        scratch_database(kind, directory, template=migrated_database(kind)) as url,
        running(directory, url, is_migrated=True, **environment) as server,
    ):
        yield server


@contextmanager
def running(directory: Path, database_url: str, *, is_migrated: bool = False, **environment: str) -> Iterator[Server]:
    """Migrate `database_url` and serve it; `environment` adds to what the tests run under."""
    server = prepared(directory, database_url, is_migrated=is_migrated, **environment)
    process = started(server)
    try:
        yield server
    finally:
        process.terminate()
        process.wait(timeout=60)


def _wait_until_it_answers(server: Server, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, server.log()
        try:
            if requests.get(f"{server.address}/health", timeout=1).status_code == 200:
                return
        except (requests.ConnectionError, requests.Timeout):
            time.sleep(0.05)
    raise AssertionError(server.log())
