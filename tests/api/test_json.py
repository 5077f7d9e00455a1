"""POST process-pre-alert-json: what comes in for each country, who may post for whom, each refusal in its order."""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from companies.models import Company
from shipments.models import Flight, Guide, GuideEvent, Manifest
from tests.conftest import Caller, make_caller
from tests.documents import guide, manifest

pytestmark = pytest.mark.django_db


def error(response: Any) -> tuple[int, str]:
    body = response.json()
    assert body["success"] is False
    assert body["message"]
    return response.status_code, body["error"]


def nothing_stored() -> bool:
    return not any(model.objects.exists() for model in (Manifest, Guide, GuideEvent, Flight))


def problems(response: Any) -> list[tuple[int, str, str]]:
    return [(row["row_index"], row["field"], row["error_code"]) for row in response.json()["invalid_rows"]]


@pytest.fixture
def courier(acme: Caller) -> Caller:
    caller = make_caller("SWIFT", kind="courier", allowed_countries=[], tracking_prefix="")
    caller.company.posts_for.add(acme.company)
    return caller


class TestAGoodManifest:
    @pytest.mark.parametrize("country", ["CL", "PE", "AR"])
    def test_is_created_and_answered_with_its_country(self, acme: Caller, country: str) -> None:
        response = acme.post_json(manifest(country=country, scheduled_arrival="2026-11-25T08:00:00-03:00"))
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

    @pytest.mark.parametrize(("airport", "country"), [("BUE", "AR"), ("aep", "AR"), ("CUZ", "PE"), ("ANF", "CL")])
    def test_knows_airports_and_metropolitan_codes(self, acme: Caller, airport: str, country: str) -> None:
        body = manifest(country=country, destination_airport=airport)
        assert acme.post_json(body).json()["country"] == country


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

    def test_an_empty_list_leaves_the_rows_own_values(self, acme: Caller) -> None:
        assert acme.post_json(manifest(guide(products=[]))).status_code == 201
        assert Guide.objects.get().fob_usd == Decimal("100.25")


class TestPeru:
    @pytest.mark.parametrize(
        ("fob", "category"), [("0", 1), ("199.99", 2), ("200", 2), ("200.01", 3), ("2000", 3), ("2000.01", 4)]
    )
    def test_the_category_follows_from_the_value(self, acme: Caller, fob: str, category: int) -> None:
        acme.post_json(manifest(guide(1, "PE", fob_usd=float(fob)), country="PE"))
        assert Guide.objects.get().category == category

    def test_above_two_thousand_dollars_a_guide_is_created_under_retention_with_a_warning(self, acme: Caller) -> None:
        body = acme.post_json(manifest(guide(1, "PE", fob_usd=2000.01), country="PE")).json()
        assert [(w["row_index"], w["error_code"], w["severity"]) for w in body["warnings"]] == [
            (0, "retention_required", "warning")
        ]
        stored = Guide.objects.get()
        assert stored.retention_required
        assert stored.retention_reason
        assert [event.status for event in stored.events.all()] == ["registered"]

    def test_a_claimed_category_may_be_higher_and_never_lower(self, acme: Caller) -> None:
        low = acme.post_json(manifest(guide(1, "PE", fob_usd=201, category=2), country="PE"))
        assert problems(low) == [(0, "category", "invalid_category")]
        assert acme.post_json(manifest(guide(1, "PE", fob_usd=199, category=4), country="PE")).status_code == 201


class TestTheRowGate:
    def test_tells_every_problem_of_every_row_and_creates_nothing(self, acme: Caller) -> None:
        rows: list[Any] = [
            guide(1),
            guide(2, hawb="", weight_kg=0, fob_usd=-1),
            guide(3, consignee_document="12345678-9"),
            guide(1, packages_count=0),
            "not a guide",
        ]
        response = acme.post_json(manifest(*rows))
        assert error(response) == (400, "manifest_validation_failed")
        assert problems(response) == [
            (1, "hawb", "required"),
            (1, "weight_kg", "invalid"),
            (1, "fob_usd", "invalid"),
            (2, "consignee_document", "rut_invalid_format"),
            (3, "hawb", "duplicate_hawb"),
            (3, "packages_count", "invalid"),
            (4, "guides", "invalid"),
        ]
        assert all(row["message"] for row in response.json()["invalid_rows"])
        assert "12345678" not in response.content.decode()
        assert nothing_stored()

    def test_knows_each_countrys_documents(self, acme: Caller) -> None:
        peru = manifest(guide(1, "PE", consignee_document="1234"), country="PE")
        argentina = manifest(guide(1, "AR", consignee_document="20-12345678-7"), country="AR")
        assert problems(acme.post_json(peru)) == [(0, "consignee_document_type", "invalid_document_type")]
        assert problems(acme.post_json(argentina)) == [(0, "consignee_document", "invalid_document")]


class TestCouriers:
    def test_post_for_a_client_that_owns_the_manifest(self, acme: Caller, courier: Caller, rival: Caller) -> None:
        response = courier.post_json(manifest(client_code="ACME"))
        assert response.status_code == 201
        stored = Manifest.objects.get()
        assert (stored.company, stored.posted_by) == (acme.company, courier.company)
        assert response.json()["guides"][0]["tracking_code"].startswith("ACM")
        assert len(acme.get("/mawbs").json()["mawbs"]) == 1
        assert rival.get("/mawbs").json() == {"mawbs": []}

    def test_do_not_see_what_they_posted(self, courier: Caller) -> None:
        code = courier.post_json(manifest(client_code="ACME")).json()["guides"][0]["tracking_code"]
        Company.objects.filter(pk=courier.company.pk).update(allowed_countries=["CL"])
        assert courier.get("/mawbs").json() == {"mawbs": []}
        assert courier.get(f"/guides/{code}").status_code == 404

    @pytest.mark.parametrize("code", [None, "", "  "])
    def test_must_name_a_client(self, courier: Caller, code: str | None) -> None:
        body = manifest() | {"client_code": code}
        assert error(courier.post_json(body)) == (400, "company_is_courier")

    def test_hear_of_unknown_inactive_and_unlinked_clients_in_one_voice(self, courier: Caller) -> None:
        make_caller("RIVAL")
        make_caller("ASLEEP", is_active=False).company.couriers.add(courier.company)
        answers = {code: courier.post_json(manifest(client_code=code)) for code in ("NOBODY", "RIVAL", "ASLEEP")}
        assert {error(answer) for answer in answers.values()} == {(403, "client_not_resolved")}
        assert {code: answer.json()["client_code"] for code, answer in answers.items()} == {
            code: code for code in answers
        }
        assert len({answer.json()["message"] for answer in answers.values()}) == 1

    def test_bring_the_clients_rights_not_their_own(self, acme: Caller, courier: Caller) -> None:
        Company.objects.filter(pk=acme.company.pk).update(allowed_countries=["PE"])
        Company.objects.filter(pk=courier.company.pk).update(allowed_countries=["CL"])
        assert error(courier.post_json(manifest(client_code="ACME"))) == (403, "country_not_allowed")

    @pytest.mark.parametrize("code", ["ACME", "NOBODY", 5, ["ACME"], {}, False])
    def test_are_the_only_ones_to_send_a_client_code(self, acme: Caller, code: Any) -> None:
        assert error(acme.post_json(manifest(client_code=code))) == (403, "client_code_not_allowed")

    @pytest.mark.parametrize("code", [None, "", "  "])
    def test_a_client_may_send_it_empty(self, acme: Caller, code: str | None) -> None:
        assert acme.post_json(manifest() | {"client_code": code}).status_code == 201


class TestTheMarketplaceRule:
    IDENTIFIERS = {"marketplace_cop_no": "C1", "marketplace_waybill": "W1"}

    def test_a_marketplace_sends_both_identifiers_with_every_guide(self) -> None:
        market = make_caller("MARKET", is_marketplace=True)
        rows = [guide(1, extra_data=self.IDENTIFIERS), guide(2, extra_data={"marketplace_cop_no": "C2"}), guide(3)]
        response = market.post_json(manifest(*rows))
        assert error(response) == (422, "marketplace_fields_missing")
        assert {row["row_index"] for row in response.json()["invalid_rows"]} == {1, 2}
        assert nothing_stored()
        assert market.post_json(manifest(guide(1, extra_data=self.IDENTIFIERS))).status_code == 201

    def test_nobody_else_sends_them(self, acme: Caller) -> None:
        response = acme.post_json(manifest(guide(1), guide(2, extra_data={"marketplace_waybill": "W"})))
        assert error(response) == (422, "marketplace_fields_not_allowed")
        assert {row["row_index"] for row in response.json()["invalid_rows"]} == {1}

    def test_is_asked_only_of_rows_that_are_well_formed(self, acme: Caller) -> None:
        row = guide(1, weight_kg=0, extra_data=self.IDENTIFIERS)
        assert error(acme.post_json(manifest(row))) == (400, "manifest_validation_failed")


class TestRefusals:
    @pytest.mark.parametrize(
        ("changes", "answer"),
        [
            ({"transport_mode": "sea"}, (400, "unsupported_transport_mode")),
            ({"transport_mode": None}, (400, "unsupported_transport_mode")),
            ({"transport_mode": ["air"]}, (400, "unsupported_transport_mode")),
            ({"destination_airport": None}, (400, "destination_unresolved")),
            ({"destination_airport": "MIA"}, (400, "destination_unresolved")),
            ({"destination_airport": "ZZZ"}, (400, "destination_unresolved")),
            ({"destination_airport": None, "destination_country": "CL"}, (400, "destination_unresolved")),
            ({"transport_mode": "ground"}, (400, "destination_unresolved")),
            ({"transport_mode": "ground", "destination_country": "BR"}, (403, "country_not_allowed")),
            ({"mawb": "1234"}, (400, "validation_failed")),
            ({"mawb": None}, (400, "validation_failed")),
            ({"guides": []}, (400, "validation_failed")),
            ({"guides": {}}, (400, "validation_failed")),
            ({"flight_number": "LATAM"}, (400, "validation_failed")),
            ({"scheduled_departure": "2026-11-25T08:00:00"}, (400, "validation_failed")),
        ],
    )
    def test_leave_nothing_behind(self, acme: Caller, changes: dict[str, Any], answer: tuple[int, str]) -> None:
        body = {key: value for key, value in (manifest() | changes).items() if value is not None}
        assert error(acme.post_json(body)) == answer
        assert nothing_stored()

    def test_echo_the_country(self) -> None:
        lima = make_caller("LIMA", allowed_countries=["PE"])
        response = lima.post_json(manifest())
        assert error(response) == (403, "country_not_allowed")
        assert response.json()["country"] == "CL"

    def test_tell_an_arrival_before_its_departure(self, acme: Caller) -> None:
        response = acme.post_json(
            manifest(scheduled_departure="2026-11-25T10:00:00Z", scheduled_arrival="2026-11-25T09:59:00Z")
        )
        assert list(response.json()["details"]) == ["scheduled_arrival"]

    def test_tell_a_missing_tracking_prefix(self) -> None:
        bare = make_caller("BARE", tracking_prefix="")
        assert error(bare.post_json(manifest())) == (400, "tracking_prefix_missing")

    def test_tell_a_mawb_that_is_there_in_any_spelling(self, acme: Caller, rival: Caller) -> None:
        first = acme.post_json(manifest()).json()
        assert rival.post_json(manifest()).status_code == 201
        for spelling in ("04512345675", "045 1234 5675", 4512345675):
            response = acme.post_json(manifest(mawb=spelling))
            assert error(response) == (409, "mawb_already_exists")
            assert response.json()["manifest_id"] == first["manifest_id"]

    def test_come_in_the_decided_order(self, courier: Caller) -> None:
        nowhere = make_caller("NOWHERE", allowed_countries=[])
        broken = {"client_code": "x", "transport_mode": "sea", "guides": 5}
        assert error(nowhere.post_json(broken))[1] == "client_code_not_allowed"
        del broken["client_code"]
        assert error(nowhere.post_json(broken))[1] == "unsupported_country"
        assert error(courier.post_json(broken))[1] == "company_is_courier"
        acme_only = broken | {"client_code": "ACME"}
        assert error(courier.post_json(acme_only))[1] == "unsupported_transport_mode"
        acme_only |= {"transport_mode": "air", "destination_airport": "MIA"}
        assert error(courier.post_json(acme_only))[1] == "destination_unresolved"
        acme_only |= {"destination_airport": "SCL"}
        assert error(courier.post_json(acme_only))[1] == "validation_failed"


class TestBodies:
    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"   ",
            b"null",
            b"[]",
            b'"text"',
            b"{",
            b"{'a': 1}",
            b'{"a": 1, "a": 2}',
            b'{"a": NaN}',
            b'{"a": -Infinity}',
            b'{"a": 1e999}',
            b'{"a": ' + b"9" * 5000 + b"}",
            b"[" * 2000 + b"]" * 2000,
            b'{"a": ' * 2000 + b"1" + b"}" * 2000,
            b'{"a": "\\ud800"}',
            b'{"\\udfff": 1}',
            b'{"a": "\\u0000"}',
            b'{"a\\u0000": 1}',
            b'\xef\xbb\xbf{"a": 1}',
            b'{"a": "\xff"}',
            '{"a": 1}'.encode("utf-16"),
        ],
    )
    def test_that_are_not_one_clear_object_are_refused(self, acme: Caller, body: bytes) -> None:
        assert error(acme.post_json(body)) == (400, "invalid_body")

    @pytest.mark.parametrize(
        "content_type",
        [
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=B",
            "application/json; charset=utf-16",
            "application/json; charset=bz2_codec",
            "",
        ],
    )
    def test_of_another_kind_are_refused(self, acme: Caller, content_type: str) -> None:
        body = json.dumps(manifest()).encode()
        assert error(acme.post_json(body, content_type=content_type)) == (400, "invalid_body")
        assert nothing_stored()

    @pytest.mark.parametrize("content_type", ["application/json; charset=UTF-8", "Application/JSON"])
    def test_in_utf8_by_any_spelling_are_taken(self, acme: Caller, content_type: str) -> None:
        assert acme.post_json(json.dumps(manifest()).encode(), content_type=content_type).status_code == 201

    def test_over_the_limit_are_refused_and_at_the_limit_read(self, acme: Caller, settings: Any) -> None:
        body = json.dumps(manifest()).encode()
        settings.MAX_JSON_BYTES = len(body)
        assert error(acme.post_json(body + b" ")) == (400, "invalid_body")
        assert acme.post_json(body).status_code == 201


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**40), 10**40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
    | st.sampled_from(
        ["\x00", "x" * 3000, "2026-11-25T08:00:00+24:00", "0001-01-01T00:00:00+14:00", "٢١", "-0", "1e5"]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
MANIFEST_KEYS = [
    "mawb", "transport_mode", "client_code", "flight_number", "origin_airport", "origin_country",
    "destination_airport", "destination_country", "scheduled_departure", "scheduled_arrival", "country", "guides",
]  # fmt: skip
GUIDE_KEYS = [
    "hawb", "consignee_name", "consignee_document_type", "consignee_document", "consignee_address", "consignee_city",
    "consignee_region", "consignee_postal_code", "consignee_phone", "consignee_email", "shipper_name", "weight_kg",
    "packages_count", "description_original", "product_value", "fob_usd", "hs_code", "category", "platform_name",
    "products", "extra_data",
]  # fmt: skip
PRODUCT_KEYS = ["description", "quantity", "unit_value", "weight_kg", "hs_code"]


@hypothesis_settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["CL", "PE", "AR"]),
    st.dictionaries(st.sampled_from(MANIFEST_KEYS), VALUES, max_size=1),
    st.dictionaries(st.sampled_from(GUIDE_KEYS), VALUES, max_size=2),
    st.none() | st.dictionaries(st.sampled_from(PRODUCT_KEYS), VALUES, max_size=2),
)
def test_no_value_in_any_field_is_a_failure_of_ours(
    acme: Caller,
    country: str,
    in_manifest: dict[str, Any],
    in_guide: dict[str, Any],
    in_product: dict[str, Any] | None,
) -> None:
    row = guide(1, country) | in_guide
    if in_product is not None:
        product = {"description": "A", "quantity": 1, "unit_value": 2, "weight_kg": 3}
        row["products"] = [product | in_product]
    body = manifest(row, country=country) | in_manifest
    response = acme.post_json(json.dumps(body))
    assert response.status_code in {201, 400, 403, 422}, response.content
    if response.status_code == 201:
        for each in response.json()["guides"]:
            assert acme.get(f"/guides/{each['tracking_code']}").status_code == 200
        Manifest.objects.all().delete()
