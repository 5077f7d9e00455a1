"""A separate PostgreSQL to be stopped, killed, frozen and run out of disk; no other is touched."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from faults.processes import descendants
from faults.tools import path_of
from tests.live.server import free_port

_USER = "postgres"


def binaries() -> Path | None:
    """Where initdb and pg_ctl lie, the newest version's; None where PostgreSQL is not installed."""
    found = path_of("initdb")
    return found.parent if found else None


class OwnPostgres:
    """One cluster in one directory on one port of 127.0.0.1."""

    def __init__(self, data: Path, write_ahead_log: Path | None = None) -> None:
        self.data = data
        self.port = free_port()
        self._log = data.parent / "postgresql.log"
        beside = ["-X", str(write_ahead_log)] if write_ahead_log else []
        self._run(
            "initdb", "-D", str(data), "-U", _USER, "--auth", "trust", "-E", "UTF8", "--locale", "C.UTF-8", *beside
        )

    def url(self, name: str = "postgres", *, port: int | None = None, options: str = "") -> str:
        """The URL of the database `name`; `port`: of a proxy in between."""
        query = f"?options={options}" if options else ""
        return f"postgres://{_USER}@127.0.0.1:{port or self.port}/{name}{query}"

    def create(self, name: str, template: str = "") -> str:
        """An empty database, or a copy of the one at the URL `template`; its URL."""
        original = template.rpartition("/")[2] or "template1"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{original}"')
        return self.url(name)

    def start(self) -> None:
        output = f"-p {self.port} -k {self.data.parent} -c listen_addresses=127.0.0.1 -c max_connections=100"
        self._run("pg_ctl", "start", "-w", "-t", "60", "-D", str(self.data), "-l", str(self._log), "-o", output)

    def stop(self, mode: str = "fast") -> None:
        """mode: "fast" ends sessions, "immediate" is a crash."""
        self._run("pg_ctl", "stop", "-w", "-m", mode, "-D", str(self.data))

    def restart(self, mode: str = "fast") -> None:
        self.stop(mode)
        self.start()

    def is_running(self) -> bool:
        return (self.data / "postmaster.pid").exists()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop every process (SIGSTOP): connections stay open without answers."""
        postmaster = int((self.data / "postmaster.pid").read_text(encoding="ascii").split()[0])
        stopped = [postmaster]
        os.kill(postmaster, signal.SIGSTOP)
        try:
            for child in descendants(postmaster):
                os.kill(child, signal.SIGSTOP)
                stopped.append(child)
            yield
        finally:
            for process in reversed(stopped):
                os.kill(process, signal.SIGCONT)

    def _run(self, program: str, *arguments: str) -> None:
        folder = binaries()
        assert folder is not None
        user = _USER if os.geteuid() == 0 else None  # PostgreSQL refuses to run as root
        # The server started by pg_ctl inherits its descriptors: a pipe would never be closed.
        with tempfile.TemporaryFile() as output:
            finished = subprocess.run(
                [str(folder / program), *arguments],
                user=user,
                cwd="/",
                stdout=output,
                stderr=output,
                timeout=120,
                check=False,
            )
            output.seek(0)
            assert finished.returncode == 0, (program, output.read().decode(errors="replace"))


@contextmanager
def cluster() -> Iterator[OwnPostgres]:
    """A running cluster in a temporary directory; both are removed afterwards."""
    with scratch_for_postgres() as directory:
        server = OwnPostgres(directory / "data")
        server.start()
        try:
            yield server
        finally:
            if server.is_running():
                server.stop("immediate")


@contextmanager
def scratch_for_postgres() -> Iterator[Path]:
    """A directory that PostgreSQL's user may write to; pytest's own are not accessible to it."""
    directory = Path(tempfile.mkdtemp(prefix="prealerts-faults-"))
    if os.geteuid() == 0:
        shutil.chown(directory, _USER, _USER)
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)
