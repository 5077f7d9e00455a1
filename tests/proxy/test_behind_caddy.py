"""With compose.tls.yaml Caddy stands before nginx: each client keeps its address, whatever its headers claim."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import requests
from requests.adapters import HTTPAdapter

from tests.live.server import ROOT, Server, free_port
from tests.proxy.nginx import Proxy
from tests.proxy.upstreams import upstream

DOCKER = ROOT / "docker"
TOKENS = "/api/operators/v1/tokens"
FORGED = {"X-Real-IP": "10.9.8.7", "X-Forwarded-For": "10.9.8.7", "Forwarded": "for=10.9.8.7"}
START_SECONDS = 30


class Source(HTTPAdapter):
    """Connects from an address of this machine."""

    def __init__(self, address: str) -> None:
        self._address = address
        super().__init__()

    def init_poolmanager(self, *args: Any, **options: Any) -> Any:
        return super().init_poolmanager(*args, **options, source_address=(self._address, 0))


class Caddy:
    def __init__(self, directory: Path, proxy: Proxy) -> None:
        self.directory, self.http_port, self.https_port = directory, free_port(), free_port()
        text = (DOCKER / "caddy" / "Caddyfile").read_text(encoding="utf-8")
        for old, new in {
            "email {$ACME_EMAIL}": "email {$ACME_EMAIL}\n"
            f"\thttp_port {self.http_port}\n\thttps_port {self.https_port}",
            "https://proxy:8443": f"https://127.0.0.1:{proxy.https_port}",
            "http://proxy:8080": f"http://127.0.0.1:{proxy.http_port}",
            "tls_server_name proxy": "tls_server_name localhost",
            "/etc/caddy/proxy.pem": str(proxy.directory / "ca.pem"),
        }.items():
            assert old in text
            text = text.replace(old, new)
        (directory / "Caddyfile").write_text(text, encoding="utf-8")

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {
            "PREALERTS_HOST": "localhost",
            "SANDBOX_HOST": "sandbox.localhost",
            "ACME_EMAIL": "someone@example.com",
            "XDG_DATA_HOME": str(self.directory),
            "XDG_CONFIG_HOME": str(self.directory),
            "CADDY_ADMIN": f"127.0.0.1:{free_port()}",
        }

    def request(self, method: str, path: str, *, source: str, scheme: str = "https", **options: Any) -> Any:
        """Ask from the address `source`, as a client that follows nothing."""
        session = requests.Session()
        session.mount("https://", Source(source))
        session.mount("http://", Source(source))
        port = self.https_port if scheme == "https" else self.http_port
        authority = self.directory / "caddy" / "pki" / "authorities" / "local" / "root.crt"
        return session.request(
            method,
            f"{scheme}://localhost:{port}{path}",
            verify=str(authority),
            allow_redirects=False,
            timeout=60,
            **options,
        )


@contextmanager
def running(directory: Path, proxy: Proxy) -> Iterator[Caddy]:
    caddy = Caddy(directory, proxy)
    command = ["caddy", "run", "--config", str(directory / "Caddyfile")]
    with (directory / "log").open("w") as log:
        process = subprocess.Popen(command, env=caddy.environment, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                caddy.request("GET", "/health", source="127.0.0.1")
                break
            except (requests.ConnectionError, OSError):
                assert process.poll() is None, (directory / "log").read_text()
                assert time.monotonic() < deadline, (directory / "log").read_text()
                time.sleep(0.1)
        yield caddy
    finally:
        process.terminate()
        process.wait(timeout=60)


@pytest.fixture
def before(tmp_path: Path, proxy_before: Callable[..., Proxy]) -> Callable[..., Any]:
    """`before(address)`: Caddy before nginx before an application. nginx believes Caddy's address, ours here."""
    if not shutil.which("caddy"):
        if os.environ.get("REQUIRE_TOOLS"):
            pytest.fail("REQUIRE_TOOLS is set and caddy is not installed (Debian: caddy).")
        pytest.skip("caddy is not installed (Debian: caddy)")

    def start(address: str) -> Any:
        believed = (DOCKER / "caddy" / "real_ip.conf").read_text(encoding="utf-8").replace("172.31.254.2", "127.0.0.1")
        (tmp_path / "real_ip.conf").write_text(believed, encoding="utf-8")
        return running(tmp_path, proxy_before(address, changes={"/in_front/*.conf;": "/../real_ip.conf;"}))

    return start


def test_two_clients_are_two_addresses_and_a_forged_header_is_none(before: Callable[..., Any]) -> None:
    with upstream() as behind, before(behind.address) as caddy:
        for source, headers in (("127.0.0.2", {}), ("127.0.0.3", FORGED)):
            assert caddy.request("GET", "/api/public/pre-alerts/v1/mawbs", source=source, headers=headers).ok
            assert behind.header("X-Forwarded-For") == [source]
            assert behind.header("X-Forwarded-Proto") == ["https"]
            assert behind.header("X-Real-IP") == behind.header("Forwarded") == []
            sandbox = {"Host": f"sandbox.localhost:{caddy.https_port}"}
            assert caddy.request("GET", "/api/public/pre-alerts/v1/mawbs", source=source, headers=sandbox).ok
            assert behind.header("Host") == [sandbox["Host"]]


def test_guesses_of_one_lock_nobody_else_out_and_are_logged_under_its_address(
    before: Callable[..., Any], service: Server
) -> None:
    host, port = service.host_and_port
    body = {"grant_type": "password", "username": "nobody", "password": "wrong"}
    with before(f"{host}:{port}") as caddy:

        def guess(source: str, **headers: str) -> int:
            return caddy.request("POST", TOKENS, source=source, json=body, headers=headers).status_code  # type: ignore[no-any-return]

        assert [guess("127.0.0.2") for _ in range(11)] == [*[401] * 10, 429]
        assert guess("127.0.0.2", **FORGED) == 429
        assert guess("127.0.0.3") == 401
    assert '"address": "127.0.0.2"' in service.log()
    assert "10.9.8.7" not in service.log()


def test_plain_http_is_answered_as_by_nginx_alone(before: Callable[..., Any], service: Server) -> None:
    host, port = service.host_and_port
    with before(f"{host}:{port}") as caddy:
        refused = caddy.request("GET", TOKENS, source="127.0.0.2", scheme="http")
        assert (refused.status_code, refused.json()["error"]) == (400, "validation_failed")
        assert "over https only" in refused.json()["message"]
        led = caddy.request("GET", "/admin/", source="127.0.0.2", scheme="http")
        assert (led.status_code, led.headers["Location"].split(":")[0]) == (301, "https")
