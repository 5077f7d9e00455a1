"""Deliveries beside others: a Celery task for each, and the same work by hand."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING

from benchmarks.deliveries import webhook_peer
from benchmarks.deliveries.webhook_bench import Bench, forget_deliveries, publish
from benchmarks.deliveries.webhook_rate import MANY, Rate, throughput
from benchmarks.figures import Figure
from benchmarks.scale import SCALE
from tests.live.server import ROOT

if TYPE_CHECKING:
    from companies.models import Company

ENDPOINTS = 50
HANGING = SCALE.hanging
WAITING_EACH = 20
PUBLISHED = SCALE.published
MIN_RATIO_TO_FLOOR = 0.5
ROUNDS = SCALE.by_hand_rounds


def beside_the_hand(bench: Bench) -> Figure:
    """Our dispatcher against aiohttp with two statements for each batch: the same rows and receiver, by turns."""
    ratios, ours, floors = [], [], []
    for _ in range(ROUNDS):
        forget_deliveries()
        rate = throughput(bench, ENDPOINTS).per_second
        forget_deliveries()
        floor = _by_hand(bench, bench.subscribe(ENDPOINTS, "now"))
        ratios.append(rate / floor)
        ours.append(rate)
        floors.append(floor)
    ratio = sorted(ratios)[ROUNDS // 2]
    return Figure(
        f"deliveries/s, {ENDPOINTS} endpoints, of the same work by hand",
        f"{ratio:.2f}",
        f"at least {MIN_RATIO_TO_FLOOR}",
        ratio >= MIN_RATIO_TO_FLOOR,
        ours=f"{max(ours):,.0f}/s",
        floor=f"{max(floors):,.0f}/s",
    )


def _by_hand(bench: Bench, companies: list[Company]) -> float:
    """Deliveries per second."""
    for company in companies:
        publish(company, MANY // ENDPOINTS)
    command = [sys.executable, "-m", "benchmarks.deliveries.by_hand", str(bench.bundle)]
    printed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    seconds, done = printed.split()
    assert int(done) == MANY // ENDPOINTS * ENDPOINTS
    return int(done) / float(seconds)


def beside_the_peer(bench: Bench, ours: Rate, idle: float) -> list[Figure]:
    """Our dispatcher against one Celery task for each delivery, in the same run."""
    peer = webhook_peer.throughput(bench, ENDPOINTS)
    written, handed = publishing(bench)
    peer_idle = webhook_peer.idle_latency(bench, SCALE.latency_events)
    share = webhook_peer.beside_hanging(bench, HANGING, WAITING_EACH, events=20)
    return [
        *work_beside(peer, ours),
        publishing_beside(handed, written),
        waiting_beside(peer_idle, idle),
        Figure(
            f"Celery beside {HANGING} that hang: sent within {webhook_peer.PATIENCE_SECONDS} s",
            f"{share:.0%}",
            "",
            is_reached=True,
            usual=f"{share:.0%}",
        ),
    ]


def work_beside(peer: Rate, ours: Rate) -> list[Figure]:
    """Deliveries per second, and the CPU time of each."""
    faster, cheaper = ours.per_second / peer.per_second, peer.cpu_ms / ours.cpu_ms
    return [
        Figure(
            "deliveries/s, times Celery's",
            f"{faster:.1f}",
            "at least 5",
            faster >= 5,
            ours=f"{ours.per_second:.0f}/s",
            usual=f"{peer.per_second:.0f}/s",
        ),
        Figure(
            "CPU time a delivery, Celery's times ours",
            f"{cheaper:.1f}",
            "at least 5",
            cheaper >= 5,
            ours=f"{ours.cpu_ms:.2f} ms",
            usual=f"{peer.cpu_ms:.2f} ms",
        ),
    ]


def publishing_beside(handed: float, written: float) -> Figure:
    """Milliseconds of CPU time for an event: handed to Celery, and written to the outbox."""
    return Figure(
        "CPU time of publishing an event in bulk, times that of Celery's delay()",
        f"{written / handed:.2f}",
        "at most 1",
        written <= handed,
        ours=f"{written:.2f} ms",
        usual=f"{handed:.2f} ms",
    )


def waiting_beside(peer: float, ours: float) -> Figure:
    """Seconds from commit to POST on an idle system."""
    return Figure(
        "commit to POST, idle, median, times Celery's",
        f"{ours / peer:.2f}",
        "at most 2",
        ours <= 2 * peer,
        ours=f"{ours * 1000:.0f} ms",
        usual=f"{peer * 1000:.0f} ms",
    )


def publishing(bench: Bench) -> tuple[float, float]:
    """Milliseconds of this process's CPU time for an event: written to the outbox in bulk, handed to Celery."""
    from benchmarks.deliveries.celery_tasks import deliver  # noqa: PLC0415  # as above

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
