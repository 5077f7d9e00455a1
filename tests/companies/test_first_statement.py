"""A request's first statement shows whether its connection is alive: nothing is asked before it, and nothing fails."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError, connection

from tests.conftest import BASE, Caller

pytestmark = pytest.mark.django_db(transaction=True)
on_postgresql = pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has no server to lose")


def end_our_connection() -> None:
    """Let the server end the connection of this thread while nothing is asked of it, as a restart does."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (own,) = cursor.fetchone()
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [own])
    finally:
        other.close()


@on_postgresql
class TestAConnectionThatDied:
    def test_is_replaced_before_a_read(self, acme: Caller, rival: Caller) -> None:
        rival.upload()
        end_our_connection()
        answer = acme.get("/mawbs")
        assert (answer.status_code, answer.json()["mawbs"]) == (200, [])

    def test_is_replaced_before_anything_is_written(self, acme: Caller, rival: Caller) -> None:
        for caller in (acme, rival):
            end_our_connection()
            assert caller.upload().status_code == 201

    def test_is_replaced_for_a_poll(self, acme: Caller) -> None:
        path = f"{BASE}/guides/{acme.upload().json()['guides'][0]['tracking_code']}"
        tag = acme.client.get(path, headers=acme.headers)["ETag"]
        end_our_connection()
        assert acme.client.get(path, headers={**acme.headers, "If-None-Match": tag}).status_code == 304


@on_postgresql
def test_nothing_is_asked_to_find_out(acme: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def asked() -> bool:
        raise AssertionError("SELECT 1")

    acme.get("/mawbs")
    # As at the beginning of a request; the test client leaves this out.
    connection.health_check_done = False  # type: ignore[attr-defined]  # the stubs lack it
    monkeypatch.setattr(connection, "is_usable", asked)
    assert acme.get("/mawbs").status_code == 200


@pytest.mark.parametrize("condition", [{}, {"If-None-Match": '"any"'}])
def test_a_statement_that_reached_a_limit_is_not_repeated(acme: Caller, condition: dict[str, str]) -> None:
    acme.get("/mawbs")
    statements = []

    def too_slow(_execute: Callable[..., Any], sql: str, *_more: Any) -> Any:
        statements.append(sql)
        raise OperationalError("canceling statement due to statement timeout")

    with connection.execute_wrapper(too_slow):
        answer = acme.client.get(f"{BASE}/guides/ACM123", headers={**acme.headers, **condition})
    assert (answer.status_code, answer.json()["error"], len(statements)) == (503, "unavailable", 1)
