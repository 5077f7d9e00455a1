"""The same deliveries on Celery: Redis as the broker, a pool of threads, one task a delivery."""

from __future__ import annotations

import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from benchmarks.deliveries.webhook_bench import Bench, cpu_seconds, forget_deliveries, publish, wait_until
from benchmarks.deliveries.webhook_rate import Rate
from benchmarks.scale import SCALE
from tests.live.server import ROOT, free_port

if TYPE_CHECKING:
    from companies.models import Company

VARIABLE = "BENCH_BROKER_URL"
"""The environment variable with the URL of a Redis to use."""
THREADS = 50
FEW = SCALE.peer_deliveries
"""Enough to measure a rate by; it takes the peer as long as ours takes for ten times as many."""
PATIENCE_SECONDS = SCALE.patience_seconds


@contextmanager
def broker() -> Iterator[str]:
    """The URL of a Redis: the one that BENCH_BROKER_URL names, else one of our own, which is gone afterwards.

    Raises SystemExit with a sentence where there is none to be had.
    """
    if named := os.environ.get(VARIABLE):
        if not _answers(named):
            raise SystemExit(f"Nobody answers at {VARIABLE}: start that Redis, or leave the variable out.")
        yield named
        return
    program = shutil.which("redis-server")
    if not program:
        raise SystemExit(f"Needs the program redis-server (Debian: redis-server) for the peer, or {VARIABLE}.")
    url = f"redis://127.0.0.1:{free_port()}/0"
    options = ["--bind", "127.0.0.1", "--port", str(urlsplit(url).port), "--save", "", "--daemonize", "no"]
    with subprocess.Popen([program, *options], cwd="/", stdout=subprocess.DEVNULL) as process:
        try:
            wait_until(lambda: _answers(url), seconds=20)
            yield url
        finally:
            process.terminate()


def _answers(url: str) -> bool:
    """Whether anybody listens there."""
    place = urlsplit(url)
    with socket.socket() as probe:
        probe.settimeout(2)
        return probe.connect_ex((place.hostname or "127.0.0.1", place.port or 6379)) == 0


@contextmanager
def worker(bench: Bench) -> Iterator[int]:
    """The pid of a running worker, with a queue of its own that is gone afterwards."""
    os.environ["BENCH_QUEUE"] = f"prealerts-bench-{os.getpid()}"
    options = f"worker --pool threads --concurrency {THREADS} --loglevel WARNING --without-gossip --without-mingle"
    command = [sys.executable, "-m", "celery", "-A", "benchmarks.deliveries.celery_tasks", *options.split()]
    _app().control.purge()
    with subprocess.Popen(command, cwd=ROOT, env=os.environ, stdout=bench.log, stderr=bench.log) as process:
        try:
            yield process.pid
        finally:
            process.kill()
            process.wait(30)
            _app().control.purge()


def _app() -> Any:  # noqa: ANN401  # celery ships no types
    from benchmarks.deliveries.celery_tasks import app  # noqa: PLC0415  # sets up Django, and reads the broker's address

    return app


def enqueue(company: Company, count: int = 1) -> Sequence[str]:
    """Publish so many events and hand each delivery to Celery after the commit; their delivery ids."""
    from benchmarks.deliveries.celery_tasks import deliver  # noqa: PLC0415  # as above
    from webhooks.models import Delivery  # noqa: PLC0415  # as above

    publish(company, count)
    waiting = list(Delivery.objects.filter(company=company, state="pending").order_by("id"))
    for delivery in waiting:
        deliver.delay(delivery.pk)
    return [delivery.delivery_id for delivery in waiting]


def throughput(bench: Bench, endpoints: int) -> Rate:
    """While a backlog is worked off."""
    from django.db.models import Max, Min  # noqa: PLC0415  # as above

    from webhooks.models import Delivery  # noqa: PLC0415  # as above

    forget_deliveries()
    os.environ["BENCH_QUEUE"] = f"prealerts-bench-{os.getpid()}"
    with worker(bench) as pid:
        (warm,) = bench.subscribe(1, "now")
        (first,) = enqueue(warm)
        wait_until(lambda: first in bench.arrivals())
        before = cpu_seconds(pid)
        companies = bench.subscribe(endpoints, "now")
        for company in companies:
            enqueue(company, FEW // endpoints)
        wait_until(lambda: not Delivery.objects.exclude(state="delivered").exists())
        used = cpu_seconds(pid) - before
    took = Delivery.objects.filter(company__in=companies).aggregate(first=Min("attempted_at"), last=Max("finished_at"))
    return Rate(FEW / (took["last"] - took["first"]).total_seconds(), used * 1000 / FEW)


def idle_latency(bench: Bench, events: int) -> float:
    """The median from commit to arrival in seconds, on a system that does nothing else."""
    forget_deliveries()
    (company,) = bench.subscribe(1, "now")
    found = []
    with worker(bench):
        (first,) = enqueue(company)
        wait_until(lambda: first in bench.arrivals())
        for _event in range(events):
            wait_until(lambda: not _waiting(company))
            committed = time.monotonic()
            (key,) = enqueue(company)
            wait_until(lambda key=key: key in bench.arrivals())  # type: ignore[misc]  # bound, not closed over
            found.append(bench.arrivals()[key] - committed)
    return statistics.median(found)


def beside_hanging(bench: Bench, hanging: int, waiting_each: int, events: int) -> float:
    """Which share of a healthy endpoint's events arrives within `PATIENCE_SECONDS` beside those that hang."""
    forget_deliveries()
    (healthy,) = bench.subscribe(1, "now")
    with worker(bench):
        (first,) = enqueue(healthy)
        wait_until(lambda: first in bench.arrivals())
        for company in bench.subscribe(hanging, "hang"):
            enqueue(company, waiting_each)
        keys = set(enqueue(healthy, events))
        time.sleep(PATIENCE_SECONDS)
        return len(keys & bench.arrivals().keys()) / events


def _waiting(company: Company) -> bool:
    from webhooks.models import Delivery  # noqa: PLC0415  # as above

    return Delivery.objects.filter(company=company, state="pending").exists()
