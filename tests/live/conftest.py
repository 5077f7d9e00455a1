"""One running service for all tests of a worker; each test makes its own companies."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.live import server
from tests.live.newcomers import newcomers
from tests.live.scripted import Pauses


@pytest.fixture(scope="session")
def service(tmp_path_factory: Any) -> Iterator[server.Server]:
    directory = tmp_path_factory.mktemp("service")
    with server.served(directory) as running:
        yield running


@pytest.fixture(scope="session")
def companies(service: server.Server) -> Iterator[dict[str, str]]:
    """`next(companies)`: the headers of a company that no other test knows."""
    return newcomers(service)


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()
