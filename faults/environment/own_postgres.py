"""A separate PostgreSQL to be stopped, killed, frozen and run out of disk; no other is touched."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg

from faults.environment.processes import descendants, soon
from faults.environment.tools import path_of
from tests.live.server import free_port

_USER = "postgres"


def binaries() -> Path | None:
    """Where initdb and pg_ctl lie, the newest version's; None where PostgreSQL is not installed."""
    found = path_of("initdb")
    return found.parent if found else None


class OwnPostgres:
    """One cluster in one directory on one port of 127.0.0.1."""

    def __init__(
        self,
        data: Path,
        write_ahead_log: Path | None = None,
        *,
        copy_of: "OwnPostgres | None" = None,
        is_standby: bool = False,
    ) -> None:
        """Make the cluster: an empty one, or a copy of a running one, which it then follows if `is_standby`."""
        self.data = data
        self.port = free_port()
        self._log = data.parent / f"{data.name}.log"
        if copy_of:
            following = ["-R"] if is_standby else []
            self._run("pg_basebackup", "-d", copy_of.url(), "-D", str(data), "-c", "fast", "-X", "stream", *following)
            return
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

    def has(self, name: str) -> bool:
        """Whether there is a database of this name."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            return bool(connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone())

    def start(self) -> None:
        output = f"-p {self.port} -k {self.data.parent} -c listen_addresses=127.0.0.1 -c max_connections=100"
        self._run("pg_ctl", "start", "-w", "-t", "60", "-D", str(self.data), "-l", str(self._log), "-o", output)

    def stop(self, mode: str = "fast") -> None:
        """mode: "fast" ends sessions, "immediate" is a crash."""
        self._run("pg_ctl", "stop", "-w", "-m", mode, "-D", str(self.data))

    def restart(self, mode: str = "fast") -> None:
        self.stop(mode)
        self.start()

    def kill(self) -> None:
        """SIGKILL every process of it."""
        postmaster = self._postmaster()
        for process in [postmaster, *descendants(postmaster)]:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        (self.data / "postmaster.pid").unlink()  # nothing runs that would

    def promote(self) -> None:
        """Make a standby the primary; returns once it accepts writes."""
        self._run("pg_ctl", "promote", "-w", "-t", "60", "-D", str(self.data))

    def wait_for_its_standby(self) -> None:
        """From now on a commit is acknowledged once the standby has it too."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            connection.execute("SELECT pg_reload_conf()")
            following = "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'sync'"
            soon(lambda: connection.execute(following).fetchall(), 60, "a synchronous standby")

    def is_running(self) -> bool:
        return (self.data / "postmaster.pid").exists()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop every process (SIGSTOP): connections stay open without answers."""
        postmaster = self._postmaster()
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

    def _postmaster(self) -> int:
        return int((self.data / "postmaster.pid").read_text(encoding="ascii").split()[0])

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
def cluster(origin: OwnPostgres | None = None) -> Iterator[OwnPostgres]:
    """A running cluster in a temporary directory, empty or a copy; both are removed afterwards."""
    with scratch_for_postgres() as directory:
        server = OwnPostgres(directory / "data", copy_of=origin)
        server.start()
        try:
            yield server
        finally:
            if server.is_running():
                server.stop("immediate")


@dataclass(frozen=True)
class Pair:
    """A primary, and a standby that has each commit before the client hears of it."""

    primary: OwnPostgres
    standby: OwnPostgres

    def url(self, name: str = "postgres") -> str:
        """The URL that names both, for a service."""
        hosts = f"127.0.0.1:{self.primary.port},127.0.0.1:{self.standby.port}"
        return f"postgres://{_USER}@{hosts}/{name}?target_session_attrs=read-write"


@contextmanager
def pair(origin: OwnPostgres) -> Iterator[Pair]:
    """Two running clusters with the databases of `origin`, in a temporary directory; all are removed afterwards."""
    with cluster(origin) as primary:
        standby = OwnPostgres(primary.data.with_name("standby"), copy_of=primary, is_standby=True)
        standby.start()
        try:
            primary.wait_for_its_standby()
            yield Pair(primary, standby)
        finally:
            standby.stop("immediate")


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
