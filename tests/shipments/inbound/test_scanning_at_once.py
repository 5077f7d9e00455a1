"""Several scanners at one batch at the same time, on a live PostgreSQL."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection

from companies.models import Company
from companies.scope import EVERYWHERE
from shipments.errors import BatchNotOpen
from shipments.inbound.receiving import Received, close, open_batch, receive
from shipments.models import Guide, GuideEvent, InboundScan
from shipments.statuses import GuideStatus
from shipments.tracking.advancing import advance
from shipments.tracking.moves import ReportedEvent
from tests.shipments.inbound.scanning import codes_of
from tests.shipments.shipping import assert_sound, shipped
from tests.shipments.tracking.test_at_once import in_threads

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="needs a database that two threads can reach"),
]
FIELDS = {"facility": "SCL-01", "country": "CL", "on_scan": "customs_processing", "note": ""}


def scans_of(codes: list[str]) -> list[dict[str, Any]]:
    at = datetime(2026, 11, 22, 9, 10, tzinfo=UTC)
    return [{"scan_id": uuid4(), "code": code, "scanned_at": at} for code in codes]


def test_the_same_scans_by_four_threads_match_each_guide_once(acme: Company) -> None:
    manifest = shipped(acme, 200)
    batch = open_batch(FIELDS, [manifest.mawb], EVERYWHERE, actor="a test")
    scans = scans_of(codes_of(manifest))
    answers = in_threads(*[lambda: receive(batch.pk, scans, EVERYWHERE, actor="a test")] * 4)
    assert InboundScan.objects.filter(outcome="matched").count() == InboundScan.objects.count() == 200
    assert GuideEvent.objects.filter(status="customs_processing").count() == 200
    assert sorted(sum(not each.first for each in answer) for answer in answers) == [0, 0, 0, 200]
    assert_sound(manifest)


def test_a_scan_that_races_a_close_is_counted_or_refused(acme: Company) -> None:
    manifest = shipped(acme, 60)
    batch = open_batch(FIELDS, [manifest.mawb], EVERYWHERE, actor="a test")
    parts = [scans_of(codes_of(manifest)[start : start + 10]) for start in range(0, 60, 10)]

    def send(part: list[dict[str, Any]]) -> list[Received] | None:
        try:
            return receive(batch.pk, part, EVERYWHERE, actor="a test")
        except BatchNotOpen:
            return None

    jobs = [lambda part=part: send(part) for part in parts]
    *answers, closed = in_threads(*jobs, lambda: close(batch.pk, actor="a test"))
    taken = 10 * sum(answer is not None for answer in answers)
    assert closed.counts["matched"] == InboundScan.objects.count() == taken
    assert closed.counts["missing"] == 60 - taken
    assert_sound(manifest)


def test_scans_and_moves_of_the_same_guides_end_without_a_deadlock(acme: Company) -> None:
    manifests = [shipped(acme, 40) for _ in range(2)]
    batch = open_batch(FIELDS, [each.mawb for each in manifests], EVERYWHERE, actor="a test")
    codes = [code for manifest in reversed(manifests) for code in codes_of(manifest)]
    moves = [lambda: advance(Guide.objects.all(), ReportedEvent(GuideStatus.IN_TRANSIT), actor="a test")] * 2
    in_threads(lambda: receive(batch.pk, scans_of(codes), EVERYWHERE, actor="a test"), *moves)
    assert InboundScan.objects.filter(outcome="matched").count() == 80
    for manifest in manifests:
        assert_sound(manifest)
