"""The sequence of a guide's changes of status, where earlier versions left events without one."""

from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from django.utils import timezone

from shipments.models import Guide, GuideEvent, Manifest
from shipments.sequence_filling import fill_guides
from shipments.statuses import GuideStatus, Source
from shipments.tracking.advancing import advance_each
from shipments.tracking.batches import Move
from shipments.tracking.moves import ReportedEvent
from shipments.tracking.numbering import number_guides
from tests.conftest import Caller
from tests.shipments.shipping import assert_sound, bring, shipped, tell

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def as_an_earlier_version_left_it() -> None:
    GuideEvent.objects.update(sequence=None)
    Guide.objects.update(sequence=None, updated_at=None, customs_since=None)
    Manifest.objects.update(status=None, version=1, changed_at=None)


@pytest.mark.parametrize("seed", range(20))
def test_numbering_afterwards_gives_what_moving_gave(acme: Caller, seed: int) -> None:
    manifest = shipped(acme.company, 4)
    guides, random = list(manifest.guides.all()), Random(seed)  # noqa: S311  # a seed that a failure can be repeated with
    for _ in range(30):
        at = random.choice([None, NOON + timedelta(hours=random.randint(0, 9))])
        reported = ReportedEvent(random.choice([*GuideStatus]), random.choice([*Source]), at)
        advance_each([Move(random.choice(guides).pk, manifest.pk, reported)], actor="")
    assert_sound(manifest)
    told = [list(GuideEvent.objects.order_by("pk").values()), list(Guide.objects.order_by("pk").values())]
    as_an_earlier_version_left_it()
    assert sum(fill_guides()) == 4
    assert [list(GuideEvent.objects.order_by("pk").values()), list(Guide.objects.order_by("pk").values())] == told


def test_a_guide_that_moves_before_it_is_numbered_gets_the_right_sequence(acme: Caller, rival: Caller) -> None:
    guide, theirs = shipped(acme.company, 1).guides.get(), shipped(rival.company, 1).guides.get()
    bring(guide, "customs_processing", "in_transit")
    tell(guide, "customs_held", occurred_at=NOON)  # history
    as_an_earlier_version_left_it()
    result = tell(guide, "delivered")
    assert result.event is not None
    assert result.event.sequence == 4
    assert [event.sequence for event in guide.events.order_by("id")] == [1, 2, 3, 0, 4]
    theirs.refresh_from_db()
    assert theirs.sequence is None


def test_a_guide_without_events_of_its_own_begins_at_one(acme: Caller) -> None:
    guide = shipped(acme.company, 1).guides.get()
    guide.events.all().delete()
    as_an_earlier_version_left_it()
    assert number_guides([guide.pk])[guide.pk] == (1, guide.created_at)
    result = tell(guide, "in_transit")
    assert result.event is not None
    assert result.event.sequence == 2


def test_the_last_change_of_an_earlier_version_is_the_latest_it_recorded(acme: Caller) -> None:
    guide = shipped(acme.company, 1).guides.get()
    lifted_at = timezone.now() + timedelta(hours=1)
    as_an_earlier_version_left_it()
    number_guides([guide.pk])
    guide.refresh_from_db()
    assert guide.updated_at is None, "nothing changed since it was created"
    as_an_earlier_version_left_it()
    Guide.objects.update(retention_lifted_at=lifted_at)
    number_guides([guide.pk])
    guide.refresh_from_db()
    assert guide.updated_at == lifted_at
