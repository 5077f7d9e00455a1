"""The measurements of `benchmarks.deliveries`, which sets Django up before it imports this."""

import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import requests
import trustme
from django.db import connection, transaction
from django.db.models import Max, Min
from django.db.models.functions import Now
from django.utils import timezone

from benchmarks.filled import multiply, writing
from benchmarks.floors.sending_by_hand import SECRET, send_all
from benchmarks.harness import Figure, compared, in_turns, inverse, per_second, size
from benchmarks.rivals.tasks import deliver
from benchmarks.serving import memory_mib, processor_seconds
from companies.models import Company
from tests.live.server import ROOT
from webhooks import outbox
from webhooks.models import Delivery, Subscription

MANY, FEW = size(10_000, 200), size(2_000, 50)
"""Deliveries that are worked off: by the dispatcher and the floor, and by Celery, which takes as long for a tenth."""
ROUNDS = size(3, 1)
ENDPOINTS = 50
OTHERS, EACH = size(400, 5), 20
"""Endpoints that hang or refuse, and the deliveries for each."""
HEALTHY_EVENTS = size(300, 10)
IN_FLIGHT, LOGGED = size(500, 20), size(500_000, 2_000)
PENDING = ("pending", "sending")
DISPATCHER = ("manage.py", "dispatch_webhooks")
SECRETS = {1: SECRET, 2: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="}
"""By version of the webhook. Invented."""


class Endpoint(NamedTuple):
    """A receiver in a process of its own. bundle: certificates to trust. log: what the processes that deliver say."""

    port: int
    bundle: Path
    log: Path

    def arrivals(self) -> dict[str, float]:
        """Delivery id -> when it came, by the machine's monotonic clock."""
        address = f"https://127.0.0.1:{self.port}/arrivals"
        found: dict[str, float] = requests.get(address, verify=str(self.bundle), timeout=30).json()
        return found

    def wait_for(self, *keys: str) -> None:
        wait_until(lambda: set(keys) <= self.arrivals().keys())

    def subscribe(self, count: int, path: str = "now", version: int = 1) -> list[Company]:
        """So many new companies with one subscription each. path: how it answers, see `benchmarks.receiver`."""
        first = Company.objects.count()
        companies = Company.objects.bulk_create(
            Company(name=f"Bench {n}", client_code=f"BENCH{n}") for n in range(first, first + count)
        )
        url = f"https://127.0.0.1:{self.port}/{path}"
        subscriptions = [Subscription(company=company, url=url, version=version) for company in companies]
        for subscription in subscriptions:
            subscription.set_secret(SECRETS[version])
        Subscription.objects.bulk_create(subscriptions)
        return companies

    @contextmanager
    def process(self, *command: str) -> Iterator[int]:
        """The pid of a process that delivers; it is stopped afterwards."""
        with self.log.open("ab") as said:
            process = subprocess.Popen([sys.executable, *command], cwd=ROOT, stdout=said, stderr=said)
        try:
            yield process.pid
        finally:
            process.terminate()
            process.wait(60)


@contextmanager
def endpoint(directory: Path) -> Iterator[Endpoint]:
    """Start the receiver, with a certificate that the processes that deliver trust."""
    authority = trustme.CA()
    bundle, certificate = directory / "ca.pem", directory / "server.pem"
    authority.cert_pem.write_to_path(str(bundle))
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(str(certificate))
    os.environ |= {"WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8", "WEBHOOK_CA_BUNDLE": str(bundle)}
    command = [sys.executable, "-m", "benchmarks.receiver", str(certificate)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield Endpoint(int(process.stdout.readline()), bundle, directory / "deliveries.log")
        finally:
            process.kill()


def figures(endpoint: Endpoint) -> Iterator[Figure]:
    """All of them."""
    subjects = {
        "ours": lambda: throughput(endpoint, ENDPOINTS),
        "floor": lambda: by_hand(endpoint),
        "version 2": lambda: throughput(endpoint, ENDPOINTS, version=2),
    }
    found = in_turns(subjects, ROUNDS)
    rates = {name: [rate for rate, _processor in each] for name, each in found.items()}
    ours, processor = rates["ours"], [each for _rate, each in found["ours"]]
    yield Figure("to 50 endpoints", statistics.median(ours), "deliveries/s")
    yield Figure("to one endpoint", throughput(endpoint, 1)[0], "deliveries/s")
    yield compared("to 50 endpoints, of the same work by hand", ours, rates["floor"], say=per_second)
    yield compared("version 2, of version 1's rate", rates["version 2"], ours, "version 1", say=per_second)
    rival, its_processor = by_celery(endpoint)
    yield compared("to 50 endpoints, times Celery's", ours, [rival] * ROUNDS, "Celery", say=per_second)
    what = "processor time of a delivery, Celery's by ours"
    yield inverse(compared(what, processor, [its_processor] * ROUNDS, "Celery"))
    what = "slower with 500,000 rows in the log, times"
    yield inverse(compared(what, [beside_log(endpoint)] * ROUNDS, ours, "empty log", say=per_second))
    yield Figure("commit to POST, idle, median", idle(endpoint) * 1000, "ms")
    for path in ("hang", "refuse"):
        what = f"commit to POST, 99 %, beside 400 endpoints that {path}"
        yield Figure(what, beside_others(endpoint, path) * 1000, "ms")
    yield Figure("memory with 500 in flight", memory(endpoint), "MiB")


def throughput(endpoint: Endpoint, endpoints: int, version: int = 1, *, is_new: bool = True) -> tuple[float, float]:
    """Deliveries a second while a backlog is worked off, and seconds of processor time for each.

    is_new: with an empty log.
    """
    if is_new:
        forget()
    companies = endpoint.subscribe(endpoints, version=version)
    publish(companies, MANY // endpoints)
    with endpoint.process(*DISPATCHER) as pid:
        wait_until(lambda: not Delivery.objects.filter(state__in=PENDING).exists())
        used = processor_seconds(pid)
    return rate(companies), used / MANY


def by_hand(endpoint: Endpoint) -> tuple[float, float]:
    """The same rows and receiver, by aiohttp with two statements for each batch."""
    forget()
    publish(endpoint.subscribe(ENDPOINTS), MANY // ENDPOINTS)
    seconds, done = send_all(os.environ["DATABASE_URL"], str(endpoint.bundle))
    assert done == MANY
    return done / seconds, 0.0


def by_celery(endpoint: Endpoint) -> tuple[float, float]:
    """As `throughput`, for fewer deliveries: one task each, by a warm worker."""
    forget()
    options = "worker --pool threads --concurrency 50 --loglevel WARNING --without-gossip --without-mingle"
    with endpoint.process("-m", "celery", "-A", "benchmarks.rivals.tasks", *options.split()) as pid:
        key = publish(endpoint.subscribe(1))
        _hand_over()
        endpoint.wait_for(key)
        before, companies = processor_seconds(pid), endpoint.subscribe(ENDPOINTS)
        publish(companies, FEW // ENDPOINTS)
        _hand_over()
        wait_until(lambda: not Delivery.objects.filter(state__in=PENDING).exists())
        used = processor_seconds(pid) - before
    return rate(companies), used / FEW


def _hand_over() -> None:
    for key in Delivery.objects.filter(state="pending").order_by("id").values_list("pk", flat=True):
        deliver.delay(key)


def beside_log(endpoint: Endpoint) -> float:
    """Deliveries a second beside a month's deliveries in the log, made from one."""
    source = "FROM (SELECT * FROM webhooks_delivery LIMIT 1) t, generate_series(1, %(rows)s) n"
    at = "now() - n * interval '5 s'"
    times = {"uuid": "gen_random_uuid()", "created_at": at, "attempted_at": at, "finished_at": at}
    with writing(os.environ["DATABASE_URL"]) as cursor:
        multiply(cursor, "webhooks_delivery", times, source, {"rows": LOGGED})
        cursor.execute("ANALYZE webhooks_delivery")
    return throughput(endpoint, ENDPOINTS, is_new=False)[0]


def idle(endpoint: Endpoint) -> float:
    """Seconds from commit to POST, the median, on a system that does nothing else."""
    forget()
    (company,) = endpoint.subscribe(1)
    with endpoint.process(*DISPATCHER):
        endpoint.wait_for(publish([company]))
        return statistics.median(latencies(endpoint, company, size(40, 2), pause=0.3))


def beside_others(endpoint: Endpoint, path: str) -> float:
    """The 99th percentile of a healthy endpoint's seconds beside many that hang, or refuse retries that are due."""
    forget()
    publish(endpoint.subscribe(OTHERS, path, version=2), EACH)
    if path == "refuse":
        Delivery.objects.update(state="waiting", attempts=1, due_at=Now())
        Subscription.objects.filter(is_active=True).update(failing_since=Now(), failures=1)
    (healthy,) = endpoint.subscribe(1)
    seen = len(endpoint.arrivals())
    with endpoint.process(*DISPATCHER):
        wait_until(lambda: len(endpoint.arrivals()) > seen)
        found = latencies(endpoint, healthy, HEALTHY_EVENTS, pause=0.05)
    return found[int(len(found) * 0.99) - 1]


def latencies(endpoint: Endpoint, company: Company, count: int, pause: float) -> list[float]:
    """Seconds from commit to the endpoint's first sight of each delivery, sorted. pause: seconds, about."""
    committed = {}
    for _ in range(count):
        committed[publish([company])] = time.monotonic()
        time.sleep(random.uniform(0.5, 1.5) * pause)  # noqa: S311  # no secret
    endpoint.wait_for(*committed)
    arrivals = endpoint.arrivals()
    return sorted(arrivals[key] - at for key, at in committed.items())


def memory(endpoint: Endpoint) -> float:
    """MiB, resident, while deliveries wait for their answers."""
    forget()
    publish(endpoint.subscribe(IN_FLIGHT, "hang"))
    seen = len(endpoint.arrivals())
    with endpoint.process(*DISPATCHER) as pid:
        wait_until(lambda: len(endpoint.arrivals()) >= seen + IN_FLIGHT)
        return memory_mib(pid)


def publish(companies: Sequence[Company], count: int = 1) -> str:
    """Publish so many events for each; the delivery id of the last."""
    data = {"tracking_code": "BENABCDEFGHJK0", "as much as the rest has": "x" * 200}
    event = outbox.Event(outbox.EventType.GUIDE_DELIVERED, timezone.now(), "BENABCDEFGHJK0", data)
    for company in companies:
        with transaction.atomic():
            outbox.publish(company, [event] * count)
    last = Delivery.objects.filter(company=companies[-1]).order_by("-id").first()
    assert last
    return last.delivery_id


def forget() -> None:
    """Begin anew: nobody listens, and the log is empty. Truncated, so that nothing pays for another's dead rows."""
    Subscription.objects.update(is_active=False)
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE webhooks_delivery, webhooks_deliveryattempt")


def rate(companies: Sequence[Company]) -> float:
    """Deliveries a second of what was sent to these companies, from the first claim to the last end."""
    mine = Delivery.objects.filter(company__in=companies, state="delivered")
    took = mine.aggregate(first=Min("claimed_at"), last=Max("finished_at"))
    return float(mine.count() / (took["last"] - took["first"]).total_seconds())


def wait_until(condition: Callable[[], bool], seconds: float = 180) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it takes too long"
        time.sleep(0.25)
