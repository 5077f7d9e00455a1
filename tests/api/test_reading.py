"""GET mawbs, mawbs/:mawb, guides/:tracking_code: what a company sees, and never another's."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from shipments.models import Flight, GuideEvent, Manifest
from tests.books import MAWB, guide_row, workbook_bytes
from tests.conftest import Caller

pytestmark = pytest.mark.django_db


def bare_manifest(caller: Caller, mawb: str, **fields: Any) -> Manifest:
    flight = Flight.objects.create(company=caller.company)
    fields = {"channel": "json", "country": "CL", "transport_mode": "air", "flight": flight, **fields}
    return Manifest.objects.create(company=caller.company, posted_by=caller.company, mawb=mawb, **fields)


class TestTheList:
    def test_is_empty_for_a_company_that_sent_nothing(self, acme: Caller, rival: Caller) -> None:
        rival.upload()
        assert acme.get("/mawbs").json() == {"mawbs": []}

    def test_says_of_each_mawb_what_the_contract_lists(self, acme: Caller) -> None:
        uploaded = acme.upload(scheduled_arrival="2026-11-25T12:00:00Z").json()
        (item,) = acme.get("/mawbs").json()["mawbs"]
        created_at = item.pop("created_at")
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
        mawbs = [item["mawb"] for item in acme.get("/mawbs").json()["mawbs"]]
        assert mawbs == [f"045-{number:08d}" for number in range(51, 1, -1)]

    def test_ignores_query_parameters(self, acme: Caller) -> None:
        acme.upload()
        assert len(acme.get("/mawbs?status=delivered&page=9&company_id=1").json()["mawbs"]) == 1

    def test_costs_two_queries(self, acme: Caller, django_assert_num_queries: Any) -> None:
        acme.upload()
        with django_assert_num_queries(2):
            acme.get("/mawbs")


class TestOneMawb:
    @pytest.mark.parametrize(
        "spelling", [MAWB, "04512345675", "045 12345675", "045-1234 5675", "045 1234 5675", "%20045-12345675%20"]
    )
    def test_is_found_by_any_spelling_and_answers_in_the_normal_form(self, acme: Caller, spelling: str) -> None:
        uploaded = acme.upload().json()
        body = acme.get(f"/mawbs/{spelling}").json()
        assert body["mawb"] == MAWB
        assert "created_at" not in body
        assert body["guides"] == [{**guide, "status": "registered", "status_code": 1} for guide in uploaded["guides"]]

    @pytest.mark.parametrize("mawb", ["045-12345686", "nothing", "123", "%FF", "'%22", "9" * 300])
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
        assert body == {
            "hawb": "HAWB00001",
            "tracking_code": code,
            "mawb": MAWB,
            "status": "registered",
            "status_code": 1,
            "consignee_name": "Persona 1",
            "weight_kg": 1.5,
            "packages_count": 1,
            "description_original": "Zapatillas",
            "fob_usd": 100.25,
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
