"""What a client gets wrong most often is answered by a sentence of its own, under the code that the contract has."""

import gzip
import json
from typing import Any

import pytest
from django.test import Client

from tests.conftest import BASE, Caller
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


class TestABodyThatCannotBeRead:
    @pytest.mark.parametrize("encoding", ["gzip", "br", "GZIP, identity"])
    def test_compressed_json(self, acme: Caller, encoding: str) -> None:
        body = gzip.compress(json.dumps(manifest()).encode())
        for path in ("/process-pre-alert-json", "/webhooks/subscriptions"):
            answer = acme.client.post(
                BASE + path,
                body,
                content_type="application/json",
                headers={**acme.headers, "Content-Encoding": encoding},
            )
            status, code, message = told(answer)
            assert (status, code) == (400, "invalid_body")
            assert "Content-Encoding" in message

    def test_json_that_says_that_it_is_not_encoded(self, acme: Caller) -> None:
        answer = acme.client.post(
            f"{BASE}/process-pre-alert-json",
            json.dumps(manifest()),
            content_type="application/json",
            headers={**acme.headers, "Content-Encoding": "identity"},
        )
        assert answer.status_code == 201

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
    def test_that_json_serves_leads_to_json(self, acme: Caller) -> None:
        answer = acme.upload(destination_airport="LIM")
        assert told(answer)[:2] == (400, "no_parser_for_format")
        assert "JSON" in told(answer)[2]
        assert "neither" not in told(answer)[2]

    def test_that_nothing_serves_says_so(self, acme: Caller) -> None:
        answer = acme.upload(destination_airport="MIA")
        status, code, message = told(answer)
        assert (status, code, answer.json()["country"]) == (400, "no_parser_for_format", "US")
        assert "US, is not served" in message
        assert "Chile, Peru or Argentina" in message


@pytest.mark.parametrize(
    "path", ["/api", "/API/public/", "/Api/v2/x", "/apis", "/api/public/pre-alerts/V1/mawbs", "/aPi"]
)
@pytest.mark.parametrize("method", ["get", "post", "delete"])
def test_whatever_begins_with_api_answers_json(path: str, method: str) -> None:
    answer = getattr(Client(enforce_csrf_checks=True), method)(path)
    assert answer.headers["Content-Type"] == "application/json"
    assert told(answer)[:2] == (404, "not_found")
