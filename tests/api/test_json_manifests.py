"""POST process-pre-alert-json: what is taken for each country, and what becomes of it."""

from decimal import Decimal

import pytest

from shipments.models import Guide, Manifest
from tests.conftest import Caller
from tests.documents import guide, manifest

pytestmark = pytest.mark.django_db


class TestAGoodManifest:
    @pytest.mark.parametrize("country", ["CL", "PE", "AR"])
    def test_is_created_and_answered_with_its_country(self, acme: Caller, country: str) -> None:
        guides = [guide(number, country, fob_usd=99.5) for number in (1, 2)]
        response = acme.post_json(manifest(*guides, country=country, scheduled_arrival="2026-11-25T08:00:00-03:00"))
        assert response.status_code == 201, response.json()
        body = response.json()
        codes = [each.pop("tracking_code") for each in body["guides"]]
        stored = Manifest.objects.get()
        assert body == {
            "success": True,
            "country": country,
            "manifest_id": str(stored.id),
            "flight_id": str(stored.flight_id),
            "mawb": "045-12345675",
            "eta": "2026-11-25T08:00:00-03:00",
            "guides_created": 2,
            "guides": [{"hawb": "HAWB00001"}, {"hawb": "HAWB00002"}],
            "rut_invalid_count": 0,
            "warnings": [],
            "notices": [],
            "totals": {"guides": 2, "weight_kg": 3.0, "pieces": 2, "fob_usd": 199.0},
        }
        assert all(code.startswith("ACM") for code in codes)
        assert (stored.country, stored.channel, stored.company) == (country, "json", acme.company)

    def test_comes_out_of_the_reading_endpoints_like_an_uploaded_one(self, acme: Caller, rival: Caller) -> None:
        code = acme.post_json(manifest(guide(platform_name="Shop", extra_data={"ref": 1.5}))).json()["guides"][0][
            "tracking_code"
        ]
        body = acme.get(f"/guides/{code}").json()
        assert (body["status"], body["weight_kg"], body["fob_usd"]) == ("registered", 1.5, 100.25)
        assert rival.get(f"/guides/{code}").status_code == 404
        stored = Guide.objects.get()
        assert (stored.platform_name, stored.extra_data) == ("Shop", {"ref": 1.5})

    def test_ignores_country_and_unknown_keys(self, acme: Caller) -> None:
        body = manifest(guide(status="delivered", company_id=1), country="PE", company_id=7)
        body["guides"] = [guide(1, "PE", status="delivered", company_id=1)]
        body["country"] = "CL"
        assert acme.post_json(body).json()["country"] == "PE"
        assert Guide.objects.get().status == "registered"

    def test_by_ground_takes_the_destination_country(self, acme: Caller) -> None:
        body = manifest(country="AR", transport_mode="ground", destination_airport="SCL", destination_country="ar")
        response = acme.post_json(body)
        assert response.json()["country"] == "AR"


class TestProducts:
    def test_are_the_source_of_truth_exact_to_the_cent_and_the_gram(self, acme: Caller) -> None:
        products = [
            {"description": "A", "quantity": 3, "unit_value": 0.335, "weight_kg": 0.1, "hs_code": "6404.11.00"},
            {"description": "B", "quantity": 1, "unit_value": 0.1, "weight_kg": 0.2, "hs_code": "64041100"},
            {"description": "C", "quantity": 2, "unit_value": 0.05, "weight_kg": 0.0005, "hs_code": "61091000"},
        ]
        row = guide(products=products, weight_kg=99, fob_usd=99, description_original="ignored", hs_code="ignored")
        assert acme.post_json(manifest(row)).status_code == 201
        stored = Guide.objects.get()
        assert stored.fob_usd == stored.product_value == Decimal("1.21")
        assert stored.weight_kg == Decimal("0.301")
        assert (stored.description_original, stored.hs_code) == ("A, B, C", "64041100, 61091000")
        assert [product["unit_value"] for product in stored.products] == ["0.3350", "0.1000", "0.0500"]


class TestPeru:
    def test_above_two_thousand_dollars_a_guide_is_created_under_retention_with_a_warning(self, acme: Caller) -> None:
        body = acme.post_json(manifest(guide(1, "PE", fob_usd=2000.01), country="PE")).json()
        assert [(w["row_index"], w["error_code"], w["severity"]) for w in body["warnings"]] == [
            (0, "retention_required", "warning"),
            (0, "ruc_advised", "warning"),
        ]
        stored = Guide.objects.get()
        assert stored.retention_required
        assert stored.retention_reason
        assert [event.status for event in stored.events.all()] == ["registered"]
