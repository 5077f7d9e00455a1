"""Any events of guides, in any order: the invariants hold after each step."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from shipments.errors import GuideNotUnderRetention, ManifestAlreadyVoided, ManifestUnderWay
from shipments.models import Guide, GuideEvent
from shipments.statuses import GuideStatus, Source
from shipments.tracking.advancing import advance, advance_each
from shipments.tracking.event_files.event_rows import EventRow
from shipments.tracking.event_files.importing import import_events
from shipments.tracking.moves import Move, Outcome, ReportedEvent
from shipments.tracking.review import lift_retention
from shipments.tracking.taking_back import take_back
from shipments.tracking.totals import check_totals
from shipments.tracking.voiding import void_manifest
from shipments.tracking.withdrawals import REINSTATED, Withdrawal
from tests.examples import examples
from tests.factories import ClientFactory
from tests.shipments.shipping import assert_sound, shipped

LET_GO = {"customs_released", "out_for_delivery", "delivered"}

statuses = st.sampled_from(GuideStatus)
sources = st.sampled_from(Source)
times = st.none() | st.integers(0, 6).map(lambda hour: datetime(2026, 3, 2, hour, tzinfo=UTC))
reported_events = st.builds(ReportedEvent, statuses, sources, times)


class AnyOrder(RuleBasedStateMachine):
    """Two companies with a manifest each; of the first one's guides, one is under retention."""

    @initialize()
    def ship(self) -> None:
        self.manifests = [shipped(ClientFactory.create(), 3), shipped(ClientFactory.create(), 2)]
        Guide.objects.filter(pk=self.guides(0)[0].pk).update(retention_required=True, retention_reason="FOB")
        self.ended: dict[int, str] = {}
        self.events = 5

    def guides(self, manifest: int) -> list[Guide]:
        return list(self.manifests[manifest].guides.order_by("id"))

    @rule(manifest=st.integers(0, 1), number=st.integers(0, 2), reported=reported_events)
    def tell_one(self, manifest: int, number: int, reported: ReportedEvent) -> None:
        guides = self.guides(manifest)
        guide = guides[number % len(guides)]
        self.check(advance(Guide.objects.filter(pk=guide.pk), reported, actor=""))

    @rule(manifest=st.integers(0, 1), reported=reported_events)
    def tell_all_of_a_mawb(self, manifest: int, reported: ReportedEvent) -> None:
        self.check(advance(self.manifests[manifest].guides.all(), reported, actor=""))

    @rule(told=st.lists(st.tuples(st.integers(0, 4), reported_events), min_size=2, max_size=8))
    def tell_much_at_once(self, told: list[tuple[int, ReportedEvent]]) -> None:
        guides = [*self.guides(0), *self.guides(1)]
        moves = [Move(guides[number].pk, guides[number].manifest_id, reported) for number, reported in told]
        results = advance_each(moves, actor="")
        assert results == moves
        self.check(results)

    @rule(manifest=st.integers(0, 1), reported=reported_events)
    def preview(self, manifest: int, reported: ReportedEvent) -> None:
        guides = self.manifests[manifest].guides.all()
        previewed = advance(guides, reported, actor="", dry_run=True)
        assert GuideEvent.objects.filter(guide__manifest__in=self.manifests).count() == self.events
        done = advance(guides, reported, actor="")
        assert [result.outcome for result in previewed] == [result.outcome for result in done]
        self.check(done)

    @rule(told=st.lists(st.tuples(st.integers(0, 4), reported_events), min_size=2, max_size=4))
    def import_a_file(self, told: list[tuple[int, ReportedEvent]]) -> None:
        guides = [*self.guides(0), *self.guides(1)]
        rows = [EventRow(2, guides[number].tracking_code, "", "", reported) for number, reported in told]
        self.check([each for each in import_events(rows, actor="") if isinstance(each, Move)])

    @rule(number=st.integers(0, 4), to=st.none() | st.sampled_from(REINSTATED), occurred_at=times)
    def take_a_status_back(self, number: int, to: GuideStatus | None, occurred_at: datetime | None) -> None:
        guide = [*self.guides(0), *self.guides(1)][number]
        wrong = Withdrawal(GuideStatus(guide.status), to, occurred_at, reason="Another guide was meant")
        results = take_back(Guide.objects.filter(pk=guide.pk), wrong, actor="root")
        self.check(results)
        if results[0].outcome is Outcome.TAKEN_BACK:
            self.ended.pop(guide.pk, None)

    @rule(number=st.integers(0, 2))
    def lift(self, number: int) -> None:
        guide = self.guides(0)[number]
        try:
            lift_retention(guide, reason="Paid", actor="")
            assert guide.retention_required
        except GuideNotUnderRetention:
            assert not guide.retention_required

    @rule(manifest=st.integers(0, 1))
    def void(self, manifest: int) -> None:
        before = set(self.manifests[manifest].guides.values_list("status", flat=True))
        try:
            self.check(void_manifest(self.manifests[manifest], reason="Sent twice", actor=""))
            assert before <= {"registered", "cancelled"}
        except ManifestUnderWay:
            assert not before <= {"registered", "cancelled"}
        except ManifestAlreadyVoided:
            assert before == {"cancelled"}

    def check(self, results: Sequence[Move]) -> None:
        """One event for each reported event that was recorded, none for the others."""
        for result in results:
            assert (result.event is not None) is result.outcome.is_recorded
            assert (result.refusal is not None) is (result.outcome is Outcome.REFUSED)
            self.events += result.outcome.is_recorded

    @invariant()
    def counts_timelines_and_totals_are_sound(self) -> None:
        for manifest in self.manifests:
            assert_sound(manifest)
        assert GuideEvent.objects.filter(guide__manifest__in=self.manifests).count() == self.events
        ours = {manifest.pk for manifest in self.manifests}
        assert [difference for difference in check_totals() if difference.manifest_id in ours] == []

    @invariant()
    def an_end_is_left_by_taking_it_back_alone(self) -> None:
        for guide in [*self.guides(0), *self.guides(1)]:
            assert self.ended.get(guide.pk, guide.status) == guide.status
            if GuideStatus(guide.status).is_terminal:
                self.ended[guide.pk] = guide.status

    @invariant()
    def nothing_under_retention_was_let_go(self) -> None:
        for guide in self.guides(0):
            assert not (guide.retention_required and guide.status in LET_GO)


@pytest.mark.django_db
def test_what_must_hold_holds_after_any_events_in_any_order() -> None:
    run_state_machine_as_test(
        AnyOrder,
        settings=settings(
            max_examples=examples(20), stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
