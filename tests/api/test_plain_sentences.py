"""What a client gets wrong most often is answered by a sentence of its own, under the code that the contract has."""

import gzip
import json
from typing import Any

import pytest

from tests.conftest import BASE, Caller, as_file
from tests.documents import manifest

pytestmark = pytest.mark.django_db


def told(response: Any) -> tuple[int, str, str]:
    body = response.json()
    assert body["success"] is False
    return response.status_code, body["error"], body["message"]


class TestThePassword:
    @pytest.mark.parametrize("change", [lambda word: word[:-1], lambda word: f"{word}x", lambda _: "<API_PASSWORD>"])
    def test_of_the_wrong_shape_is_told_so(self, acme: Caller, change: Any) -> None:
        acme.password = change(acme.password)
        status, code, message = told(acme.get("/mawbs"))
        assert (status, code) == (401, "invalid_api_key")
        assert "pa_live_" in message
        assert "57 characters" in message
        assert acme.password not in message

    def test_of_the_right_shape_is_not_valid_whoever_it_was(self, acme: Caller) -> None:
        former = acme.password
        acme.company.set_new_password()
        acme.password = former
        assert told(acme.get("/mawbs")) == (401, "invalid_api_key", "The API password is not valid.")


class TestInSpanish:
    """What a client gets wrong is said in the language that the answer claims to be in."""

    @pytest.mark.parametrize(
        ("path", "said"),
        [
            ("/guides/NONE", "Ninguna de sus guías tiene este código de seguimiento."),
            ("/mawbs?cursor=x", "Este cursor no es válido aquí"),
            ("/guides?mawb=1&cursor=x", "Este cursor no es válido aquí"),
        ],
    )
    def test_what_is_not_there(self, acme: Caller, path: str, said: str) -> None:
        self.assert_said(acme.get(path, HTTP_ACCEPT_LANGUAGE="es"), said)

    def test_the_shape_of_a_password(self, acme: Caller) -> None:
        acme.password = "pa_live_short"
        answer = acme.get("/mawbs", HTTP_ACCEPT_LANGUAGE="es")
        self.assert_said(answer, "las contraseñas empiezan con pa_live_ y tienen 57 caracteres")

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"", "El manifiesto está vacío"),
            (b"%PDF-1.7\n", "El manifiesto es un documento PDF, no una planilla .xlsx"),
        ],
    )
    def test_a_workbook_that_cannot_be_read(self, acme: Caller, content: bytes, said: str) -> None:
        body = {"manifest_file": as_file(content)}
        answer = acme.client.post(f"{BASE}/upload", body, headers={**acme.headers, "Accept-Language": "es"})
        assert answer.json()["error"] == "excel_parse_error"
        self.assert_said(answer, said)

    @pytest.mark.parametrize(
        ("body", "said"),
        [
            ('{"mawb": 1, "mawb": 2}', "La clave mawb aparece dos veces en un mismo objeto."),
            ("{", "El cuerpo no es JSON: falta una clave entre comillas dobles, línea 1, columna 2."),
            (b"\xff", "El cuerpo no está en UTF-8 (byte 0)."),
        ],
    )
    def test_a_body_that_cannot_be_read(self, acme: Caller, body: Any, said: str) -> None:
        self.assert_said(acme.post_json(body, HTTP_ACCEPT_LANGUAGE="es"), said)

    @staticmethod
    def assert_said(answer: Any, said: str) -> None:
        assert answer["Content-Language"] == "es"
        assert said in json.dumps(answer.json(), ensure_ascii=False)


class TestABodyThatCannotBeRead:
    @pytest.mark.parametrize("path", ["/process-pre-alert-json", "/webhooks/subscriptions"])
    def test_compressed_json(self, acme: Caller, path: str) -> None:
        body = gzip.compress(json.dumps(manifest()).encode())
        headers = {**acme.headers, "Content-Encoding": "gzip"}
        answer = acme.client.post(BASE + path, body, content_type="application/json", headers=headers)
        status, code, message = told(answer)
        assert (status, code) == (400, "invalid_body")
        assert "Content-Encoding" in message

    def test_json_that_says_that_it_is_not_encoded(self, acme: Caller) -> None:
        assert acme.post_json(manifest(), HTTP_CONTENT_ENCODING="identity").status_code == 201

    def test_a_compressed_form(self, acme: Caller) -> None:
        answer = acme.client.post(
            f"{BASE}/upload", {"manifest_file": b"x"}, headers={**acme.headers, "Content-Encoding": "gzip"}
        )
        status, code, message = told(answer)
        assert (status, code) == (400, "validation_failed")
        assert "Content-Encoding" in message

    @pytest.mark.parametrize("content_type", ["multipart/form-data", "multipart/form-data; boundary="])
    def test_a_form_without_its_boundary(self, acme: Caller, content_type: str) -> None:
        answer = acme.client.post(f"{BASE}/upload", b"--x--", content_type=content_type, headers=acme.headers)
        status, code, message = told(answer)
        assert (status, code) == (400, "validation_failed")
        assert "boundary" in message


class TestADestination:
    def test_that_nothing_serves_says_so(self, acme: Caller) -> None:
        answer = acme.upload(destination_airport="MIA")
        status, code, message = told(answer)
        assert (status, code, answer.json()["country"]) == (400, "no_parser_for_format", "US")
        assert "US, is not served" in message
        assert "Served: CL, PE, AR." in message
