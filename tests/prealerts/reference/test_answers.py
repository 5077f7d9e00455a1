"""What the service refuses is what the document says: every endpoint, every error of each."""

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from django.db import InterfaceError, OperationalError
from django.test import Client
from django.utils import timezone

from base.models import Bucket
from shipments.errors import ParserBusy, WorkbookFormatChanged
from shipments.intake import upload as uploading
from shipments.models import Guide, IdempotencyKey, Layout, UploadJob
from tests.api.changing import cancel, patch, put_answers, void
from tests.books import HEADER, MAWB, guide_row, workbook_bytes
from tests.conftest import BASE, Caller, as_file, make_caller
from tests.documents import guide, manifest
from tests.prealerts.reference import schema
from tests.prealerts.reference.endpoints import (
    ANSWER,
    BOOK,
    CANCEL,
    CHANGES,
    CORRECT,
    ENDPOINTS,
    FINDINGS,
    GUIDE,
    GUIDES,
    IDENTIFIERS,
    JOB,
    JSON,
    LAYOUTS,
    LIST,
    MAWB_DETAIL,
    ME,
    OF_SENDERS,
    UPLOAD,
    VALIDATED,
    VALIDATED_JSON,
    VOID,
    Endpoint,
    acme,
    courier,
    form,
    json_of,
    validate_json,
)
from tests.shipments.layouts.rows import make_layout
from tests.shipments.shipping import bring

pytestmark = pytest.mark.django_db


def validate_nothing(caller: Caller) -> Any:
    return caller.client.post(f"{BASE}/upload/validate", {}, headers=caller.headers)


def queued_too_often() -> Any:
    caller = acme()
    UploadJob.objects.bulk_create([UploadJob(company=caller.company, language="en") for _each in range(20)])
    headers = {**caller.headers, "Prefer": "respond-async"}
    return caller.client.post(f"{BASE}/upload", {"manifest_file": as_file(workbook_bytes())}, headers=headers)


def without_password(endpoint: Endpoint) -> Any:
    caller = make_caller("ACME")
    caller.password = " "
    return endpoint.ask(caller)


def with_a_wrong_password(endpoint: Endpoint) -> Any:
    caller = make_caller("ACME")
    caller.password = "pa_live_wrong"
    return endpoint.ask(caller)


def at_its_limit(endpoint: Endpoint) -> Any:
    caller = make_caller("ACME", requests_per_second=1)
    Bucket.objects.create(kind="company", key=caller.company.pk, tokens=0, filled_at=time.time() + 1)
    return endpoint.ask(caller)


def without_a_country(endpoint: Endpoint) -> Any:
    return endpoint.ask(make_caller("NOWHERE", allowed_countries=["UY"]))


def at_another_host(endpoint: Endpoint) -> Any:
    caller = make_caller("ACME")
    caller.client = Client(raise_request_exception=False, headers={"Host": "elsewhere.example"})
    return endpoint.ask(caller)


def with_a_database_that(error: Exception) -> Callable[[Endpoint, Any], Any]:
    def ask(endpoint: Endpoint, monkeypatch: Any) -> Any:
        caller = make_caller("ACME")

        def fail(*_arguments: object, **_options: object) -> None:
            raise error

        monkeypatch.setattr("companies.models.Company.with_password", fail)
        return endpoint.ask(caller)

    return ask


ORDERS = [guide_row(1, Pedido="P-771"), guide_row(2, Pedido="P-902")]
"""Guides that only their orders identify."""


def twice(endpoint: Endpoint) -> Any:
    caller = acme()
    endpoint.ask(caller)
    return endpoint.ask(caller)


def under_a_key_in_use(endpoint: Endpoint, fingerprint: str = "") -> Any:
    """The request under a key that another request holds, by default with the same content."""
    caller = acme()
    caller.client = Client(raise_request_exception=False, headers={"Idempotency-Key": "used"})
    assert endpoint.ask(caller).status_code == 201
    changed = {"fingerprint": fingerprint} if fingerprint else {"manifest": None}
    IdempotencyKey.objects.update(**changed)
    return endpoint.ask(caller)


def upload_where_chile_is_closed() -> Any:
    lima = make_caller("LIMA", allowed_countries=["PE"], read_by_headings=["CL", "PE"])
    return lima.upload(None, destination_airport="SCL")


def upload_in_a_changed_layout() -> Any:
    def changed(*_arguments: object, **_options: object) -> None:
        named = {"missing": ["Bruto"], "repeated": [], "new": ["Masa total"]}
        raise WorkbookFormatChanged(headings=named, layout="2f0c8c1e-9c1b-4d0e-8f39-6f6f9d9f7b11")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(uploading, "read_workbook", changed)
        return acme().upload()


def answered(body: Any, **changes: Any) -> Any:
    """An answer about a layout with the columns of tests/shipments/layouts/rows.py."""
    caller = acme()
    layout = make_layout(caller.company)
    Layout.objects.filter(pk=layout.pk).update(**changes)
    return put_answers(caller, layout.pk, body)


def at_status(*statuses: str) -> tuple[Caller, Guide]:
    """A caller with a guide that went through `statuses`."""
    caller = acme()
    caller.upload(BOOK)
    return caller, bring(Guide.objects.order_by("pk")[0], *statuses)


def corrected(*statuses: str, **values: Any) -> Any:
    caller, guide_at = at_status(*statuses)
    return patch(caller, guide_at.tracking_code, values)


def cancelled(*statuses: str) -> Any:
    caller, guide_at = at_status(*statuses)
    return cancel(caller, guide_at.tracking_code)


def _switched_off(endpoint: Endpoint) -> Any:
    return endpoint.ask(make_caller("ACME", may_correct=False))


def _with_body(endpoint: Endpoint, caller: Caller, body: Any) -> Any:
    if endpoint is VOID:
        return void(caller, MAWB, **body) if isinstance(body, dict) else _raw_void(caller, body)
    return (patch if endpoint is CORRECT else cancel)(caller, "ACM0", body)


def _raw_void(caller: Caller, body: str) -> Any:
    path = f"{BASE}/mawbs/{MAWB}/void"
    return caller.client.generic("POST", path, body, "application/json", headers=caller.headers)


OF_CHANGES: Mapping[str, Callable[[Endpoint], Any]] = {
    "forbidden": _switched_off,
    "invalid_body": lambda endpoint: _with_body(endpoint, acme(), "["),
    "company_is_courier": lambda endpoint: endpoint.ask(courier()),
    "client_code_not_allowed": lambda endpoint: _with_body(endpoint, acme(), {"client_code": "X"}),
    "client_not_resolved": lambda endpoint: _with_body(endpoint, courier(), {"client_code": "X"}),
    "not_found": lambda endpoint: endpoint.ask(acme()),
}

EVERYWHERE: Mapping[str, Callable[[Endpoint], Any]] = {
    "missing_api_key": without_password,
    "invalid_api_key": with_a_wrong_password,
    "rate_limited": at_its_limit,
    "unsupported_country": without_a_country,
    "invalid_host": at_another_host,
}
ASKED_OF = [(endpoint, code) for endpoint in ENDPOINTS for code in EVERYWHERE]
ASKED_OF.remove((ME, "unsupported_country"))

OWN: Mapping[tuple[Endpoint, str], Callable[[], Any]] = {
    (LIST, "invalid_query"): lambda: acme().get("/mawbs?limit=0&status=x"),
    (GUIDES, "invalid_query"): lambda: acme().get(f"/mawbs/{MAWB}/guides?limit=0"),
    (GUIDES, "not_found"): lambda: acme().get("/mawbs/999-00000000/guides"),
    (MAWB_DETAIL, "not_found"): lambda: acme().get("/mawbs/999-00000000/"),
    (FINDINGS, "not_found"): lambda: acme().get("/mawbs/999-00000000/findings"),
    (GUIDE, "not_found"): lambda: acme().get("/guides/nothing/"),
    (JOB, "not_found"): lambda: acme().get("/jobs/none"),
    (UPLOAD, "company_is_courier"): lambda: UPLOAD.ask(courier()),
    (UPLOAD, "workbook_format_changed"): upload_in_a_changed_layout,
    (UPLOAD, "manifest_file_required"): lambda: acme().post_form({"flight_number": "LA1"}),
    (UPLOAD, "validation_failed"): lambda: form(flight_number="LATAM", scheduled_arrival="tomorrow"),
    (UPLOAD, "idempotency_key_reused"): lambda: under_a_key_in_use(UPLOAD, "of something else"),
    (UPLOAD, "idempotency_in_progress"): lambda: under_a_key_in_use(UPLOAD),
    (UPLOAD, "no_parser_for_format"): lambda: form(destination_airport="LIM"),
    (UPLOAD, "country_not_allowed"): upload_where_chile_is_closed,
    (UPLOAD, "excel_parse_error"): lambda: acme().upload(b"no workbook"),
    (UPLOAD, "destination_unresolved"): lambda: acme().upload(workbook_bytes(labels={"Destino": "Bogotá"})),
    (UPLOAD, "mawb_not_found_in_file"): lambda: acme().upload(workbook_bytes(mawb=None)),
    (UPLOAD, "no_rows_parsed"): lambda: acme().upload(workbook_bytes([])),
    (UPLOAD, "hawb_in_doubt"): lambda: acme().upload(workbook_bytes(header=("Pedido", *HEADER[1:]), rows=ORDERS)),
    (UPLOAD, "tracking_prefix_missing"): lambda: UPLOAD.ask(make_caller("BARE", tracking_prefix="")),
    (UPLOAD, "mawb_already_exists"): lambda: twice(UPLOAD),
    (UPLOAD, "rate_limited"): queued_too_often,
    (LAYOUTS, "company_is_courier"): lambda: LAYOUTS.ask(courier()),
    (LAYOUTS, "invalid_query"): lambda: acme().get("/layouts?country=XX"),
    (ANSWER, "company_is_courier"): lambda: ANSWER.ask(courier()),
    (ANSWER, "not_found"): lambda: ANSWER.ask(acme()),
    (ANSWER, "invalid_body"): lambda: answered("["),
    (ANSWER, "validation_failed"): lambda: answered({"answers": [{"heading": "Guía", "field": "hawb"}]}),
    (ANSWER, "layout_confirmed"): lambda: answered({"answers": []}, confirmed_at=timezone.now()),
    (CHANGES, "invalid_query"): lambda: acme().get("/guides?hawb=H1&limit=0"),
    **{(endpoint, code): partial(refused, endpoint) for endpoint in OF_SENDERS for code, refused in OF_CHANGES.items()},
    (CORRECT, "validation_failed"): lambda: patch(acme(), "ACM0", {}),
    (CANCEL, "validation_failed"): lambda: cancel(acme(), "ACM0", {}),
    (VOID, "validation_failed"): lambda: void(acme(), MAWB, reason=""),
    (CORRECT, "invalid_document"): lambda: corrected(consignee_document="1-1"),
    (CORRECT, "invalid_document_type"): lambda: corrected(consignee_document_type="DNI"),
    (CORRECT, "guide_under_way"): lambda: corrected("in_transit", weight_kg=2),
    (CANCEL, "invalid_transition"): lambda: cancelled("in_transit"),
    (CANCEL, "guide_already_terminal"): lambda: cancelled("delivered"),
    (VOID, "manifest_under_way"): lambda: void(at_status("in_transit")[0], MAWB),
    (VOID, "manifest_already_voided"): lambda: void(at_status()[0], MAWB, manifest_id=str(uuid4())),
    (JSON, "invalid_body"): lambda: acme().post_json("{"),
    (JSON, "company_is_courier"): lambda: JSON.ask(courier()),
    (JSON, "client_code_not_allowed"): lambda: json_of(client_code="ACME"),
    (JSON, "client_not_resolved"): lambda: courier().post_json(manifest(client_code="NOBODY")),
    (JSON, "idempotency_key_reused"): lambda: under_a_key_in_use(JSON, "of something else"),
    (JSON, "idempotency_in_progress"): lambda: under_a_key_in_use(JSON),
    (JSON, "unsupported_transport_mode"): lambda: json_of(transport_mode="sea"),
    (JSON, "destination_unresolved"): lambda: json_of(destination_airport="MIA"),
    (JSON, "country_not_allowed"): lambda: make_caller("LIMA", allowed_countries=["PE"]).post_json(manifest()),
    (VALIDATED, "company_is_courier"): lambda: VALIDATED.ask(courier()),
    (VALIDATED, "manifest_file_required"): lambda: validate_nothing(acme()),
    (VALIDATED_JSON, "company_is_courier"): lambda: validate_json(courier()),
    (VALIDATED_JSON, "client_code_not_allowed"): lambda: validate_json(acme(), client_code="ACME"),
    (VALIDATED_JSON, "client_not_resolved"): lambda: validate_json(courier(), client_code="NOBODY"),
    (JSON, "validation_failed"): lambda: json_of(mawb="1234", guides=5, flight_number="LATAM"),
    (JSON, "manifest_validation_failed"): lambda: acme().post_json(manifest(guide(1, weight_kg=0), guide(1), {})),
    (JSON, "marketplace_fields_missing"): lambda: make_caller("MARKET", is_marketplace=True).post_json(manifest()),
    (JSON, "marketplace_fields_not_allowed"): lambda: json_of(guides=[guide(1, extra_data=IDENTIFIERS)]),
    (JSON, "tracking_prefix_missing"): lambda: JSON.ask(make_caller("BARE", tracking_prefix="")),
    (JSON, "mawb_already_exists"): lambda: twice(JSON),
}


@pytest.mark.parametrize(("endpoint", "code"), ASKED_OF, ids=lambda part: getattr(part, "name", part))
def test_an_error_of_every_endpoint_is_as_documented(endpoint: Endpoint, code: str) -> None:
    answer = EVERYWHERE[code](endpoint)
    assert answer.json()["error"] == code
    schema.assert_documented(answer, example="" if (endpoint, code) in OWN else code, is_shared=True)


@pytest.mark.parametrize(("endpoint", "code"), OWN, ids=lambda part: getattr(part, "name", part))
def test_an_error_of_its_own_is_as_documented(endpoint: Endpoint, code: str) -> None:
    answer = OWN[endpoint, code]()
    assert answer.json()["error"] == code
    schema.assert_documented(answer, example=code)


AWAY, FAULT = (OperationalError("away"), 503), (RuntimeError("a fault"), 500)


@pytest.mark.parametrize(
    ("endpoint", "error", "status"),
    [(ME, InterfaceError("closed"), 503), *((endpoint, *one) for endpoint in ENDPOINTS for one in (AWAY, FAULT))],
    ids=lambda part: getattr(part, "name", None),
)
def test_an_internal_error_is_as_documented(
    endpoint: Endpoint, error: Exception, status: int, monkeypatch: Any
) -> None:
    answer = with_a_database_that(error)(endpoint, monkeypatch)
    assert answer.status_code == status
    schema.assert_documented(answer)


def test_no_place_to_read_a_workbook_is_as_documented(monkeypatch: Any) -> None:
    def busy(*_arguments: object) -> None:
        raise ParserBusy

    monkeypatch.setattr(uploading, "receive", busy)
    answer = UPLOAD.ask(acme())
    assert answer.status_code == 503
    schema.assert_documented(answer)


def test_no_documented_error_is_left_out_above() -> None:
    documented = {
        (operation["operationId"], code)
        for operation in schema.operations().values()
        for response in operation["responses"].values()
        for media in response.get("content", {}).values()
        for code, example in media.get("examples", {}).items()
        if example["value"].get("success") is False and operation["tags"] != ["Webhooks"]
    }
    failures = {"method_not_allowed", "internal_server_error", "unavailable"}
    tried = {(endpoint.name, code) for endpoint in ENDPOINTS for code in failures}
    tried |= {(endpoint.name, code) for endpoint, code in ASKED_OF}
    assert tried | {(endpoint.name, code) for endpoint, code in OWN} == documented


def test_a_file_sent_twice_is_refused_as_documented() -> None:
    answer = acme().post_form({"manifest_file": [as_file(workbook_bytes()), as_file(workbook_bytes())]})
    assert answer.json()["error"] == "validation_failed"
    schema.assert_documented(answer)


def test_a_refusal_and_its_details_are_in_spanish_where_they_are_asked_for() -> None:
    caller = acme()
    caller.client = Client(headers={"Accept-Language": "es"})
    answer = caller.get("/mawbs?limit=0&created_from=yesterday&country=CL&country=PE")
    assert answer.headers["Content-Language"] == "es"
    refused = answer.json()
    assert (refused["error"], refused["message"]) == (
        "invalid_query",
        "Algunos parámetros no son válidos; vea details.",
    )
    assert "mayor o igual" in refused["details"]["limit"][0]
    assert "desfase" in refused["details"]["created_from"][0]
    assert refused["details"]["country"] == ["Envíelo una sola vez; se envió 2 veces."]
    assert caller.client.put(f"{BASE}/mawbs", headers=caller.headers).json()["message"] == (
        "PUT no está permitido aquí; use GET."
    )
