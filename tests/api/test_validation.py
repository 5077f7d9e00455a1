"""POST upload/validate and process-pre-alert-json/validate: the answer of the same request, and nothing stored."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps

from companies.models import Company
from shipments.intake import trial
from shipments.intake.annotated_workbook import MEDIA_TYPE
from shipments.manifests.xlsx import parse_slots
from shipments.models import RefusedRequest
from tests.api.answers import error
from tests.api.validated import BAD, validate
from tests.books import MAWB, workbook_bytes
from tests.conftest import BASE, Caller, as_file
from tests.shipments.manifests import payloads

pytestmark = pytest.mark.django_db


def validate_json(caller: Caller, body: Any) -> Any:
    path = f"{BASE}/process-pre-alert-json/validate"
    return caller.client.post(path, body, content_type="application/json", headers=caller.headers)


def stored(media: Path) -> dict[str, int]:
    """How many rows each table has, and how many files there are."""
    counts = {model._meta.label: model._default_manager.count() for model in apps.get_models()}
    return counts | {"files": sum(path.is_file() for path in media.rglob("*"))}


class TestAGoodWorkbook:
    def test_is_answered_with_what_the_upload_would_create(self, acme: Caller) -> None:
        form = {"scheduled_arrival": "2026-11-25T08:30:00-03:00", "flight_number": "LA2471"}
        response = validate(acme, workbook_bytes(BAD), **form)
        body = response.json()
        assert response.status_code == 200
        assert (body["success"], body["would_create"], body["refusal"], body["further_refusals"]) == (
            True,
            True,
            None,
            [],
        )
        assert (body["country"], body["mawb"], body["guides_found"]) == ("CL", MAWB, 3)
        assert body["eta"] == "2026-11-25T08:30:00-03:00"
        assert body["flight"]["flight_number"] == "LA2471"
        uploaded = acme.upload(workbook_bytes(BAD), **form).json()
        assert uploaded["warnings"]
        shared = ["mawb", "eta", "columns", "totals", "rows", "warnings", "notices", "rut_invalid_count"]
        assert {name: body[name] for name in shared} == {name: uploaded[name] for name in shared}

    def test_is_read_for_a_country_with_the_tick(self, company_maker: Callable[..., Caller], rival: Caller) -> None:
        lima = company_maker("LIMA", allowed_countries=["PE"])
        book = workbook_bytes(labels={"Destino": "LIM"})
        assert error(validate(lima, book)) == (403, "unsupported_country")
        Company.objects.filter(pk=lima.company.pk).update(read_by_headings=["PE"])
        body = validate(lima, book).json()
        assert (body["would_create"], body["country"]) == (True, "PE")
        assert validate(rival, book).json()["refusal"]["error"] == "no_parser_for_format"


class TestNothingIsStored:
    @pytest.mark.parametrize(
        ("content", "accept"),
        [
            (workbook_bytes(), "application/json"),
            (workbook_bytes(BAD), MEDIA_TYPE),
            (workbook_bytes(mawb=None), "application/json"),
            (b"no workbook", MEDIA_TYPE),
        ],
    )
    def test_of_a_workbook(self, acme: Caller, media: Path, content: bytes, accept: str) -> None:
        before = stored(media)
        headers = {"Accept": accept, "Idempotency-Key": "once"}
        invoice = as_file(b"%PDF-1.7\n%%EOF\n", "invoice.pdf")
        assert validate(acme, content, headers, invoice_file=invoice).status_code == 200
        assert stored(media) == before

    def test_of_json(self, acme: Caller, media: Path) -> None:
        before = stored(media)
        assert validate_json(acme, payloads.body()).json()["would_create"] is True
        assert validate_json(acme, payloads.body(payloads.guide(hawb=""))).json()["would_create"] is False
        assert stored(media) == before

    def test_a_refused_validation_is_not_recorded_for_operators(self, acme: Caller, courier: Caller) -> None:
        assert validate(courier).status_code == 400
        assert validate(acme, b"no workbook").status_code == 200
        assert not RefusedRequest.objects.exists()


class TestARefusal:
    @pytest.mark.parametrize(
        ("content", "form", "code", "status"),
        [
            (b"no workbook", {}, "excel_parse_error", 400),
            (workbook_bytes(mawb=None), {}, "mawb_not_found_in_file", 400),
            (workbook_bytes([]), {}, "no_rows_parsed", 400),
            (None, {"flight_number": "LATAM"}, "validation_failed", 400),
            (None, {"destination_airport": "MIA"}, "no_parser_for_format", 400),
            (None, {"manifest_file": [as_file(b"a"), as_file(b"b")]}, "validation_failed", 400),
        ],
    )
    def test_is_the_content_and_the_answer_of_the_upload(
        self, acme: Caller, content: bytes | None, form: dict[str, Any], code: str, status: int
    ) -> None:
        body = validate(acme, content, **form)
        assert body.status_code == 200, body.content
        refusal = body.json()["refusal"]
        assert (body.json()["would_create"], refusal["error"], refusal["status"]) == (False, code, status)
        for sent in form.get("manifest_file", []):
            sent.seek(0)
        upload = acme.upload(content, **form)
        assert upload.status_code == status
        assert upload.json() == {"success": False, **{name: refusal[name] for name in refusal if name != "status"}}

    def test_does_not_keep_the_rows_from_being_read(self, acme: Caller) -> None:
        body = validate(acme, workbook_bytes(BAD, mawb=None), flight_number="LATAM").json()
        assert body["refusal"]["details"].keys() == {"flight_number"}
        assert [each["error"] for each in body["further_refusals"]] == ["mawb_not_found_in_file"]
        assert (body["guides_found"], body["mawb"], len(body["warnings"])) == (3, None, 2)

    def test_of_a_known_mawb_names_its_manifest(self, acme: Caller, rival: Caller) -> None:
        created = acme.upload().json()
        refusal = validate(acme).json()["refusal"]
        assert (refusal["status"], refusal["error"]) == (409, "mawb_already_exists")
        assert refusal["manifest_id"] == created["manifest_id"]
        assert validate(rival).json()["would_create"] is True

    def test_of_a_country_the_company_may_not_ship_to_still_reads(self, acme: Caller) -> None:
        acme.company.allowed_countries, acme.company.read_by_headings = ["CL"], ["CL", "PE"]
        acme.company.save()
        body = validate(acme, workbook_bytes(), destination_airport="LIM").json()
        assert (body["refusal"]["status"], body["refusal"]["error"]) == (403, "country_not_allowed")
        assert (body["guides_found"], body["further_refusals"]) == (2, [])

    def test_about_the_caller_is_a_status(self, acme: Caller, courier: Caller) -> None:
        assert error(validate(courier)) == (400, "company_is_courier")
        assert error(validate_json(courier, payloads.body())) == (400, "company_is_courier")
        assert error(validate_json(acme, payloads.body(client_code="ACME"))) == (403, "client_code_not_allowed")
        assert error(acme.client.post(f"{BASE}/upload/validate", {}, headers=acme.headers)) == (
            400,
            "manifest_file_required",
        )
        assert error(acme.client.post(f"{BASE}/upload/validate", {})) == (401, "missing_api_key")
        assert error(acme.client.get(f"{BASE}/upload/validate", headers=acme.headers)) == (405, "method_not_allowed")

    def test_for_want_of_a_slot_is_a_503(self, acme: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(trial, "TRIAL_SECONDS", 0.01)
        monkeypatch.setattr(parse_slots, "usable_cores", lambda: 2)
        with parse_slots.parse_slot():
            response = validate(acme)
            assert acme.upload().status_code == 201
        assert error(response) == (503, "unavailable")
        assert "Retry-After" in response.headers


class TestJson:
    def test_a_good_manifest_is_counted(self, acme: Caller, rival: Caller) -> None:
        body = validate_json(acme, payloads.body()).json()
        assert (body["would_create"], body["country"], body["guides_found"], body["columns"], body["rows"]) == (
            True, "CL", 1, [], None,
        )  # fmt: skip
        created = acme.post_json(payloads.body()).json()
        assert body["totals"] == created["totals"]
        assert validate_json(acme, payloads.body()).json()["refusal"]["manifest_id"] == created["manifest_id"]
        assert validate_json(rival, payloads.body()).json()["would_create"] is True

    @pytest.mark.parametrize("nothing", [None, "x"])
    def test_guides_and_products_that_are_no_objects_are_bad_rows(self, acme: Caller, nothing: object) -> None:
        sent = payloads.body(nothing, payloads.guide(products=[nothing]), payloads.guide(hawb="H3", extra=1))
        response = validate_json(acme, sent)
        assert response.status_code == 200
        refusal = response.json()["refusal"]
        assert (refusal["status"], refusal["error"], refusal["invalid_rows_total"]) == (
            400, "manifest_validation_failed", 2,
        )  # fmt: skip
        posted = acme.post_json(sent).json()
        assert refusal["invalid_rows"] == posted["invalid_rows"]
        assert (response.json()["guides_found"], response.json()["notices"][0]["code"]) == (1, "unknown_field")

    def test_all_problems_are_reported_at_once(self, acme: Caller) -> None:
        guides = [payloads.guide(), payloads.guide(hawb="H2", weight_kg=0), payloads.guide(hawb="H3", fob_usd=-1)]
        body = validate_json(acme, payloads.body(*guides, mawb="12", flight_number="LATAM")).json()
        assert body["refusal"]["details"].keys() == {"mawb", "flight_number"}
        (rows,) = body["further_refusals"]
        assert (rows["status"], rows["error"], rows["invalid_rows_total"]) == (400, "manifest_validation_failed", 2)
        assert [row["hawb"] for row in rows["invalid_rows"]] == ["H2", "H3"]
        assert (body["guides_found"], body["totals"]["guides"]) == (1, 1)

    @pytest.mark.parametrize(
        ("body", "code"),
        [
            (b"{", "invalid_body"),
            (b"[]", "invalid_body"),
            (payloads.body(transport_mode="sea"), "unsupported_transport_mode"),
            (payloads.body(destination_airport="MIA"), "destination_unresolved"),
            (payloads.body(guides=[]), "validation_failed"),
        ],
    )
    def test_a_refusal_is_that_of_the_post(self, acme: Caller, body: Any, code: str) -> None:
        refusal = validate_json(acme, body).json()["refusal"]
        answer = acme.post_json(body)
        assert (refusal["error"], refusal["status"]) == (code, answer.status_code)
        assert refusal["message"] == answer.json()["message"]

    @pytest.mark.usefixtures("acme")
    def test_a_courier_validates_for_its_client(self, courier: Caller) -> None:
        assert validate_json(courier, payloads.body(client_code="ACME")).json()["would_create"] is True
        assert error(validate_json(courier, payloads.body(client_code="NOBODY"))) == (403, "client_not_resolved")
