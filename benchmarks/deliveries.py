"""Deliveries: how many a second, how soon, how fair beside endpoints that hang; by hand, and by Celery.

TEST_POSTGRES_URL=postgres://user@host:5432/name python -m benchmarks.deliveries; needs the program redis-server, or a
Redis that BENCH_BROKER_URL names. Dispatcher, database, endpoint and Celery share the machine: trust the ratios.
"""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import django

from benchmarks.harness import Figure, run
from benchmarks.serving import database, require_program
from tests.live.server import free_port

BROKER = "BENCH_BROKER_URL"
"""The environment variable with the URL of a Redis to use."""


def measure(url: str) -> Iterator[Figure]:
    """The figures of deliveries, on a scratch database."""
    with database(url) as (directory, database_url), broker() as broker_url:
        os.environ |= {
            "DATABASE_URL": database_url, "TEST_DATABASE_URL": database_url, "LOG_LEVEL": "WARNING",
            "DJANGO_SETTINGS_MODULE": "prealerts.settings", BROKER: broker_url, "BENCH_QUEUE": str(os.getpid()),
        }  # fmt: skip
        django.setup()
        from benchmarks import sending  # noqa: PLC0415  # Django must be set up

        with sending.endpoint(directory) as endpoint:
            yield from sending.figures(endpoint)


@contextmanager
def broker() -> Iterator[str]:
    """The URL of a Redis: the one that BENCH_BROKER_URL names, else one of our own, which is gone afterwards."""
    if named := os.environ.get(BROKER):
        yield named
        return
    require_program("redis-server")
    port = free_port()
    command = ["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--daemonize", "no"]
    with subprocess.Popen(command, cwd="/", stdout=subprocess.DEVNULL) as process:
        try:
            _wait_for(port)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            process.terminate()


def _wait_for(port: int) -> None:
    """Until somebody listens there."""
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit("redis-server does not answer.")


if __name__ == "__main__":
    run("deliveries", measure)
