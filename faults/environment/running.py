"""The complete service as in production, on one database: gunicorn, the dispatcher, a receiving endpoint."""

import json
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import requests

from companies.countries import SERVED
from faults.environment.processes import children, descendants, soon
from faults.fault_points.points import DIRECTORY_VARIABLE, Board
from faults.observation.records import Records
from faults.observation.tenants import Tenant
from tests.buckets import Bucket, ObjectStore
from tests.live.server import ROOT, Server, prepared, started
from tests.webhooks.receivers import Authority, Receiver

ARMED = "faults/fault_points/armed.py"
TENANTS_AT_ONCE = 24


class Service:
    """A service that may be killed, started again and armed; and the companies that use it.

    url: of a database, without tables or with all of them (`is_migrated`). past: another URL of it, for reading what
    is there past a proxy that `url` leads through. root: where its code lies, this suite beside it. environment:
    further variables of the service.
    """

    def __init__(
        self,
        directory: Path,
        url: str,
        authority: Authority,
        receiver: Receiver,
        *,
        past: str = "",
        root: Path = ROOT,
        is_migrated: bool = False,
        **environment: str,
    ) -> None:
        directory.mkdir(exist_ok=True)
        scratch = directory / "tmp"  # also has the parse slots: not shared with other services
        scratch.mkdir(exist_ok=True)
        self.board = Board(directory / "points")
        self.records = Records(past or url)
        self.receiver = receiver
        variables = {
            "WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8",
            "WEBHOOK_CA_BUNDLE": authority.bundle,
            "TMPDIR": str(scratch),
            DIRECTORY_VARIABLE: str(self.board.directory),
        }
        self.server: Server = prepared(directory, url, root=root, is_migrated=is_migrated, **variables | environment)
        self._web: subprocess.Popen[bytes] | None = None
        self._dispatcher: subprocess.Popen[bytes] | None = None
        self._tenants: deque[Tenant] = deque()

    @property
    def directory(self) -> Path:
        return self.server.directory

    @property
    def address(self) -> str:
        return self.server.address

    # --- the web server ------------------------------------------------------------------------------------------

    @property
    def web(self) -> "subprocess.Popen[bytes]":
        """gunicorn's master."""
        assert self._web is not None
        return self._web

    def start(self, log: Path | None = None) -> None:
        """Start the web server; its log goes to `log`, else to server.log."""
        self._web = started(self.server, configuration=ARMED, log=log)

    def workers(self) -> list[int]:
        """gunicorn's workers, at least one."""
        return soon(lambda: children(self.web.pid), what="a worker")

    def is_up(self) -> bool:
        return self._web is not None and self._web.poll() is None

    def stop(self) -> None:
        """SIGTERM to the web server and to the dispatcher, and their end."""
        for process in (self._web, self._dispatcher):
            if process is not None and process.poll() is None:
                process.terminate()
        for process in (self._web, self._dispatcher):
            if process is not None:
                process.wait(timeout=60)

    def kill(self) -> None:
        """SIGKILL every process of it, as when its machine is gone."""
        for process in (self._web, self._dispatcher):
            if process is not None:
                for each in [process.pid, *descendants(process.pid)]:
                    with suppress(ProcessLookupError):
                        os.kill(each, signal.SIGKILL)
                process.wait(timeout=60)

    def answers(self) -> bool:
        """Whether /health does."""
        try:
            return requests.get(f"{self.address}/health", timeout=1).status_code == 200
        except requests.RequestException:
            return False

    # --- the dispatcher ------------------------------------------------------------------------------------------

    def dispatch(self) -> None:
        """Start the dispatcher, its fault points in it."""
        self._dispatcher = self.command("dispatch_webhooks")

    @property
    def dispatcher(self) -> "subprocess.Popen[bytes]":
        assert self._dispatcher is not None
        return self._dispatcher

    def is_dispatching(self) -> bool:
        return self._dispatcher is not None and self._dispatcher.poll() is None

    def command(
        self, *arguments: str, prefix: Sequence[str] = (), log: str = "dispatcher.log"
    ) -> "subprocess.Popen[bytes]":
        """A manage.py command with fault points, in its own process; its output is appended to `log`."""
        with (self.directory / log).open("ab") as output:
            return subprocess.Popen(
                [*prefix, sys.executable, "-m", "faults.fault_points.armed_manage", *arguments],
                cwd=self.server.root, env=self.server.environment, stdout=output, stderr=subprocess.STDOUT,
            )  # fmt: skip

    # --- who uses it ---------------------------------------------------------------------------------------------

    def tenant(self) -> Tenant:
        """A new company, subscribed to the receiver."""
        if not self._tenants:
            arguments = ["-m", "faults.observation.tenants", str(TENANTS_AT_ONCE), self.receiver.url, ",".join(SERVED)]
            made = subprocess.run(
                [sys.executable, *arguments],
                cwd=self.server.root, env=self.server.environment, capture_output=True, check=True, timeout=120,
            )  # fmt: skip
            self._tenants.extend(Tenant(**each) for each in json.loads(made.stdout))
        return self._tenants.popleft()

    def stored_files(self) -> set[str]:
        """Names of the stored files, in the bucket or on disk with unfinished uploads."""
        if name := self.server.environment.get("S3_BUCKET"):
            return set(Bucket(ObjectStore(self.server.environment["S3_ENDPOINT_URL"]), name).names())
        media = Path(self.server.environment["MEDIA_ROOT"])
        return {str(path.relative_to(media)) for path in media.rglob("*") if path.is_file()}

    def logs(self) -> str:
        """The logs of all processes of the service."""
        return "".join(path.read_text("utf-8") for path in sorted(self.directory.glob("*.log")))


@contextmanager
def open_service(
    directory: Path,
    url: str,
    authority: Authority,
    receiver: Receiver,
    *,
    past: str = "",
    root: Path = ROOT,
    is_migrated: bool = False,
    **environment: str,
) -> Iterator[Service]:
    """A running service with its dispatcher; stopped afterwards."""
    service = Service(directory, url, authority, receiver, past=past, root=root, is_migrated=is_migrated, **environment)
    try:
        service.start()
        service.dispatch()
        yield service
    finally:
        service.stop()


def environment_without_proxies() -> None:
    """requests would send even 127.0.0.1 through a proxy that the environment names."""
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        os.environ.pop(name, None)
