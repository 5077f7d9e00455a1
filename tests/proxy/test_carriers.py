"""Carriers' webhooks through the proxy: their own limit, their own envelope, no password asked for."""

import hashlib
import hmac
import json

import pytest

from tests.live.server import WITHOUT_CHECKS, Server
from tests.proxy.nginx import Proxy
from tests.proxy.passing import MIB

EVENTS = "/api/carriers/v1/through/events"


@pytest.fixture(scope="module")
def secret(service: Server) -> str:
    options = ["--name", "T", "--adapter", "canonical", "--scheme", "hmac", "--source", "carrier", "--countries", "CL"]
    said = service.manage("create_carrier", "through", *options, *WITHOUT_CHECKS)
    return str(json.loads(said.strip().splitlines()[-1])["secret"])


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
