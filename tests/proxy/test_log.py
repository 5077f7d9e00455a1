"""nginx's log names no address that was asked for, whatever goes wrong: it may hold somebody's document number."""

import shutil
from collections.abc import Callable

from tests.live.server import free_port
from tests.proxy.dripping import connected, dripping
from tests.proxy.nginx import Proxy
from tests.proxy.upstreams import hang_up, upstream

MARK = "12345678-5"
MIB = 1024 * 1024
UPLOAD = "/api/public/pre-alerts/v1/upload"
GUIDE = f"/api/public/pre-alerts/v1/guides/{MARK}?q={MARK}"


def spoken(proxy: Proxy, request: str) -> bytes:
    """Send a request as it is; the answer."""
    with connected(proxy) as connection:
        connection.sendall(request.encode())
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_refusals_and_outages(proxy_before: Callable[..., Proxy]) -> None:
    proxy = proxy_before(f"127.0.0.1:{free_port()}")
    assert proxy.get(GUIDE).status_code == 503
    assert proxy.post(f"{UPLOAD}?q={MARK}", data=b"x").status_code == 503
    assert proxy.post(GUIDE, data=bytes(MIB)).status_code == 400
    assert proxy.get(f"/health/ready?q={MARK}").status_code == 404
    for head in (
        f"GET /{MARK} HTTP/1.1\r\nHost: a b\r\n\r\n",
        f"GET /{MARK}%zz HTTP/1.1\r\nHost: localhost\r\n\r\n",
        f"GET /{MARK}{'x' * 5000} HTTP/1.1\r\nHost: localhost\r\n\r\n",
        f"POST /{MARK} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        f"TRACE /{MARK} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    ):
        assert spoken(proxy, head).startswith(b"HTTP/1.1 4"), head
    shutil.rmtree(proxy.directory / "answers")
    assert proxy.get(GUIDE).status_code // 100 in {4, 5}
    assert MARK not in proxy.log()


def test_a_worker_that_dies(proxy_before: Callable[..., Proxy]) -> None:
    with upstream(hang_up) as dying:
        proxy = proxy_before(dying.address)
        assert proxy.get(GUIDE).status_code == 503
        assert proxy.post(f"{UPLOAD}?q={MARK}", data=b"x").status_code == 503
    assert MARK not in proxy.log()


def test_a_disk_that_takes_no_body(proxy_before: Callable[..., Proxy]) -> None:
    with upstream() as behind:
        proxy = proxy_before(behind.address)
        shutil.rmtree(proxy.directory / "bodies")
        refused = proxy.post(f"{UPLOAD}?q={MARK}", data=bytes(MIB))
    assert (refused.status_code, refused.json()["error"]) == (503, "unavailable")
    assert MARK not in proxy.log()


def test_caps_and_connections_that_run_short(proxy_before: Callable[..., Proxy]) -> None:
    changes = {"worker_connections 4096;": "worker_connections 16;", "worker_processes auto;": "worker_processes 1;"}
    with upstream() as behind:
        proxy = proxy_before(behind.address, changes=changes | {"an_address 10;": "an_address 1;"})
        with dripping(proxy, 3, "127.0.0.1", {"X-Number": MARK}, path=f"{UPLOAD}?q={MARK}") as greedy:
            assert all(answer.startswith(b"HTTP/1.1 503 ") for answer in greedy.answers(2))
            assert proxy.get(GUIDE).status_code == 200
        with dripping(proxy, 5, "127.0.0.1", {}, path=f"/{MARK}") as many:
            many.drip()
    assert MARK not in proxy.log()
