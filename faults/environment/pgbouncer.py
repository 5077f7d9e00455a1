"""PgBouncer in transaction mode before a cluster."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from faults.environment.own_postgres import OwnPostgres, scratch_for_postgres
from faults.environment.processes import soon
from faults.environment.tools import needed
from tests.live.server import ROOT, free_port

_CONFIGURATION = ROOT / "docker" / "pgbouncer" / "pgbouncer.ini"


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
        user = "postgres" if os.geteuid() == 0 else None  # it refuses to run as root
        command = [str(needed("pgbouncer")), "-q", str(self._file)]
        self._process = subprocess.Popen(command, user=user, cwd="/", stderr=subprocess.DEVNULL)
        soon(self._answers, 30, "PgBouncer")

    def lead_to(self, server: OwnPostgres) -> None:
        """Lead to another server from now on: the file is changed and read again (SIGHUP)."""
        self._configure(server)
        assert self._process
        self._process.send_signal(signal.SIGHUP)

    def _configure(self, server: OwnPostgres) -> None:
        """Write the very file, but for what belongs to a container: addresses and users."""
        text = _CONFIGURATION.read_text(encoding="utf-8")
        all_databases = f"* = host=127.0.0.1 port={server.port} user=postgres"
        changes = {
            "prealerts = host=postgres port=5432 dbname=prealerts": all_databases,
            "listen_addr = *": "listen_addr = 127.0.0.1",
            "listen_port = 6432": f"listen_port = {self.port}",
            "auth_type = scram-sha-256": "auth_type = any",
            "auth_file = /run/secrets/pgbouncer_users": "",
        }
        for old, new in changes.items():
            assert old in text, old
            text = text.replace(old, new)
        self._file.write_text(text, encoding="utf-8")

    def kill(self) -> None:
        """SIGKILL."""
        if self._process:
            self._process.kill()
            self._process.wait(timeout=20)

    def url(self, past: str) -> str:
        """The URL that leads through it to the database at `past`."""
        return past.replace(f":{self._server.port}/", f":{self.port}/")

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
