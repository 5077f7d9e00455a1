"""What the API refuses is recorded without its values, for operators who are asked why."""

import io
import json
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest
from django.core.management import call_command
from django.db import DatabaseError
from django.urls import reverse
from django.utils import timezone

from shipments.intake import refusals
from shipments.models import RefusedRequest
from shipments.wording.refusals import REFUSALS
from tests import documents
from tests.books import HEADER, MAWB, guide_row, workbook_bytes
from tests.conftest import BASE, Caller, as_file, make_caller
from tests.country_scope.operators import operator_of, text_of
from tools.catalogue import answered_errors

pytestmark = pytest.mark.django_db

LIST = reverse("admin:shipments_refusedrequest_changelist")
OPERATORS_CODES = {
    "ambiguous", "batch_not_open", "country_mismatch", "event_file_unreadable", "event_in_future", "event_taken_back",
    "forbidden_country", "guide_not_under_retention", "guide_under_retention",
    "layout_answered", "layout_confirmed", "nothing_to_take_back",
}  # fmt: skip
"""Codes of commands, of pages for operators, and of their API."""


@pytest.fixture
def acme(db: None) -> Caller:  # noqa: ARG001  # the database must be there first
    """Of one country, so that its operators see what it sent."""
    return make_caller("ACME", allowed_countries=["CL"])


def upload(caller: Caller, content: bytes, name: str) -> Any:
    return caller.post_form({"manifest_file": as_file(content, name)})


def test_a_refused_workbook_is_found_by_its_mawb(acme: Caller) -> None:
    """Clients ask for it by that number, whatever the workbook was refused for."""
    upload(acme, workbook_bytes(), "first.xlsx")
    assert upload(acme, workbook_bytes(), "again.xlsx").status_code == 409
    assert upload(acme, workbook_bytes([], mawb="045-00000011"), "empty.xlsx").status_code == 400
    found = operator_of("CL").get(LIST, {"q": f" {MAWB} "}).context["cl"].result_list
    assert [refused.code for refused in found] == ["mawb_already_exists"]
    assert RefusedRequest.objects.get(code="no_rows_parsed").mawb == "045-00000011"


def test_a_refused_manifest_is_recorded_with_codes_and_counts(acme: Caller) -> None:
    body = documents.manifest(*(documents.guide(number, consignee_document="1-1") for number in range(1, 4)))
    answer = acme.post_json(body, HTTP_X_REQUEST_ID="req-0001")
    refused = RefusedRequest.objects.get()
    assert answer.status_code == refused.status == 400
    assert (refused.company, refused.code) == (acme.company, "manifest_validation_failed")
    assert refused.findings == {"rut_invalid_format": 3}
    assert (refused.mawb, refused.request_id) == (body["mawb"], "req-0001")
    assert refused.endpoint == "POST process-pre-alert-json"
    assert body["guides"][0]["consignee_name"] not in json.dumps(refused.findings)


def test_a_refused_file_is_known_by_its_digest_and_not_by_its_name(acme: Caller) -> None:
    assert upload(acme, b"no workbook", "Manifiesto de Ana.XLSX").status_code == 400
    refused = RefusedRequest.objects.get()
    assert (refused.code, refused.file_extension) == ("excel_parse_error", "xlsx")
    assert refused.file_sha256 == sha256(b"no workbook").hexdigest()
    assert "Ana" not in str(RefusedRequest.objects.values().get())


def test_a_body_that_cannot_be_read_is_recorded(acme: Caller) -> None:
    answer = acme.post_json("{")
    assert (answer.status_code, RefusedRequest.objects.get().code) == (400, "invalid_body")


def test_the_endpoint_of_one_subscription_is_named_without_its_id(acme: Caller) -> None:
    acme.client.post(f"{BASE}/webhooks/subscriptions/sub_77/replay", {}, "application/json", headers=acme.headers)
    assert RefusedRequest.objects.get().endpoint == "POST webhooks/subscriptions/<subscription_id>/replay"


def test_what_is_accepted_read_or_unknown_is_not_recorded(acme: Caller) -> None:
    assert acme.post_json(documents.manifest(documents.guide())).status_code == 201
    assert acme.get("/mawbs/045-99999999").status_code == 404
    assert Caller(acme.company, "pa_live_nobody").post_json({}).status_code == 401
    assert not RefusedRequest.objects.exists()


def test_a_company_has_its_limit_of_a_day_and_others_theirs(acme: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusals, "MOST_A_DAY", 2)
    other = make_caller("OTHER")
    for _ in range(4):
        assert acme.post_json([]).status_code == 400
    other.post_json([])
    assert (acme.company.refused_requests.count(), other.company.refused_requests.count()) == (2, 1)
    acme.company.refused_requests.update(created_at=timezone.now() - timedelta(days=2))
    acme.post_json([])
    assert acme.company.refused_requests.count() == 3


def test_the_client_gets_its_refusal_also_when_it_cannot_be_recorded(
    acme: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(*_args: object, **_named: object) -> None:
        raise DatabaseError

    monkeypatch.setattr(RefusedRequest, "save", break_down)
    assert acme.post_json([]).json()["error"] == "invalid_body"


def test_headings_that_were_not_understood_are_named_and_nothing_below_them(acme: Caller) -> None:
    long = "Color favorito " + "x" * 200
    book = workbook_bytes(
        [guide_row(1, Zurbo="Ana Secreta", **{long: "azul"})], mawb=None, header=[*HEADER, "Zurbo", long],
        labels={"Destino": "SCL"},
    )  # fmt: skip
    assert upload(acme, book, "manifest.xlsx").json()["error"] == "mawb_not_found_in_file"
    refused = RefusedRequest.objects.get()
    assert refused.headings == ["Zurbo", long[:160]]
    assert "Secreta" not in str(RefusedRequest.objects.values().get())
    staff = operator_of("CL")
    for address in (LIST, reverse("admin:shipments_refusedrequest_change", args=[refused.pk])):
        assert "Zurbo" in text_of(staff.get(address))


def test_headings_that_may_be_a_persons_data_are_not_kept(acme: Caller) -> None:
    data = ["ana@example.com", "12.345.678-5", "Dejar con el vecino de la casa azul porfa"]
    book = workbook_bytes([guide_row(1)], mawb=None, header=[*HEADER, *data, "Zurbo"], labels={"Destino": "SCL"})
    assert upload(acme, book, "manifest.12345678").json()["error"] == "mawb_not_found_in_file"
    refused = RefusedRequest.objects.get()
    assert (refused.headings, refused.file_extension) == (["Zurbo"], "")


def test_names_of_fields_that_a_client_made_up_are_not_kept(acme: Caller) -> None:
    body = {"Ana Secreta": 1, "12345678": 1, "ana@example.com": 1, "colour": 1}
    answer = acme.client.post(f"{BASE}/webhooks/subscriptions", body, "application/json", headers=acme.headers)
    assert answer.json()["error"] == "validation_failed"
    assert set(body) <= set(answer.json()["details"])
    assert RefusedRequest.objects.get().findings == {"colour": 1}


def test_every_code_that_can_be_refused_has_words() -> None:
    public = {kind.code for kind in answered_errors() if 400 <= kind.status < 500 and kind.status != 401}
    assert public - REFUSALS.keys() == OPERATORS_CODES


def test_they_are_deleted_after_thirty_days(acme: Caller) -> None:
    for days in (1, 29, 31, 90):
        refused = acme.company.refused_requests.create(endpoint="POST upload", status=400, code="invalid_body")
        RefusedRequest.objects.filter(pk=refused.pk).update(created_at=timezone.now() - timedelta(days=days))
    for dry_run, left in ((True, 4), (False, 2)):
        output = io.StringIO()
        call_command("sweep_files", dry_run=dry_run, stdout=output)
        assert "2 refused requests" in output.getvalue()
        assert RefusedRequest.objects.count() == left


def test_an_operator_finds_why(acme: Caller) -> None:
    acme.post_json([], HTTP_X_REQUEST_ID="req-0002")
    both = make_caller("BOTH", allowed_countries=["CL", "PE"])
    both.post_json([], HTTP_X_REQUEST_ID="req-0003")
    staff = operator_of("CL")

    def listed(**query: str) -> list[str]:
        changes: Any = staff.get(LIST, query).context["cl"]
        return [row.request_id for row in changes.result_list]

    assert "This is not the JSON of a manifest." in text_of(staff.get(LIST))
    assert listed() == ["req-0002"], "a company that also ships elsewhere"
    assert listed(q="req-0002") == listed(company="ACME", error="invalid_body") == ["req-0002"]
    assert listed(error="no_rows_parsed") == []
    company = text_of(staff.get(reverse("admin:companies_company_change", args=[acme.company.pk])))
    assert f"{LIST}?company=ACME" in company
