"""How the service speaks HTTP: who is let in, the envelope on every refusal, headers."""

import io
import json
import logging
import re
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from companies.models import Company
from prealerts import logs
from tests.books import MAWB, workbook_bytes
from tests.conftest import BASE, Caller
from tests.documents import manifest

pytestmark = pytest.mark.django_db


class TestWhoIsLetIn:
    @pytest.mark.parametrize(
        ("header", "code"),
        [
            (None, "missing_api_key"),
            ("", "missing_api_key"),
            ("Bearer", "missing_api_key"),
            ("Bearer ", "missing_api_key"),
            ("Basic {password}", "missing_api_key"),
            ("{password}", "missing_api_key"),
            ("Bearer {password} more", "missing_api_key"),
            ("Bearer, {password}", "missing_api_key"),
            ("Bearer nonsense", "invalid_api_key"),
            ("Bearer {password}x", "invalid_api_key"),
            ("Bearer ñandú", "invalid_api_key"),
            ("Bearer pa_live_" + "0" * 49, "invalid_api_key"),
        ],
    )
    def test_others_get_401_in_the_decided_words(
        self, acme: Caller, anyone: Client, header: str | None, code: str
    ) -> None:
        headers = {} if header is None else {"Authorization": header.format(password=acme.password)}
        response = anyone.get(f"{BASE}/mawbs", headers=headers)
        assert (response.status_code, response.json()["error"]) == (401, code)
        assert response["WWW-Authenticate"] == "Bearer"

    def test_no_route_is_open(self, anyone: Client) -> None:
        answers = [anyone.get(BASE + path) for path in (f"/mawbs/{MAWB}", "/guides/ACM0", "/me", "/jobs/1")]
        answers += [anyone.post(f"{BASE}/upload"), anyone.post(f"{BASE}/process-pre-alert-json")]
        assert {(answer.status_code, answer.json()["error"]) for answer in answers} == {(401, "missing_api_key")}

    @pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "Bearer "])
    def test_the_scheme_is_matched_without_case(self, acme: Caller, anyone: Client, scheme: str) -> None:
        response = anyone.get(f"{BASE}/mawbs", headers={"Authorization": f"{scheme} {acme.password}"})
        assert response.status_code == 200

    def test_a_deactivated_companys_password_is_unknown(self, acme: Caller, rival: Caller) -> None:
        Company.objects.filter(pk=acme.company.pk).update(is_active=False)
        assert acme.get("/mawbs").json()["error"] == "invalid_api_key"
        assert rival.get("/mawbs").status_code == 200

    def test_a_rotated_password_is_dead_at_once(self, acme: Caller) -> None:
        old, acme.password = acme.password, acme.company.set_new_password()
        assert acme.get("/mawbs").status_code == 200
        acme.password = old
        assert acme.get("/mawbs").status_code == 401

    def test_use_is_noted_at_most_once_a_minute(self, acme: Caller, time_machine: Any) -> None:
        time_machine.move_to("2026-11-21T12:00:00Z", tick=False)
        acme.get("/mawbs")
        first = timezone.now()
        time_machine.shift(59)
        acme.get("/mawbs")
        acme.company.refresh_from_db()
        assert acme.company.last_used_at == first
        time_machine.shift(1)
        acme.get("/mawbs")
        acme.company.refresh_from_db()
        assert acme.company.last_used_at == timezone.now()

    def test_the_password_is_asked_before_the_body_is_read(self, anyone: Client, media: Any) -> None:
        response = anyone.post(f"{BASE}/upload", b"\xff" * 1000, content_type="multipart/form-data; boundary=x")
        assert response.status_code == 401
        assert not media.exists()


class TestEveryAnswerIsJson:
    @pytest.mark.parametrize(
        ("method", "path", "allow"),
        [
            ("delete", "/mawbs", "GET"),
            ("put", "/upload", "POST"),
            ("post", "/guides/X", "GET"),
            ("get", "/upload", "POST"),
        ],
    )
    def test_wrong_methods(self, acme: Caller, method: str, path: str, allow: str) -> None:
        response = getattr(acme.client, method)(BASE + path, headers=acme.headers)
        assert (response.status_code, response.json()["error"]) == (405, "method_not_allowed")
        assert allow in response["Allow"]

    @pytest.mark.parametrize("path", [f"{BASE}/guides/a%00b", f"{BASE}/mawbs/%00"])
    def test_nul_in_the_path_is_unknown_on_both_databases(self, acme: Caller, path: str) -> None:
        response = acme.client.get(path, headers=acme.headers)
        assert (response.status_code, response.json()["error"]) == (404, "not_found")

    def test_a_refused_host(self, anyone: Client) -> None:
        response = anyone.get(f"{BASE}/mawbs", headers={"Host": "evil.example"})
        assert (response.status_code, response.json()["error"]) == (400, "invalid_host")

    def test_an_unexpected_failure_is_reported_by_its_request_id_and_nothing_else(
        self, acme: Caller, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_args: Any) -> None:
            raise ValueError("Maria Perez 12345678-5")

        monkeypatch.setattr("shipments.v1.views.list_manifests", fail)
        response = acme.get("/mawbs")
        assert (response.status_code, response.json()["error"]) == (500, "internal_server_error")
        assert response.json()["request_id"] == response["X-Request-Id"]
        assert "Maria" not in response.content.decode()

    def test_a_failure_outside_the_views(self, acme: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*_args: Any) -> None:
            raise ValueError

        monkeypatch.setattr("prealerts.middleware.PublicApiMiddleware._preflight", staticmethod(fail))
        response = acme.client.options(f"{BASE}/mawbs", headers={"Access-Control-Request-Method": "GET"})
        assert (response.status_code, response.json()["error"]) == (500, "internal_server_error")

    @pytest.mark.parametrize("reason", ["could not connect to server", "database is locked"])
    def test_an_unreachable_database(self, acme: Caller, monkeypatch: pytest.MonkeyPatch, reason: str) -> None:
        def fail(*_args: Any) -> None:
            raise OperationalError(reason)

        monkeypatch.setattr("companies.authentication.Company.with_password", fail)
        response = acme.get("/mawbs")
        assert (response.status_code, response.json()["error"]) == (503, "unavailable")
        assert int(response["Retry-After"]) > 0

    def test_an_accept_header_does_not_choose_another_form(self, acme: Caller) -> None:
        response = acme.get("/mawbs?format=xml", HTTP_ACCEPT="text/html")
        assert response.json()["mawbs"] == []


class TestMultipart:
    @pytest.mark.parametrize(
        ("content_type", "body", "code"),
        [
            ("application/json", b"{}", "manifest_file_required"),
            ("application/x-www-form-urlencoded", b"manifest_file=1", "manifest_file_required"),
            ("", b"hello", "manifest_file_required"),
            ("multipart/form-data; boundary=B", b"", "manifest_file_required"),
            ("multipart/form-data; boundary=B", b"garbage without a boundary", "validation_failed"),
            ("multipart/form-data; boundary=B", b"--B\r\nContent-Disposition: form-data; na", "validation_failed"),
            (
                "multipart/form-data; boundary=B",
                b'--B\r\nContent-Disposition: form-data; name="flight_number"\r\n\r\nLA1\r\n',
                "validation_failed",
            ),
            (
                "multipart/form-data; boundary=B",
                b"".join(b'--B\r\nContent-Disposition: form-data; name="f%d"\r\n\r\nx\r\n' % n for n in range(1500))
                + b"--B--\r\n",
                "validation_failed",
            ),
        ],
    )
    def test_what_is_not_a_whole_form_is_refused(
        self, acme: Caller, content_type: str, body: bytes, code: str, media: Any
    ) -> None:
        response = acme.client.generic("POST", f"{BASE}/upload", body, content_type, headers=acme.headers)
        assert (response.status_code, response.json()["error"]) == (400, code)
        assert not [path for path in media.rglob("*") if path.is_file()]

    WORKBOOK = (
        b'--B\r\nContent-Disposition: form-data; name="manifest_file"; filename="m.xlsx"\r\n\r\n' + workbook_bytes()
    )

    @pytest.mark.parametrize("cut", [1, 30, 3000])
    def test_a_form_cut_short_anywhere_is_refused_and_leaves_nothing(self, acme: Caller, cut: int, media: Any) -> None:
        invoice = b'\r\n--B\r\nContent-Disposition: form-data; name="invoice_file"; filename="i.pdf"\r\n\r\n%PDF-'
        body, kind = self.WORKBOOK + invoice + bytes(500) + b"\r\n--B--", "multipart/form-data; boundary=B"
        response = acme.client.generic("POST", f"{BASE}/upload", body[:-cut], kind, headers=acme.headers)
        assert (response.status_code, response.json()["error"]) == (400, "validation_failed")
        assert not [path for path in media.rglob("*") if path.is_file()]

    def test_a_whole_form_with_a_charset_nobody_should_use_is_still_read_as_utf8(self, acme: Caller) -> None:
        body, kind = self.WORKBOOK + b"\r\n--B--\r\n", "multipart/form-data; boundary=B; charset=utf-16"
        assert acme.client.generic("POST", f"{BASE}/upload", body, kind, headers=acme.headers).status_code == 201


class TestHeaders:
    @pytest.mark.parametrize("path", [f"{BASE}/mawbs", f"{BASE}/nothing", f"{BASE}/upload", "/health"])
    def test_cors_is_open_on_answers_and_on_errors(self, anyone: Client, path: str) -> None:
        for answer in (anyone.get(path), anyone.get(path, headers={"Origin": "https://shop.example"})):
            assert answer["Access-Control-Allow-Origin"] == "*"
            assert {"ETag", "Idempotent-Replayed"} < {*answer["Access-Control-Expose-Headers"].split(", ")}

    def test_a_preflight_needs_no_password(self, anyone: Client) -> None:
        asked = {"Origin": "https://shop.example", "Access-Control-Request-Method": "POST"}
        response = anyone.options(f"{BASE}/upload", headers=asked)
        assert response.status_code == 204
        assert response["Access-Control-Allow-Origin"] == "*"
        allowed = {"Content-Type", "Authorization", "Idempotency-Key", "If-None-Match", "Prefer"}
        assert set(response["Access-Control-Allow-Headers"].split(", ")) == allowed
        assert "POST" in response["Access-Control-Allow-Methods"]
        assert "Access-Control-Allow-Credentials" not in response

    @pytest.mark.parametrize("path", ["/admin/login/", "/docs/templates/manifest-CL.xlsx"])
    def test_cors_is_closed_elsewhere(self, anyone: Client, path: str) -> None:
        assert "Access-Control-Allow-Origin" not in anyone.get(path, headers={"Origin": "https://shop.example"})

    @pytest.mark.parametrize("path", ["/mawbs", "/nothing", "/guides/X"])
    def test_no_answer_of_the_api_is_kept_by_a_cache(self, acme: Caller, path: str) -> None:
        assert acme.get(path)["Cache-Control"] == "no-store"

    @pytest.mark.parametrize(
        ("sent", "is_kept"),
        [("order-77:a.b_c", True), ("0" * 64, True), ("", False), ("0" * 65, False), ("a b", False), ("ñ", False)],
    )
    def test_a_sane_request_id_is_the_callers_and_any_other_replaced(
        self, acme: Caller, *, sent: str, is_kept: bool
    ) -> None:
        answered = acme.get("/mawbs", HTTP_X_REQUEST_ID=sent)["X-Request-Id"]
        assert (answered == sent) is is_kept
        assert is_kept or re.fullmatch(r"[0-9a-f]{32}", answered)

    def test_refusals_and_their_details_are_in_spanish_when_asked(self, acme: Caller) -> None:
        acme.upload()
        acme.client.defaults["HTTP_ACCEPT_LANGUAGE"] = "es-PE"
        form = acme.upload(flight_number="LATAM", scheduled_arrival="2026-11-20").json()["details"]
        body = acme.post_json(manifest(mawb="12", guides=[], scheduled_departure="2026-11-20T14:30:00")).json()[
            "details"
        ]
        assert [each[0].split(",")[0] for each in form.values()] == [
            "Escriba el número de vuelo del transportista",
            "Escriba fecha y hora en ISO 8601 con el desfase respecto de UTC",
        ]
        assert [each[0].split(",")[0] for each in body.values()] == [
            "Envíe la MAWB",
            "Agregue el desfase respecto de UTC",
            "Envíe una lista con al menos una guía.",
        ]
        assert acme.upload().json()["message"].startswith(f"La MAWB {MAWB} ya está registrada.")
        assert acme.get("/nothing").json()["message"] == "No hay nada en esta dirección de la API."


def test_logs_hold_routes_and_ids_but_no_person_no_document_and_no_password(
    acme: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(logs.formatter("json"))
    monkeypatch.setattr(logging.getLogger(), "handlers", [handler])
    acme.upload(flight_number="LA1")
    acme.get("/guides/12345678-5?rut=12345678-5")
    acme.get("/mawbs/12345678-5")
    monkeypatch.setattr(
        "shipments.files.stored_files.store", lambda *_args: (_ for _ in ()).throw(ValueError("Persona 1 7654321-6"))
    )
    assert acme.upload(workbook_bytes(mawb="045-12345686")).status_code == 500
    lines = [json.loads(line) for line in written.getvalue().splitlines()]
    text = json.dumps(lines, ensure_ascii=False)
    assert {"request", "unhandled_exception"} <= {line["event"] for line in lines}
    assert all(line["request_id"] for line in lines if line["event"] == "request")
    for secret in ("12345678", "7654321", "Persona", acme.password):
        assert secret not in text
