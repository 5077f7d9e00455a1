"""What nginx answers by itself speaks the API's language: its envelope, its statuses, its headers."""

import json
import socket
import ssl
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

from base.errors import NotFound
from tests.live.server import free_port
from tests.proxy.nginx import SOURCE, Proxy
from tests.proxy.upstreams import hang_up, never_answer, upstream
from tools.catalogue import answered_errors

MAWBS = "/api/public/pre-alerts/v1/mawbs"
HOST = b"Host: localhost\r\n"


def raw(proxy: Proxy, request: bytes, *, over_tls: bool = True) -> tuple[int, dict[str, str], dict[str, object]]:
    """Send bytes to the TLS port; status, headers and JSON of the answer."""
    with socket.create_connection(("127.0.0.1", proxy.https_port), timeout=60) as plain:
        context = ssl.create_default_context(cafile=proxy.authority)
        with context.wrap_socket(plain, server_hostname="localhost") if over_tls else plain as connection:
            connection.sendall(request)
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
    top, _, content = answer.partition(b"\r\n\r\n")
    status, *lines = top.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    return int(status.split()[1]), headers, json.loads(content)


@pytest.mark.parametrize(
    ("request_bytes", "status", "code"),
    [
        (b"GET /api/public/" + b"x" * 5_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", 400, "validation_failed"),
        (b"GET /api/public/x HTTP/1.1\r\n" + HOST + b"X-Long: " + b"x" * 5_000 + b"\r\n\r\n", 400, "validation_failed"),
        (b"GET /api/public/x HTTP/1.1\r\nHost: a b\r\n\r\n", 400, "validation_failed"),
        (b"GET /api/public/x HTTP/1.1\r\nConnection: close\r\n\r\n", 400, "validation_failed"),
        (b"GET /api/public/x HTTP/3.1\r\n" + HOST + b"\r\n", 400, "validation_failed"),
        (b"nonsense\r\n\r\n", 400, "validation_failed"),
        (b"GET /api/public/%zz HTTP/1.1\r\n" + HOST + b"\r\n", 400, "validation_failed"),
        (b"GET /api/public/../../../../x HTTP/1.1\r\n" + HOST + b"\r\n", 400, "validation_failed"),
        (b"POST /api/public/x HTTP/1.1\r\n" + HOST + b"Content-Length: nine\r\n\r\n", 400, "validation_failed"),
        (b"POST /api/public/x HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: zip\r\n\r\n", 400, "validation_failed"),
        (
            b"POST /api/public/x HTTP/1.1\r\n"
            + HOST
            + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400,
            "validation_failed",
        ),
        (
            b"POST /api/public/x HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
            400,
            "validation_failed",
        ),
        (b"POST /api/public/x HTTP/1.1\r\n" + HOST + b"Content-Length: 2000000\r\n\r\n", 400, "validation_failed"),
        (b"TRACE /api/public/x HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n", 405, "method_not_allowed"),
    ],
    ids=lambda value: value[:40].decode() if isinstance(value, bytes) else "",
)
def test_what_cannot_be_read_is_refused_in_the_envelope(
    proxy: Proxy, request_bytes: bytes, status: int, code: str
) -> None:
    found, headers, body = raw(proxy, request_bytes)
    assert (found, body["success"], body["error"]) == (status, False, code)
    assert body["message"]
    assert headers["content-type"] == "application/json"
    assert headers["access-control-allow-origin"] == "*"
    assert headers["x-request-id"]
    assert headers["cache-control"] == "no-store"
    assert headers.get("allow") == ("GET, HEAD, POST, OPTIONS" if status == 405 else None)


def test_what_is_internal_is_not_found_in_the_envelope(proxy: Proxy) -> None:
    status, headers, body = raw(proxy, b"GET /internal/password HTTP/1.1\r\nConnection: close\r\n" + HOST + b"\r\n")
    assert (status, body["success"], body["error"]) == (404, False, "not_found")
    assert (headers["content-type"], headers["access-control-allow-origin"]) == ("application/json", "*")
    assert headers["cache-control"] == "no-store"
    assert headers["x-request-id"]


def test_plain_http_on_the_tls_port_is_reported_so(proxy: Proxy) -> None:
    status, _headers, body = raw(proxy, b"GET /api/public/x HTTP/1.1\r\n" + HOST + b"\r\n", over_tls=False)
    assert (status, body["error"]) == (400, "validation_failed")
    assert "https" in str(body["message"])


class TestWithoutTheApplication:
    def test_the_api_answers_503_and_people_get_a_page_in_both_languages(
        self, proxy_before: Callable[..., Proxy]
    ) -> None:
        proxy = proxy_before(f"127.0.0.1:{free_port()}")
        for answer in (proxy.get(MAWBS), proxy.post(MAWBS.replace("mawbs", "upload"), data=bytes(5 * 1024 * 1024))):
            assert (answer.status_code, answer.json()["error"]) == (503, "unavailable")
            assert answer.headers["Retry-After"] == "5"
            assert answer.headers["Access-Control-Allow-Origin"] == "*"
            assert "Retry-After" in answer.headers["Access-Control-Expose-Headers"]
        page = proxy.get("/admin/")
        assert (page.status_code, page.headers["Content-Type"]) == (503, "text/html")
        assert "Vuelva a intentarlo" in page.text
        assert "Try again" in page.text
        assert "Access-Control-Allow-Origin" not in page.headers

    def test_a_worker_that_dies_is_a_503_and_the_post_was_sent_once(self, proxy_before: Callable[..., Proxy]) -> None:
        with upstream(hang_up) as dying, upstream(hang_up) as other:
            proxy = proxy_before(dying.address, other.address)
            assert proxy.post(MAWBS, data=b"{}").json()["error"] == "unavailable"
            assert len(dying.heads) + len(other.heads) == 1

    def test_an_application_that_never_answers_is_a_503(self, proxy_before: Callable[..., Proxy]) -> None:
        with upstream(never_answer) as silent:
            proxy = proxy_before(silent.address, changes={"proxy_read_timeout    75s": "proxy_read_timeout 1s"})
            answer = proxy.get(MAWBS)
        assert (answer.status_code, answer.json()["error"]) == (503, "unavailable")

    def test_a_replica_that_is_gone_is_passed_over(self, proxy_before: Callable[..., Proxy]) -> None:
        with upstream() as alive:
            proxy = proxy_before(f"127.0.0.1:{free_port()}", alive.address)
            assert [proxy.post(MAWBS, data=b"{}").status_code for _ in range(6)] == [200] * 6
            assert len(alive.heads) == 6

    def test_who_stops_sending_is_let_go(self, proxy_before: Callable[..., Proxy]) -> None:
        """No answer: HTTP has none that a client in the middle of its body would read."""
        changes = {
            "client_header_timeout 10s": "client_header_timeout 1s",
            "client_body_timeout   10s": "client_body_timeout 1s",
        }
        with upstream() as behind:
            proxy = proxy_before(behind.address, changes=changes)

            def begin(request: bytes) -> bytes:
                context = ssl.create_default_context(cafile=proxy.authority)
                with (
                    socket.create_connection(("127.0.0.1", proxy.https_port), timeout=60) as plain,
                    context.wrap_socket(plain, server_hostname="localhost", suppress_ragged_eofs=True) as connection,
                ):
                    connection.sendall(request)
                    try:
                        return connection.recv(100)
                    except OSError:
                        return b""

            unfinished = b"POST /api/public/x HTTP/1.1\r\n" + HOST
            with ThreadPoolExecutor(2) as pool:
                ends = list(pool.map(begin, [unfinished, unfinished + b"Content-Length: 9\r\n\r\nhalf"]))
            assert ends == [b"", b""]
            assert behind.heads == []


SPOOFED = {
    "X-Forwarded-Proto": "http",
    "X-Forwarded-For": "10.9.8.7",
    "X-Forwarded-Host": "evil.example",
    "X-Forwarded-Ssl": "off",
    "X-Real-IP": "10.9.8.7",
    "Forwarded": "for=10.9.8.7;proto=http",
}


def test_what_the_application_is_told_is_what_nginx_saw_whatever_is_claimed(proxy_before: Callable[..., Proxy]) -> None:
    with upstream() as behind:
        proxy = proxy_before(behind.address)
        proxy.get(MAWBS, headers={**SPOOFED, "Authorization": "Bearer pa_live_x"})
        assert behind.header("X-Forwarded-Proto") == ["https"]
        assert behind.header("X-Forwarded-For") == ["127.0.0.1"]
        for name in ("X-Forwarded-Host", "X-Forwarded-Ssl", "X-Real-IP", "Forwarded"):
            assert behind.header(name) == []
        assert behind.header("Authorization") == ["Bearer pa_live_x"]
        assert behind.header("Host") == [f"localhost:{proxy.https_port}"]
        requests.get(f"{proxy.http}/health", headers={"X-Forwarded-Proto": "https"}, timeout=60)
        assert behind.header("X-Forwarded-Proto") == ["http"]
        proxy.post(MAWBS, data=iter([b"abc", b"defg"]))  # in chunks
        assert behind.header("Content-Length") == ["7"]
        assert behind.header("Transfer-Encoding") == []


@pytest.mark.parametrize("file", sorted((SOURCE / "answers").glob("*.json")), ids=lambda file: file.stem)
def test_each_answer_is_an_envelope_with_a_code_of_the_application(file: Path) -> None:
    body = json.loads(file.read_text(encoding="utf-8"))
    codes = {kind.code for kind in answered_errors()} | {"method_not_allowed"}
    if file.stem.startswith("carrier-"):  # an envelope of their own
        assert body["status"] in {"rejected", "retry"}
        assert body["code"]
        return
    assert body["success"] is False
    assert body["error"] in codes
    assert body["message"]
    if file.stem == "not-found":
        assert body["message"] == NotFound.default_message
