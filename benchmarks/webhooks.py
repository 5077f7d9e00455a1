"""Deliveries: how many a second, how soon, how fair beside endpoints that hang, in how much memory, beside a peer.

python -m benchmarks.webhooks: needs TEST_POSTGRES_URL, and for the peer a Redis (BENCH_BROKER_URL, by default its
database 7 on this machine). Dispatcher, database, endpoint and peer share the machine: trust the ratios.
"""

from __future__ import annotations

import json
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
from benchmarks import webhook_peer
from benchmarks.figures import Figure, table
from benchmarks.webhook_bench import Bench, cpu_seconds, forget_deliveries, publish, wait_until
from benchmarks.webhook_peer import BROKER, Rate
from tests.live.server import scratch_database

if TYPE_CHECKING:
    from companies.models import Company

MANY = 20_000
ENDPOINTS = 50
HANGING = 400
WAITING_EACH = 20
HEALTHY_EVENTS = 400
LATENCY_EVENTS = 40
IN_FLIGHT = 500
LOGGED = 500_000
"""Finished rows in the log when growth is measured."""
PUBLISHED = 5_000


def throughput(bench: Bench, endpoints: int) -> Rate:
    """While a backlog is worked off, beside whatever the log holds."""
    from django.db.models import Max, Min  # noqa: PLC0415  # not before Django is set up

    from webhooks.models import Delivery  # noqa: PLC0415  # as above

    companies = bench.subscribe(endpoints, "now")
    for company in companies:
        publish(company, MANY // endpoints)
    with bench.dispatcher() as pid:
        wait_until(lambda: not Delivery.objects.pending().exists())
        wait_until(lambda: not Delivery.objects.filter(state="sending").exists())
        used = cpu_seconds(pid)
    told = Delivery.objects.filter(company__in=companies, state="delivered")
    took = told.aggregate(first=Min("claimed_at"), last=Max("finished_at"))
    assert told.count() == MANY
    return Rate(MANY / (took["last"] - took["first"]).total_seconds(), used * 1000 / MANY)


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


def publishing(bench: Bench) -> tuple[float, float]:
    """Milliseconds of this process's CPU time for an event: written to the outbox in bulk, handed to Celery."""
    from benchmarks.celery_tasks import deliver  # noqa: PLC0415  # as above

    forget_deliveries()
    (company,) = bench.subscribe(1, "now")
    publish(company)
    started = time.process_time()
    publish(company, PUBLISHED)
    written = time.process_time() - started
    started = time.process_time()
    for _event in range(PUBLISHED):
        deliver.delay(0)
    handed = time.process_time() - started
    deliver.app.control.purge()
    return written * 1000 / PUBLISHED, handed * 1000 / PUBLISHED


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


def on_postgresql(bench: Bench) -> list[Figure]:
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
    figures += beside_the_peer(bench, many, idle)
    forget_deliveries()
    fill_log(bench)
    grown = many.per_second / throughput(bench, ENDPOINTS).per_second
    return [
        *figures,
        Figure(f"slower with {LOGGED:,} rows in the log, times", f"{grown:.2f}", "at most 1.5", grown <= 1.5),
    ]


def beside_the_peer(bench: Bench, ours: Rate, idle: float) -> list[Figure]:
    """Ours against one Celery task a delivery, in the same run."""
    peer = webhook_peer.throughput(bench, ENDPOINTS)
    written, handed = publishing(bench)
    peer_idle = webhook_peer.idle_latency(bench, LATENCY_EVENTS)
    share = webhook_peer.beside_hanging(bench, HANGING, WAITING_EACH, events=20)
    faster, cheaper = ours.per_second / peer.per_second, peer.cpu_ms / ours.cpu_ms
    says = f"Celery {peer.per_second:.0f}/s, {peer.cpu_ms:.2f} ms CPU each; ours {ours.cpu_ms:.2f} ms"
    return [
        Figure("deliveries/s, times Celery's", f"{faster:.1f} ({says})", "at least 5", faster >= 5),
        Figure("CPU time a delivery, Celery's times ours", f"{cheaper:.1f}", "at least 5", cheaper >= 5),
        Figure(
            "CPU time of publishing an event, in bulk",
            f"{written:.2f} ms (Celery's delay() alone {handed:.2f} ms)",
            "at most delay()",
            written <= handed,
        ),
        Figure(
            "commit to POST, idle, median, times Celery's",
            f"{idle / peer_idle:.2f} (Celery {peer_idle * 1000:.0f} ms)",
            "at most 2",
            idle <= 2 * peer_idle,
        ),
        Figure(
            f"Celery beside {HANGING} that hang: told within {webhook_peer.PATIENCE_SECONDS:.0f} s",
            f"{share:.0%}",
            "(for comparison)",
            is_reached=True,
        ),
    ]


def on_sqlite(bench: Bench) -> list[Figure]:
    idle = idle_latency(bench)
    return [Figure("commit to POST, idle, median, SQLite", f"{idle * 1000:.0f} ms", "under 1 s", idle < 1)]


def measure(database_url: str) -> list[Figure]:
    """The figures of one kind of database, in a process that has set up Django for none yet."""
    from django.core.management import call_command  # noqa: PLC0415  # not before Django is set up

    os.environ |= {"DATABASE_URL": database_url, "DJANGO_SETTINGS_MODULE": "prealerts.settings", "LOG_LEVEL": "WARNING"}
    django.setup()
    call_command("migrate", verbosity=0)
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name))
        with bench.endpoint():
            return on_postgresql(bench) if database_url.startswith("postgres") else on_sqlite(bench)


def main() -> int:
    """Both databases, each in a process of its own; 1 when a figure is missed."""
    url = os.environ.get("TEST_POSTGRES_URL", "")
    if not url or not webhook_peer.broker_answers():
        print(f"Needs TEST_POSTGRES_URL=postgres://user@host:5432/name, and for the peer a Redis at {BROKER}.")
        return 2
    with tempfile.TemporaryDirectory() as name, scratch_database(url, Path(name)) as postgresql:
        figures = []
        for database_url in (postgresql, f"sqlite:///{name}/bench.sqlite3"):
            command = [sys.executable, "-m", "benchmarks.webhooks", database_url]
            output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            figures += [Figure(**fields) for fields in json.loads(output)]
    print(table(figures))
    return 0 if all(figure.is_reached for figure in figures) else 1


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps([vars(figure) for figure in measure(sys.argv[1])]))
        sys.exit()
    sys.exit(main())
