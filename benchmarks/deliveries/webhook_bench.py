"""What deliveries are measured with: a database, an endpoint in a process of its own, processes that deliver."""

from __future__ import annotations

import http.client
import json
import os
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import trustme

from tests.live.server import ROOT

if TYPE_CHECKING:
    from companies.models import Company

SECRET = "s3cret-of-the-benchmark"  # noqa: S105  # invented
SIGNING_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="  # noqa: S105  # as above


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
        command = [sys.executable, "-m", "benchmarks.deliveries.webhook_receiver", str(self.certificate)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            self.port = int(process.stdout.readline())
            try:
                yield
            finally:
                process.kill()

    @contextmanager
    def dispatcher(self, in_flight: int | None = None) -> Iterator[int]:
        """The pid of a running dispatcher, with its default limit of deliveries in flight unless another is given."""
        command = [sys.executable, "manage.py", "dispatch_webhooks"]
        limit = {} if in_flight is None else {"WEBHOOK_CONCURRENCY": str(in_flight)}
        with subprocess.Popen(command, cwd=ROOT, env={**os.environ, **limit}, stderr=self.log) as process:
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

    def subscribe(self, count: int, path: str, *, version: int = 1) -> list[Company]:
        """So many companies with one subscription each, new ones every time."""
        from companies.models import Company  # noqa: PLC0415  # not before Django is set up
        from webhooks.models import Subscription  # noqa: PLC0415  # as above

        first = Company.objects.count()
        companies = Company.objects.bulk_create(
            Company(name=f"Bench {n}", client_code=f"BENCH{n}") for n in range(first, first + count)
        )
        subscriptions = []
        for company in companies:
            url = f"https://127.0.0.1:{self.port}/{path}"
            subscription = Subscription(company=company, url=url, version=version)
            subscription.set_secret(SECRET if version == 1 else SIGNING_SECRET)
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
        time.sleep(0.25)


def forget_deliveries() -> None:
    """Begin anew: nobody listens, and the log is empty. Truncated, so that no part pays for another one's dead rows."""
    from django.db import connection  # noqa: PLC0415  # as above

    from webhooks.models import Delivery, Subscription  # noqa: PLC0415  # as above

    Subscription.objects.update(is_active=False)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("TRUNCATE webhooks_delivery, webhooks_deliveryattempt")
    else:
        Delivery.objects.all().delete()


def cpu_seconds(pid: int) -> float:
    """Processor time that a process and its threads have used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
