"""How many deliveries a second while a backlog is worked off, and how that grows with how many may be in flight."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.deliveries.webhook_bench import Bench, cpu_seconds, forget_deliveries, publish, wait_until
from benchmarks.figures import Curve, Series
from benchmarks.scale import SCALE

MANY = SCALE.deliveries
SOON_SECONDS = 0.1
"""How long /soon takes to answer; `webhook_receiver` has the same."""
SOON_ENDPOINTS = 100
"""So many that the limit of a dispatcher is what binds, not that of a subscription."""
ROUNDS_OF_SEATS = 20


@dataclass(frozen=True)
class Rate:
    """Deliveries a second, and milliseconds of the process's CPU time for each."""

    per_second: float
    cpu_ms: float


def throughput(
    bench: Bench,
    endpoints: int,
    *,
    count: int = MANY,
    path: str = "now",
    in_flight: int | None = None,
    version: int = 1,
) -> Rate:
    """While a backlog of `count` is worked off, beside whatever the log holds; `in_flight`: the dispatcher's limit."""
    from django.db.models import Max, Min  # noqa: PLC0415  # not before Django is set up

    from webhooks.models import Delivery  # noqa: PLC0415  # as above

    companies = bench.subscribe(endpoints, path, version=version)
    for company in companies:
        publish(company, count // endpoints)
    with bench.dispatcher(in_flight) as pid:
        wait_until(lambda: not Delivery.objects.pending().exists())
        wait_until(lambda: not Delivery.objects.filter(state="sending").exists())
        used = cpu_seconds(pid)
    delivered = Delivery.objects.filter(company__in=companies, state="delivered")
    took = delivered.aggregate(first=Min("claimed_at"), last=Max("finished_at"))
    assert delivered.count() == count
    return Rate(count / (took["last"] - took["first"]).total_seconds(), used * 1000 / count)


def by_in_flight(bench: Bench) -> Curve:
    """Deliveries a second to endpoints that take a tenth of a second, against the limit of those in flight."""
    points = []
    for limit in SCALE.in_flight:
        forget_deliveries()
        count = max(SOON_ENDPOINTS, min(MANY, limit * ROUNDS_OF_SEATS) // SOON_ENDPOINTS * SOON_ENDPOINTS)
        rate = throughput(bench, SOON_ENDPOINTS, count=count, path="soon", in_flight=limit)
        points.append((limit, rate.per_second))
    most = tuple((limit, limit / SOON_SECONDS) for limit in SCALE.in_flight)
    return Curve(
        "deliveries",
        f"Deliveries to {SOON_ENDPOINTS} endpoints that answer after {SOON_SECONDS * 1000:.0f} ms",
        "POSTs that may be in flight (WEBHOOK_CONCURRENCY)",
        "deliveries a second",
        (Series("ours", tuple(points)), Series("if nothing else took time", most)),
        has_log_y=True,
    )
