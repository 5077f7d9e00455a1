"""What cannot be taken back, and why."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from base.errors import ValidationFailed
from shipments.models import Guide, GuideEvent, Manifest
from shipments.statuses import GuideStatus
from shipments.tracking.advancing import advance
from shipments.tracking.moves import ReportedEvent
from shipments.tracking.taking_back import take_back
from shipments.tracking.voiding import void_manifest
from shipments.tracking.withdrawals import Withdrawal
from tests.conftest import Caller
from tests.shipments.shipping import assert_sound, bring, shipped
from tests.shipments.tracking.taken_back import NOON, refusals, taken_back

pytestmark = pytest.mark.django_db


def test_guides_that_have_moved_on_or_never_moved_are_left_alone(acme: Caller) -> None:
    manifest = shipped(acme.company, 4)
    wrong, moved_on, waiting, only = manifest.guides.order_by("pk")
    bring(wrong, "customs_processing", "customs_released")
    bring(moved_on, "customs_processing", "customs_released", "in_transit")
    bring(only, "customs_released")
    events = GuideEvent.objects.count()
    assert refusals(taken_back(*manifest.guides.all(), wrong="customs_released")) == [
        "taken_back",
        "nothing_to_take_back",
        "nothing_to_take_back",
        "taken_back",
    ]
    assert refusals(taken_back(waiting, wrong="registered", to="in_transit")) == ["nothing_to_take_back"]
    assert GuideEvent.objects.count() == events + 2
    assert_sound(manifest)


@pytest.mark.parametrize("to", ["delivered", "lost", "registered"])
def test_no_final_status_nor_registered_is_set_by_it(acme: Caller, to: str) -> None:
    guide = bring(shipped(acme.company, 1).guides.get(), "in_transit", "delivered")
    assert refusals(taken_back(guide, to=to)) == ["nothing_to_take_back"]
    guide.refresh_from_db()
    assert guide.status == "delivered"


def test_the_guides_of_a_void_manifest_stay_cancelled(acme: Caller) -> None:
    manifest = shipped(acme.company, 1)
    void_manifest(manifest, reason="Sent twice", actor="")
    assert refusals(taken_back(manifest.guides.get(), wrong="cancelled", to="in_transit")) == ["nothing_to_take_back"]


def test_a_dry_run_says_the_same_and_writes_nothing(acme: Caller) -> None:
    manifest = shipped(acme.company, 2)
    advance(manifest.guides.all(), ReportedEvent(GuideStatus.IN_TRANSIT), actor="")
    bring(manifest.guides.get(hawb="H001"), "delivered")
    before = [list(model.objects.order_by("pk").values()) for model in (Guide, GuideEvent, Manifest)]
    correction = Withdrawal(GuideStatus.DELIVERED, reason="Wrong MAWB")
    dry = take_back(manifest.guides.all(), correction, actor="root", dry_run=True)
    assert [list(model.objects.order_by("pk").values()) for model in (Guide, GuideEvent, Manifest)] == before
    done = take_back(manifest.guides.all(), correction, actor="root")
    assert refusals(dry) == refusals(done) == ["taken_back", "nothing_to_take_back"]
    assert [result.reported.status for result in dry] == [result.reported.status for result in done]
    assert_sound(manifest)


@pytest.mark.parametrize(
    ("wrong_field", "entered"),
    [
        ("reason", {"reason": "  "}),
        ("reason", {"reason": "x" * 256}),
        ("client_note", {"client_note": "x" * 256}),
        ("occurred_at", {"occurred_at": datetime(2026, 3, 2, 12)}),  # noqa: DTZ001  # the point of this case
    ],
)
def test_a_reason_is_required_and_texts_and_times_are_checked(
    acme: Caller, wrong_field: str, entered: dict[str, Any]
) -> None:
    guide = bring(shipped(acme.company, 1).guides.get(), "in_transit", "delivered")
    with pytest.raises(ValidationFailed) as refused:
        taken_back(guide, **entered)
    assert refused.value.details.keys() == {wrong_field}
    assert not GuideEvent.objects.exclude(withdrawn_at=None).exists()


def test_a_time_may_be_given_but_none_ahead_of_the_clock(acme: Caller) -> None:
    guide = bring(shipped(acme.company, 1).guides.get(), "delivered")
    ahead = timezone.now() + timedelta(hours=1)
    assert refusals(taken_back(guide, to="in_transit", occurred_at=ahead)) == ["event_in_future"]
    assert refusals(taken_back(guide, to="in_transit", occurred_at=NOON)) == ["taken_back"]
    assert guide.events.get(status="in_transit").occurred_at == NOON


def test_nothing_that_names_the_person_is_kept_for_an_anonymised_guide(acme: Caller) -> None:
    guide = bring(shipped(acme.company, 1).guides.get(), "in_transit", "delivered")
    Guide.objects.update(anonymised_at=timezone.now())
    taken_back(guide, client_note="Ask Mr Soto")
    assert {*guide.events.values_list("internal_note", "client_note", "withdrawn_reason")} <= {
        ("", "", None),
        ("", None, None),
        ("", "", ""),
    }
    assert guide.events.get(status="delivered").withdrawn_by == "root"
