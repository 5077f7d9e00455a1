"""The complete service as in production, on one database: gunicorn, the dispatcher, a receiving endpoint."""

import json
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import requests

from faults.environment.records import Records
from faults.points import DIRECTORY_VARIABLE, Board
from tests.buckets import Bucket, ObjectStore
from tests.live.server import ROOT, Server, prepared, started
from tests.processes import children, descendants, soon
from tests.webhooks.receivers import Authority, Receiver

SQLITE, POSTGRESQL = "sqlite", "postgresql"
_TENANTS_AT_ONCE = 24
_MAKE_TENANTS = """
import json, uuid
from companies.models import Company
from companies.onboarding import onboard
from webhooks.subscriptions import register
for _ in range({number}):
    code = f"F{{uuid.uuid4().hex[:12].upper()}}"
    countries = ["CL", "PE", "AR"]
    company = Company(name=f"{{code}} SpA", client_code=code, tracking_prefix=code[:5], allowed_countries=countries)
    password = onboard(company)
    _subscription, secret = register(company, f"{url}/{{code}}")
    print(json.dumps([code, password, secret]))
"""


@dataclass(frozen=True, slots=True)
class Tenant:
    """A client company from its integrator's point of view."""

    code: str
    password: str
    secret: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.password}"}


class Service:
    """A service that may be killed, started again and armed; and the companies that use it.

    url: of a migrated database. past: another URL of it, to read it without the proxy that `url` leads through.
    environment: further variables of the service.
    """

    def __init__(
        self, directory: Path, url: str, authority: Authority, receiver: Receiver, past: str = "", **environment: str
    ) -> None:
        scratch = directory / "tmp"  # also has the parse slots: not shared with other services
        scratch.mkdir(parents=True, exist_ok=True)
        self.directory = directory
        self.board = Board(directory / "points")
        self.records = Records(past or url)
        self.receiver = receiver
        variables = {
            "WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8",
            "WEBHOOK_CA_BUNDLE": authority.bundle,
            "TMPDIR": str(scratch),
            DIRECTORY_VARIABLE: str(self.board.directory),
        }
        self.server: Server = prepared(directory, url, is_migrated=True, **variables | environment)
        self.address = self.server.address
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._tenants: deque[Tenant] = deque()

    @property
    def web(self) -> "subprocess.Popen[bytes]":
        """gunicorn's master."""
        return self._running["web"]

    @property
    def dispatcher(self) -> "subprocess.Popen[bytes]":
        return self._running["dispatcher"]

    def start(self, log: Path | None = None) -> None:
        """Start the web server; its log goes to `log`, else to server.log."""
        self._running["web"] = started(self.server, configuration="faults/armed.py", log=log)

    def dispatch(self) -> None:
        """Start the dispatcher."""
        self._running["dispatcher"] = self.command("dispatch_webhooks")

    def command(
        self, *arguments: str, prefix: Sequence[str] = (), log: str = "dispatcher.log"
    ) -> "subprocess.Popen[bytes]":
        """A manage.py command with fault points, in its own process; its output is appended to `log`."""
        with (self.directory / log).open("ab") as output:
            return subprocess.Popen(
                [*prefix, sys.executable, "-m", "faults.points", *arguments],
                cwd=ROOT, env=self.server.environment, stdout=output, stderr=subprocess.STDOUT,
            )  # fmt: skip

    def workers(self) -> list[int]:
        """gunicorn's workers, at least one."""
        return soon(lambda: children(self.web.pid), what="a worker")

    def is_up(self) -> bool:
        return self._is_running("web")

    def is_dispatching(self) -> bool:
        return self._is_running("dispatcher")

    def _is_running(self, name: str) -> bool:
        return name in self._running and self._running[name].poll() is None

    def answers(self) -> bool:
        """Whether /health does."""
        try:
            return requests.get(f"{self.address}/health", timeout=1).status_code == 200
        except requests.RequestException:
            return False

    def stop(self) -> None:
        """SIGTERM to the web server and to the dispatcher, and their end."""
        for process in self._running.values():
            process.terminate()  # nothing, where it has ended
        for process in self._running.values():
            process.wait(timeout=60)

    def kill(self) -> None:
        """SIGKILL every process of it, as when its machine is gone."""
        for process in self._running.values():
            for each in [process.pid, *descendants(process.pid)]:
                with suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)
            process.wait(timeout=60)

    def tenant(self) -> Tenant:
        """A new company, subscribed to the receiver. They are made many at once: a command takes seconds."""
        if not self._tenants:
            script = _MAKE_TENANTS.format(number=_TENANTS_AT_ONCE, url=self.receiver.url)
            made = self.server.manage("shell", "-v", "0", "-c", script)
            self._tenants.extend(Tenant(*json.loads(line)) for line in made.splitlines())
        return self._tenants.popleft()

    def stored_files(self) -> set[str]:
        """Names of the stored files, in the bucket or on disk with unfinished uploads."""
        if name := self.server.environment.get("S3_BUCKET"):
            return set(Bucket(ObjectStore(self.server.environment["S3_ENDPOINT_URL"]), name).names())
        media = Path(self.server.environment["MEDIA_ROOT"])
        return {str(path.relative_to(media)) for path in media.rglob("*") if path.is_file()}

    def orphans(self) -> set[str]:
        """Files without a row: allowed after a crash, for `sweep_files` to delete."""
        whole = {name for name in self.stored_files() if not Path(name).name.startswith(".")}
        return whole - self.records.stored_names()

    def sweep(self) -> None:
        """Delete the orphans, as an operator does."""
        self.server.manage("sweep_files", "--older-than-hours", "0")

    def logs(self) -> str:
        """The logs of all processes of the service."""
        return "".join(path.read_text("utf-8") for path in sorted(self.directory.glob("*.log")))


@contextmanager
def open_service(
    directory: Path, url: str, authority: Authority, receiver: Receiver, past: str = "", **environment: str
) -> Iterator[Service]:
    """A running service with its dispatcher; stopped afterwards."""
    service = Service(directory, url, authority, receiver, past, **environment)
    try:
        service.start()
        service.dispatch()
        yield service
    finally:
        service.stop()
