"""Since when customs has a guide: the stored time is always the one that the guide's events give."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from shipments.errors import ManifestAlreadyVoided, ManifestUnderWay
from shipments.models import Guide, GuideEvent, Manifest
from shipments.statuses import IN_CUSTOMS, GuideStatus, Source
from shipments.tracking.advancing import advance
from shipments.tracking.event_files.event_rows import EventRow
from shipments.tracking.event_files.importing import import_events
from shipments.tracking.moves import ReportedEvent
from shipments.tracking.taking_back import take_back
from shipments.tracking.voiding import void_manifest
from shipments.tracking.withdrawals import REINSTATED, Withdrawal
from tests.conftest import Caller
from tests.shipments.shipping import assert_sound, bring, shipped, stay_of, tell

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


def test_of_two_events_of_one_time_the_one_recorded_later_counts(guide: Guide) -> None:
    tell(guide, "in_transit", occurred_at=at(1))
    tell(guide, "customs_held", occurred_at=at(1))
    assert since(guide) == 1


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


def test_a_voided_manifest_has_nothing_in_customs(acme: Caller) -> None:
    manifest = shipped(acme.company, 2)
    void_manifest(manifest, reason="Sent twice", actor="")
    assert [guide.customs_since for guide in manifest.guides.all()] == [None, None]


def test_guides_moved_together_each_have_their_own_time(acme: Caller, rival: Caller) -> None:
    manifest, theirs = shipped(acme.company, 3), shipped(rival.company, 1)
    first, second, third = manifest.guides.order_by("id")
    tell(first, "customs_processing", occurred_at=at(1))
    bring(third, "in_transit")
    advance(manifest.guides.all(), ReportedEvent(GuideStatus.CUSTOMS_HELD, Source.CUSTOMS, at(6)), actor="")
    assert [since(guide) for guide in (first, second, third)] == [1, 6, None], "the third had moved on by then"
    assert since(theirs.guides.get()) is None


class AnyEvents:
    """Whatever can happen to the guides of two companies, by a seed that a failure can be repeated with."""

    def __init__(self, manifests: list[Manifest], seed: int) -> None:
        self.manifests = manifests
        self.random = Random(seed)  # noqa: S311  # no secret

    def step(self) -> None:
        steps: list[Callable[[], object]] = [self.move, self.move, self.bring_in, self.take_back]
        self.random.choice(steps)()

    def guides(self) -> list[Guide]:
        known = list(Guide.objects.filter(manifest__in=self.manifests).select_related("manifest").order_by("id"))
        return self.random.sample(known, self.random.randint(1, 3))

    def status(self) -> GuideStatus:
        """Mostly of customs, so that stays begin, end and are corrected."""
        choices: list[GuideStatus] = [*IN_CUSTOMS, *IN_CUSTOMS, *GuideStatus]
        return self.random.choice(choices)

    def time(self) -> datetime | None:
        return self.random.choice([None, at(self.random.randint(0, 9)), at(self.random.randint(0, 9))])

    def move(self) -> None:
        guides = Guide.objects.filter(pk__in=[guide.pk for guide in self.guides()])
        advance(guides, ReportedEvent(self.status(), self.random.choice([*Source]), self.time()), actor="")

    def bring_in(self) -> None:
        rows = [
            EventRow(2, guide.tracking_code, "", "", ReportedEvent(self.status(), occurred_at=self.time()))
            for guide in self.guides()
            for _twice in range(2)
        ]
        import_events(rows, actor="")

    def take_back(self) -> None:
        guides = self.guides()
        to = self.random.choice([None, *REINSTATED])
        withdrawal = Withdrawal(GuideStatus(guides[0].status), to, self.time(), reason="Another guide was meant")
        take_back(Guide.objects.filter(pk__in=[guide.pk for guide in guides]), withdrawal, actor="root")


@pytest.mark.parametrize("seed", range(15))
def test_after_any_moves_imports_and_takings_back_the_stored_time_is_that_of_the_events(
    acme: Caller, rival: Caller, seed: int
) -> None:
    manifests = [shipped(acme.company, 3), shipped(rival.company, 2)]
    events = AnyEvents(manifests, seed)
    seen = set()
    for _ in range(40):
        events.step()
        for guide in Guide.objects.filter(manifest__in=manifests):
            assert guide.customs_since == stay_of(guide)
            seen.add(guide.customs_since is None)
    assert seen == {True, False}
    assert GuideEvent.objects.exclude(withdrawn_at=None).exists()
    for manifest in manifests:
        assert_sound(manifest)
        with pytest.raises((ManifestUnderWay, ManifestAlreadyVoided)):
            void_manifest(manifest, reason="Sent twice", actor="")
