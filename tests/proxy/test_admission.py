"""Who may send a body: nginx asks the application first, and takes from nobody more than the space for bodies holds."""

import json
import socket
import ssl
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
import requests

from companies import passwords
from tests import documents
from tests.live.server import Server
from tests.proxy.dripping import UPLOAD, Drips, connected, dripping
from tests.proxy.nginx import SOURCE, Proxy
from tests.proxy.passing import logged_in
from tests.proxy.uploads import upload
from tools import integration_page

MIB = 1024 * 1024
JSON = "/api/public/pre-alerts/v1/process-pre-alert-json"
OTHER = "127.0.0.2"
"""The address of a client who has nothing to do with what goes on elsewhere."""


def body_bytes(proxy: Proxy) -> int:
    """What of bodies lies on the disk: nginx takes the names of its files away at once, so they are found as open."""
    master = (proxy.directory / "tmp" / "nginx.pid").read_text(encoding="utf-8").strip()
    workers = Path(f"/proc/{master}/task/{master}/children").read_text(encoding="utf-8").split()
    places = (f"{proxy.directory}/bodies/", f"{proxy.directory}/tmp/client_body/")  # noqa: S108  # below our own directory
    found = 0
    for file in [file for worker in workers for file in Path(f"/proc/{worker}/fd").iterdir()]:
        with suppress(FileNotFoundError):  # closed since it was listed
            found += file.stat().st_size if str(file.readlink()).startswith(places) else 0
    return found


@pytest.fixture
def client(companies: Iterator[dict[str, str]]) -> dict[str, str]:
    """The headers of a company that no other test knows."""
    return next(companies)


@pytest.fixture
def before_service(proxy_before: Callable[..., Proxy], service: Server) -> Callable[..., Proxy]:
    """`before_service({...})`: an nginx of the test's own in front of the service, with changes."""
    host, port = service.host_and_port
    return lambda changes=None: proxy_before(f"{host}:{port}", changes=changes)


def test_the_first_upload_of_the_readme(proxy: Proxy, client: dict[str, str]) -> None:
    with (integration_page.EXAMPLES / "manifest-CL.xlsx").open("rb") as manifest:
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
        for path in ("/", "/api/public/x", "/docs/", "/i18n/setlang/", "/nowhere", "/static/x"):
            refused = proxy.post(path, data=bytes(17 * 1024))
            assert refused.status_code in {400, 413}, path
        for path in ("/admin/events/import/", "/admin/login/", "/admin/anything"):
            refused = proxy.post(path, data=bytes(20 * MIB), headers={"Cookie": "__Host-sessionid=invented"})
            assert (refused.status_code, refused.headers["Location"]) == (302, "/admin/login/"), path
        assert body_bytes(proxy) == 0


class TestWhoSendsNoBody:
    def test_a_preflight_is_answered_without_a_question(self, proxy: Proxy, service: Server) -> None:
        request_id = uuid.uuid4().hex
        answer = requests.options(
            proxy.https + UPLOAD, verify=proxy.authority, timeout=60,
            headers={"Access-Control-Request-Method": "POST", "Origin": "https://a.b", "X-Request-Id": request_id},
        )  # fmt: skip
        assert (answer.status_code, answer.headers["Access-Control-Allow-Origin"]) == (204, "*")
        allowed = "Content-Type, Authorization, Idempotency-Key, If-None-Match"
        assert answer.headers["Access-Control-Allow-Headers"] == allowed
        assert [line for line in service.log().splitlines() if request_id in line and "internal" in line] == []

    def test_a_get_is_the_applications(self, proxy: Proxy, client: dict[str, str]) -> None:
        assert proxy.get(UPLOAD, headers=client).status_code == 405
        assert proxy.get(UPLOAD).json()["error"] == "missing_api_key"


class TestCaps:
    def test_of_one_password_six_bodies_are_taken_however_it_is_written(
        self, proxy: Proxy, client: dict[str, str], companies: Iterator[dict[str, str]]
    ) -> None:
        password, other = client["Authorization"].split()[1], next(companies)
        spellings = [
            f"Bearer {password}", f"bearer {password}", f"BEARER  {password}", f"bEaReR\t{password}",
            f"Bearer \t {password}  ", f"Bearer{' ' * 300}{password}",
        ]  # fmt: skip
        with ExitStack() as stack:
            held = [
                stack.enter_context(dripping(proxy, 1, f"127.0.1.{number % 5}", {"Authorization": spelling}))
                for number, spelling in enumerate(spellings * 8)
            ]
            greedy = Drips([connection for drips in held for connection in drips.connections])
            answers = greedy.answers(42)
            greedy.drip()
            assert len(greedy.connections) == 6
            assert upload(proxy, other, "127.0.1.0")[0] == 201
            with (integration_page.EXAMPLES / "manifest-CL.xlsx").open("rb") as manifest:
                validated = proxy.post(f"{UPLOAD}/validate", files={"manifest_file": manifest}, headers=other)
            posted = proxy.post(JSON, json=documents.manifest(documents.guide()), headers=other)
            assert (validated.status_code, posted.status_code) == (200, 201), (validated.text, posted.text)
            assert upload(proxy, client, OTHER)[0] == 503
        for answer in answers:
            top, _, content = answer.partition(b"\r\n\r\n")
            assert top.startswith(b"HTTP/1.1 503 ")
            assert b"\r\nRetry-After: 5" in top
            assert b"\r\nAccess-Control-Allow-Origin: *" in top
            assert json.loads(content)["error"] == "unavailable"

    def test_a_password_sent_twice_is_none(self, proxy: Proxy, companies: Iterator[dict[str, str]]) -> None:
        passwords = [next(companies)["Authorization"] for _ in range(2)]
        headers = "".join(f"Authorization: {each}\r\n" for each in passwords)
        with connected(proxy) as connection:
            head = f"POST {UPLOAD} HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Length: 9\r\n\r\n"
            connection.sendall(head.encode())
            assert connection.recv(65536).split()[1] in {b"400", b"401"}

    def test_an_operator_has_as_many(self, proxy: Proxy, service: Server, client: dict[str, str]) -> None:
        service.operator("dripper", "a-long-password-1")
        cookies = logged_in(proxy, "dripper", "a-long-password-1").cookies
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}
        page = "/admin/events/import/"
        with dripping(proxy, 8, "127.0.1.6", headers, page, length=20 * MIB) as greedy:
            assert all(answer.startswith(b"HTTP/1.1 503 ") for answer in greedy.answers(2))
            assert len(greedy.connections) == 6
            assert upload(proxy, client, OTHER)[0] == 201

    def test_of_an_address_ten_are_taken_and_of_others_more(
        self, proxy: Proxy, companies: Iterator[dict[str, str]]
    ) -> None:
        some, others = next(companies), next(companies)
        with dripping(proxy, 6, "127.0.0.4", some) as first, dripping(proxy, 6, "127.0.0.4", others) as more:
            answers = Drips([*first.connections, *more.connections]).answers(2)
            assert all(answer.startswith(b"HTTP/1.1 503 ") for answer in answers)
            assert 0 < body_bytes(proxy) <= 10 * 42 * MIB
            third = next(companies)
            assert upload(proxy, third, "127.0.0.4")[0] == 503
            assert upload(proxy, third, OTHER)[0] == 201

    @pytest.mark.parametrize(
        ("one", "another", "elsewhere"),
        [
            ("2001:db8:0:a::1", "2001:db8:0:a:ffff:1:2:3", "2001:db8:0:b::1"),
            ("::ffff:192.0.2.1", "::ffff:192.0.2.1", "::ffff:192.0.2.2"),
        ],
    )
    def test_a_network_of_ipv6_counts_as_one_address(
        self,
        before_service: Callable[..., Proxy],
        companies: Iterator[dict[str, str]],
        one: str,
        another: str,
        elsewhere: str,
    ) -> None:
        directive = "limit_conn_status 429;"
        proxy = before_service({directive: f"{directive} set_real_ip_from 127.0.0.1; real_ip_header X-Address;"})
        some, others, client = (next(companies) for _ in range(3))
        with (
            dripping(proxy, 6, "127.0.0.1", some | {"X-Address": one}) as first,
            dripping(proxy, 6, "127.0.0.1", others | {"X-Address": another}) as more,
        ):
            Drips([*first.connections, *more.connections]).answers(2)
            assert upload(proxy, client | {"X-Address": another}, "127.0.0.1")[0] == 503
            assert upload(proxy, client | {"X-Address": elsewhere}, "127.0.0.1")[0] == 201

    def test_validations_leave_places_to_uploads_of_the_same_client(self, proxy: Proxy, client: dict[str, str]) -> None:
        with dripping(proxy, 16, "127.0.0.8", client, f"{UPLOAD}/validate") as greedy:
            refused = greedy.answers(10)
            assert all(answer.startswith(b"HTTP/1.1 503 ") for answer in refused)
            assert upload(proxy, client, "127.0.0.8")[0] == 201

    def test_in_all_as_many_are_taken_as_there_is_space(
        self, before_service: Callable[..., Proxy], client: dict[str, str]
    ) -> None:
        proxy = before_service({"limit_conn bodies 48;": "limit_conn bodies 3;"})
        with dripping(proxy, 2, "127.0.0.5", client) as some, dripping(proxy, 2, "127.0.0.6", client) as others:
            (refused,) = Drips([*some.connections, *others.connections]).answers(1)  # whose password is read last
            assert refused.startswith(b"HTTP/1.1 503 ")
            status, answer = upload(proxy, client, OTHER)
            assert (status, answer["error"]) == (503, "unavailable")

    def test_the_numbers_fit_the_space(self) -> None:
        compose = (SOURCE.parent / "compose.yaml").read_text(encoding="utf-8")
        assert "/tmp/bodies:mode=1777,size=2g" in compose  # noqa: S108  # as in the file
        limits = (SOURCE / "limits.conf").read_text(encoding="utf-8")
        assert f"limit_conn bodies {2048 // 42};" in limits

    def test_idle_connections_make_room_for_those_who_send(
        self, before_service: Callable[..., Proxy], client: dict[str, str]
    ) -> None:
        changes = {
            "worker_connections 4096;": "worker_connections 64;",
            "worker_processes auto;": "worker_processes 1;",
        }
        proxy = before_service(changes)
        idle = [connected(proxy, "127.0.0.7") for _ in range(100)]
        try:
            assert upload(proxy, client, OTHER)[0] == 201
        finally:
            for connection in idle:
                connection.close()


class TestTheQuestions:
    @pytest.mark.parametrize(
        "path",
        [
            "/internal/password", "/internal/operator", "/internal/", "/internal/password/", "//internal/password",
            "/%69nternal/password", "/x/../internal/password", "/internal/./password", "/internal/password?x=1",
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
