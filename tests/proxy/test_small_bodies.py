"""Bodies below a megabyte: larger ones are asked about or have a place of their own, passwords come a few at a time."""

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
import requests

from tests.live.server import Server
from tests.live.test_operators import access
from tests.proxy.dripping import FIRST, connected, dripping
from tests.proxy.nginx import SOURCE, Proxy
from tests.proxy.passing import MIB
from tests.proxy.test_carriers import EVENTS, signed
from tests.proxy.uploads import body_bytes

GUIDE = "/api/public/pre-alerts/v1/guides/ACMNOSUCHGUIDE"
ANSWERS = "/api/public/pre-alerts/v1/layouts/none/answers"
SCANS = "/api/operators/v1/inbound-batches/ib_1/scans"
TOKENS = "/api/operators/v1/tokens"
LOGIN = "/admin/login/"
STRANGER, OTHER = "127.0.2.1", "127.0.2.9"
SMALL, LARGE = b"[]".ljust(15_999), b"[]".ljust(16_000)


def send(
    proxy: Proxy, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None,
    address: str = OTHER, *, is_chunked: bool = False,
) -> tuple[int, str, str]:  # fmt: skip
    """Send a request from an address; return status, head and body of the answer."""
    framing = "Transfer-Encoding: chunked" if is_chunked else f"Content-Length: {len(body)}"
    lines = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{framing}\r\n{lines}\r\n"
    with connected(proxy, address) as connection:
        content = f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n" if is_chunked else body
        connection.sendall(head.encode() + content)
        answer = b"".join(iter(lambda: connection.recv(65536), b"")).decode()
    top, _, text = answer.partition("\r\n\r\n")
    return int(top.split()[1]), top, text


@pytest.fixture(scope="module")
def token(service: Server) -> dict[str, str]:
    """The headers of a machine."""
    client_id, client_secret = access(service, "small-bodies", "CL")
    fields = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": client_secret}
    https = {"X-Forwarded-Proto": "https"}
    answer = requests.post(service.address + TOKENS, json=fields, headers=https, timeout=60)
    return {"Authorization": f"Bearer {answer.json()['access_token']}"}


@pytest.mark.parametrize(
    ("method", "path", "codes"),
    [
        ("PATCH", GUIDE, ("missing_api_key", "invalid_api_key")),
        ("PUT", ANSWERS, ("missing_api_key", "invalid_api_key")),
        ("POST", SCANS, ("missing_token", "invalid_token")),
    ],
)
class TestCorrectionsAndOperations:
    def test_strangers_hear_what_the_application_would_say(
        self, proxy: Proxy, service: Server, method: str, path: str, codes: tuple[str, str]
    ) -> None:
        for code, headers in zip(codes, ({}, {"Authorization": "Bearer pa_live_" + "0" * 49}), strict=True):
            direct = requests.request(
                method,
                service.address + path,
                data=LARGE,
                headers={**headers, "X-Forwarded-Proto": "https"},
                timeout=60,
            )
            status, head, content = send(proxy, method, path, LARGE, headers)
            assert (status, json.loads(content)) == (401, direct.json())
            assert json.loads(content)["error"] == code
            assert f"WWW-Authenticate: {direct.headers['WWW-Authenticate']}" in head

    def test_strangers_who_drip_leave_nothing_and_take_nobodys_place(
        self,
        proxy: Proxy,
        token: dict[str, str],
        client: dict[str, str],
        method: str,
        path: str,
        codes: tuple[str, str],
    ) -> None:
        own = {**(token if path == SCANS else client), "Content-Type": "application/json"}
        with dripping(proxy, 130, STRANGER, {}, path, 250_000, method) as strangers:
            strangers.drip()
            for is_chunked in (False, True):
                status, _head, content = send(proxy, method, path, LARGE, own, is_chunked=is_chunked)
                assert (status, json.loads(content)["error"]) != (503, "unavailable")
                assert status in {400, 404}, content  # the application's
                assert send(proxy, method, path, LARGE, is_chunked=is_chunked)[0] == 401
            assert body_bytes(proxy) == 0
            assert all(codes[0].encode() in answer for answer in strangers.answers(130))

    def test_small_ones_are_not_asked_about(
        self, proxy: Proxy, service: Server, method: str, path: str, codes: tuple[str, str]
    ) -> None:
        for number, body in enumerate((SMALL, LARGE)):
            request_id = f"small-{path[-5:]}-{number}"
            status, _head, content = send(proxy, method, path, body, {"X-Request-Id": request_id})
            assert (status, json.loads(content)["error"]) == (401, codes[0])
            (line,) = (json.loads(line) for line in service.log().splitlines() if request_id in line)
            assert ("internal" in line["route"]) is (body is LARGE)


@pytest.mark.parametrize("path", [TOKENS, f"{TOKENS}/", LOGIN])
def test_an_address_sends_passwords_a_few_at_a_time_and_reads_as_it_likes(proxy: Proxy, path: str) -> None:
    address = f"127.0.2.{20 + len(path)}"
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _number: send(proxy, "POST", path, b"{}", address=address), range(60)))
    limited = [(head, content) for status, head, content in answers if status == 429]
    assert 60 - len(limited) >= 20
    assert limited
    head, content = limited[0]
    assert "Retry-After: 5" in head
    assert json.loads(content)["error"] == "rate_limited" if "tokens" in path else "Demasiados intentos" in content
    assert send(proxy, "POST", path, b"{}")[0] == (403 if path == LOGIN else 400)
    assert {send(proxy, "GET", LOGIN, address=address)[0] for _ in range(30)} == {200}


def test_credentials_have_eight_kilobytes(proxy: Proxy) -> None:
    assert send(proxy, "POST", TOKENS, bytes(8 * 1024))[0] == 400
    status, _head, content = send(proxy, "POST", TOKENS, bytes(8 * 1024 + 1))
    assert (status, json.loads(content)["message"]) == (400, "The request is larger than anything this address takes.")


class TestCarriers:
    def test_an_address_has_thirty_at_once(self, proxy: Proxy, secret: str) -> None:  # the fixture
        body = b'{"events": []}'.ljust(MIB)
        with ThreadPoolExecutor(30) as pool:
            answers = list(pool.map(lambda _number: send(proxy, "POST", EVENTS, body, signed(secret, body)), range(30)))
        assert [status for status, *_rest in answers] == [200] * 30

    def test_three_hundred_strangers_at_three_addresses_stop_nobody_elsewhere(
        self,
        proxy: Proxy,
        secret: str,  # as above
    ) -> None:
        body = b'{"events": []}'.ljust(MIB)
        with ExitStack() as stack:
            strangers = [
                stack.enter_context(dripping(proxy, 100, f"127.0.3.{number}", {}, EVENTS, MIB)) for number in range(3)
            ]
            assert 0 < body_bytes(proxy) <= 90 * len(FIRST)
            assert send(proxy, "POST", EVENTS, body, signed(secret, body))[0] == 200
            small = b'{"events": []}'
            assert send(proxy, "POST", EVENTS, small, signed(secret, small), "127.0.3.1")[0] == 200
            refused = strangers[-1].answers(70)
            assert len(strangers[-1].connections) == 30
        assert all(answer.startswith(b"HTTP/1.1 503 ") and b'"retry"' in answer for answer in refused)

    def test_their_directory_holds_four_addresses_at_once(self) -> None:
        compose = (SOURCE.parent / "compose.yaml").read_text(encoding="utf-8")
        assert "/tmp/carriers:mode=1777,size=128m" in compose  # noqa: S108  # as in the file
        assert "limit_conn carriers_of_an_address 30;" in (SOURCE / "server.conf").read_text(encoding="utf-8")
        assert 4 * 30 <= 128
