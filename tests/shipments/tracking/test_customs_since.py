"""Since when customs has a guide: the stored time is always the one that the guide's events give."""

from datetime import UTC, datetime, timedelta

import pytest

from shipments.models import Guide
from shipments.statuses import GuideStatus
from shipments.tracking.taking_back import take_back
from shipments.tracking.withdrawals import Withdrawal
from tests.conftest import Caller
from tests.shipments.shipping import shipped, stay_of, tell

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def at(hour: int) -> datetime:
    return NOON + timedelta(hours=hour)


def since(guide: Guide) -> int | None:
    """The hour after `NOON` since which customs has the guide."""
    guide.refresh_from_db()
    assert guide.customs_since == stay_of(guide)
    return None if guide.customs_since is None else (guide.customs_since - NOON) // timedelta(hours=1)


def take_it_back(guide: Guide, to: str = "", occurred_at: datetime | None = None) -> None:
    guide.refresh_from_db()
    withdrawal = Withdrawal(
        GuideStatus(guide.status), GuideStatus(to) if to else None, occurred_at, reason="Another guide was meant"
    )
    (result,) = take_back(Guide.objects.filter(pk=guide.pk), withdrawal, actor="root")
    assert result.refusal is None, result.refusal


@pytest.fixture
def guide(acme: Caller) -> Guide:
    return shipped(acme.company, 1).guides.get()


@pytest.mark.parametrize(
    ("told", "hours"),
    [
        ([], None),
        ([("in_transit", 1)], None),
        ([("customs_processing", 1)], 1),
        ([("customs_processing", 1), ("customs_held", 5), ("customs_held", 6)], 1),
        ([("customs_processing", 1), ("customs_released", 5)], None),
        ([("in_transit", 1), ("customs_held", 1)], 1),  # at one time: the one recorded later counts
        ([("customs_processing", 1), ("in_transit", 3), ("customs_held", 5)], 5),
        # Reported late: it began earlier, was interrupted, or both stays were one before that was known.
        ([("customs_processing", 5), ("customs_held", 2)], 2),
        ([("customs_processing", 1), ("customs_held", 5), ("in_transit", 3)], 5),
        ([("customs_processing", 5), ("in_transit", 3), ("customs_held", 1)], 5),
        ([("customs_processing", 5), ("in_transit", 1), ("customs_held", 3)], 3),
        # An end that is reported late still ends the stay.
        ([("customs_processing", 5), ("lost", 3)], None),
    ],
)
def test_a_stay_begins_with_the_first_event_in_customs_after_the_last_that_was_not(
    guide: Guide, told: list[tuple[str, int]], hours: int | None
) -> None:
    for status, hour in told:
        tell(guide, status, occurred_at=at(hour))
    assert since(guide) == hours


def test_a_release_that_is_taken_back_never_interrupted_the_stay(guide: Guide) -> None:
    tell(guide, "customs_processing", occurred_at=at(1))
    tell(guide, "customs_released", occurred_at=at(9))
    assert since(guide) is None
    take_it_back(guide)
    assert since(guide) == 1
    tell(guide, "lost", occurred_at=at(12))
    tell(guide, "customs_held", occurred_at=at(0))  # recorded though the guide is lost
    take_it_back(guide)
    assert since(guide) == 0


def test_taking_back_a_status_of_customs_leaves_the_stay_that_remains(guide: Guide) -> None:
    tell(guide, "customs_processing", occurred_at=at(1))
    tell(guide, "in_transit", occurred_at=at(3))
    tell(guide, "customs_held", occurred_at=at(5))
    take_it_back(guide, "customs_documents_required", at(7))
    assert since(guide) == 7
    take_it_back(guide, "in_transit", at(8))
    assert since(guide) is None


def test_a_correction_dated_before_another_event_ends_no_later_stay(guide: Guide) -> None:
    """The correcting event is the oldest, so the one in customs that follows it is still the newest."""
    tell(guide, "customs_held", occurred_at=at(4))
    tell(guide, "customs_released", occurred_at=at(9))
    take_it_back(guide, "in_transit", at(2))
    assert since(guide) is None
    tell(guide, "customs_held", occurred_at=at(10))
    assert since(guide) == 4


def test_a_guide_that_an_earlier_version_moved_has_the_right_time_from_its_next_event_on(guide: Guide) -> None:
    tell(guide, "customs_processing", occurred_at=at(1))
    Guide.objects.filter(pk=guide.pk).update(customs_since=None)
    tell(guide, "customs_processing", occurred_at=at(30))
    assert since(guide) == 1
