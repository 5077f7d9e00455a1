"""Several at the same guides at the same time, each in a thread of its own, on a live PostgreSQL."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from django.db import connection, connections, transaction

from shipments.errors import GuideNotUnderRetention
from shipments.models import Guide, GuideEvent, Manifest
from shipments.statuses import GuideStatus, Source
from shipments.tracking.advancing import advance, advance_each
from shipments.tracking.moves import Move, ReportedEvent
from shipments.tracking.review import lift_retention
from shipments.tracking.totals import check_totals
from shipments.tracking.voiding import void_manifest
from tests.conftest import Caller
from tests.shipments.shipping import assert_sound, shipped

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite lets one transaction at a time"),
]


@pytest.fixture
def manifest(acme: Caller, rival: Caller) -> Iterator[Manifest]:
    """Five guides; and another company's, which nobody here means."""
    other = shipped(rival.company)
    yield shipped(acme.company, 5)
    assert_sound(other)
    assert other.guides_by_status == {"registered": 3}


def in_threads(*jobs: Callable[[], Any]) -> list[Any]:
    """What the jobs give when they start together, each with a connection of its own."""
    start = threading.Barrier(len(jobs))

    def run(job: Callable[[], Any]) -> Any:
        try:
            start.wait(timeout=30)
            return job()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(jobs)) as pool:
        return [future.result(timeout=90) for future in [pool.submit(run, job) for job in jobs]]


def wait_until_waiting(processes: int) -> None:
    """Until so many other sessions of this database wait for a lock that we hold."""
    waiting = """
        SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
    """
    with connection.cursor() as cursor:
        for _ in range(2_400):  # two minutes
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(waiting)
            if cursor.fetchone() == (processes,):
                return
            time.sleep(0.05)
    pytest.fail("the others never came to the lock")


def race(guide: Guide, *statuses: str) -> dict[str, bool]:
    """Report `statuses` of one guide while its manifest is locked, and let go: status -> whether it was refused."""

    def report(status: str) -> bool:
        try:
            (move,) = advance(Guide.objects.filter(pk=guide.pk), ReportedEvent(GuideStatus(status)), actor="")
            return move.refusal is not None
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(statuses)) as pool:
        with transaction.atomic():
            Manifest.objects.select_for_update().get(pk=guide.manifest_id)
            reports = [pool.submit(report, status) for status in statuses]
            wait_until_waiting(len(statuses))
        return {status: future.result(timeout=90) for status, future in zip(statuses, reports, strict=True)}


def test_of_two_ends_one_wins_and_the_other_is_refused(manifest: Manifest) -> None:
    guide = manifest.guides.get(hawb="H002")
    refused = race(guide, "delivered", "lost")
    guide.refresh_from_db()
    assert refused == {guide.status: False, ({"delivered", "lost"} - {guide.status}).pop(): True}
    assert guide.events.count() == 2
    assert_sound(manifest)


def test_an_end_and_a_hold_leave_a_legal_order_whoever_wins(manifest: Manifest) -> None:
    guide = manifest.guides.get(hawb="H002")
    refused = race(guide, "delivered", "customs_held")
    guide.refresh_from_db()
    recorded = [event.status for event in guide.events.order_by("id")]
    assert (guide.status, refused["delivered"]) == ("delivered", False)
    assert recorded == ["registered", *([] if refused["customs_held"] else ["customs_held"]), "delivered"]
    assert_sound(manifest)


def test_many_at_one_guide_leave_one_event_for_each_change(manifest: Manifest) -> None:
    guides = manifest.guides.filter(hawb="H001")
    results = [
        each for (each,) in in_threads(*[lambda: advance(guides, ReportedEvent(GuideStatus.ON_HOLD), actor="")] * 6)
    ]
    assert Counter(result.outcome.value for result in results) == {"advanced": 1, "unchanged": 5}
    assert GuideEvent.objects.filter(status="on_hold").count() == 1
    assert_sound(manifest)


def test_bulk_moves_in_opposite_orders_never_block_each_other(acme: Caller) -> None:
    manifests = [shipped(acme.company, 40) for _ in range(10)]
    guides = list(Guide.objects.filter(manifest__in=manifests))

    def moves(order: int, status: GuideStatus) -> list[Move]:
        return [Move(guide.pk, guide.manifest_id, ReportedEvent(status)) for guide in guides[::order]]

    for forwards, backwards in [("in_transit", "customs_held"), ("on_hold", "customs_processing")]:
        jobs = [
            lambda status=forwards: advance_each(moves(1, GuideStatus(status)), actor=""),
            lambda status=backwards: advance_each(moves(-1, GuideStatus(status)), actor=""),
        ]
        results = in_threads(*jobs)
        assert {result.outcome.value for each in results for result in each} == {"advanced"}
    for manifest in manifests:
        assert_sound(manifest)


def test_a_deadlock_with_a_writer_that_takes_guides_in_another_order_is_survived(manifest: Manifest) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SHOW is_superuser")
        if cursor.fetchone() != ("on",):
            pytest.skip("choosing the victim of a deadlock needs a superuser")
    first, second = manifest.guides.order_by("id")[:2]
    lock = "SELECT id FROM shipments_guide WHERE id = %s FOR UPDATE"
    is_held = threading.Event()

    def write_in_another_order() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL deadlock_timeout = '60s'")  # the other one notices, and is the victim
            cursor.execute(lock, [second.pk])
            is_held.set()
            wait_until_waiting(1)
            cursor.execute(lock, [first.pk])

    def move() -> list[str]:
        assert is_held.wait(30)
        return [
            result.outcome.value for result in advance(manifest.guides.all(), ReportedEvent(GuideStatus.LOST), actor="")
        ]

    assert in_threads(write_in_another_order, move) == [None, ["advanced"] * 5]
    assert_sound(manifest)


def test_voiding_and_moving_exclude_each_other(manifest: Manifest) -> None:
    def void() -> str:
        try:
            void_manifest(manifest, reason="Sent twice", actor="")
        except Exception as refused:  # noqa: BLE001  # whatever it is, the assertion shows it
            return type(refused).__name__
        return "voided"

    def move() -> str:
        (result,) = advance(manifest.guides.filter(hawb="H003"), ReportedEvent(GuideStatus.IN_TRANSIT), actor="")
        return result.outcome.value

    said = in_threads(void, move)
    assert said in (["voided", "refused"], ["ManifestUnderWay", "advanced"])
    assert_sound(manifest)
    assert (manifest.voided_at is not None) is (said[0] == "voided")


@pytest.mark.parametrize("seed", range(3))
def test_any_interleaving_of_any_moves_leaves_all_sound(acme: Caller, manifest: Manifest, seed: int) -> None:
    other = shipped(acme.company, 3, country="PE", retention_reason="FOB")
    everything = [*manifest.guides.all(), *other.guides.all()]

    def told_at_random(number: int) -> None:
        random = Random(f"{seed} {number}")  # noqa: S311  # a seed that a failure can be repeated with
        for _ in range(15):
            reported = ReportedEvent(random.choice([*GuideStatus]), random.choice([*Source]))
            some = random.sample(everything, random.randint(1, len(everything)))
            if random.random() < 0.5:
                advance_each([Move(guide.pk, guide.manifest_id, reported) for guide in some], actor="")
            else:
                advance(random.choice([manifest, other]).guides.all(), reported, actor="")

    def lift_one() -> None:
        with suppress(GuideNotUnderRetention):  # customs may have released it
            lift_retention(other.guides.get(hawb="H001"), reason="Paid", actor="")

    in_threads(*[lambda number=number: told_at_random(number) for number in range(4)], lift_one)
    assert_sound(manifest)
    assert_sound(other)
    assert list(check_totals()) == []
