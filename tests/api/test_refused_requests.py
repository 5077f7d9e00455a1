"""What the API refuses is recorded without its values, for operators who are asked why."""

import io
import json
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import DatabaseError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from companies.models import Company
from shipments.intake import refusals
from shipments.models import RefusedRequest
from shipments.wording.refusals import REFUSALS
from tests import documents
from tests.books import HEADER, MAWB, guide_row, workbook_bytes
from tests.country_scope.operators import operator_of, text_of
from tests.factories import ClientFactory, password_of
from tools.catalogue import answered_errors

pytestmark = pytest.mark.django_db

BASE = "/api/public/pre-alerts/v1"
LIST = reverse("admin:shipments_refusedrequest_changelist")
OPERATORS_CODES = {
    "ambiguous", "batch_not_open", "country_mismatch", "event_file_unreadable", "event_in_future", "event_taken_back",
    "forbidden_country", "guide_not_under_retention", "guide_under_retention",
    "layout_answered", "layout_confirmed", "nothing_to_take_back",
}  # fmt: skip
"""Codes of commands, of pages for operators, and of their API."""


@pytest.fixture
def acme() -> Company:
    return ClientFactory.create(client_code="ACME", allowed_countries=["CL"])


def send(company: Company, body: object, **headers: str) -> Any:
    headers = {"Authorization": f"Bearer {password_of(company)}", **headers}
    return Client().post(
        f"{BASE}/process-pre-alert-json", json.dumps(body), content_type="application/json", headers=headers
    )


def upload(company: Company, content: bytes, name: str) -> Any:
    file = SimpleUploadedFile(name, content)
    return Client().post(
        f"{BASE}/upload", {"manifest_file": file}, headers={"Authorization": f"Bearer {password_of(company)}"}
    )


def test_a_refused_workbook_is_found_by_its_mawb(acme: Company) -> None:
    """Clients ask for it by that number, whatever the workbook was refused for."""
    upload(acme, workbook_bytes(), "first.xlsx")
    assert upload(acme, workbook_bytes(), "again.xlsx").status_code == 409
    assert upload(acme, workbook_bytes([], mawb="045-00000011"), "empty.xlsx").status_code == 400
    found = operator_of("CL").get(LIST, {"q": f" {MAWB} "}).context["cl"].result_list
    assert [refused.code for refused in found] == ["mawb_already_exists"]
    assert RefusedRequest.objects.get(code="no_rows_parsed").mawb == "045-00000011"


def test_a_refused_manifest_is_recorded_with_codes_and_counts(acme: Company) -> None:
    body = documents.manifest(*(documents.guide(number, consignee_document="1-1") for number in range(1, 4)))
    answer = send(acme, body, **{"X-Request-Id": "req-0001"})
    refused = RefusedRequest.objects.get()
    assert answer.status_code == refused.status == 400
    assert (refused.company, refused.code) == (acme, "manifest_validation_failed")
    assert refused.findings == {"rut_invalid_format": 3}
    assert (refused.mawb, refused.request_id) == (body["mawb"], "req-0001")
    assert refused.endpoint == "POST process-pre-alert-json"
    assert body["guides"][0]["consignee_name"] not in json.dumps(refused.findings)


def test_a_refused_file_is_known_by_its_digest_and_not_by_its_name(acme: Company) -> None:
    assert upload(acme, b"no workbook", "Manifiesto de Ana.XLSX").status_code == 400
    refused = RefusedRequest.objects.get()
    assert (refused.code, refused.file_extension) == ("excel_parse_error", "xlsx")
    assert refused.file_sha256 == sha256(b"no workbook").hexdigest()
    assert "Ana" not in str(RefusedRequest.objects.values().get())


@pytest.mark.parametrize("body", ["{", "[]", '{"a": 1, "a": 2}'])
def test_a_body_that_cannot_be_read_is_recorded(acme: Company, body: str) -> None:
    headers = {"Authorization": f"Bearer {password_of(acme)}"}
    answer = Client().post(f"{BASE}/process-pre-alert-json", body, content_type="application/json", headers=headers)
    assert (answer.status_code, RefusedRequest.objects.get().code) == (400, "invalid_body")


def test_the_endpoint_of_one_subscription_is_named_without_its_id(acme: Company) -> None:
    headers = {"authorization": f"Bearer {password_of(acme)}"}
    Client().post(f"{BASE}/webhooks/subscriptions/sub_77/replay", {}, "application/json", headers=headers)
    assert RefusedRequest.objects.get().endpoint == "POST webhooks/subscriptions/<subscription_id>/replay"


def test_what_is_accepted_read_or_unknown_is_not_recorded(acme: Company) -> None:
    assert send(acme, documents.manifest(documents.guide())).status_code == 201
    headers = {"Authorization": f"Bearer {password_of(acme)}"}
    assert Client().get(f"{BASE}/mawbs/045-99999999", headers=headers).status_code == 404
    assert send(acme, {}, Authorization="Bearer pa_live_nobody").status_code == 401
    assert not RefusedRequest.objects.exists()


def test_a_company_has_its_limit_of_a_day_and_others_theirs(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusals, "MOST_A_DAY", 2)
    other = ClientFactory.create()
    for _ in range(4):
        assert send(acme, []).status_code == 400
    send(other, [])
    assert (acme.refused_requests.count(), other.refused_requests.count()) == (2, 1)
    acme.refused_requests.update(created_at=timezone.now() - timedelta(days=2))
    send(acme, [])
    assert acme.refused_requests.count() == 3


def test_the_client_gets_its_refusal_also_when_it_cannot_be_recorded(
    acme: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(*_args: object, **_named: object) -> None:
        raise DatabaseError

    monkeypatch.setattr(RefusedRequest, "save", break_down)
    assert send(acme, []).json()["error"] == "invalid_body"


def test_headings_that_were_not_understood_are_named_and_nothing_below_them(acme: Company) -> None:
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


def test_headings_that_may_be_a_persons_data_are_not_kept(acme: Company) -> None:
    data = ["ana@example.com", "12.345.678-5", "Dejar con el vecino de la casa azul porfa"]
    book = workbook_bytes([guide_row(1)], mawb=None, header=[*HEADER, *data, "Zurbo"], labels={"Destino": "SCL"})
    assert upload(acme, book, "manifest.12345678").json()["error"] == "mawb_not_found_in_file"
    refused = RefusedRequest.objects.get()
    assert (refused.headings, refused.file_extension) == (["Zurbo"], "")


def test_names_of_fields_that_a_client_made_up_are_not_kept(acme: Company) -> None:
    body = {"Ana Secreta": 1, "12345678": 1, "ana@example.com": 1, "colour": 1}
    headers = {"authorization": f"Bearer {password_of(acme)}"}
    answer = Client().post(f"{BASE}/webhooks/subscriptions", body, "application/json", headers=headers)
    assert answer.json()["error"] == "validation_failed"
    assert set(body) <= set(answer.json()["details"])
    assert RefusedRequest.objects.get().findings == {"colour": 1}


def test_a_refusal_without_a_workbook_has_no_headings(acme: Company) -> None:
    send(acme, [])
    assert RefusedRequest.objects.get().headings == []


def test_every_code_that_can_be_refused_has_words() -> None:
    public = {kind.code for kind in answered_errors() if 400 <= kind.status < 500 and kind.status != 401}
    assert public - REFUSALS.keys() == OPERATORS_CODES


def test_they_are_deleted_after_thirty_days(acme: Company) -> None:
    for days in (1, 29, 31, 90):
        refused = RefusedRequest.objects.create(company=acme, endpoint="POST upload", status=400, code="invalid_body")
        RefusedRequest.objects.filter(pk=refused.pk).update(created_at=timezone.now() - timedelta(days=days))
    for dry_run, left in ((True, 4), (False, 2)):
        output = io.StringIO()
        call_command("sweep_files", dry_run=dry_run, stdout=output)
        assert "2 refused requests" in output.getvalue()
        assert RefusedRequest.objects.count() == left


def test_an_operator_finds_why(acme: Company) -> None:
    send(acme, [], **{"X-Request-Id": "req-0002"})
    both = ClientFactory.create(client_code="BOTH", allowed_countries=["CL", "PE"])
    send(both, [], **{"X-Request-Id": "req-0003"})
    staff = operator_of("CL")

    def listed(**query: str) -> list[str]:
        changes: Any = staff.get(LIST, query).context["cl"]
        return [row.request_id for row in changes.result_list]

    assert "This is not the JSON of a manifest." in text_of(staff.get(LIST))
    assert listed() == ["req-0002"], "a company that also ships elsewhere"
    assert listed(q="req-0002") == listed(company="ACME", error="invalid_body") == ["req-0002"]
    assert listed(error="no_rows_parsed") == []
    company = text_of(staff.get(reverse("admin:companies_company_change", args=[acme.pk])))
    assert f"{LIST}?company=ACME" in company
