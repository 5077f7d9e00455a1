"""The order of the rules: unchanged, history, terminal, table, retention. One guide, one event, one verdict."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from shipments.statuses import GuideStatus, Source
from shipments.tracking.moves import GuideState, Outcome, ReportedEvent

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def at(hour: float) -> datetime:
    return datetime(2026, 11, 20, tzinfo=UTC) + timedelta(hours=hour)


def state(status: str, *before: tuple[str, float], retained: bool = False) -> GuideState:
    """A guide that came into `status` at 8, with the given (status, hour) events before; ingest's own is of 5."""
    scans = [*before, (status, 8)] if status != "registered" else []
    known = {(GuideStatus.REGISTERED, at(5)), *((GuideStatus(word), at(hour)) for word, hour in scans)}
    latest = max((at(hour) for _word, hour in scans), default=None)
    return GuideState(GuideStatus(status), retained, latest, known)


@dataclass(frozen=True)
class Case:
    """hour: of the event; None when it has no time of its own. verdict: the outcome, or the refusal's code."""

    name: str
    guide: GuideState
    status: str
    hour: float | None
    verdict: str
    source: Source = Source.CARRIER


MOVED = ("customs_processing", 7)

CASES = [
    Case("the same again without a time", state("in_transit"), "in_transit", None, "unchanged"),
    Case("the same again with its own time", state("in_transit"), "in_transit", 8, "unchanged"),
    Case("the same again at another event's time", state("in_transit", MOVED), "in_transit", 7, "unchanged"),
    Case("a known event sent again", state("in_transit", MOVED), "customs_processing", 7, "unchanged"),
    Case("a known event of a finished guide", state("lost", MOVED), "customs_processing", 7, "unchanged"),
    Case("the end again without a time", state("delivered"), "delivered", None, "unchanged"),
    Case("registered again", state("registered"), "registered", None, "unchanged"),
    Case("registered again with ingest's time", state("registered"), "registered", 5, "unchanged"),
    Case("the same again later", state("in_transit"), "in_transit", 9, "repeated"),
    Case("the end again later", state("delivered"), "delivered", 9, "repeated"),
    Case("registered again later", state("registered"), "registered", 6, "repeated"),
    Case("the same again earlier", state("in_transit"), "in_transit", 7, "history"),
    Case("a late scan", state("out_for_delivery"), "in_transit", 7, "history"),
    Case("a late registered", state("in_transit"), "registered", 7, "history"),
    Case("a late scan of a finished guide", state("delivered"), "in_transit", 7, "history"),
    Case("a late end of a finished guide", state("delivered"), "lost", 7, "history"),
    Case("a late release under retention", state("in_transit", retained=True), "customs_released", 7, "history"),
    Case("a first scan from before ingest", state("registered"), "in_transit", 4, "advanced"),
    Case("two events of one moment", state("customs_released"), "in_transit", 8, "advanced"),
    Case("a late end of an active guide", state("in_transit"), "delivered", 7, "advanced"),
    Case("a late end the table does not have", state("in_transit"), "cancelled", 7, "invalid_transition"),
    Case("a late end under retention", state("in_transit", retained=True), "delivered", 7, "guide_under_retention"),
    Case("moving a finished guide", state("delivered"), "in_transit", 9, "guide_already_terminal"),
    Case("moving a finished guide, no time told", state("lost"), "delivered", None, "guide_already_terminal"),
    Case("terminal comes before the table", state("returned"), "cancelled", 9, "guide_already_terminal"),
    Case("terminal before retention", state("lost", retained=True), "delivered", 9, "guide_already_terminal"),
    Case("back to registered", state("in_transit"), "registered", 9, "invalid_transition"),
    Case("the table before retention", state("registered", retained=True), "returned", 9, "invalid_transition"),
    Case("released while retained", state("on_hold", retained=True), "customs_released", 9, "guide_under_retention"),
    Case("sent out while retained", state("on_hold", retained=True), "out_for_delivery", 9, "guide_under_retention"),
    Case("delivered while retained", state("on_hold", retained=True), "delivered", None, "guide_under_retention"),
    Case(
        "customs delivers nothing",
        state("on_hold", retained=True),
        "delivered",
        9,
        "guide_under_retention",
        Source.CUSTOMS,
    ),
    Case("moving on while retained", state("customs_processing", retained=True), "in_transit", 9, "advanced"),
    Case("held again by customs", state("in_transit", retained=True), "customs_held", 9, "advanced", Source.CUSTOMS),
    Case("scanned again while retained", state("in_transit", retained=True), "in_transit", 9, "repeated"),
    Case("a late scan while retained", state("on_hold", retained=True), "in_transit", 7, "history", Source.CUSTOMS),
    Case("lost while retained", state("in_transit", retained=True), "lost", 9, "advanced"),
    Case("five minutes ahead of our clock", state("registered"), "in_transit", 12 + 5 / 60, "advanced"),
    Case("more than five minutes ahead", state("registered"), "in_transit", 12 + 5.02 / 60, "event_in_future"),
    Case("the future is asked first", state("delivered"), "delivered", 13, "event_in_future"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_rules_are_asked_in_their_order(case: Case) -> None:
    reported = ReportedEvent(GuideStatus(case.status), case.source, None if case.hour is None else at(case.hour))
    before, was_retained = case.guide.current, case.guide.is_retained
    verdict = case.guide.take(reported, NOW)
    said = verdict.refusal.code if verdict.refusal else verdict.outcome.value
    assert said == case.verdict
    assert case.guide.current == (reported.status if verdict.outcome is Outcome.ADVANCED else before)
    assert case.guide.is_retained == was_retained, "only a release by customs ends a retention"


def test_a_refusal_names_both_statuses() -> None:
    verdict = state("in_transit").take(ReportedEvent(GuideStatus.CANCELLED), NOW)
    assert verdict.refusal is not None
    assert verdict.refusal.message == "A guide that is in_transit cannot become cancelled."
    assert verdict.refusal.in_words == 'A guide that is "In transit" cannot become "Cancelled".'


def test_a_fact_without_a_time_happens_as_we_hear_of_it() -> None:
    assert state("registered").take(ReportedEvent(GuideStatus.LOST), NOW).occurred_at == NOW


def test_a_fact_without_a_time_is_never_history_of_an_event_that_ran_ahead_of_our_clock() -> None:
    ahead = 12 + 4 / 60
    guide = state("registered")
    guide.take(ReportedEvent(GuideStatus.IN_TRANSIT, Source.CARRIER, at(ahead)), NOW)
    verdict = guide.take(ReportedEvent(GuideStatus.OUT_FOR_DELIVERY), NOW)
    assert (verdict.outcome, verdict.occurred_at) == (Outcome.ADVANCED, at(ahead))


@pytest.mark.parametrize(("status", "hour"), [("registered", 9), ("in_transit", 9), ("in_transit", 7)])
def test_customs_ends_a_retention_by_releasing_the_guide_however_late_we_hear_of_it(status: str, hour: float) -> None:
    guide = state(status, retained=True)
    assert guide.take(ReportedEvent(GuideStatus.CUSTOMS_RELEASED, Source.CUSTOMS, at(hour)), NOW).lifts_retention
    delivered = guide.take(ReportedEvent(GuideStatus.DELIVERED, Source.COURIER_SCAN, at(10)), NOW)
    assert delivered.outcome is Outcome.ADVANCED


@pytest.mark.parametrize("source", [source for source in Source if source is not Source.CUSTOMS])
def test_nobody_else_releases_a_guide_under_retention(source: Source) -> None:
    guide = state("customs_processing", retained=True)
    verdict = guide.take(ReportedEvent(GuideStatus.CUSTOMS_RELEASED, source, at(9)), NOW)
    assert verdict.refusal is not None
    assert verdict.refusal.code == "guide_under_retention"
    assert guide.is_retained


def test_facts_are_judged_after_those_before_them() -> None:
    guide = state("registered")
    outcomes = [
        guide.take(ReportedEvent(GuideStatus(status), Source.CARRIER, at(hour)), NOW).outcome.value
        for status, hour in [("in_transit", 6), ("in_transit", 6), ("delivered", 8), ("customs_held", 7), ("lost", 9)]
    ]
    assert outcomes == ["advanced", "unchanged", "advanced", "history", "refused"]
