"""Events that wait: for a guide, for the meaning of a code, for a fault of ours to be mended."""

import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import DataError, transaction
from django.urls import reverse
from django.utils import timezone

from base.errors import ValidationFailed
from companies.models import Company
from shipments.carriers import parking, processing
from shipments.carriers.codes import apply_waiting, map_code
from shipments.models import (
    Action,
    Carrier,
    CarrierCode,
    CarrierEvent,
    CarrierNumber,
    CarrierReceipt,
    Guide,
    GuideEvent,
)
from shipments.models.carriers import PARKED_FOR
from tests.companies.admin_pages import text_of
from tests.conftest import Caller
from tests.country_scope.operators import operator_of
from tests.shipments.carriers.sending import Sender, counts, event, make_sender, overdue, timeline
from tests.shipments.shipping import assert_sound, shipped

pytestmark = pytest.mark.django_db


# --- for a guide ------------------------------------------------------------------------------------------------


def test_a_scan_before_the_pre_alert_is_parked_and_applied_once_the_guide_is_there(andes: Sender, acme: Caller) -> None:
    join = parking.joiner()
    sent = event("DEP", 3, hawb="h001", mawb="04512345675")
    assert counts(andes.send(sent)) == {"parked": 1}
    assert not join()
    guide = shipped(acme.company, 1, mawb="045-12345675").guides.get()
    join()
    assert timeline(guide.tracking_code) == [("in_transit", 2)]
    assert GuideEvent.objects.get(status="in_transit").occurred_at == CarrierEvent.objects.get().occurred_at
    assert counts(andes.send(sent)) == {"duplicate": 1}


def test_many_parked_events_are_applied_in_several_calls_each_saying_whether_there_may_be_more(
    andes: Sender, acme: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parking, "_AT_ONCE", 2)
    andes.send(*(event("DEP", hawb=hawb) for hawb in ("H001", "H002", "H003")))
    shipped(acme.company, 3)
    join = parking.joiner()
    assert [join(), join()] == [True, False]
    assert not CarrierEvent.objects.parked().exists()


def test_a_hawb_of_two_companies_is_never_guessed(andes: Sender, acme: Caller, rival: Caller) -> None:
    shipped(acme.company, 1, mawb="045-12345675")
    shipped(rival.company, 1, mawb="045-12345675")
    assert counts(andes.send(event("DEP", hawb="H001"), event("DEP", hawb="H001", mawb="045-12345675"))) == {
        "parked": 2
    }
    assert set(CarrierEvent.objects.values_list("error", flat=True)) == {"ambiguous"}
    assert not GuideEvent.objects.exclude(status="registered").exists()


def test_a_hawb_alone_is_that_of_the_one_guide_that_is_not_final(andes: Sender, acme: Caller, rival: Caller) -> None:
    done = shipped(rival.company, 1).guides.get()
    andes.means("POD", "delivered")
    andes.send(event("POD", tracking_code=done.tracking_code))
    guide = shipped(acme.company, 1).guides.get()
    assert counts(andes.send(event("DEP", 1, hawb="H001"))) == {"applied": 1}
    assert timeline(guide.tracking_code) == [("in_transit", 2)]


def test_a_guide_of_another_country_is_parked_and_never_reported(acme: Caller) -> None:
    peruvian = make_sender(countries=["PE"])
    guide = shipped(acme.company, 1, mawb="045-12345675").guides.get()
    CarrierNumber.objects.create(carrier=peruvian.carrier, number="N1", guide=guide)
    references: list[dict[str, Any]] = [
        {"tracking_code": guide.tracking_code},
        {"carrier_number": "N1"},
        {"hawb": "H001"},
        {"hawb": "H001", "mawb": "045-12345675"},
    ]
    assert counts(peruvian.send(*(event("DEP", **reference) for reference in references))) == {"parked": 4}
    parking.joiner()()
    assert timeline(guide.tracking_code) == []
    assert CarrierEvent.objects.filter(outcome="parked", guide=None).count() == 4


def test_a_mawb_alone_is_parked_as_such(andes: Sender, acme: Caller) -> None:
    shipped(acme.company, 1, mawb="045-12345675")
    assert counts(andes.send(event("DEP", mawb="045-12345675"))) == {"parked": 1}
    assert CarrierEvent.objects.get().error == "mawb_only"


def test_a_number_learned_from_one_event_finds_the_guide_by_the_next(andes: Sender, acme: Caller) -> None:
    guide = shipped(acme.company, 1, mawb="045-12345675").guides.get()
    assert counts(andes.send(event("DEP", 1, carrier_number="N1"))) == {"parked": 1}
    named = event("RCF", 2, hawb="H001", mawb="045-12345675", carrier_number="N1")
    assert counts(andes.send(event("CRC", 3, carrier_number="N1"), named)) == {"applied": 2}
    assert counts(andes.send(event("CCD", 4, carrier_number="N1"))) == {"applied": 1}
    parking.joiner()()
    assert [status for status, _sequence in timeline(guide.tracking_code)] == [
        "in_transit", "in_transit", "customs_processing", "customs_released",
    ]  # fmt: skip


def test_a_parked_event_expires_after_two_weeks(andes: Sender, acme: Caller) -> None:
    andes.send(event("DEP", hawb="H001"))
    CarrierEvent.objects.update(recorded_at=timezone.now() - PARKED_FOR - timedelta(minutes=1))
    assert not parking.expire()
    shipped(acme.company, 1)
    parking.joiner()()
    assert CarrierEvent.objects.get().outcome == "expired"
    start = reverse("admin:index")
    assert "Carriers&#x27; events without a guide" in text_of(operator_of("CL", "PE", "AR").get(start))
    assert "events without a guide" not in text_of(operator_of("PE", username="rosa").get(start))


# --- for the meaning of a code ------------------------------------------------------------------------------------


def test_an_unknown_code_waits_and_is_applied_at_its_own_time(andes: Sender, acme: Caller) -> None:
    guide = shipped(acme.company, 1).guides.get()
    assert counts(andes.send(event("x  9", 2, tracking_code=guide.tracking_code, description="Na rua"))) == {
        "unmapped": 1
    }
    assert CarrierCode.objects.get(action="unknown").code == "x  9"
    call_command("map_carrier_code", "andes", "X 9", "out_for_delivery", "--client-note", "Con el repartidor")
    (moved,) = GuideEvent.objects.exclude(status="registered")
    assert (moved.status, moved.client_note, moved.occurred_at.hour) == ("out_for_delivery", "Con el repartidor", 2)
    assert counts(andes.send(event("X 9", 3, tracking_code=guide.tracking_code))) == {"applied": 1}


def test_a_changed_meaning_rewrites_nothing(andes: Sender, acme: Caller) -> None:
    guide = shipped(acme.company, 1).guides.get()
    andes.send(event("DEP", 1, tracking_code=guide.tracking_code))
    assert apply_waiting(map_code(andes.carrier, "DEP", Action.IGNORE, by="a test")) == 0
    assert timeline(guide.tracking_code) == [("in_transit", 2)]
    assert counts(andes.send(event("DEP", 2, tracking_code=guide.tracking_code))) == {"ignored": 1}


def test_a_carrier_that_invents_codes_fills_its_own_table_only(andes: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("codes", "processing"):
        monkeypatch.setattr(f"shipments.carriers.{module}.MOST_CODES", 30)
    other = make_sender("other")
    for start in (0, 20):
        andes.send(*(event(f"Z{number}", number, hawb="H001") for number in range(start, start + 20)))
    assert CarrierCode.objects.filter(carrier=andes.carrier).count() == 30
    assert counts(other.send(event("Z1", hawb="H001"))) == {"unmapped": 1}
    with pytest.raises(ValidationFailed):
        map_code(andes.carrier, "YY", Action.IGNORE, by="a test")


# --- for a fault of ours ------------------------------------------------------------------------------------------


def test_a_fault_of_ours_is_a_200_and_is_done_later(
    andes: Sender, acme: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    guide = shipped(acme.company, 1).guides.get()
    with monkeypatch.context() as broken:
        broken.setattr(processing, "settle", lambda *_args: 1 / 0)
        answer = andes.send(event("DEP", tracking_code=guide.tracking_code))
    assert (answer["events"], counts(answer)) == (1, {})
    receipt = CarrierReceipt.objects.get()
    assert (receipt.state, receipt.fault) == ("failed", "ZeroDivisionError")
    assert receipt.held_until is not None
    assert timedelta(0) < receipt.held_until - timezone.now() <= timedelta(seconds=30)
    assert not processing.repeat_next()
    overdue()
    assert processing.repeat_next()
    receipt.refresh_from_db()
    assert (receipt.state, receipt.counts["applied"], receipt.attempts) == ("processed", 1, 2)
    assert timeline(guide.tracking_code) == [("in_transit", 2)]


def broken_by(hawb: str) -> Callable[[Carrier, Sequence[CarrierEvent]], None]:
    """`settle` with a fault of the database for events that name a HAWB."""
    real = processing.settle

    def settle(carrier: Carrier, events: Sequence[CarrierEvent]) -> None:
        if any(each.hawb == hawb for each in events):
            with transaction.atomic(savepoint=False):  # as Django's own writes, which end the caller's transaction
                raise DataError
        real(carrier, events)

    return settle


@pytest.mark.django_db(transaction=True)
def test_an_event_that_cannot_be_written_costs_no_other_and_its_receipt_can_be_done_again(
    andes: Sender, acme: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes = list(shipped(acme.company, 5).guides.values_list("tracking_code", flat=True))
    events = [event("DEP", 1, tracking_code=code) for code in codes]
    monkeypatch.setattr(processing, "settle", broken_by("BAD"))
    andes.send(*events[:3], event("DEP", 1, hawb="BAD"), *events[3:])
    assert [timeline(code) for code in codes] == [[("in_transit", 2)]] * 5
    receipt = CarrierReceipt.objects.get()
    assert (receipt.state, receipt.fault) == ("failed", "DataError")
    again = reverse("admin:shipments_carrierreceipt_repeat", args=[receipt.pk])
    answer = operator_of(role="Operations").post(again, {"step": "run"}, follow=True)
    assert (answer.status_code, "The receipt is now: failed" in text_of(answer)) == (200, True)


def test_attempts_grow_apart_and_end_after_two_weeks(andes: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processing, "settle", lambda *_args: 1 / 0)
    andes.send(event("DEP", hawb="H001"))
    pauses = []
    for _attempt in range(9):
        overdue()
        processing.repeat_next()
        held_until = CarrierReceipt.objects.get().held_until or timezone.now()
        pauses.append(round((held_until - timezone.now()).total_seconds() / 30))
    assert pauses == [2, 4, 8, 16, 32, 64, 120, 120, 120]
    CarrierReceipt.objects.update(received_at=timezone.now() - timedelta(days=14, minutes=1))
    overdue()
    processing.repeat_next()
    assert CarrierReceipt.objects.get().held_until is None


KILLED_AT = {
    "before the moves": ("settle", "before"),
    "after the moves": ("_finish", "before"),
}


class Killed(BaseException):
    """As if the process had ended."""


@pytest.mark.parametrize("moment", KILLED_AT)
def test_a_process_killed_on_the_way_loses_nothing_and_repeats_nothing(
    andes: Sender, acme: Caller, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    manifest = shipped(acme.company, 3)
    codes = list(manifest.guides.values_list("tracking_code", flat=True))
    events = [event("DEP", 1, tracking_code=code) for code in codes] + [event("DEP", 1, hawb="LATER")]

    def killed(*_args: object) -> None:
        raise Killed

    with monkeypatch.context() as dying:
        dying.setattr(processing, KILLED_AT[moment][0], killed)
        with pytest.raises(Killed):
            andes.post({"events": events})
    overdue()
    assert processing.repeat_next()
    receipt = CarrierReceipt.objects.get()
    assert (receipt.state, receipt.counts["applied"], receipt.counts["parked"]) == ("processed", 3, 1)
    assert [timeline(code) for code in codes] == [[("in_transit", 2)]] * 3
    assert CarrierEvent.objects.count() == 4
    assert_sound(manifest)


def test_bodies_are_blanked_after_their_days_and_receipts_stay(andes: Sender) -> None:
    andes.send(event("DEP", hawb="H001"))
    andes.send(event("ARR", hawb="H001"))
    old = CarrierReceipt.objects.earliest("received_at")
    CarrierReceipt.objects.filter(pk=old.pk).update(received_at=timezone.now() - timedelta(days=15))
    call_command("sweep_files", "--dry-run")
    assert CarrierReceipt.objects.filter(body=None).count() == 0
    call_command("sweep_files")
    assert list(CarrierReceipt.objects.filter(body=None).values_list("pk", flat=True)) == [old.pk]


# --- a day ----------------------------------------------------------------------------------------------------------

JOURNEYS = [
    ["CRC", "CCD", "DEP", "OFD", "POD"],
    ["DEP", "CRC", "TGC", "CRC", "CCD", "OFD", "NH", "OFD", "POD"],
    ["CRC", "TGC", "REJ"],
    ["CRC", "CCD", "DEP", "OFD", "NH", "RTS", "RTD"],
    ["DEP", "CRC", "CCD", "DIS", "DEP", "OFD", "NH", "OFD", "NH"],
    ["CRC", "CCD", "DEP", "LST"],
]
MEANINGS = {
    "OFD": "out_for_delivery", "POD": "delivered", "NH": "delivery_failed", "REJ": "customs_rejected",
    "RTS": "returning_to_sender", "RTD": "returned", "LST": "lost",
}  # fmt: skip


def a_day(company: Company, guides: int, chance: random.Random) -> list[dict[str, Any]]:
    """The events of a day in their order, each guide's by one of the ways that a carrier names it."""
    events = []
    manifests = [shipped(company, 20, country=country) for _number in range(guides // 40) for country in ("CL", "PE")]
    for guide in Guide.objects.filter(manifest__in=manifests).select_related("manifest"):
        named = [{"tracking_code": guide.tracking_code}, {"hawb": guide.hawb, "mawb": guide.manifest.mawb}]
        hours = chance.random()
        for code in chance.choice(JOURNEYS):
            hours += 0.1 + chance.random()
            events.append(event(code, hours, **chance.choice(named)))
    return sorted(events, key=lambda each: str(each["occurred_at"]))


def outcome_of(company: Company) -> dict[tuple[int, str], tuple[str, list[Any]]]:
    """(number of the manifest, HAWB) -> the last status, and the events in their order."""
    reached = {}
    manifests = list(company.manifests.order_by("created_at").values_list("id", flat=True))
    told = defaultdict(list)
    events = GuideEvent.objects.filter(guide__manifest__company=company).exclude(status="registered")
    for guide_id, *what in events.order_by("occurred_at").values_list("guide_id", "status", "occurred_at"):
        told[guide_id].append(tuple(what))
    for guide in Guide.objects.filter(manifest__company=company):
        reached[manifests.index(guide.manifest_id), guide.hawb] = (guide.status, told[guide.pk])
    return reached


def test_a_day_in_random_order_ends_as_the_ordered_one(acme: Caller, rival: Caller) -> None:
    """Half of the events are sent twice. The slow tests send twenty thousand."""
    random_day_ends_as_the_ordered_one(acme, rival, guides=40, seed=1)


def random_day_ends_as_the_ordered_one(acme: Caller, rival: Caller, *, guides: int, seed: int) -> None:
    senders = [make_sender("ordered", source="customs"), make_sender("random", source="customs")]
    for sender in senders:
        for code, status in MEANINGS.items():
            sender.means(code, status)
    ordered = a_day(acme.company, guides, random.Random(seed))  # noqa: S311  # no secret
    shuffled = a_day(rival.company, guides, random.Random(seed))  # noqa: S311  # as above
    chance = random.Random(seed)  # noqa: S311  # as above
    known = chance.sample(shuffled, len(shuffled))
    shuffled = [*known, *known[: len(known) // 2]]
    chance.shuffle(shuffled)
    for sender, day in zip(senders, (ordered, shuffled), strict=True):
        while day:
            size = chance.choice([1, 7, 60, 400])
            part, day = day[:size], day[size:]  # noqa: PLW2901  # the rest
            sender.send(*part)
    assert outcome_of(rival.company) == outcome_of(acme.company)
    for manifest in rival.company.manifests.all():
        assert_sound(manifest)


@pytest.mark.slow
def test_twenty_thousand_events_in_random_order_end_as_the_ordered_day(
    acme: Caller, rival: Caller, pytestconfig: pytest.Config
) -> None:
    """In the short form a quarter of them."""
    guides = 600 if pytestconfig.getoption("--short") else 2_400
    random_day_ends_as_the_ordered_one(acme, rival, guides=guides, seed=3)
