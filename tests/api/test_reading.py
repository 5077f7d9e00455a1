"""GET mawbs, mawbs/:mawb, guides/:tracking_code: what a company sees, and never another's."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from shipments.models import Flight, Guide, GuideEvent, Manifest
from shipments.tracking.review import lift_retention
from shipments.tracking.voiding import void_manifest
from tests.books import MAWB, guide_row, workbook_bytes
from tests.conftest import Caller
from tests.shipments.shipping import shipped, tell

pytestmark = pytest.mark.django_db


def bare_manifest(caller: Caller, mawb: str, **fields: Any) -> Manifest:
    flight = Flight.objects.create(company=caller.company)
    fields = {"channel": "json", "country": "CL", "transport_mode": "air", "flight": flight, **fields}
    return Manifest.objects.create(company=caller.company, posted_by=caller.company, mawb=mawb, **fields)


class TestTheList:
    def test_is_empty_for_a_company_that_sent_nothing(self, acme: Caller, rival: Caller) -> None:
        rival.upload()
        assert acme.get("/mawbs").json()["mawbs"] == []

    def test_says_of_each_mawb_what_the_contract_lists(self, acme: Caller) -> None:
        uploaded = acme.upload(scheduled_arrival="2026-11-25T12:00:00Z").json()
        (item,) = acme.get("/mawbs").json()["mawbs"]
        created_at = item.pop("created_at")
        assert item.pop("updated_at") == created_at
        assert item == {
            "manifest_id": uploaded["manifest_id"],
            "mawb": MAWB,
            "status": "registered",
            "eta": "2026-11-25T12:00:00Z",
            "total_guides": 2,
            "total_weight_kg": 3.0,
            "total_pieces": 2,
            "total_fob_usd": 200.5,
            "guides_by_status": {"registered": 2},
        }
        assert created_at.endswith("Z")
        assert abs(datetime.fromisoformat(created_at) - datetime.now(UTC)) < timedelta(minutes=1)

    def test_holds_the_fifty_newest_newest_first(self, acme: Caller, rival: Caller) -> None:
        start = datetime(2026, 1, 1, tzinfo=UTC)
        for number in range(52):
            manifest = bare_manifest(acme, f"045-{number:08d}")
            Manifest.objects.filter(pk=manifest.pk).update(created_at=start + timedelta(minutes=number))
        bare_manifest(rival, "999-00000001")
        body = acme.get("/mawbs").json()
        assert [item["mawb"] for item in body["mawbs"]] == [f"045-{number:08d}" for number in range(51, 1, -1)]
        assert body["next_cursor"]

    def test_says_the_same_with_a_filter_that_all_match(self, acme: Caller, rival: Caller) -> None:
        acme.upload(scheduled_arrival="2026-11-25T12:00:00-03:00")
        rival.upload()
        bare_manifest(acme, "045-00000001")
        voided = bare_manifest(acme, "045-00000002")
        Manifest.objects.filter(pk=voided.pk).update(voided_at=datetime.now(UTC))
        answer, filtered = acme.get("/mawbs"), acme.get("/mawbs?country=CL")
        assert [item["mawb"] for item in answer.json()["mawbs"]] == ["045-00000001", MAWB]
        assert answer.content == filtered.content
        assert answer["ETag"] == filtered["ETag"]

    def test_costs_two_queries(self, acme: Caller, django_assert_num_queries: Any) -> None:
        acme.upload()
        with django_assert_num_queries(2):
            acme.get("/mawbs")


class TestOneMawb:
    @pytest.mark.parametrize("spelling", [MAWB, "%20045-1234 5675%20", "4512345675"])
    def test_is_found_by_any_spelling_and_answers_in_the_normal_form(self, acme: Caller, spelling: str) -> None:
        uploaded = acme.upload().json()
        body = acme.get(f"/mawbs/{spelling}").json()
        assert body["mawb"] == MAWB
        assert "created_at" not in body
        assert body["guides"] == [{**guide, "status": "registered", "status_code": 1} for guide in uploaded["guides"]]

    @pytest.mark.parametrize("mawb", ["045-12345686", "%FF", "9" * 300])
    def test_unknown_is_not_found(self, acme: Caller, mawb: str) -> None:
        response = acme.get(f"/mawbs/{mawb}")
        assert (response.status_code, response.json()["error"]) == (404, "not_found")

    def test_of_another_company_is_not_found_in_the_same_words(self, acme: Caller, rival: Caller) -> None:
        acme.upload()
        assert rival.get(f"/mawbs/{MAWB}").content == rival.get("/mawbs/045-12345686").content
        assert rival.get(f"/mawbs/{MAWB}").status_code == 404

    def test_costs_three_queries_however_many_guides(self, acme: Caller, django_assert_num_queries: Any) -> None:
        acme.upload(workbook_bytes([guide_row(number) for number in range(1, 40)]))
        with django_assert_num_queries(3):
            acme.get(f"/mawbs/{MAWB}")


class TestOneGuide:
    def test_says_what_the_contract_lists_with_its_timeline_oldest_first(self, acme: Caller) -> None:
        code = acme.upload().json()["guides"][0]["tracking_code"]
        guide_event = GuideEvent.objects.first()
        assert guide_event is not None
        earlier = guide_event.occurred_at - timedelta(days=1)
        GuideEvent.objects.create(
            guide=guide_event.guide, status="in_transit", occurred_at=earlier, recorded_at=earlier, source="carrier"
        )
        body = acme.get(f"/guides/{code}").json()
        events = body.pop("events")
        assert body.pop("updated_at").endswith("Z")
        assert body == {
            "hawb": "HAWB00001",
            "tracking_code": code,
            "mawb": MAWB,
            "status": "registered",
            "status_code": 1,
            "consignee_name": "Persona 1",
            "weight_kg": 1.5,
            "packages_count": 1,
            "bag": "",
            "description_original": "Zapatillas",
            "fob_usd": 100.25,
            "vat_collected": None,
            "platform_tax_id": None,
            "sale_id": None,
            "retention": None,
            "needs_correction": False,
            "review": [],
        }
        assert [(event["status"], event["status_code"], event["source"]) for event in events] == [
            ("in_transit", 4, "carrier"),
            ("registered", 1, "pre_alert"),
        ]
        assert all(event["timestamp"].endswith("Z") for event in events)

    def test_is_found_without_case(self, acme: Caller) -> None:
        code = acme.upload().json()["guides"][0]["tracking_code"]
        assert acme.get(f"/guides/{code.lower()}").json()["tracking_code"] == code

    def test_has_null_where_the_manifest_reported_no_number(self, acme: Caller) -> None:
        row = guide_row(1, **{"Peso (kg)": "pesado", "Valor FOB USD": None})
        code = acme.upload(workbook_bytes([row])).json()["guides"][0]["tracking_code"]
        body = acme.get(f"/guides/{code}").json()
        assert (body["weight_kg"], body["fob_usd"]) == (None, None)

    def test_of_another_company_is_not_found_in_the_same_words(self, acme: Caller, rival: Caller) -> None:
        code = acme.upload().json()["guides"][0]["tracking_code"]
        assert rival.get(f"/guides/{code}").content == rival.get("/guides/NOSUCHCODE").content
        assert rival.get(f"/guides/{code}").status_code == 404

    def test_costs_three_queries(self, acme: Caller, django_assert_num_queries: Any) -> None:
        code = acme.upload().json()["guides"][0]["tracking_code"]
        with django_assert_num_queries(3):
            acme.get(f"/guides/{code}")


@pytest.mark.parametrize("path", ["/mawbs", f"/mawbs/{MAWB}", "/guides/ACM0"])
def test_a_company_with_no_country_at_all_may_not_read(company_maker: Any, path: str) -> None:
    response = company_maker("NOWHERE", allowed_countries=[]).get(path)
    assert (response.status_code, response.json()["error"]) == (403, "unsupported_country")


class TestWhatIsNotFound:
    def test_is_said_apart_for_a_mawb_a_guide_and_a_route(self, acme: Caller) -> None:
        answers = [acme.get(path).json() for path in (f"/mawbs/{MAWB}", "/guides/ACM123", "/manifests")]
        assert {answer["error"] for answer in answers} == {"not_found"}
        assert [answer["message"] for answer in answers] == [
            "None of your MAWBs has this number.",
            "None of your guides has this tracking code.",
            "No endpoint has this address.",
        ]

    def test_a_voided_mawb_is_said_to_be_voided_to_its_owner_alone(self, acme: Caller, rival: Caller) -> None:
        acme.upload()
        void_manifest(Manifest.objects.get(), reason="Sent twice", actor="")
        for path in (f"/mawbs/{MAWB}", f"/mawbs/{MAWB}/findings"):
            mine, theirs = acme.get(path), rival.get(path)
            assert (mine.status_code, mine.json()["error"]) == (404, "not_found")
            assert "voided" in mine.json()["message"]
            assert "Sent twice" not in mine.text
            assert theirs.json()["message"] == "None of your MAWBs has this number."
        acme.upload()
        assert acme.get(f"/mawbs/{MAWB}").status_code == 200


class TestOrder:
    def test_each_change_of_status_has_its_number_and_the_note_to_the_client(self, acme: Caller) -> None:
        code = acme.upload().json()["guides"][0]["tracking_code"]
        guide = Guide.objects.get(tracking_code=code)
        now = datetime.now(UTC)
        tell(guide, "customs_held", occurred_at=now, internal_note="Ask Ana", client_note="Send the invoice")
        tell(guide, "in_transit", occurred_at=now - timedelta(hours=1))
        tell(guide, "lost", occurred_at=now - timedelta(hours=2))
        answer = acme.get(f"/guides/{code}")
        assert "Ask Ana" not in answer.text
        events = answer.json()["events"]
        assert {event["status"]: event.get("sequence") for event in events} == {
            "registered": 1,
            "customs_held": 2,
            "in_transit": None,
            "lost": 3,
        }
        assert [event.get("reason") for event in events if "reason" in event] == ["Send the invoice"]

    def test_a_change_shows_when_it_was(self, acme: Caller) -> None:
        code = acme.upload().json()["guides"][0]["tracking_code"]
        before = acme.get("/mawbs").json()["mawbs"][0]["updated_at"]
        guide = Guide.objects.get(tracking_code=code)
        tell(guide, "customs_held")
        after = [
            acme.get("/mawbs").json()["mawbs"][0]["updated_at"],
            acme.get(f"/mawbs/{MAWB}").json()["updated_at"],
            acme.get(f"/guides/{code}").json()["updated_at"],
        ]
        assert after == [after[0]] * 3
        assert after[0] > before

    def test_a_retention_is_shown_until_it_is_lifted_and_afterwards(self, acme: Caller) -> None:
        manifest = shipped(acme.company, 1, country="PE", retention_reason="retention_required")
        guide = manifest.guides.get()
        told = acme.get(f"/guides/{guide.tracking_code}").json()["retention"]
        assert (told["required"], told["lifted_at"]) == (True, None)
        assert "US$ 2,000" in told["reason"]
        lift_retention(guide, reason="Ana saw the papers", actor="")
        answer = acme.get(f"/guides/{guide.tracking_code}")
        assert answer.json()["retention"]["required"] is False
        assert answer.json()["retention"]["lifted_at"].endswith("Z")
        assert "Ana" not in answer.text
