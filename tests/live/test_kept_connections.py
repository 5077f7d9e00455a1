"""Connections that clients keep: one thread serves a client that asks on and on, and never keeps others waiting."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier

import pytest
import requests

from tests.live.server import Server

CLIENTS = 40
"""More than the threads of the service: two workers with eight each."""
REQUESTS = 12


@pytest.fixture
def two_clients(companies: Iterator[dict[str, str]]) -> list[dict[str, str]]:
    """The headers of two companies."""
    return [next(companies), next(companies)]


def test_more_clients_than_threads_are_answered_on_connections_that_they_keep(
    service: Server, two_clients: list[dict[str, str]]
) -> None:
    together = Barrier(CLIENTS)

    def ask(number: int) -> list[int]:
        with requests.Session() as session:
            together.wait(60)
            answers = [
                session.get(f"{service.api}/mawbs", headers=two_clients[number % 2], timeout=60)
                for _ in range(REQUESTS)
            ]
        return [answer.status_code for answer in answers]

    with ThreadPoolExecutor(CLIENTS) as pool:
        assert list(pool.map(ask, range(CLIENTS))) == [[200] * REQUESTS] * CLIENTS


def test_connections_that_are_kept_without_a_request_hold_no_thread(
    service: Server, two_clients: list[dict[str, str]]
) -> None:
    with ExitStack() as stack:
        sessions = [stack.enter_context(requests.Session()) for _ in range(CLIENTS)]
        first = [each.get(f"{service.api}/mawbs", headers=two_clients[0], timeout=60) for each in sessions]
        late = requests.get(f"{service.api}/mawbs", headers=two_clients[1], timeout=60)
        again = [each.get(f"{service.api}/mawbs", headers=two_clients[0], timeout=60) for each in sessions]
    assert {answer.status_code for answer in (*first, late, *again)} == {200}


def test_each_of_several_requests_on_one_connection_is_answered_for_its_own_company(
    service: Server, two_clients: list[dict[str, str]]
) -> None:
    refused = {"Authorization": "Bearer nonsense"}
    with requests.Session() as session:
        answers = [
            session.get(f"{service.api}/mawbs", headers={**headers, "X-Request-Id": str(number)}, timeout=60)
            for number, headers in enumerate((two_clients[0], refused, two_clients[1], refused, two_clients[0]))
        ]
    assert [answer.status_code for answer in answers] == [200, 401, 200, 401, 200]
    assert [answer.headers["X-Request-Id"] for answer in answers] == ["0", "1", "2", "3", "4"]
