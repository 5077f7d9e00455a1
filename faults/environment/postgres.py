"""A separate PostgreSQL, and PgBouncer before it, to be stopped, killed and frozen; no other is touched."""

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

from faults.environment.tools import needed
from tests.live.server import ROOT, free_port
from tests.processes import descendants, soon

_USER = "postgres"
_SERVER_USER = _USER if os.geteuid() == 0 else None
"""Who runs PostgreSQL and PgBouncer, which refuse to run as root."""
_PGBOUNCER = ROOT / "docker" / "pgbouncer" / "pgbouncer.ini"


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
        self._run("initdb", "-D", str(data), "-U", _USER, "-A", "trust", "-E", "UTF8", "--locale", "C.UTF-8", *beside)

    def url(self, name: str = "postgres") -> str:
        """The URL of the database `name`."""
        return f"postgres://{_USER}@127.0.0.1:{self.port}/{name}"

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

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop every process (SIGSTOP): connections stay open without answers."""
        os.kill(self._postmaster(), signal.SIGSTOP)  # it starts no more of them
        processes = [*descendants(self._postmaster()), self._postmaster()]
        try:
            for process in processes:
                os.kill(process, signal.SIGSTOP)
            yield
        finally:
            for process in processes:
                os.kill(process, signal.SIGCONT)

    def _postmaster(self) -> int:
        return int((self.data / "postmaster.pid").read_text(encoding="ascii").split()[0])

    def _run(self, name: str, *arguments: str) -> None:
        # The server started by pg_ctl inherits its descriptors: a pipe would never be closed.
        with tempfile.TemporaryFile() as output:
            finished = subprocess.run(
                [needed(name), *arguments],
                user=_SERVER_USER, cwd="/", stdout=output, stderr=output, timeout=120, check=False,
            )  # fmt: skip
            output.seek(0)
            assert finished.returncode == 0, (name, output.read().decode(errors="replace"))


@contextmanager
def cluster(origin: OwnPostgres | None = None) -> Iterator[OwnPostgres]:
    """A running cluster in a temporary directory, empty or a copy; both are removed afterwards."""
    with scratch_for_postgres() as directory:
        server = OwnPostgres(directory / "data", copy_of=origin)
        server.start()
        try:
            yield server
        finally:
            if (server.data / "postmaster.pid").exists():
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


class PgBouncer:
    """One process with the configuration of docker/pgbouncer, on `port` of 127.0.0.1."""

    def __init__(self, server: OwnPostgres, directory: Path) -> None:
        self.port = free_port()
        self._server = server
        self._file = directory / "pgbouncer.ini"
        self._configure(server)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it listens."""
        command = [needed("pgbouncer"), "-q", str(self._file)]
        self._process = subprocess.Popen(command, user=_SERVER_USER, cwd="/", stderr=subprocess.DEVNULL)
        soon(self._answers, 30, "PgBouncer")

    def lead_to(self, server: OwnPostgres) -> None:
        """Lead to another server from now on: the file is changed and read again (SIGHUP)."""
        self._configure(server)
        assert self._process
        self._process.send_signal(signal.SIGHUP)

    def kill(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait(timeout=20)

    def url(self, past: str) -> str:
        """The URL that leads through it to the database at `past`."""
        return past.replace(f":{self._server.port}/", f":{self.port}/")

    def _configure(self, server: OwnPostgres) -> None:
        """Write the very file, but for what belongs to a container: addresses and users."""
        text = _PGBOUNCER.read_text(encoding="utf-8")
        anything = f"* = host=127.0.0.1 port={server.port} user={_USER}"
        changes = {
            "prealerts = host=postgres port=5432 dbname=prealerts": anything,
            "listen_addr = *": "listen_addr = 127.0.0.1",
            "listen_port = 6432": f"listen_port = {self.port}",
            "auth_type = scram-sha-256": "auth_type = any",
            "auth_file = /run/secrets/pgbouncer_users": "",
        }
        for old, new in changes.items():
            assert old in text, old
            text = text.replace(old, new)
        self._file.write_text(text, encoding="utf-8")

    def _answers(self) -> bool:
        try:
            with psycopg.connect(self.url(self._server.url())):
                return True
        except psycopg.OperationalError:
            return False


@contextmanager
def pooling(server: OwnPostgres) -> Iterator[PgBouncer]:
    """A running PgBouncer before `server`; it ends with the `with`."""
    with scratch_for_postgres() as directory:
        bouncer = PgBouncer(server, directory)
        bouncer.start()
        try:
            yield bouncer
        finally:
            bouncer.kill()
