"""nginx before the service, both as they run in production, once for all tests of a worker."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.live import server
from tests.live.newcomers import newcomers
from tests.proxy import nginx


@pytest.fixture(scope="session")
def _nginx() -> None:
    """Skip without nginx; where REQUIRE_TOOLS is set, fail: a run that proves nothing must not look green."""
    if nginx.is_installed():
        return
    if os.environ.get("REQUIRE_TOOLS"):
        pytest.fail("REQUIRE_TOOLS is set and nginx is not installed (Debian: nginx-light).")
    pytest.skip("nginx is not installed (Debian: nginx-light)")


@pytest.fixture(scope="session")
def service(_nginx: None, tmp_path_factory: Any) -> Iterator[server.Server]:
    """gunicorn as it runs behind TLS."""
    directory = tmp_path_factory.mktemp("proxied")
    static = server.collected_static()
    with server.served(directory, BEHIND_HTTPS="on", STATIC_ROOT=static) as running:
        yield running


@pytest.fixture(scope="session")
def companies(service: server.Server) -> Iterator[dict[str, str]]:
    """`next(companies)`: the headers of a company that no other test knows."""
    return newcomers(service)


@pytest.fixture(scope="session")
def proxy(service: server.Server, tmp_path_factory: Any) -> Iterator[nginx.Proxy]:
    host, port = service.host_and_port
    with nginx.running(tmp_path_factory.mktemp("nginx"), [f"{host}:{port}"]) as running:
        yield running


@pytest.fixture
def proxy_before(_nginx: None, tmp_path: Path) -> Iterator[Callable[..., nginx.Proxy]]:
    """`proxy_before(address, ..., changes={...})`: an nginx of the test's own."""
    numbers = count()
    with ExitStack() as stack:

        def start(*upstreams: str, changes: dict[str, str] | None = None) -> nginx.Proxy:
            directory = tmp_path / f"nginx{next(numbers)}"
            directory.mkdir()
            return stack.enter_context(nginx.running(directory, upstreams, changes))

        yield start


@pytest.fixture
def client(companies: Iterator[dict[str, str]]) -> dict[str, str]:
    """The headers of a company that no other test knows."""
    return next(companies)


@pytest.fixture
def before_service(proxy_before: Callable[..., nginx.Proxy], service: server.Server) -> Callable[..., nginx.Proxy]:
    """`before_service({...})`: an nginx of the test's own in front of the service, with changes."""
    host, port = service.host_and_port
    return lambda changes=None: proxy_before(f"{host}:{port}", changes=changes)


@pytest.fixture(scope="session")
def secret(service: server.Server) -> str:
    """Of the carrier `through`."""
    options = ["--name", "T", "--adapter", "canonical", "--scheme", "hmac", "--source", "carrier", "--countries", "CL"]
    said = service.manage("create_carrier", "through", *options, *server.WITHOUT_CHECKS)
    return str(json.loads(said.strip().splitlines()[-1])["secret"])
