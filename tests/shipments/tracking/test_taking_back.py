"""Taking back a wrong status: what the guide, its client and its timeline have afterwards."""

import json
from datetime import timedelta
from itertools import cycle

import pytest

from shipments.models import Guide, Manifest
from shipments.statuses import FINAL, GuideStatus
from shipments.tracking import taking_back
from shipments.tracking.advancing import advance
from shipments.tracking.moves import ReportedEvent
from shipments.tracking.taking_back import take_back
from shipments.tracking.voiding import void_manifest
from shipments.tracking.withdrawals import REINSTATED, Withdrawal
from tests.conftest import Caller
from tests.shipments.shipping import assert_sound, bring, shipped, tell
from tests.shipments.tracking.taken_back import NOON, answered, refusals, taken_back
from webhooks.models import Delivery
from webhooks.subscriptions import register, register_signed

pytestmark = pytest.mark.django_db


def test_the_guide_has_the_status_that_follows_from_its_other_events(acme: Caller) -> None:
    manifest = shipped(acme.company, 2)
    guide, other = manifest.guides.order_by("pk")
    tell(guide, "in_transit", occurred_at=NOON)
    bring(guide, "delivered")
    (result,) = taken_back(guide)
    guide.refresh_from_db()
    other.refresh_from_db()
    assert (result.outcome, result.previous_status, guide.status) == ("taken_back", "delivered", "in_transit")
    assert (other.status, other.events.count()) == ("registered", 1)
    wrong = guide.events.get(status="delivered")
    correcting = guide.events.order_by("pk").last()
    assert correcting is not None
    assert (wrong.withdrawn_by, wrong.withdrawn_reason, wrong.withdrawn_at) == (
        "root",
        "Another MAWB was meant",
        correcting.recorded_at,
    )
    assert (correcting.source, correcting.actor, correcting.internal_note) == (
        "operator",
        "root",
        "Another MAWB was meant",
    )
    assert (wrong.sequence, correcting.sequence, guide.sequence) == (3, 4, 4)
    assert correcting.occurred_at == NOON, "it has been so since then"
    assert_sound(manifest)


def test_a_final_status_can_be_taken_back_to_any_active_one_but_registered(acme: Caller) -> None:
    manifest = shipped(acme.company, len(REINSTATED))
    finals = cycle(status for status in FINAL if status is not GuideStatus.CANCELLED)
    for guide, status, wrong in zip(manifest.guides.order_by("pk"), REINSTATED, finals, strict=False):
        bring(guide, "customs_processing", wrong)
        assert refusals(taken_back(guide, wrong=wrong, to=status)) == ["taken_back"]
        assert tell(guide, "lost").outcome == "advanced"  # it moves as any active guide does
    assert_sound(manifest)


def test_a_guide_that_was_only_registered_is_registered_again_and_moves_as_if_nothing_had_been(acme: Caller) -> None:
    manifest = shipped(acme.company, 2)
    guide, still = manifest.guides.order_by("pk")
    began_at = guide.events.get().occurred_at
    register_signed(acme.company, "https://203.0.114.5/hook")
    bring(guide, "delivered")
    sent = Delivery.objects.count()
    assert refusals(taken_back(guide)) == ["taken_back"]
    assert [(each["status"], each["sequence"]) for each in answered(acme, guide)["events"]] == [
        ("registered", 1), ("registered", 3),
    ]  # fmt: skip
    assert guide.events.order_by("pk").last().occurred_at == began_at  # type: ignore[union-attr]  # it has events
    told = Delivery.objects.order_by("pk")[sent:]
    assert [each.event_type for each in told] == ["guide.status_changed"]
    assert refusals(taken_back(guide, still, wrong="registered")) == ["nothing_to_take_back"] * 2
    assert_sound(manifest)
    earlier = tell(guide, "in_transit", occurred_at=began_at - timedelta(hours=3))
    assert (earlier.outcome, earlier.event.sequence) == ("advanced", 4)  # type: ignore[union-attr]  # it is recorded
    assert refusals(taken_back(guide, wrong="in_transit")) == ["taken_back"]
    assert len(void_manifest(Manifest.objects.get(pk=manifest.pk), reason="Sent twice", actor="")) == 2


def test_the_client_sees_neither_the_wrong_event_nor_why(acme: Caller, rival: Caller) -> None:
    guide = shipped(acme.company, 1).guides.get()
    theirs = bring(shipped(rival.company, 1).guides.get(), "delivered")
    bring(guide, "customs_released", "delivered")
    before = acme.get(f"/guides/{guide.tracking_code}")
    taken_back(guide, client_note="It is still with us.")
    after = acme.get(f"/guides/{guide.tracking_code}")
    assert after.json()["status"] == "customs_released"
    assert [(event["status"], event["sequence"]) for event in after.json()["events"]] == [
        ("registered", 1),
        ("customs_released", 2),
        ("customs_released", 4),
    ]
    assert after.json()["events"][-1]["reason"] == "It is still with us."
    assert "Another MAWB" not in after.content.decode()
    assert after.json()["updated_at"] > before.json()["updated_at"]
    assert answered(rival, theirs)["status"] == "delivered"


def test_the_client_hears_the_type_of_the_status_that_holds_now_in_both_versions(acme: Caller, rival: Caller) -> None:
    for caller in (acme, rival):
        register(caller.company, "https://203.0.114.5/one")
        register_signed(caller.company, "https://203.0.114.5/two")
    guide = bring(shipped(acme.company, 1).guides.get(), "out_for_delivery", "delivered")
    Delivery.objects.all().delete()
    taken_back(guide, to="delivery_failed", client_note="Nobody was there.")
    deliveries = list(Delivery.objects.order_by("pk"))
    assert {delivery.company for delivery in deliveries} == {acme.company}
    bodies = [json.loads(bytes(delivery.body)) for delivery in deliveries]
    assert [(body["type"], body["api_version"]) for body in bodies] == [
        ("guide.exception", "v1"),
        ("guide.exception", "v2"),
    ]
    for body in bodies:
        data = body["data"]
        assert (data["status"], data["previous_status"], data["sequence"]) == ("delivery_failed", "delivered", 4)
        assert (data["source"], data["reason"]) == ("operator", "Nobody was there.")
        assert "Another MAWB" not in json.dumps(body)


def test_what_was_taken_back_makes_no_later_report_late(acme: Caller) -> None:
    guide = shipped(acme.company, 1).guides.get()
    tell(guide, "in_transit", occurred_at=NOON)
    tell(guide, "delivered", occurred_at=NOON + timedelta(hours=8))
    taken_back(guide)
    assert tell(guide, "out_for_delivery", occurred_at=NOON + timedelta(hours=2)).outcome == "advanced"
    assert tell(guide, "customs_held", occurred_at=NOON + timedelta(hours=1)).outcome == "history"
    assert tell(guide, "delivered", occurred_at=NOON + timedelta(hours=3)).outcome == "advanced"
    assert_sound(guide.manifest)


def test_what_was_late_because_of_it_decides_the_status_now(acme: Caller) -> None:
    guide = shipped(acme.company, 1).guides.get()
    tell(guide, "in_transit", occurred_at=NOON)
    tell(guide, "delivered", occurred_at=NOON + timedelta(hours=8))
    assert tell(guide, "out_for_delivery", occurred_at=NOON + timedelta(hours=2)).outcome == "history"
    taken_back(guide)
    guide.refresh_from_db()
    assert guide.status == "out_for_delivery"
    assert guide.events.order_by("pk").last().occurred_at == NOON + timedelta(hours=2)  # type: ignore[union-attr]
    assert_sound(guide.manifest)


def test_repeated_reports_of_the_wrong_status_are_taken_back_with_it(acme: Caller) -> None:
    guide = shipped(acme.company, 1).guides.get()
    tell(guide, "on_hold", occurred_at=NOON)
    tell(guide, "delivered", occurred_at=NOON + timedelta(hours=4))
    tell(guide, "delivered", occurred_at=NOON + timedelta(hours=5))
    taken_back(guide)
    assert guide.events.valid().count() == 3  # registered, on hold, and the correction
    assert sorted(event["status"] for event in answered(acme, guide)["events"]) == ["on_hold", "on_hold", "registered"]


def test_the_same_file_sent_again_does_not_bring_it_back(acme: Caller) -> None:
    guide = shipped(acme.company, 1).guides.get()
    tell(guide, "in_transit", occurred_at=NOON)
    tell(guide, "delivered", occurred_at=NOON + timedelta(hours=4))
    taken_back(guide)
    again = tell(guide, "delivered", occurred_at=NOON + timedelta(hours=4))
    assert again.refusal is not None
    assert again.refusal.code == "event_taken_back"
    assert tell(guide, "delivered", occurred_at=NOON + timedelta(hours=6)).outcome == "advanced"


class TestARetention:
    def test_that_a_wrong_release_ended_is_back(self, acme: Caller) -> None:
        manifest = shipped(acme.company, 1, country="PE")
        Guide.objects.update(retention_required=True, retention_reason="FOB above US$ 2,000")
        guide = bring(manifest.guides.get(), "customs_held")
        tell(guide, "customs_released", "customs")
        taken_back(guide, wrong="customs_released")
        guide.refresh_from_db()
        assert (guide.status, guide.retention_required, guide.retention_lifted_at) == ("customs_held", True, None)
        assert (guide.retention_lifted_by, guide.retention_lifted_reason) == ("", "")
        assert answered(acme, guide)["retention"]["required"]
        refused = tell(guide, "delivered").refusal
        assert refused is not None
        assert refused.code == "guide_under_retention"

    def test_stays_lifted_where_the_release_was_right_or_a_person_lifted_it(self, acme: Caller) -> None:
        manifest = shipped(acme.company, 2, country="PE")
        released, lifted = manifest.guides.order_by("pk")
        Guide.objects.filter(pk=released.pk).update(retention_required=True)
        tell(released, "customs_released", "customs")
        bring(released, "delivered")
        taken_back(released)
        Guide.objects.filter(pk=lifted.pk).update(retention_lifted_at=NOON, retention_lifted_reason="Paid")
        bring(lifted, "customs_held")
        tell(lifted, "customs_released", "customs")
        taken_back(lifted, wrong="customs_released")
        released.refresh_from_db()
        lifted.refresh_from_db()
        assert not released.retention_required
        assert not lifted.retention_required
        assert lifted.retention_lifted_at == NOON

    def test_refuses_what_it_always_refuses(self, acme: Caller) -> None:
        guide = shipped(acme.company, 1, country="PE").guides.get()
        bring(guide, "in_transit", "lost")
        Guide.objects.update(retention_required=True)
        assert refusals(taken_back(guide, wrong="lost", to="out_for_delivery")) == ["guide_under_retention"]
        assert refusals(taken_back(guide, wrong="lost", to="customs_held")) == ["taken_back"]


def test_thousands_are_taken_back_in_parts_each_with_its_manifest(
    acme: Caller, rival: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(taking_back, "BATCH_GUIDES", 2)
    manifests = [shipped(acme.company, 3), shipped(rival.company, 2)]
    guides = Guide.objects.all()
    advance(guides, ReportedEvent(GuideStatus.CUSTOMS_PROCESSING), actor="")
    advance(guides, ReportedEvent(GuideStatus.CUSTOMS_REJECTED), actor="")
    parts: list[int] = []
    correction = Withdrawal(GuideStatus.CUSTOMS_REJECTED, reason="Wrong")
    take_back(guides, correction, actor="root", in_batch=lambda results: parts.append(len(results)))
    assert parts == [2, 2, 1]
    for manifest in manifests:
        assert_sound(manifest)
        assert manifest.guides_by_status == {"customs_processing": manifest.total_guides}
