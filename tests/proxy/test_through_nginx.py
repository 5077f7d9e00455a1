"""The service behind its proxy: what clients and operators do arrives, what would hold a worker does not."""

import re
import socket
import ssl
import time
import uuid
from collections.abc import Iterator

import pytest
import requests

from tests.books import workbook_bytes
from tests.live.server import Server
from tests.live.test_over_http import form, stored_files
from tests.proxy.nginx import Proxy

MIB = 1024 * 1024
SLOW_CLIENTS = 60
UPLOAD = "/api/public/pre-alerts/v1/upload"
JSON = "/api/public/pre-alerts/v1/process-pre-alert-json"


@pytest.fixture
def client(companies: Iterator[dict[str, str]]) -> dict[str, str]:
    """The headers of a company that no other test knows."""
    return next(companies)


def connected(proxy: Proxy) -> ssl.SSLSocket:
    """A connection over TLS, to be written to by hand."""
    context = ssl.create_default_context(cafile=proxy.authority)
    plain = socket.create_connection(("127.0.0.1", proxy.https_port), timeout=20)
    return context.wrap_socket(plain, server_hostname="localhost")


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


def test_a_manifest_goes_in_and_its_guides_come_out(proxy: Proxy, client: dict[str, str]) -> None:
    uploaded = proxy.post(UPLOAD, files={"manifest_file": workbook_bytes()}, headers=client)
    assert uploaded.status_code == 201, uploaded.text
    code = uploaded.json()["guides"][0]["tracking_code"]
    assert proxy.get(f"/api/public/pre-alerts/v1/guides/{code}", headers=client).json()["tracking_code"] == code
    assert len(proxy.get("/api/public/pre-alerts/v1/mawbs/", headers=client).json()["mawbs"]) == 1


def test_liveness_passes_and_readiness_stays_inside(proxy: Proxy, service: Server) -> None:
    assert proxy.get("/health").json() == requests.get(f"{proxy.http}/health", timeout=5).json() == {"status": "ok"}
    for path in ("/health/ready", "/health/ready/"):
        refused = proxy.get(path)
        assert (refused.status_code, refused.json()["error"]) == (404, "not_found")
    assert requests.get(f"{service.address}/health/ready", timeout=5).status_code == 200


def test_operators_get_their_pages_their_styles_and_a_secure_cookie(proxy: Proxy, service: Server) -> None:
    service.operator("proxied", "a-long-password-1")
    with requests.Session() as browser:
        browser.trust_env, browser.verify = False, proxy.authority  # the environment's own bundle would win
        login = browser.get(f"{proxy.https}/admin/login/", timeout=20)
        assert login.status_code == 200
        assert "max-age=31536000" in login.headers["Strict-Transport-Security"]
        assert "Access-Control-Allow-Origin" not in login.headers
        (style, *_) = re.findall(r'href="(/static/[^"]+\.css)"', login.text)
        assert browser.get(proxy.https + style, timeout=20).headers["Content-Type"].startswith("text/css")
        (token,) = re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', login.text)[:1]
        form = {"csrfmiddlewaretoken": token, "username": "proxied", "password": "a-long-password-1"}
        entered = browser.post(
            f"{proxy.https}/admin/login/", data=form, headers={"Referer": f"{proxy.https}/admin/login/"}, timeout=20,
            allow_redirects=False,
        )  # fmt: skip
        assert entered.status_code == 302, entered.status_code
        assert {cookie.name for cookie in browser.cookies} == {"__Host-sessionid", "csrftoken"}
        assert all(cookie.secure for cookie in browser.cookies)


def test_sixty_clients_that_drip_hold_no_worker(proxy: Proxy, service: Server, client: dict[str, str]) -> None:
    """Two workers of eight threads: without the proxy sixteen such clients would silence the service."""
    before = service.log().count("/upload")
    body = form(workbook_bytes())
    slow = [connected(proxy) for _ in range(SLOW_CLIENTS)]
    try:
        for number, connection in enumerate(slow):
            whole = head(client, len(body)) + body
            connection.sendall(whole[:20] if number % 3 == 0 else whole[:600])
        for turn in range(5):
            for connection in slow:
                connection.sendall(body[turn : turn + 1])
            assert proxy.get("/health").status_code == 200
            assert proxy.get("/api/public/pre-alerts/v1/mawbs", headers=client).json() == {"mawbs": []}
        assert service.log().count("/upload") == before
    finally:
        for connection in slow:
            connection.close()


@pytest.mark.parametrize("lost", [1, 9, 3_000])
def test_an_upload_that_is_cut_off_never_reaches_the_application(
    proxy: Proxy, service: Server, client: dict[str, str], lost: int
) -> None:
    before = stored_files(service)
    body = form(workbook_bytes(), invoice=b"%PDF-1.4 " + b"x" * 5000)
    request_id = uuid.uuid4().hex
    with connected(proxy) as connection:
        connection.sendall(head(client, len(body), request_id) + body[:-lost])
    assert '"upstream": ""' in logged(proxy, request_id)
    assert request_id not in service.log()
    assert stored_files(service) == before
    assert proxy.get("/api/public/pre-alerts/v1/mawbs", headers=client).json() == {"mawbs": []}


def pieces(body: bytes, size: int = 1000) -> Iterator[bytes]:
    for start in range(0, len(body), size):
        yield body[start : start + size]


def test_chunked_bodies_are_taken(proxy: Proxy, client: dict[str, str]) -> None:
    headers = {**client, "Content-Type": "multipart/form-data; boundary=BOUNDARY"}
    assert proxy.post(UPLOAD, data=pieces(form(workbook_bytes())), headers=headers).status_code == 201
    headers = {**client, "Content-Type": "application/json"}
    assert proxy.post(JSON, data=pieces(b'{"transport_mode": "sea"}', 5), headers=headers).json()["error"] == (
        "unsupported_transport_mode"
    )


class TestLimits:
    def test_exactly_twenty_megabytes_are_within(self, proxy: Proxy, client: dict[str, str]) -> None:
        files = {"manifest_file": workbook_bytes(), "invoice_file": b"%PDF-" + bytes(20 * MIB - 5)}
        assert proxy.post(UPLOAD, files=files, headers=client).status_code == 201

    @pytest.mark.parametrize("field", ["manifest_file", "invoice_file"])
    def test_a_byte_more_is_refused_by_its_field(self, proxy: Proxy, client: dict[str, str], field: str) -> None:
        files = {"manifest_file": workbook_bytes(), field: b"%PDF-" + bytes(20 * MIB - 4)}
        refused = proxy.post(UPLOAD, files=files, headers=client)
        assert (refused.status_code, refused.json()["error"]) == (400, "validation_failed")
        assert list(refused.json()["details"]) == [field]

    @pytest.mark.parametrize("framing", ["length", "chunked"])
    def test_what_no_upload_can_be_is_refused_before_the_application(
        self, proxy: Proxy, service: Server, client: dict[str, str], framing: str
    ) -> None:
        request_id = uuid.uuid4().hex
        body = form(bytes(43 * MIB))
        headers = {
            **client,
            "Content-Type": "multipart/form-data; boundary=BOUNDARY",
            "X-Request-Id": request_id,
        }
        refused = proxy.post(UPLOAD, data=pieces(body, MIB) if framing == "chunked" else body, headers=headers)
        assert (refused.status_code, refused.json()["error"]) == (400, "validation_failed")
        assert "manifest_file" in refused.json()["details"]
        assert refused.headers["Access-Control-Allow-Origin"] == "*"
        assert refused.headers["X-Request-Id"] == request_id
        assert request_id not in service.log()

    @pytest.mark.parametrize("size", [10 * MIB + 1, 12 * MIB])
    def test_json_over_ten_megabytes_is_an_invalid_body_whoever_refuses_it(
        self, proxy: Proxy, client: dict[str, str], size: int
    ) -> None:
        headers = {**client, "Content-Type": "application/json"}
        refused = proxy.post(JSON, data=b" " * (size - 2) + b"{}", headers=headers)
        assert (refused.status_code, refused.json()["error"]) == (400, "invalid_body")
        assert refused.json()["message"] == "The body is larger than 10 MB."
        assert refused.headers["Access-Control-Allow-Origin"] == "*"

    @pytest.mark.parametrize(
        ("path", "password", "told"),
        [
            (UPLOAD, "pa_live_unknown", (401, "invalid_api_key")),
            (f"{UPLOAD}/of/what", "", (404, "not_found")),
            ("/api/public/pre-alerts/v1/mawbs", "", (405, "method_not_allowed")),
        ],
    )
    def test_a_refusal_that_reads_no_body_arrives_however_long_the_body_is(
        self, proxy: Proxy, client: dict[str, str], path: str, password: str, told: tuple[int, str]
    ) -> None:
        """Closing the connection on what is unread would reset it, and nginx lose the answer now and then."""
        headers = client | ({"Authorization": f"Bearer {password}"} if password else {})
        headers["Content-Type"] = "application/octet-stream"
        answers = [proxy.post(path, data=bytes(900 * 1024 if path != UPLOAD else 40 * MIB), headers=headers)]
        answers += [proxy.post(path, data=bytes(900 * 1024), headers=headers) for _ in range(8)]
        assert {(answer.status_code, answer.json()["error"]) for answer in answers} == {told}

    def test_an_operators_file_may_have_as_much_as_the_pages_say(self, proxy: Proxy) -> None:
        taken = proxy.post("/admin/events/import/", files={"file": bytes(20 * MIB)})
        refused = proxy.post("/admin/events/import/", files={"file": bytes(22 * MIB)})
        assert taken.status_code == 302  # to the login: nobody is logged in
        assert refused.status_code == 413
        assert "20 MB" in refused.text


class TestRequestIds:
    def test_a_sane_id_is_one_id_everywhere(self, proxy: Proxy, service: Server) -> None:
        request_id = f"client.{uuid.uuid4()}"
        answer = proxy.get("/api/public/pre-alerts/v1/mawbs", headers={"X-Request-Id": request_id})
        assert answer.headers["X-Request-Id"] == request_id
        assert '"status": "401"' in logged(proxy, request_id)
        assert request_id in service.log()

    @pytest.mark.parametrize("sent", [None, "", "no spaces", "x" * 65, "12345678-5\\n"])
    def test_otherwise_both_sides_log_one_of_ours(self, proxy: Proxy, service: Server, sent: str | None) -> None:
        headers = {} if sent is None else {"X-Request-Id": sent}
        ours = proxy.get("/api/public/pre-alerts/v1/mawbs", headers=headers).headers["X-Request-Id"]
        assert ours != sent
        assert logged(proxy, ours)
        assert ours in service.log()


def test_the_api_is_never_redirected(proxy: Proxy, client: dict[str, str]) -> None:
    for path in ("/mawbs", "/mawbs/", "/guides/X", "/guides/X/", "/upload", "/nowhere"):
        plain = requests.get(proxy.http + proxy.api_path + path, headers=client, allow_redirects=False, timeout=5)
        assert (plain.status_code, plain.json()["error"], plain.headers.get("Location")) == (
            400, "validation_failed", None,
        )  # fmt: skip
        assert plain.headers["Access-Control-Allow-Origin"] == "*"
        assert proxy.get(proxy.api_path + path, headers=client).status_code // 100 != 3
    people = requests.get(f"{proxy.http}/admin/", allow_redirects=False, timeout=5)
    assert (people.status_code, people.headers["Location"]) == (301, "https://localhost/admin/")


def test_no_word_of_a_person_reaches_nginx_s_log(proxy: Proxy, client: dict[str, str]) -> None:
    answer = proxy.get("/api/public/pre-alerts/v1/guides/12345678-5?q=Persona", headers=client)
    line = logged(proxy, answer.headers["X-Request-Id"])
    assert '"status": "404"' in line
    for secret in ("Persona", "12345678", client["Authorization"].split()[1]):
        assert secret not in proxy.log()
