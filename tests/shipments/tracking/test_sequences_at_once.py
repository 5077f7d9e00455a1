"""Eight movers at the same guides at the same time, one by one and in batches: sequences have no gap and no tie."""

import json
from collections import defaultdict
from random import Random

import pytest
from django.db import connection

from shipments.models import GuideEvent, Manifest
from shipments.statuses import GuideStatus, Source
from shipments.tracking.advancing import advance_each
from shipments.tracking.moves import Move, ReportedEvent
from tests.conftest import Caller
from tests.shipments.shipping import assert_sound, shipped
from tests.shipments.tracking.test_at_once import in_threads
from webhooks.models import Delivery
from webhooks.subscriptions import register_signed

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite lets one transaction at a time"),
]

MOVERS, ROUNDS = 8, 6
STATUSES = (
    GuideStatus.IN_TRANSIT,
    GuideStatus.CUSTOMS_PROCESSING,
    GuideStatus.CUSTOMS_HELD,
    GuideStatus.ON_HOLD,
)


def test_sequences_count_on_whoever_moves_and_however_many(acme: Caller, rival: Caller) -> None:
    other = shipped(rival.company)
    for caller in (acme, rival):
        register_signed(caller.company, "https://hooks.example/one")
    manifest = shipped(acme.company, 5)
    in_threads(*[lambda number=number: move_at_random(manifest, number) for number in range(MOVERS)])
    assert_sound(manifest)
    sent = sequences_sent()
    for guide in manifest.guides.all():
        events = GuideEvent.objects.filter(guide=guide, sequence__isnull=False)
        numbers = sorted(each.sequence or 0 for each in events)
        assert numbers == list(range(1, len(numbers) + 1))
        assert sorted(sent[guide.tracking_code]) == [number for number in numbers if number > 1]
        assert guide.sequence == numbers[-1]
        assert len(numbers) > ROUNDS
    assert sent.keys() == set(manifest.guides.values_list("tracking_code", flat=True))
    assert set(other.guides.values_list("sequence", flat=True)) == {1}


def move_at_random(manifest: Manifest, number: int) -> None:
    """Half of the movers take one guide at a time, the others all of them in an order of their own."""
    chance = Random(number)  # noqa: S311  # the same moves in each run
    guides = list(manifest.guides.values_list("id", flat=True))
    for _ in range(ROUNDS):
        reported = ReportedEvent(chance.choice(STATUSES), Source.CARRIER)
        some = chance.sample(guides, len(guides) if number % 2 else 1)
        advance_each([Move(guide, manifest.pk, reported) for guide in some], actor="a test")


def sequences_sent() -> dict[str, list[int]]:
    """Tracking code -> `data.sequence` of what is sent about it."""
    found = defaultdict(list)
    for delivery in Delivery.objects.exclude(event_type="pre_alert.ingested"):
        data = json.loads(bytes(delivery.body))["data"]
        found[data["tracking_code"]].append(data["sequence"])
    return found
