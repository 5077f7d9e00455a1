"""Deliveries: how many a second, how soon, how fair beside endpoints that hang, in how much memory.

python -m benchmarks.webhooks: needs TEST_POSTGRES_URL. The dispatcher, the database and the endpoint share the machine.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import django
import trustme

import tests.environment  # noqa: F401  # invented secrets; imported first, because it writes the environment
from benchmarks.figures import Figure, table
from tests.live.server import ROOT, scratch_database

if TYPE_CHECKING:
    from companies.models import Company

MANY = 20_000
ENDPOINTS = 50
HANGING = 400
WAITING_EACH = 20
HEALTHY_EVENTS = 400
LATENCY_EVENTS = 40
IN_FLIGHT = 500


class Bench:
    """A database, an endpoint, and a dispatcher when one is wanted."""

    def __init__(self, directory: Path) -> None:
        authority = trustme.CA()
        self.bundle = directory / "ca.pem"
        authority.cert_pem.write_to_path(str(self.bundle))
        self.certificate = directory / "server.pem"
        authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(str(self.certificate))
        os.environ["WEBHOOK_ALLOWED_NETWORKS"] = "127.0.0.0/8"
        os.environ["WEBHOOK_CA_BUNDLE"] = str(self.bundle)
        self.log = (directory / "dispatcher.log").open("wb")

    @contextmanager
    def endpoint(self) -> Iterator[None]:
        command = [sys.executable, "-m", "benchmarks.webhook_receiver", str(self.certificate)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            self.port = int(process.stdout.readline())
            try:
                yield
            finally:
                process.kill()

    @contextmanager
    def dispatcher(self) -> Iterator[int]:
        """The pid of a running dispatcher."""
        command = [sys.executable, "manage.py", "dispatch_webhooks"]
        with subprocess.Popen(command, cwd=ROOT, env=os.environ, stderr=self.log) as process:
            try:
                yield process.pid
            finally:
                process.terminate()
                process.wait(30)

    def arrivals(self) -> dict[str, float]:
        context = ssl.create_default_context(cafile=str(self.bundle))
        client = http.client.HTTPSConnection("127.0.0.1", self.port, context=context)
        client.request("GET", "/arrivals")
        found: dict[str, float] = json.loads(client.getresponse().read())
        client.close()
        return found

    def subscribe(self, count: int, path: str) -> list[Company]:
        """So many companies with one subscription each, new ones every time."""
        from companies.models import Company  # noqa: PLC0415  # not before Django is set up
        from webhooks.models import Subscription  # noqa: PLC0415  # as above

        first = Company.objects.count()
        companies = Company.objects.bulk_create(
            Company(name=f"Bench {n}", client_code=f"BENCH{n}") for n in range(first, first + count)
        )
        subscriptions = []
        for company in companies:
            subscription = Subscription(company=company, url=f"https://127.0.0.1:{self.port}/{path}")
            subscription.set_secret("s3cret-of-the-benchmark")
            subscriptions.append(subscription)
        Subscription.objects.bulk_create(subscriptions)
        return companies


def publish(company: Company, count: int = 1) -> str:
    """Publish so many events; the delivery id of the last."""
    from django.db import transaction  # noqa: PLC0415  # as above
    from django.utils import timezone  # noqa: PLC0415  # as above

    from webhooks import outbox  # noqa: PLC0415  # as above
    from webhooks.models import Delivery  # noqa: PLC0415  # as above

    data = {
        "manifest_id": "5f9c1d0e-1f6c-4a55-8c1e-0d8e5b6f7a10",
        "mawb": "045-12345675",
        "hawb": "HAWB0000001",
        "tracking_code": "BENABCDEFGHJK0",
        "status": "delivered",
        "status_code": 6,
        "previous_status": "out_for_delivery",
        "source": "courier_scan",
    }
    event = outbox.Event(outbox.EventType.GUIDE_DELIVERED, timezone.now(), "BENABCDEFGHJK0", data)
    with transaction.atomic():
        outbox.publish(company, [event] * count)
        last = Delivery.objects.filter(company=company).order_by("-id").first()
        assert last
    return last.delivery_id


def wait_until(condition: Callable[[], bool], seconds: float = 120) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it takes too long"
        time.sleep(0.1)


def _forget_deliveries() -> None:
    from webhooks.models import Delivery, Subscription  # noqa: PLC0415  # as above

    Subscription.objects.update(is_active=False)
    Delivery.objects.all().delete()


def throughput(bench: Bench, endpoints: int) -> float:
    """Deliveries a second while a backlog is worked off."""
    from django.db.models import Max, Min  # noqa: PLC0415  # as above

    from webhooks.models import Delivery  # noqa: PLC0415  # as above

    _forget_deliveries()
    for company in bench.subscribe(endpoints, "now"):
        publish(company, MANY // endpoints)
    with bench.dispatcher():
        wait_until(lambda: not Delivery.objects.exclude(state="delivered").exists())
    took = Delivery.objects.aggregate(first=Min("claimed_at"), last=Max("finished_at"))
    return float(MANY / (took["last"] - took["first"]).total_seconds())


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
    _forget_deliveries()
    (company,) = bench.subscribe(1, "now")
    pauses = [random.uniform(0.1, 0.5) for _ in range(LATENCY_EVENTS)]  # noqa: S311  # no secret
    with bench.dispatcher():
        first = publish(company)
        wait_until(lambda: first in bench.arrivals())
        return statistics.median(latencies(bench, LATENCY_EVENTS, pauses, company))


def beside_hanging(bench: Bench) -> float:
    """The 99th percentile of a healthy endpoint's latency beside 400 that hang."""
    _forget_deliveries()
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
    _forget_deliveries()
    for company in bench.subscribe(IN_FLIGHT, "hang"):
        publish(company)
    before = len(bench.arrivals())
    with bench.dispatcher() as pid:
        wait_until(lambda: len(bench.arrivals()) - before >= IN_FLIGHT)
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    (resident,) = (line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(resident.split()[1]) / 1024


def on_postgresql(bench: Bench) -> list[Figure]:
    many, one = throughput(bench, ENDPOINTS), throughput(bench, 1)
    idle, fair, resident = idle_latency(bench), beside_hanging(bench), memory(bench)
    return [
        Figure(f"deliveries/s, {ENDPOINTS} endpoints", f"{many:.0f}", "at least 1500", many >= 1500),
        Figure("deliveries/s, one endpoint", f"{one:.0f}", "at least 1000", one >= 1000),
        Figure("commit to POST, idle, median, PostgreSQL", f"{idle * 1000:.0f} ms", "under 150 ms", idle < 0.15),
        Figure(f"commit to POST, 99 %, beside {HANGING} that hang", f"{fair * 1000:.0f} ms", "under 1 s", fair < 1),
        Figure(f"memory, {IN_FLIGHT} in flight", f"{resident:.0f} MiB", "under 200 MiB", resident < 200),
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
    if not url:
        print("Needs TEST_POSTGRES_URL=postgres://user@host:5432/name.")
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
