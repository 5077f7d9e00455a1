"""What is measured: the service on a database of its own, and what its answers cost."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import requests

import tests.environment  # noqa: F401  # invented secrets; imported first, because it writes the environment
from tests.live.databases import migrated_database, scratch_database
from tests.live.newcomers import newcomers
from tests.live.server import BASE, ROOT, Server, prepared, started

RIVAL_SETTINGS = "benchmarks.rivals.rival_settings"  # the product's, with the rival's views beside the real ones
UPLOAD, JSON = f"{BASE}/upload", f"{BASE}/process-pre-alert-json"
CONNECTIONS = 16  # of wrk
PASSWORD = "only-for-the-benchmark"  # noqa: S105  # of a database that is gone a minute later

Headers = Mapping[str, str]


class Service(NamedTuple):
    """A running server. master: the process id of its gunicorn."""

    server: Server
    master: int

    @property
    def database_url(self) -> str:
        return self.server.environment["DATABASE_URL"]

    @property
    def workers(self) -> list[int]:
        """The process ids of its workers at this moment."""
        children = Path(f"/proc/{self.master}/task/{self.master}/children")
        return [int(each) for each in children.read_text("ascii").split()]

    def clients(self, count: int) -> list[Headers]:
        """The headers of so many new companies."""
        return list(islice(newcomers(self.server), count))

    def processor_seconds(self) -> float:
        """Of the workers."""
        time.sleep(0.02)  # what a worker does after its answer is part of it
        return sum(map(processor_seconds, self.workers))

    def memory_mib(self, field: str = "VmHWM") -> float:
        """The resident memory of the largest worker: the highest it ever was, or with `VmRSS` that of now."""
        return max(memory_mib(worker, field) for worker in self.workers)


def memory_mib(pid: int, field: str = "VmHWM") -> float:
    """Resident memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    return int(status.partition(f"{field}:")[2].split()[0]) / 1024


def processor_seconds(pid: int) -> float:
    """Of a process, to the nanosecond: the ticks of /proc/PID/stat are as long as several requests."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(each.read_text("ascii").split()[0]) for each in threads) / 1e9


@contextmanager
def database(url: str) -> Iterator[tuple[Path, str]]:
    """A scratch directory, and the URL of a database beside `url` with all its tables; both gone afterwards."""
    with (
        tempfile.TemporaryDirectory(prefix="bench_") as name,
        scratch_database(url, Path(name), template=migrated_database(url)) as made,
    ):
        yield Path(name), made


@contextmanager
def service(url: str, **environment: str) -> Iterator[Service]:
    """The product as it is served, on a database of its own beside `url`."""
    with database(url) as (directory, database_url):
        # A worker that is replaced would take its processor time with it.
        defaults = {"GUNICORN_CMD_ARGS": "--max-requests=0", "LOG_LEVEL": "WARNING"}
        server = prepared(directory, database_url, is_migrated=True, **{**defaults, **environment})
        with _running(server, "gunicorn.conf.py") as running:
            yield running


@contextmanager
def floor(service: Service) -> Iterator[Service]:
    """`benchmarks.floors.bare` on the service's database: no middleware, no access line, none of our configuration."""
    directory = service.server.directory / "floor"
    directory.mkdir()
    settings = "benchmarks.floors.bare_settings"
    server = prepared(directory, service.database_url, is_migrated=True, DJANGO_SETTINGS_MODULE=settings)
    with _running(server, "benchmarks/floors/bare_gunicorn.py") as running:
        yield running


@contextmanager
def _running(server: Server, configuration: str) -> Iterator[Service]:
    process = started(server, configuration=configuration)
    try:
        yield Service(server, process.pid)
    finally:
        process.terminate()
        process.wait(60)


class Request(NamedTuple):
    """A GET request. path: below the server's address."""

    service: Service
    path: str
    headers: Headers

    @property
    def url(self) -> str:
        return self.service.server.address + self.path

    def once(self) -> requests.Response:
        return requests.get(self.url, headers=self.headers, timeout=30)

    def cost(self, seconds: int) -> float:
        """The workers' processor time of a request, when asked as often as `CONNECTIONS` can."""
        used = self.service.processor_seconds()
        answered = self.asked_for(seconds)
        return (self.service.processor_seconds() - used) / answered

    def asked_for(self, seconds: int) -> int:
        """Ask with wrk; the number of requests."""
        options = [f"-H{name}: {value}" for name, value in self.headers.items()]
        command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", *options, self.url]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        assert "Non-2xx" not in output, output
        found = re.search(r"(\d+) requests in", output)
        assert found, output
        return int(found[1])


def use(database_url: str) -> None:
    """Have this process and those that it starts set Django up for a database."""
    os.environ |= {
        "DATABASE_URL": database_url, "TEST_DATABASE_URL": database_url, "LOG_LEVEL": "WARNING",
        "DJANGO_SETTINGS_MODULE": "prealerts.settings",
    }  # fmt: skip


def post(service: Service, client: Headers, body: bytes, path: str = UPLOAD, status: int = 201) -> bytes:
    """Send a workbook, or JSON where `client` has its content type; the answer."""
    address = service.server.address + path
    form = {"data": body} if "Content-Type" in client else {"files": {"manifest_file": body}}
    while True:
        answer = requests.post(address, headers=client, timeout=600, **form)
        if answer.status_code != 503:  # all parse slots were taken for as long as an upload waits
            break
        time.sleep(float(answer.headers["Retry-After"]))
    assert answer.status_code == status, answer.text[:500]
    return answer.content


def answer_seconds(
    session: requests.Session,
    method: str,
    address: str,
    **content: Any,  # noqa: ANN401  # what requests takes
) -> float:
    """From the request to the whole answer, which must be a 200 and no redirect."""
    started = time.perf_counter()
    answer = session.request(method, address, timeout=99, **content)
    taken = time.perf_counter() - started
    assert (answer.status_code, answer.history) == (200, []), address
    return taken


def operator(service: Service, username: str) -> requests.Session:
    """A session of the admin, logged in; the operator has `PASSWORD`."""
    session = requests.Session()
    address = f"{service.server.address}/admin/login/"
    found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', session.get(address, timeout=60).text)
    assert found
    form = {"csrfmiddlewaretoken": found[1], "username": username, "password": PASSWORD, "next": "/admin/"}
    answer = session.post(address, form, headers={"Referer": address}, timeout=60, allow_redirects=False)
    assert answer.status_code == 302, answer.status_code
    session.headers.update({"X-CSRFToken": session.cookies["csrftoken"], "Referer": address})
    return session


def token(service: Service, username: str) -> Headers:
    """The headers of a program that speaks for an operator, who has `PASSWORD`."""
    asked = {"grant_type": "password", "username": username, "password": PASSWORD}
    answer = requests.post(f"{service.server.address}/api/operators/v1/tokens", json=asked, timeout=60)
    return {"Authorization": f"Bearer {answer.json()['access_token']}"}


_COMMANDS = """
import json, sys, time
import django
django.setup()
from django.core.management import call_command
for line in sys.stdin:
    started = time.perf_counter()
    call_command(*json.loads(line), stdout=sys.stderr)
    print(time.perf_counter() - started, flush=True)
"""


@contextmanager
def commands(service: Service) -> Iterator[Callable[..., float]]:
    """Run commands of manage.py in a process that has started already: call it with the words, get the seconds."""
    environment = {**service.server.environment, "DJANGO_SETTINGS_MODULE": "prealerts.settings"}
    log = service.server.directory / "commands.log"
    with log.open("w") as said:
        process = subprocess.Popen(
            [sys.executable, "-c", _COMMANDS], cwd=ROOT, env=environment, text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=said,
        )  # fmt: skip

    def timed(*words: str) -> float:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(words) + "\n")
        process.stdin.flush()
        taken = process.stdout.readline()
        assert taken, log.read_text(encoding="utf-8")[-500:]
        return float(taken)

    try:
        yield timed
    finally:
        process.kill()
        process.wait(30)
