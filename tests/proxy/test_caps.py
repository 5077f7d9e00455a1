"""How many bodies nginx takes at once: of a company or operator, of an address, and in total."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests import documents
from tests.live.server import ROOT, Server
from tests.proxy.dripping import UPLOAD, Drips, connected, dripping
from tests.proxy.nginx import SOURCE, Proxy
from tests.proxy.passing import JSON, MIB, logged_in
from tests.proxy.uploads import body_bytes, upload
from tests.proxy.upstreams import upstream

OTHER = "127.0.0.2"
"""The address of a client who has nothing to do with what goes on elsewhere."""


def test_of_one_password_six_bodies_are_taken_however_it_is_written(
    proxy: Proxy, client: dict[str, str], companies: Iterator[dict[str, str]]
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
        with (ROOT / "docs" / "examples" / "manifest-CL.xlsx").open("rb") as manifest:
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


def test_a_password_sent_twice_is_none(proxy: Proxy, companies: Iterator[dict[str, str]]) -> None:
    passwords = [next(companies)["Authorization"] for _ in range(2)]
    headers = "".join(f"Authorization: {each}\r\n" for each in passwords)
    with connected(proxy) as connection:
        head = f"POST {UPLOAD} HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Length: 9\r\n\r\n"
        connection.sendall(head.encode())
        assert connection.recv(65536).split()[1] in {b"400", b"401"}


def test_an_operator_has_as_many(proxy: Proxy, service: Server, client: dict[str, str]) -> None:
    service.operator("dripper", "a-long-password-1")
    cookies = logged_in(proxy, "dripper", "a-long-password-1").cookies
    headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}
    page = "/admin/events/import/"
    with dripping(proxy, 8, "127.0.1.6", headers, page, length=20 * MIB) as greedy:
        assert all(answer.startswith(b"HTTP/1.1 503 ") for answer in greedy.answers(2))
        assert len(greedy.connections) == 6
        assert upload(proxy, client, OTHER)[0] == 201


def test_of_an_address_ten_are_taken_and_of_others_more(proxy: Proxy, companies: Iterator[dict[str, str]]) -> None:
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


def test_validations_leave_places_to_uploads_of_the_same_client(proxy: Proxy, client: dict[str, str]) -> None:
    with dripping(proxy, 16, "127.0.0.8", client, f"{UPLOAD}/validate") as greedy:
        refused = greedy.answers(10)
        assert all(answer.startswith(b"HTTP/1.1 503 ") for answer in refused)
        assert upload(proxy, client, "127.0.0.8")[0] == 201


def test_in_all_as_many_are_taken_as_there_is_space(
    before_service: Callable[..., Proxy], client: dict[str, str]
) -> None:
    proxy = before_service({"limit_conn bodies 48;": "limit_conn bodies 3;"})
    with dripping(proxy, 2, "127.0.0.5", client) as some, dripping(proxy, 2, "127.0.0.6", client) as others:
        (refused,) = Drips([*some.connections, *others.connections]).answers(1)  # whose password is read last
        assert refused.startswith(b"HTTP/1.1 503 ")
        status, answer = upload(proxy, client, OTHER)
        assert (status, answer["error"]) == (503, "unavailable")


def test_the_numbers_fit_the_space() -> None:
    compose = (SOURCE.parent / "compose.yaml").read_text(encoding="utf-8")
    assert "/tmp/bodies:mode=1777,size=2g" in compose  # noqa: S108  # as in the file
    limits = (SOURCE / "limits.conf").read_text(encoding="utf-8")
    assert f"limit_conn bodies {2048 // 42};" in limits


def test_idle_connections_make_room_for_those_who_send(
    before_service: Callable[..., Proxy], client: dict[str, str]
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


def test_bodies_whose_sender_the_application_does_not_name_share_six_places(
    proxy_before: Callable[..., Proxy], companies: Iterator[dict[str, str]]
) -> None:
    with upstream() as earlier:
        proxy = proxy_before(earlier.address)
        one, other = next(companies), next(companies)
        with dripping(proxy, 4, "127.0.1.7", one) as some, dripping(proxy, 4, "127.0.1.8", other) as others:
            answers = Drips([*some.connections, *others.connections]).answers(2)
    assert all(answer.startswith(b"HTTP/1.1 503 ") for answer in answers)
