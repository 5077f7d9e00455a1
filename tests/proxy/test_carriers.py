"""Carriers' webhooks through the proxy: their own limit, their own envelope, no password asked for."""

import hashlib
import hmac

import pytest

from tests.proxy.nginx import Proxy
from tests.proxy.passing import MIB
from tests.proxy.test_own_answers import raw

EVENTS = "/api/carriers/v1/through/events"


def signed(secret: str, body: bytes) -> dict[str, str]:
    return {"X-Signature": hmac.digest(secret.encode(), body, hashlib.sha256).hex()}


def test_a_mebibyte_passes_and_a_byte_more_is_refused_in_their_envelope(proxy: Proxy, secret: str) -> None:
    body = b'{"events": []}'.ljust(MIB)
    passed = proxy.post(EVENTS, data=body, headers=signed(secret, body))
    assert (passed.status_code, passed.json()["status"]) == (200, "accepted")
    refused = proxy.post(EVENTS, data=body + b" ", headers=signed(secret, body + b" "))
    assert (refused.status_code, refused.json()["code"]) == (400, "too_large")
    for answer in (passed, refused, proxy.post(EVENTS, data=b"{}")):
        assert "Access-Control-Allow-Origin" not in answer.headers
        assert answer.headers["X-Request-Id"]


def test_a_bad_signature_is_the_applications_to_refuse(proxy: Proxy, secret: str) -> None:
    answer = proxy.post(EVENTS, data=b"{}", headers=signed(secret, b"{ }"))
    assert (answer.status_code, answer.json()["code"]) == (401, "invalid_signature")


@pytest.mark.parametrize(
    "header", ["Host: a b", "Content-Length: nine", "Transfer-Encoding: zip", "X-Long: " + "x" * 5_000]
)
def test_a_header_that_cannot_be_read_is_refused_in_their_envelope(proxy: Proxy, header: str) -> None:
    named = "" if "Host" in header else "Host: localhost\r\n"
    status, headers, body = raw(proxy, f"POST {EVENTS} HTTP/1.1\r\n{named}{header}\r\n\r\n".encode())
    assert (status, body["status"], body["code"]) == (400, "rejected", "unreadable")
    assert "access-control-allow-origin" not in headers
