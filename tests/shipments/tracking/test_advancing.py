"""advance: what one event, or thousands, do to guides, their timelines and their manifest's counts."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.utils import timezone

from base.errors import ValidationFailed
from shipments.models import Guide, GuideEvent
from shipments.statuses import GuideStatus, Source
from shipments.tracking import advancing
from shipments.tracking.advancing import advance, advance_each
from shipments.tracking.moves import Move, ReportedEvent
from shipments.tracking.rows import LockedRows, Overtaken
from tests.conftest import Caller
from tests.shipments.shipping import assert_sound, bring, shipped, tell
from webhooks.models import Delivery
from webhooks.subscriptions import register

pytestmark = pytest.mark.django_db

HELD = ReportedEvent(GuideStatus.CUSTOMS_HELD, Source.CUSTOMS)


def outcomes(results: Sequence[Move]) -> list[str]:
    return [result.refusal.code if result.refusal else result.outcome.value for result in results]


class TestAMove:
    def test_changes_the_status_records_the_event_and_keeps_the_counts(self, acme: Caller) -> None:
        manifest = shipped(acme.company)
        guide = manifest.guides.get(hawb="H002")
        happened = timezone.now() - timedelta(hours=2)
        result = tell(guide, "in_transit", "courier_scan", occurred_at=happened, internal_note="Left the hub")
        guide.refresh_from_db()
        assert guide.status == "in_transit"
        event = guide.events.get(status="in_transit")
        assert (event.occurred_at, event.source, event.internal_note, event.actor) == (
            happened,
            "courier_scan",
            "Left the hub",
            "a test",
        )
        assert event.recorded_at > happened + timedelta(hours=1)
        manifest.refresh_from_db()
        assert manifest.guides_by_status == {"registered": 2, "in_transit": 1}
        assert_sound(manifest)
        assert (result.outcome, result.previous_status, result.event) == ("advanced", "registered", event)

    def test_that_is_refused_leaves_no_trace(self, acme: Caller) -> None:
        manifest = shipped(acme.company, 1)
        guide = bring(manifest.guides.get(), "delivered")
        before = (Guide.objects.values().get(), list(GuideEvent.objects.values()))
        result = tell(guide, "in_transit")
        assert result.refusal is not None
        assert (result.refusal.code, result.event) == ("guide_already_terminal", None)
        assert (Guide.objects.values().get(), list(GuideEvent.objects.values())) == before
        assert_sound(manifest)

    @pytest.mark.parametrize(
        ("reported", "field"),
        [
            ({"internal_note": "x" * 256}, "internal_note"),
            ({"client_note": "a\0b"}, "client_note"),
            ({"occurred_at": datetime(2026, 1, 1)}, "occurred_at"),  # noqa: DTZ001  # the point of the test
        ],
    )
    def test_that_no_database_would_take_is_refused_before_it(
        self, acme: Caller, reported: dict[str, Any], field: str
    ) -> None:
        guide = shipped(acme.company, 1).guides.get()
        with pytest.raises(ValidationFailed) as refused:
            tell(guide, "in_transit", **reported)
        assert list(refused.value.details) == [field]
        assert guide.events.count() == 1


@pytest.mark.parametrize(
    ("status", "hour", "outcome", "announced"),
    [
        ("customs_held", 9, "advanced", ["guide.exception"]),
        ("in_transit", 9, "repeated", []),
        ("customs_held", 7, "history", []),
        ("in_transit", 8, "unchanged", []),
        ("registered", 9, "refused", []),
    ],
)
def test_only_a_change_of_status_is_announced(
    acme: Caller, status: str, hour: int, outcome: str, announced: list[str]
) -> None:
    guide = shipped(acme.company, 1).guides.get()
    tell(guide, "in_transit", occurred_at=datetime(2026, 3, 2, 8, tzinfo=UTC))
    register(acme.company, "https://203.0.114.5/hook")
    assert tell(guide, status, occurred_at=datetime(2026, 3, 2, hour, tzinfo=UTC)).outcome == outcome
    assert list(Delivery.objects.values_list("event_type", flat=True)) == announced


class TestManyMoves:
    def test_of_a_whole_manifest_leave_every_other_alone(self, acme: Caller, rival: Caller) -> None:
        mine, other, theirs = shipped(acme.company), shipped(acme.company), shipped(rival.company)
        results = advance(mine.guides.all(), HELD, actor="")
        assert outcomes(results) == ["advanced"] * 3
        for manifest, expected in [
            (mine, {"customs_held": 3}),
            (other, {"registered": 3}),
            (theirs, {"registered": 3}),
        ]:
            manifest.refresh_from_db()
            assert manifest.guides_by_status == expected
            assert_sound(manifest)

    def test_come_in_batches_each_reported_in_its_transaction(
        self, acme: Caller, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(advancing, "BATCH_GUIDES", 2)
        first, second = shipped(acme.company, 3), shipped(acme.company, 2)
        batches: list[int] = []
        guides = Guide.objects.filter(manifest__in=[first, second])
        results = advance(guides, HELD, actor="", in_batch=lambda batch: batches.append(len(batch)))
        assert (batches, outcomes(results)) == ([2, 2, 1], ["advanced"] * 5)
        assert_sound(first)
        assert_sound(second)

    def test_are_committed_with_what_is_written_in_their_batch_or_not_at_all(
        self, acme: Caller, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(advancing, "BATCH_GUIDES", 2)
        manifest = shipped(acme.company, 3)

        def note(batch: Sequence[Move]) -> None:
            assert connection.in_atomic_block
            assert GuideEvent.objects.filter(pk__in=[result.event.pk for result in batch if result.event]).exists()
            Guide.objects.filter(pk__in=[result.guide_id for result in batch]).update(consignee_name="Noted")
            if len(batch) == 1:
                raise RuntimeError

        with pytest.raises(RuntimeError):
            advance_each(advancing.moves_of(manifest.guides.all(), HELD), actor="", in_batch=note)
        assert list(manifest.guides.order_by("id").values_list("status", "consignee_name")) == [
            ("customs_held", "Noted"),
            ("customs_held", "Noted"),
            ("registered", ""),
        ]
        assert_sound(manifest)

    def test_repeat_what_is_written_in_a_batch_with_the_batch(
        self, acme: Caller, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        manifest = shipped(acme.company, 2)
        called: list[int] = []

        def overtaken_once(batch: Sequence[Move]) -> None:
            Guide.objects.filter(hawb="H001").update(packages_count=F("packages_count") + 1)
            called.append(len(batch))
            if len(called) == 1:
                raise Overtaken

        packages = manifest.guides.get(hawb="H001").packages_count
        with monkeypatch.context() as patched:
            # The test's own transaction must not count as a caller's.
            patched.setattr(advancing, "connection", SimpleNamespace(in_atomic_block=False))
            results = advance_each(advancing.moves_of(manifest.guides.all(), HELD), actor="", in_batch=overtaken_once)
        assert (called, outcomes(results)) == ([2, 2], ["advanced"] * 2)
        assert manifest.guides.get(hawb="H001").packages_count == packages + 1
        assert_sound(manifest)

    def test_of_one_guide_are_taken_as_they_happened_and_reported_as_given(self, acme: Caller) -> None:
        manifest = shipped(acme.company, 1)
        guide = manifest.guides.get()
        noon = datetime(2026, 3, 2, 12, tzinfo=UTC)
        told = [("delivered", None), ("out_for_delivery", 4), ("customs_processing", 1), ("in_transit", 3)]
        moves = [
            Move(
                guide.pk,
                manifest.pk,
                ReportedEvent(GuideStatus(status), occurred_at=None if hour is None else noon + timedelta(hours=hour)),
            )
            for status, hour in told
        ]
        results = advance_each(moves, actor="")
        assert outcomes(results) == ["advanced"] * 4
        assert [result.reported.status.value for result in results] == [status for status, _hour in told]
        assert results[0].previous_status == "out_for_delivery"
        guide.refresh_from_db()
        assert guide.status == "delivered"
        assert_sound(manifest)

    def test_cost_the_same_queries_for_one_guide_and_for_a_batch(
        self, acme: Caller, django_assert_max_num_queries: Any
    ) -> None:
        manifest = shipped(acme.company, 300)
        with django_assert_max_num_queries(12):
            advance(manifest.guides.all(), HELD, actor="")

    def test_none_is_not_work(self) -> None:
        assert advance(Guide.objects.none(), HELD, actor="") == []


class TestADryRun:
    def test_answers_the_same_and_writes_nothing(self, acme: Caller) -> None:
        manifest = shipped(acme.company, 3)
        bring(manifest.guides.get(hawb="H001"), "lost")
        bring(manifest.guides.get(hawb="H002"), "customs_held")
        manifest.refresh_from_db()
        before = (list(Guide.objects.values()), list(GuideEvent.objects.values()), manifest.guides_by_status)
        previewed = advance(manifest.guides.all(), HELD, actor="", dry_run=True)
        manifest.refresh_from_db()
        assert (list(Guide.objects.values()), list(GuideEvent.objects.values()), manifest.guides_by_status) == before
        done = advance(manifest.guides.all(), HELD, actor="")
        assert outcomes(previewed) == outcomes(done) == ["guide_already_terminal", "unchanged", "advanced"]
        assert [move.hawb for move in done] == ["H001", "H002", "H003"]


class TestRetention:
    def test_holds_a_guide_until_customs_itself_releases_it(self, acme: Caller) -> None:
        manifest = shipped(acme.company, 2, country="PE", retention_reason="FOB above US$ 2,000")
        guide, other = manifest.guides.order_by("id")
        refused = tell(guide, "delivered").refusal
        assert refused is not None
        assert refused.code == "guide_under_retention"
        assert tell(guide, "customs_held", "customs").outcome == "advanced"
        guide.refresh_from_db()
        assert (guide.retention_required, guide.retention_lifted_at) == (True, None)
        assert tell(guide, "customs_released", "customs").outcome == "advanced"
        guide.refresh_from_db()
        assert not guide.retention_required
        assert guide.retention_reason == "FOB above US$ 2,000"
        assert guide.retention_lifted_at is not None
        assert (guide.retention_lifted_by, guide.retention_lifted_reason) == ("a test", "released_by_customs")
        assert tell(guide, "delivered").outcome == "advanced"
        other.refresh_from_db()
        assert other.retention_required
        assert_sound(manifest)


@pytest.mark.django_db(transaction=True)
def test_a_guide_that_changed_between_reading_and_writing_is_judged_again(
    acme: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no lock holds the guide, as on SQLite, the update itself asks for the status that was judged."""
    manifest = shipped(acme.company, 1)
    guide = manifest.guides.get()
    read = LockedRows.read
    answers = iter([read({manifest.pk}, {guide.pk}, since=timezone.now(), is_locked=False)])
    tell(guide, "delivered")
    monkeypatch.setattr(LockedRows, "read", lambda *args, **kwargs: next(answers, None) or read(*args, **kwargs))
    result = tell(guide, "customs_held", "customs")
    assert result.refusal is not None
    assert result.refusal.code == "guide_already_terminal"
    assert_sound(manifest)


def test_a_registration_that_somebody_reports_counts_as_any_scan_does(acme: Caller) -> None:
    """Only the one of our own ingest is left out, whatever source a later one claims."""
    guide = shipped(acme.company, 1).guides.get()
    tell(guide, "registered", "pre_alert", occurred_at=datetime(2026, 3, 2, 4, tzinfo=UTC))
    late = tell(guide, "in_transit", occurred_at=datetime(2026, 3, 2, 2, tzinfo=UTC))
    assert late.outcome == "history"
    assert tell(guide, "in_transit", occurred_at=datetime(2026, 3, 2, 5, tzinfo=UTC)).outcome == "advanced"
    assert_sound(guide.manifest)
