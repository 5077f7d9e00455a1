"""Deliveries: how many a second, how soon, how fair beside endpoints that hang, in how much memory, beside a peer.

python -m benchmarks.deliveries.webhooks: needs TEST_POSTGRES_URL, and for the peer the program redis-server, or a Redis
that BENCH_BROKER_URL names. Dispatcher, database, endpoint and peer share the machine: trust the ratios.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import django

import tests.environment  # noqa: F401  # invented secrets; imported first, because it writes the environment
from benchmarks import part
from benchmarks.deliveries import webhook_peer
from benchmarks.deliveries.comparisons import ENDPOINTS, HANGING, WAITING_EACH, beside_the_hand, beside_the_peer
from benchmarks.deliveries.webhook_bench import Bench, forget_deliveries, publish, wait_until
from benchmarks.deliveries.webhook_rate import Rate, by_in_flight, throughput
from benchmarks.figures import Figure, Measured
from benchmarks.scale import SCALE

if TYPE_CHECKING:
    from companies.models import Company

HEALTHY_EVENTS = SCALE.healthy_events
LATENCY_EVENTS = SCALE.latency_events
IN_FLIGHT = 500
LOGGED = SCALE.logged_deliveries
"""Finished rows in the log when growth is measured."""
ONE = "--one-database"
"""The argument of the process for one of the two databases."""


def fill_log(bench: Bench) -> None:
    """Half a million deliveries of a month, done with."""
    from django.db import connection  # noqa: PLC0415  # as above

    from webhooks.models import Subscription  # noqa: PLC0415  # as above

    (company,) = bench.subscribe(1, "now")
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO webhooks_delivery (uuid, company_id, subscription_id, subject, event_type, body, state,"
            " created_at, attempted_at, finished_at, duration_ms, http_status, error, reason, remote_address, excerpt)"
            " SELECT gen_random_uuid(), %s, %s, 'BEN' || n, 'guide.delivered', convert_to(repeat('x', 420), 'UTF8'),"
            " 'delivered', now() - n * interval '5 s', now() - n * interval '5 s', now() - n * interval '5 s', 20, 200,"
            " '', '', '203.0.113.7', 'ok' FROM generate_series(1, %s) n",
            [company.pk, Subscription.objects.get(company=company).pk, LOGGED],
        )
        cursor.execute("ANALYZE webhooks_delivery")


def latencies(bench: Bench, count: int, pauses: Sequence[float], company: Company) -> list[float]:
    """Seconds from commit to the endpoint's first sight of each delivery."""
    committed = {}
    for number in range(count):
        committed[publish(company)] = time.monotonic()
        time.sleep(pauses[number % len(pauses)])
    wait_until(lambda: committed.keys() <= bench.arrivals().keys())
    arrivals = bench.arrivals()
    return sorted(arrivals[key] - at for key, at in committed.items())


def idle_latency(bench: Bench) -> float:
    """The median, on a system that does nothing else."""
    forget_deliveries()
    (company,) = bench.subscribe(1, "now")
    pauses = [random.uniform(0.1, 0.5) for _ in range(LATENCY_EVENTS)]  # noqa: S311  # no secret
    with bench.dispatcher():
        first = publish(company)
        wait_until(lambda: first in bench.arrivals())
        return statistics.median(latencies(bench, LATENCY_EVENTS, pauses, company))


def beside_hanging(bench: Bench) -> float:
    """The 99th percentile of a healthy endpoint's latency beside 400 that hang."""
    forget_deliveries()
    for company in bench.subscribe(HANGING, "hang"):
        publish(company, WAITING_EACH)
    (healthy,) = bench.subscribe(1, "now")
    with bench.dispatcher():
        seen = len(bench.arrivals())
        wait_until(lambda: len(bench.arrivals()) > seen)
        found = latencies(bench, HEALTHY_EVENTS, [0.05], healthy)
    return found[int(len(found) * 0.99) - 1]


def beside_failing(bench: Bench, version: int) -> float:
    """The 99th percentile of a healthy endpoint's latency beside 400 of version 2 that refuse, all their retries due.

    version: the healthy endpoint's.
    """
    from django.db.models.functions import Now  # noqa: PLC0415  # not before Django is set up

    from webhooks.models import Delivery, Subscription  # noqa: PLC0415  # as above

    forget_deliveries()
    for company in bench.subscribe(HANGING, "refuse", version=2):
        publish(company, WAITING_EACH)
    Delivery.objects.update(state="waiting", attempts=1, due_at=Now())
    Subscription.objects.filter(is_active=True).update(failing_since=Now(), failures=1)
    (healthy,) = bench.subscribe(1, "now", version=version)
    with bench.dispatcher():
        seen = len(bench.arrivals())
        wait_until(lambda: len(bench.arrivals()) > seen)
        found = latencies(bench, HEALTHY_EVENTS, [0.05], healthy)
    return found[int(len(found) * 0.99) - 1]


def signed(bench: Bench, bearer: Rate) -> list[Figure]:
    """Version 2: how many a second with signatures, beside version 1; how fair, beside endpoints that fail."""
    forget_deliveries()
    rate = throughput(bench, ENDPOINTS, version=2)
    share = rate.per_second / bearer.per_second
    beside = {version: beside_failing(bench, version) for version in (1, 2)}
    return [
        Figure(
            f"deliveries/s, version 2, {ENDPOINTS} endpoints",
            f"{rate.per_second:.0f}",
            "at least 1500",
            rate.per_second >= 1500,
        ),
        Figure("deliveries/s, version 2, of version 1's", f"{share:.2f}", "at least 0.75", share >= 0.75),
        *(
            Figure(
                f"commit to POST, 99 %, version {version}, beside {HANGING} of version 2 that fail",
                f"{seconds * 1000:.0f} ms",
                "under 1 s",
                seconds < 1,
            )
            for version, seconds in beside.items()
        ),
    ]


def memory(bench: Bench) -> float:
    """MiB, resident, while 500 deliveries wait for their answers."""
    forget_deliveries()
    for company in bench.subscribe(IN_FLIGHT, "hang"):
        publish(company)
    before = len(bench.arrivals())
    with bench.dispatcher() as pid:
        wait_until(lambda: len(bench.arrivals()) - before >= IN_FLIGHT)
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    (resident,) = (line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(resident.split()[1]) / 1024


def on_postgresql(bench: Bench) -> Measured:
    forget_deliveries()
    many, one = throughput(bench, ENDPOINTS), throughput(bench, 1)
    idle, fair, resident = idle_latency(bench), beside_hanging(bench), memory(bench)
    figures = [
        Figure(
            f"deliveries/s, {ENDPOINTS} endpoints", f"{many.per_second:.0f}", "at least 1500", many.per_second >= 1500
        ),
        Figure("deliveries/s, one endpoint", f"{one.per_second:.0f}", "at least 1000", one.per_second >= 1000),
        Figure("commit to POST, idle, median, PostgreSQL", f"{idle * 1000:.0f} ms", "under 150 ms", idle < 0.15),
        Figure(f"commit to POST, 99 %, beside {HANGING} that hang", f"{fair * 1000:.0f} ms", "under 1 s", fair < 1),
        Figure(f"memory, {IN_FLIGHT} in flight", f"{resident:.0f} MiB", "under 200 MiB", resident < 200),
    ]
    figures += signed(bench, many)
    figures += beside_the_peer(bench, many, idle)
    figures.append(beside_the_hand(bench))
    forget_deliveries()
    fill_log(bench)
    beside_log = throughput(bench, ENDPOINTS)
    grown = many.per_second / beside_log.per_second
    figures.append(
        Figure(
            f"slower with {LOGGED:,} rows in the log, times",
            f"{grown:.2f}",
            "at most 1.5",
            grown <= 1.5,
            ours=f"{beside_log.per_second:.0f}/s and {many.per_second:.0f}/s",
        )
    )
    return Measured(tuple(figures), (by_in_flight(bench),))


def on_sqlite(bench: Bench) -> Measured:
    idle = idle_latency(bench)
    return Measured((Figure("commit to POST, idle, median, SQLite", f"{idle * 1000:.0f} ms", "under 1 s", idle < 1),))


def measure_one(database_url: str) -> Measured:
    """The figures of one kind of database, in a process that has set up Django for none yet."""
    os.environ |= {"DATABASE_URL": database_url, "DJANGO_SETTINGS_MODULE": "prealerts.settings", "LOG_LEVEL": "WARNING"}
    django.setup()
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name))
        with bench.endpoint():
            return on_postgresql(bench) if database_url.startswith("postgres") else on_sqlite(bench)


def measure(url: str) -> Measured:
    """Both databases, each in a process of its own: PostgreSQL in a scratch database beside `url`, and SQLite."""
    with (
        tempfile.TemporaryDirectory() as name,
        webhook_peer.broker() as broker,
        part.database(url, Path(name)) as postgresql,
        part.database("sqlite", Path(name)) as sqlite,
    ):
        measured = Measured(())
        for database_url in (postgresql, sqlite):
            command = [sys.executable, "-m", "benchmarks.deliveries.webhooks", ONE]
            # Not arguments: either may hold a password.
            environment = {**os.environ, "TEST_DATABASE_URL": database_url, webhook_peer.VARIABLE: broker}
            found = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout
            measured += Measured.from_json(found)
    return measured


if __name__ == "__main__":
    if sys.argv[1:] == [ONE]:
        print(measure_one(os.environ["DATABASE_URL"]).to_json())
        sys.exit()
    sys.exit(part.run(measure, sys.argv[1:]))
