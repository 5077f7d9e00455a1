"""POST process-pre-alert-json: each refusal in its order, bodies that are none, and any value in any field."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings as hypothesis_settings, strategies as st

from shipments.models import Manifest
from tests.api.answers import error, nothing_stored, problems
from tests.conftest import Caller, make_caller
from tests.documents import guide, manifest
from tests.examples import examples
from tests.shipments.manifests import payloads
from tests.shipments.manifests.payload.test_payload_any_value import ANYTHING, GUIDE_KEYS, MANIFEST_KEYS, PRODUCT_KEYS

pytestmark = pytest.mark.django_db


class TestTheRowGate:
    def test_reports_every_problem_of_every_row_and_creates_nothing(self, acme: Caller) -> None:
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


class TestRefusals:
    @pytest.mark.parametrize(
        ("changes", "answer"),
        [
            ({"transport_mode": "sea"}, (400, "unsupported_transport_mode")),
            ({"transport_mode": None}, (400, "unsupported_transport_mode")),
            ({"destination_airport": None}, (400, "destination_unresolved")),
            ({"destination_airport": "MIA"}, (400, "destination_unresolved")),
            ({"destination_airport": None, "destination_country": "CL"}, (400, "destination_unresolved")),
            ({"transport_mode": "ground"}, (400, "destination_unresolved")),
            ({"transport_mode": "ground", "destination_country": "BR"}, (403, "country_not_allowed")),
            ({"mawb": None}, (400, "validation_failed")),
            ({"guides": []}, (400, "validation_failed")),
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
            b"null",
            b"[]",
            b"{",
            b'{"a": 1, "a": 2}',
            b'{"a": ' + b"9" * 5000 + b"}",
            b"[" * 2000 + b"]" * 2000,
            b'{"a": "\\u0000"}',
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


@hypothesis_settings(max_examples=examples(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["CL", "PE", "AR"]),
    st.dictionaries(MANIFEST_KEYS, ANYTHING, max_size=1),
    st.dictionaries(GUIDE_KEYS, ANYTHING, max_size=2),
    st.none() | st.dictionaries(PRODUCT_KEYS, ANYTHING, max_size=2),
)
def test_no_value_in_any_field_causes_an_internal_error(
    acme: Caller, country: str, in_manifest: Any, in_guide: Any, in_product: Any
) -> None:
    products = [] if in_product is None else [payloads.product() | in_product]
    body = manifest(guide(1, country, products=products) | in_guide, country=country) | in_manifest
    response = acme.post_json(json.dumps(body, default=str))
    assert response.status_code in {201, 400, 403, 422}, response.content
    if response.status_code == 201:
        for each in response.json()["guides"]:
            assert acme.get(f"/guides/{each['tracking_code']}").status_code == 200
        Manifest.objects.all().delete()
