"""The service behind its proxy: what clients and operators do arrives, what would hold a worker does not."""

import re
import socket
import time
import uuid
from collections.abc import Callable

import pytest
import requests

from tests.books import workbook_bytes
from tests.live.server import Server
from tests.live.test_over_http import form, stored_files
from tests.proxy.dripping import connected
from tests.proxy.nginx import Proxy
from tests.proxy.passing import JSON, UPLOAD, logged_in, pieces, uploads
from tests.proxy.upstreams import upstream

SLOW_CLIENTS = 60


def head(client: dict[str, str], length: int, request_id: str = "") -> bytes:
    return (
        f"POST {UPLOAD} HTTP/1.1\r\nHost: localhost\r\nAuthorization: {client['Authorization']}\r\n"
        f"X-Request-Id: {request_id}\r\nContent-Type: multipart/form-data; boundary=BOUNDARY\r\n"
        f"Content-Length: {length}\r\n\r\n"
    ).encode()


def logged(proxy: Proxy, request_id: str) -> str:
    """nginx's line about a request, once it is there."""
    for _ in range(200):
        lines = [line for line in proxy.log().splitlines() if request_id in line]
        if lines:
            return lines[0]
        time.sleep(0.05)
    raise AssertionError("nginx logged no such request")


def test_a_manifest_can_be_tried_first(proxy: Proxy, client: dict[str, str]) -> None:
    tried = proxy.post(f"{UPLOAD}/validate", files={"manifest_file": workbook_bytes()}, headers=client)
    assert tried.json()["would_create"] is True, tried.text
    nothing = proxy.post(f"{UPLOAD}/validate", files={"manifest_file": bytes(20 * 1024 * 1024 + 1)}, headers=client)
    assert nothing.json()["refusal"]["details"].keys() == {"manifest_file"}
    path = "/api/public/pre-alerts/v1/process-pre-alert-json/validate"
    assert proxy.post(path, json={}, headers=client).json()["refusal"]["error"] == "unsupported_transport_mode"
    assert proxy.post(path, data=b" " * 5_000_000).json()["error"] == "missing_api_key"


def test_the_guides_and_samples_come_through_with_the_address_that_clients_use(proxy: Proxy) -> None:
    guide = proxy.get("/docs/quickstart/")
    assert guide.status_code == 200
    assert f"PREALERTS_ADDRESS={proxy.https}" in guide.text
    assert proxy.get("/docs/examples/manifest-CL-mistakes.xlsx").content.startswith(b"PK")
    versioned = proxy.get("/docs/examples/prealerts-client.zip").headers["Location"]
    assert proxy.get(versioned).headers["Content-Type"] == "application/zip"


def test_whatever_begins_with_api_answers_json(proxy: Proxy) -> None:
    for path in ("/API/Public/x", "/api", "/apis"):
        answer = proxy.get(path)
        assert (answer.status_code, answer.json()["error"]) == (404, "not_found")


def test_two_hundred_scans_fit_and_no_script_of_another_origin_reads_the_answer(proxy: Proxy) -> None:
    scan = {
        "scan_id": str(uuid.UUID(int=1)),
        "code": "D" * 100,
        "scanned_at": "2026-11-22T09:10:00-03:00",
        "note": "ñ" * 255,
    }
    answer = proxy.post("/api/operators/v1/inbound-batches/ib_1/scans", json={"scans": [scan] * 200})
    assert (answer.status_code, answer.json()["error"]) == (401, "missing_token")
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_liveness_passes_and_readiness_stays_inside(proxy: Proxy, service: Server) -> None:
    assert proxy.get("/health").json() == requests.get(f"{proxy.http}/health", timeout=60).json() == {"status": "ok"}
    for path in ("/health/ready", "/health/ready/"):
        refused = proxy.get(path)
        assert (refused.status_code, refused.json()["error"]) == (404, "not_found")
    assert requests.get(f"{service.address}/health/ready", timeout=60).status_code == 200


def test_operators_get_their_pages_their_styles_and_a_secure_cookie(proxy: Proxy, service: Server) -> None:
    service.operator("proxied", "a-long-password-1")
    login = proxy.get("/admin/login/")
    assert login.status_code == 200
    assert "max-age=31536000" in login.headers["Strict-Transport-Security"]
    assert "Access-Control-Allow-Origin" not in login.headers
    (style, *_) = re.findall(r'href="(/static/[^"]+\.css)"', login.text)
    assert proxy.get(style).headers["Content-Type"].startswith("text/css")
    browser = logged_in(proxy, "proxied", "a-long-password-1")
    assert {cookie.name for cookie in browser.cookies} == {"__Host-sessionid", "csrftoken", "known-browser"}
    assert all(cookie.secure for cookie in browser.cookies)


def test_sixty_clients_that_drip_hold_no_worker(proxy: Proxy, service: Server, client: dict[str, str]) -> None:
    """Two workers of eight threads: without the proxy sixteen such clients would silence the service."""
    before = uploads(service)
    body = form(workbook_bytes())
    slow = [connected(proxy, f"127.0.0.{10 + number // 10}") for number in range(SLOW_CLIENTS)]
    try:
        for number, connection in enumerate(slow):
            whole = head(client, len(body)) + body
            connection.sendall(whole[:20] if number % 3 == 0 else whole[:600])
        for turn in range(5):
            for connection in slow:
                connection.sendall(body[turn : turn + 1])
            assert proxy.get("/health").status_code == 200
            assert proxy.get("/api/public/pre-alerts/v1/mawbs", headers=client).json()["mawbs"] == []
        assert uploads(service) == before
    finally:
        for connection in slow:
            connection.close()


@pytest.mark.parametrize("lost", [1, 9, 3_000])
def test_an_upload_that_is_cut_off_never_reaches_the_application(
    proxy: Proxy, service: Server, client: dict[str, str], lost: int
) -> None:
    before, uploads_before = stored_files(service), uploads(service)
    body = form(workbook_bytes(), invoice=b"%PDF-1.4 " + b"x" * 5000)
    request_id = uuid.uuid4().hex
    with connected(proxy) as connection:
        connection.sendall(head(client, len(body), request_id) + body[:-lost])
    assert '"upstream": ""' in logged(proxy, request_id)
    assert uploads(service) == uploads_before
    assert stored_files(service) == before
    assert proxy.get("/api/public/pre-alerts/v1/mawbs", headers=client).json()["mawbs"] == []


def test_chunked_bodies_are_taken(proxy: Proxy, client: dict[str, str]) -> None:
    headers = {**client, "Content-Type": "multipart/form-data; boundary=BOUNDARY"}
    assert proxy.post(UPLOAD, data=pieces(form(workbook_bytes())), headers=headers).status_code == 201
    headers = {**client, "Content-Type": "application/json"}
    assert proxy.post(JSON, data=pieces(b'{"transport_mode": "sea"}', 5), headers=headers).json()["error"] == (
        "unsupported_transport_mode"
    )


class TestRequestIds:
    def test_a_sane_id_is_one_id_everywhere(self, proxy: Proxy, service: Server) -> None:
        request_id = f"client.{uuid.uuid4()}"
        answer = proxy.get("/api/public/pre-alerts/v1/mawbs", headers={"X-Request-Id": request_id})
        assert answer.headers["X-Request-Id"] == request_id
        assert '"status": "401"' in logged(proxy, request_id)
        assert request_id in service.log()

    @pytest.mark.parametrize("sent", [None, "", "no spaces", "x" * 65, "12345678-5\\n"])
    def test_otherwise_both_sides_log_our_own_one(self, proxy: Proxy, service: Server, sent: str | None) -> None:
        headers = {} if sent is None else {"X-Request-Id": sent}
        ours = proxy.get("/api/public/pre-alerts/v1/mawbs", headers=headers).headers["X-Request-Id"]
        assert ours != sent
        assert logged(proxy, ours)
        assert ours in service.log()


def test_the_api_is_never_redirected(proxy: Proxy, client: dict[str, str]) -> None:
    for path in ("/mawbs", "/mawbs/", "/guides/X", "/guides/X/", "/upload", "/nowhere"):
        plain = requests.get(proxy.http + proxy.api_path + path, headers=client, allow_redirects=False, timeout=60)
        assert (plain.status_code, plain.json()["error"], plain.headers.get("Location")) == (
            400, "validation_failed", None,
        )  # fmt: skip
        assert plain.headers["Access-Control-Allow-Origin"] == "*"
        assert proxy.get(proxy.api_path + path, headers=client).status_code // 100 != 3


def test_people_are_led_to_https_on_our_own_hosts_only(proxy: Proxy) -> None:
    def asked(host: str) -> requests.Response:
        return requests.get(
            f"{proxy.http}/admin/?q=1",
            headers={"Host": host},
            allow_redirects=False,
            timeout=60,
        )

    led = asked("localhost:8080")
    assert (led.status_code, led.headers["Location"]) == (301, "https://localhost/admin/?q=1")
    for host in ("evil.example", "localhost.evil.example", "localhost@evil.example", "evil.example:443"):
        refused = asked(host)
        assert (refused.status_code, refused.headers.get("Location")) == (400, None), host


def test_nobody_logs_in_over_plain_http_even_where_the_application_would_let_them(
    proxy_before: Callable[..., Proxy],
) -> None:
    def lax(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nSet-Cookie: sessionid=x\r\nContent-Length: 2\r\n\r\nok")

    with upstream(lax) as behind:
        plain = requests.get(f"{proxy_before(behind.address).http}/admin/", headers={"Cookie": "a=b"}, timeout=60)
        assert (plain.status_code, "Set-Cookie" in plain.headers) == (200, False)
        assert behind.header("Cookie") == []


def test_no_word_of_a_person_reaches_nginx_s_log(proxy: Proxy, client: dict[str, str]) -> None:
    answer = proxy.get("/api/public/pre-alerts/v1/guides/12345678-5?q=Persona", headers=client)
    line = logged(proxy, answer.headers["X-Request-Id"])
    assert '"status": "404"' in line
    for secret in ("Persona", "12345678", client["Authorization"].split()[1]):
        assert secret not in proxy.log()
