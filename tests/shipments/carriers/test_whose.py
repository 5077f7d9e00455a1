"""Whose an event is: what clients write is a claim, what carriers and operators say is knowledge."""

from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from shipments.carriers import parking
from shipments.models import CarrierClaim, CarrierEvent, CarrierNumber, Guide
from shipments.tracking.voiding import void_manifest
from tests.companies.admin_pages import text_of
from tests.conftest import Caller
from tests.country_scope.operators import operator_of
from tests.shipments.carriers.sending import DAY, Sender, counts, event, make_sender, timeline
from tests.shipments.manifests import payloads
from tests.shipments.shipping import shipped, tell

pytestmark = pytest.mark.django_db

MAWB = "045-12345675"
CANCELLED_AT = DAY + timedelta(hours=100)


@pytest.fixture
def andes() -> Sender:
    sender = make_sender(number_key="courier_no")
    sender.means("POD", "delivered")
    return sender


def claiming(caller: Caller, number: object, mawb: str = "") -> Guide:
    """A guide whose client wrote a carrier's number into `extra_data`."""
    return shipped(caller.company, 1, mawb=mawb, extra_data={"courier_no": number}).guides.get()


def moved(guide: Guide) -> list[str]:
    return [status for status, _sequence in timeline(guide.tracking_code)]


def reasons() -> list[str]:
    return list(CarrierEvent.objects.parked().order_by("id").values_list("error", flat=True))


def test_the_only_claim_moves_its_guide_and_binds_the_number(andes: Sender, acme: Caller, rival: Caller) -> None:
    other = make_sender("other", number_key="courier_no", countries=["PE"])
    guide = claiming(acme, " 77-1 ")
    assert counts(andes.send(event("DEP", 1, carrier_number="77-1"))) == {"applied": 1}
    later = claiming(rival, "77-1")
    assert counts(andes.send(event("CRC", 2, carrier_number="77-1"))) == {"applied": 1}
    assert (moved(guide), moved(later)) == (["in_transit", "customs_processing"], [])
    assert counts(other.send(event("DEP", carrier_number="77-1"))) == {"parked": 1}


@pytest.mark.parametrize("sent", [771, 771.0, "771"])
def test_a_number_may_be_sent_as_one(andes: Sender, acme: Caller, sent: object) -> None:
    claiming(acme, sent)
    assert counts(andes.send(event("DEP", carrier_number="771"))) == {"applied": 1}


@pytest.mark.parametrize("named", ["by HAWB and MAWB", "by tracking code"])
def test_a_claim_never_takes_what_the_carrier_says_is_another_guides(
    andes: Sender, acme: Caller, rival: Caller, named: str
) -> None:
    claimed = claiming(rival, "N1")
    assert counts(andes.send(event("DEP", 1, carrier_number="N1"))) == {"applied": 1}  # a wrong first pairing
    guide = shipped(acme.company, 1, mawb=MAWB).guides.get()
    whose = {"hawb": "H001", "mawb": MAWB} if "HAWB" in named else {"tracking_code": guide.tracking_code}
    assert counts(
        andes.send(event("CRC", 2, carrier_number="N1"), event("DEP", 1.5, carrier_number="N1", **whose))
    ) == {"applied": 2}
    andes.send(event("POD", 4, carrier_number="N1"), event("CCD", 3, carrier_number="N1"))
    assert moved(guide) == ["in_transit", "customs_processing", "customs_released", "delivered"]
    # What the carrier reports after the end is not that of a client who claimed the number meanwhile.
    assert counts(andes.send(event("TRM", 9, carrier_number="N1"))) == {"parked": 1}
    assert moved(claimed) == ["in_transit"]
    start = text_of(operator_of("CL", "PE", "AR").get(reverse("admin:index")))
    assert f"Companies: {acme.company.name}, {rival.company.name}." in start


def test_an_event_that_names_an_unknown_guide_waits_for_it_whoever_has_its_number(
    andes: Sender, acme: Caller, rival: Caller
) -> None:
    claimed = claiming(rival, "N1")
    andes.send(event("DEP", 1, carrier_number="N1"))
    assert counts(andes.send(event("CRC", 2, carrier_number="N1", hawb="H001", mawb=MAWB))) == {"parked": 1}
    guide = shipped(acme.company, 1, mawb=MAWB).guides.get()
    parking.joiner()()
    assert (moved(guide), moved(claimed)) == (["customs_processing"], ["in_transit"])
    assert CarrierNumber.objects.get().guide == guide


def test_a_number_whose_guide_is_at_its_end_is_for_the_next_and_late_events_are_history(
    andes: Sender, acme: Caller, rival: Caller
) -> None:
    first = claiming(acme, "N1")
    andes.send(event("DEP", 1, carrier_number="N1"), event("POD", 5, carrier_number="N1"))
    assert counts(andes.send(event("DEP", 8, carrier_number="N1"))) == {"parked": 1}  # before its pre-alert
    second = claiming(rival, "N1")
    parking.joiner()()
    andes.send(event("CRC", 4, carrier_number="N1"), event("CRC", 9, carrier_number="N1"))
    assert moved(first) == ["in_transit", "customs_processing", "delivered"]
    assert moved(second) == ["in_transit", "customs_processing"]
    # An event that names the former guide is its history, and takes the number from nobody.
    andes.send(event("CCD", 4.5, carrier_number="N1", tracking_code=first.tracking_code))
    assert counts(andes.send(event("CCD", 10, carrier_number="N1"))) == {"applied": 1}
    assert moved(second)[-1] == "customs_released"


def test_a_guide_that_ended_by_other_ways_leaves_no_late_events_to_the_next(
    andes: Sender, acme: Caller, rival: Caller
) -> None:
    first = claiming(acme, "N1")
    tell(first, "delivered", occurred_at=timezone.now() - timedelta(hours=1))
    second = claiming(rival, "N1")
    assert counts(andes.send(event("DEP", 1, carrier_number="N1"), event("DEP", 1, hawb="H001"))) == {"parked": 2}
    assert (reasons(), moved(second)) == (["ambiguous", "ambiguous"], [])


def test_two_claims_are_parked_until_one_is_voided(andes: Sender, acme: Caller, rival: Caller) -> None:
    guide, other = claiming(acme, "N1"), claiming(rival, "N1")
    join = parking.joiner()
    assert counts(andes.send(event("DEP", 1, carrier_number="N1"))) == {"parked": 1}
    join()
    assert (reasons(), moved(guide), moved(other)) == (["ambiguous"], [], [])
    void_manifest(other.manifest, reason="wrong", actor="a test")
    join()
    assert moved(guide) == ["in_transit"]


def test_a_client_cannot_keep_a_number_by_cancelling_its_guide(andes: Sender, acme: Caller, rival: Caller) -> None:
    taken = claiming(rival, "N1")
    andes.send(event("BKD", 1, carrier_number="N1"))  # shown to operators only: the guide can still be cancelled
    tell(taken, "cancelled")
    guide = claiming(acme, "N1")
    assert counts(andes.send(event("DEP", 2, carrier_number="N1"))) == {"applied": 1}
    assert (moved(guide), moved(taken)) == (["in_transit"], ["cancelled"])


@pytest.mark.parametrize("beside", [{"hawb": "H002"}, {"hawb": "NOBODYS"}, {"mawb": "045-99999994"}])
@pytest.mark.parametrize("is_bound", [True, False])
def test_a_number_beside_a_hawb_or_mawb_alone_that_disagrees_is_parked(
    andes: Sender, acme: Caller, rival: Caller, beside: dict[str, str], *, is_bound: bool
) -> None:
    guide = claiming(acme, "N1", MAWB)
    shipped(rival.company, 2, mawb="045-99999994")
    if is_bound:
        andes.send(event("DEP", 1, carrier_number="N1"))
    assert counts(andes.send(event("CRC", 2, carrier_number="N1", **beside))) == {"parked": 1}
    assert (reasons(), "customs_processing" in moved(guide)) == (["ambiguous"], False)
    start = text_of(operator_of("CL", "PE", "AR").get(reverse("admin:index")))
    assert (rival.company.name in start) is ("NOBODYS" not in beside.values())
    assert counts(andes.send(event("CRC", 3, carrier_number="N1", mawb=MAWB))) == {"applied": 1}


def test_a_hawb_alone_binds_no_number(andes: Sender, acme: Caller, rival: Caller) -> None:
    guide = shipped(rival.company, 1).guides.get()
    assert counts(andes.send(event("DEP", 1, carrier_number="N1", hawb="H001"))) == {"applied": 1}
    shipped(acme.company, 1)
    assert counts(andes.send(event("CRC", 2, carrier_number="N1", hawb="H001"))) == {"parked": 1}
    assert moved(guide) == ["in_transit"]


def test_a_client_is_told_of_its_own_repeated_numbers_and_never_of_anothers(acme: Caller, rival: Caller) -> None:
    make_sender(number_key="courier_no")
    make_sender("inca", number_key="other_no", countries=["PE"])

    def announce(caller: Caller, mawb: str, *numbers: str) -> tuple[list[Any], list[Any]]:
        guides = [
            payloads.guide(hawb=f"H{place}", extra_data={"courier_no": number, "other_no": "1"})
            for place, number in enumerate(numbers)
        ]
        answer = caller.post_json(payloads.body(*guides, mawb=mawb)).json()
        found = [(each["row_index"], each["hawb"], each["field"], each["error_code"]) for each in answer["warnings"]]
        return found, answer["notices"]

    repeated = announce(acme, "045-12345675", "N1", "N2", "N1", "N1")
    assert repeated[0] == [
        (2, "H2", "extra_data", "carrier_number_repeated"),
        (3, "H3", "extra_data", "carrier_number_repeated"),
    ]
    alone = announce(rival, "045-12345675", "N3")
    assert announce(rival, "045-12345686", "N2")[0] == alone[0] == []


# --- people ------------------------------------------------------------------------------------------------------


def test_operators_are_told_whose_a_doubtful_event_may_be(andes: Sender, acme: Caller, rival: Caller) -> None:
    for caller in (acme, rival):
        claiming(caller, "N1")
    andes.send(event("DEP", 1, carrier_number="N1"), event("CRC", 2, carrier_number="N1"), event("DEP", hawb="H001"))
    start = reverse("admin:index")
    page = text_of(operator_of("CL", "PE", "AR").get(start))
    assert f"Companies: {acme.company.name}, {rival.company.name}." in page
    assert "2 events that may be about several guides" in page
    elsewhere = text_of(operator_of("CL", username="rosa").get(start))
    assert "may be about several guides" not in elsewhere  # the carrier also serves other countries


def test_operators_are_told_who_claims_many_numbers_that_others_have(acme: Caller, rival: Caller) -> None:
    sender = make_sender(number_key="courier_no")
    guides = [claiming(acme, f"N{number}") for number in range(21)]
    sender.send(event("DEP", carrier_number="N0", tracking_code=guides[0].tracking_code))
    CarrierClaim.objects.filter(guide=guides[0]).delete()  # bound, and claimed by nobody
    CarrierClaim.objects.update(created_at=timezone.now() - timedelta(days=2))
    sentence, operator = "claimed 21 carriers&#x27; numbers in the last day", operator_of("CL", "PE", "AR")
    for number in range(20):
        claiming(rival, f"N{number}")
    assert sentence not in text_of(operator.get(reverse("admin:index")))
    claiming(rival, "N20")
    page = text_of(operator.get(reverse("admin:index")))
    assert sentence in page
    assert rival.company.name in page


@pytest.mark.parametrize("hour", [1, 150])
def test_operators_are_told_of_a_delivery_of_what_was_cancelled(andes: Sender, acme: Caller, hour: int) -> None:
    guide = shipped(acme.company, 1).guides.get()
    tell(guide, "cancelled", occurred_at=CANCELLED_AT)
    other = shipped(acme.company, 1).guides.get()
    andes.send(*(event("POD", hour, tracking_code=each.tracking_code) for each in (guide, other)))
    operator = operator_of("CL")
    page = text_of(operator.get(reverse("admin:index")))
    assert guide.tracking_code in page
    assert other.tracking_code not in page
    assert "Cancelled" in page
    Guide.objects.filter(pk=guide.pk).update(status="registered")  # the cancellation was taken back
    assert guide.tracking_code not in text_of(operator.get(reverse("admin:index")))


def test_an_operator_moves_a_number_from_one_guide_to_another(andes: Sender, acme: Caller, rival: Caller) -> None:
    wrong, right = claiming(rival, "N1"), claiming(acme, "N1", MAWB)
    CarrierNumber.objects.update(guide=wrong, bound_at=timezone.now())
    client = operator_of(role="Operations")
    page = reverse("admin:shipments_guide_enter_carrier_number", args=[right.pk])
    data = {"step": "run", "carrier": str(andes.carrier.pk), "number": "N1"}
    assert f"{wrong.tracking_code} of {rival.company.name} has the number." in text_of(client.post(page, data))
    assert CarrierNumber.objects.get().guide == wrong
    client.post(page, {**data, "is_moved": "on"})
    assert CarrierNumber.objects.get().guide == right
    assert counts(andes.send(event("DEP", 1, carrier_number="N1"))) == {"applied": 1}
    assert (moved(right), moved(wrong)) == (["in_transit"], [])
    assert "N1 (claimed by its client)" in text_of(client.get(reverse("admin:shipments_guide_change", args=[wrong.pk])))
    history = text_of(client.get(reverse("admin:shipments_guide_history", args=[wrong.pk])))
    assert "Moved the number of Andes to another guide." in history


def test_an_operator_moves_no_number_of_a_guide_of_another_country(andes: Sender, acme: Caller) -> None:
    chilean, peruvian = (shipped(acme.company, 1, country=country).guides.get() for country in ("CL", "PE"))
    andes.send(event("DEP", carrier_number="N1", tracking_code=chilean.tracking_code))
    client = operator_of("PE", role="Operations")
    page = reverse("admin:shipments_guide_enter_carrier_number", args=[peruvian.pk])
    said = text_of(
        client.post(page, {"step": "run", "carrier": str(andes.carrier.pk), "number": "N1", "is_moved": "on"})
    )
    assert "for a guide of another country" in said
    assert chilean.tracking_code not in said
    assert CarrierNumber.objects.get().guide == chilean


def test_an_event_that_an_operator_assigns_binds_its_number(andes: Sender, acme: Caller, rival: Caller) -> None:
    guide, other = claiming(acme, "N1"), claiming(rival, "N1")
    andes.send(event("DEP", 1, carrier_number="N1"))
    client = operator_of(role="Operations")
    page = reverse("admin:shipments_carrierevent_assign_guide", args=[CarrierEvent.objects.get().pk])
    asked = text_of(client.get(page))
    assert all(f"{each.tracking_code} (HAWB H001" in asked for each in (guide, other))
    client.post(page, {"step": "run", "tracking_code": guide.tracking_code})
    assert counts(andes.send(event("CRC", 2, carrier_number="N1"))) == {"applied": 1}
    assert (moved(guide), moved(other)) == (["in_transit", "customs_processing"], [])
