"""Requests of the API pass none of the middleware that is only for pages, and keep every header."""

import pytest
from django.test import Client, override_settings

from tests.conftest import BASE, Caller

pytestmark = pytest.mark.django_db

_HEADERS = {
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Vary": "Accept-Language",
    "Content-Language": "es",
    "Access-Control-Allow-Origin": "*",
    "Cache-Control": "no-store",
}


def test_a_request_of_the_api_has_no_session_and_no_messages(acme: Caller, admin_client: Client) -> None:
    of_api, of_page = acme.get("/mawbs").wsgi_request, admin_client.get("/admin/").wsgi_request
    pages_own = ("session", "_messages")
    assert [name for name in pages_own if hasattr(of_api, name)] == []
    assert [name for name in pages_own if hasattr(of_page, name)] == [*pages_own]


@pytest.mark.parametrize(
    ("path", "status"), [("/mawbs", 200), ("/mawbs/045-12345675", 200), ("/guides/NONE", 404), ("/nowhere", 404)]
)
def test_every_answer_of_the_api_has_the_headers_that_protect_it(acme: Caller, path: str, status: int) -> None:
    acme.upload()
    answer = acme.client.get(BASE + path, headers={**acme.headers, "Accept-Language": "es"})
    assert answer.status_code == status
    assert {name: answer[name] for name in _HEADERS} == _HEADERS
    assert not {"Set-Cookie", "Content-Security-Policy"} & set(answer.headers)
    assert int(answer["Content-Length"]) == len(answer.content)


@override_settings(ALLOWED_HOSTS=["elsewhere.example.com"])
def test_the_api_refuses_another_host(acme: Caller) -> None:
    answer = acme.get("/mawbs")
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_host")
