"""Who may send a body: nginx asks the application first, and takes from nobody more than the space for bodies holds."""

import socket
import ssl
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import requests
from django.test import override_settings

from companies import passwords
from tests.live.server import BASE, ROOT, Server, served
from tests.proxy.dripping import UPLOAD, connected, dripping
from tests.proxy.nginx import Proxy
from tests.proxy.uploads import body_bytes, upload

MIB = 1024 * 1024
JSON = "/api/public/pre-alerts/v1/process-pre-alert-json"
OTHER = "127.0.0.2"
"""The address of a client who has nothing to do with what goes on elsewhere."""


def test_the_first_upload_of_the_readme(proxy: Proxy, client: dict[str, str]) -> None:
    with (ROOT / "docs" / "examples" / "manifest-CL.xlsx").open("rb") as manifest:
        uploaded = proxy.post(UPLOAD, files={"manifest_file": manifest}, headers=client)
    assert uploaded.status_code == 201, uploaded.text
    code = uploaded.json()["guides"][0]["tracking_code"]
    assert [each["mawb"] for each in proxy.get(f"{proxy.api_path}/mawbs", headers=client).json()["mawbs"]] == [
        uploaded.json()["mawb"]
    ]
    assert proxy.get(f"{proxy.api_path}/guides/{code}", headers=client).status_code == 200


def unknown_password() -> str:
    return f"Bearer {passwords.generate()}"


REFUSED = [
    ({}, "missing_api_key"),
    ({"Authorization": "Basic YTpi"}, "missing_api_key"),
    ({"Authorization": "Bearer"}, "missing_api_key"),
    ({"Authorization": "Bearer nonsense"}, "invalid_api_key"),
    ({"Authorization": "Bearer pa_live_" + "0" * 49}, "invalid_api_key"),
    ({"Authorization": unknown_password()}, "invalid_api_key"),
]


class TestStrangers:
    @pytest.mark.parametrize(("headers", "code"), REFUSED)
    @pytest.mark.parametrize("path", [UPLOAD, f"{UPLOAD}/", JSON, f"{JSON}/"])
    def test_hear_what_the_application_would_say(
        self, proxy: Proxy, service: Server, headers: dict[str, str], code: str, path: str
    ) -> None:
        sent = {**headers, "X-Request-Id": uuid.uuid4().hex, "Origin": "https://example.com"}
        answer = proxy.post(path, data=b"{}", headers=sent)
        direct = requests.post(
            service.address + path, data=b"{}", headers=sent | {"X-Forwarded-Proto": "https"}, timeout=60
        )
        assert (answer.status_code, answer.json()["error"]) == (401, code)
        assert answer.json() == direct.json()
        for name in (
            "Content-Type", "WWW-Authenticate", "Access-Control-Allow-Origin", "Access-Control-Expose-Headers",
            "X-Request-Id", "Cache-Control",
        ):  # fmt: skip
            assert answer.headers[name] == direct.headers[name], name

    @pytest.mark.parametrize(("headers", "code"), [REFUSED[0], REFUSED[-1]])
    def test_two_hundred_who_drip_are_refused_and_stop_nobodys_uploads(
        self, proxy: Proxy, client: dict[str, str], headers: dict[str, str], code: str
    ) -> None:
        with dripping(proxy, 200, "127.0.0.3", headers) as strangers:
            for number in range(3):
                strangers.drip()
                assert upload(proxy, client, OTHER, number)[0] == 201
            assert body_bytes(proxy) == 0
            answers = strangers.answers(200)
        assert all(answer.startswith(b"HTTP/1.1 401 ") and code.encode() in answer for answer in answers)

    def test_do_not_count_among_the_bodies_under_way(
        self, before_service: Callable[..., Proxy], client: dict[str, str]
    ) -> None:
        proxy = before_service({"limit_conn bodies 48;": "limit_conn bodies 1;"})
        with dripping(proxy, 20, OTHER, {}) as strangers:
            strangers.drip()
            assert upload(proxy, client, OTHER)[0] == 201

    @pytest.mark.parametrize("framing", ["length", "chunked", "expect"])
    @pytest.mark.parametrize("method", ["POST", "PUT", "GET", "OPTIONS"])
    def test_leave_nothing_on_the_disk_however_they_send_it(self, proxy: Proxy, method: str, framing: str) -> None:
        framed = {"length": "Content-Length: 500000", "chunked": "Transfer-Encoding: chunked"}.get(
            framing, "Content-Length: 500000\r\nExpect: 100-continue"
        )
        with connected(proxy) as connection:
            connection.sendall(f"{method} {UPLOAD} HTTP/1.1\r\nHost: localhost\r\n{framed}\r\n\r\n".encode())
            connection.sendall((b"30d40\r\n" if framing == "chunked" else b"") + b"x" * 200_000)
            answer = connection.recv(65536)
            while b"missing_api_key" not in answer:
                more = connection.recv(65536)
                assert more, answer
                answer += more
            assert body_bytes(proxy) == 0

    def test_may_go_on_with_the_same_connection(self, proxy: Proxy, client: dict[str, str]) -> None:
        with requests.Session() as session:
            session.trust_env, session.verify = False, proxy.authority
            for _ in range(3):
                assert session.post(proxy.https + UPLOAD, data=bytes(2 * MIB), timeout=60).status_code == 401
                assert session.get(f"{proxy.api}/mawbs", headers=client, timeout=60).status_code == 200

    def test_send_no_large_body_anywhere_else(self, proxy: Proxy) -> None:
        for path in ("/", "/api/public/x", "/docs/", "/i18n/setlang/", "/nowhere", "/static/x", "/admin/login/"):
            refused = proxy.post(path, data=bytes(17 * 1024))
            assert refused.status_code in {400, 413}, path
        for path in ("/admin/events/import/", "/admin/anything"):
            refused = proxy.post(path, data=bytes(20 * MIB), headers={"Cookie": "__Host-sessionid=invented"})
            assert (refused.status_code, refused.headers["Location"]) == (302, "/admin/login/"), path
        assert body_bytes(proxy) == 0


class TestTheOtherServicesPassword:
    def test_is_refused_by_the_live_service_with_its_own_sentence(self, proxy: Proxy) -> None:
        with override_settings(SANDBOX=True):
            headers = {"Authorization": unknown_password()}
        for answer in (proxy.post(UPLOAD, data=b"{}", headers=headers), proxy.get(f"{BASE}/mawbs", headers=headers)):
            assert (answer.status_code, answer.json()["error"]) == (401, "invalid_api_key")
            assert answer.json()["message"] == "This is a password of the sandbox; this is the live service."
            assert "X-Sandbox" not in answer.headers

    def test_is_refused_by_the_sandbox_with_its_own_sentence(
        self, proxy_before: Callable[..., Proxy], tmp_path: Path
    ) -> None:
        headers = {"Authorization": unknown_password(), "Host": "sandbox.localhost"}
        with served(tmp_path, SANDBOX="on", BEHIND_HTTPS="on", ALLOWED_HOSTS="127.0.0.1,sandbox.localhost") as sandbox:
            proxy = proxy_before("{}:{}".format(*sandbox.host_and_port))
            answers = [proxy.post(UPLOAD, data=b"{}", headers=headers), proxy.get(f"{BASE}/mawbs", headers=headers)]
        for answer in answers:
            assert (answer.status_code, answer.json()["error"]) == (401, "invalid_api_key")
            assert answer.json()["message"] == "This is a password of the live service; this is the sandbox."
            assert answer.headers["X-Sandbox"] == "true"
            assert "X-Sandbox" in answer.headers["Access-Control-Expose-Headers"]


class TestWhoSendsNoBody:
    def test_a_preflight_is_answered_without_a_question(self, proxy: Proxy, service: Server) -> None:
        request_id = uuid.uuid4().hex
        answer = requests.options(
            proxy.https + UPLOAD, verify=proxy.authority, timeout=60,
            headers={"Access-Control-Request-Method": "POST", "Origin": "https://a.b", "X-Request-Id": request_id},
        )  # fmt: skip
        assert (answer.status_code, answer.headers["Access-Control-Allow-Origin"]) == (204, "*")
        allowed = "Content-Type, Authorization, Idempotency-Key, If-None-Match, Prefer"
        assert answer.headers["Access-Control-Allow-Headers"] == allowed
        assert [line for line in service.log().splitlines() if request_id in line and "internal" in line] == []

    def test_a_get_is_the_applications(self, proxy: Proxy, client: dict[str, str]) -> None:
        assert proxy.get(UPLOAD, headers=client).status_code == 405
        assert proxy.get(UPLOAD).json()["error"] == "missing_api_key"


class TestTheQuestions:
    @pytest.mark.parametrize(
        "path",
        [
            "/internal/password", "/internal/token", "/internal/operator", "/internal/", "/internal/password/",
            "//internal/password", "/%69nternal/password",
            "/x/../internal/password", "/internal/./password", "/internal/password?x=1",
        ],
    )  # fmt: skip
    def test_nobody_else_may_ask_them(self, proxy: Proxy, client: dict[str, str], path: str) -> None:
        for port, is_tls in ((proxy.https_port, True), (proxy.http_port, False)):
            answer = spoken(proxy, port, is_tls=is_tls, path=path, headers=client)
            assert answer.split()[1] == b"404", (port, answer)

    def test_another_host_is_refused_as_such(self, proxy: Proxy, client: dict[str, str]) -> None:
        refused = proxy.post(UPLOAD, data=b"x", headers=client | {"Host": "evil.example"})
        assert (refused.status_code, refused.json()["error"]) == (400, "validation_failed")


def spoken(proxy: Proxy, port: int, *, is_tls: bool, path: str, headers: Mapping[str, str]) -> bytes:
    """GET without a library that tidies the path up."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    with socket.create_connection(("127.0.0.1", port), timeout=60) as plain:
        context = ssl.create_default_context(cafile=proxy.authority)
        with context.wrap_socket(plain, server_hostname="localhost") if is_tls else plain as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{lines}\r\n".encode())
            return b"".join(iter(lambda: connection.recv(65536), b""))
