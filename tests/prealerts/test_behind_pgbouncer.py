"""BEHIND_PGBOUNCER: nothing of a session is counted on. Row 37 of the fault matrix runs it with the real one."""

import re
from typing import Any

import pytest
from django.core.checks import run_checks
from django.db import connection

from prealerts import connections
from tests.operations_page import BLOCKS
from webhooks import outbox
from webhooks.dispatcher import loop

POSTGRESQL = {"ENGINE": "django.db.backends.postgresql", "HOST": "db.example", "PORT": ""}
SQLITE = {"ENGINE": "django.db.backends.sqlite3", "NAME": "one.sqlite3"}


def test_limits_travel_with_each_connection_and_not_behind_it() -> None:
    assert "statement_timeout" in connections.derive_settings(POSTGRESQL)["OPTIONS"]["options"]
    pooled = connections.derive_settings(POSTGRESQL, is_pooled=True)
    assert "options" not in pooled["OPTIONS"]
    assert pooled["OPTIONS"]["prepare_threshold"] is None
    assert pooled["DISABLE_SERVER_SIDE_CURSORS"] is True
    assert pooled["CONN_HEALTH_CHECKS"] is True


def test_statements_are_prepared_only_where_it_is_set_and_never_behind_it() -> None:
    assert "prepare_threshold" not in connections.derive_settings(POSTGRESQL)["OPTIONS"]
    prepared = connections.derive_settings(POSTGRESQL, is_prepared=True)["OPTIONS"]
    assert (prepared["server_side_binding"], prepared["prepare_threshold"]) == (True, connections.PREPARED_AFTER)
    pooled = connections.derive_settings(POSTGRESQL, is_pooled=True, is_prepared=True)["OPTIONS"]
    assert pooled["prepare_threshold"] is None


def test_options_of_the_url_are_kept() -> None:
    database = {**POSTGRESQL, "OPTIONS": {"options": "-c statement_timeout=5s", "sslmode": "require"}}
    for is_pooled in (False, True):
        options = connections.derive_settings(database, is_pooled=is_pooled)["OPTIONS"]
        assert (options["options"], options["sslmode"]) == ("-c statement_timeout=5s", "require")


@pytest.mark.parametrize("is_pooled", [False, True])
def test_of_several_hosts_the_one_that_accepts_writes_is_used(is_pooled: bool) -> None:  # noqa: FBT001  # a table
    two = {**POSTGRESQL, "HOST": "db1.example,db2.example"}
    assert connections.derive_settings(two, is_pooled=is_pooled)["OPTIONS"]["target_session_attrs"] == "read-write"
    assert "target_session_attrs" not in connections.derive_settings(POSTGRESQL, is_pooled=is_pooled)["OPTIONS"]
    chosen = connections.derive_settings({**two, "OPTIONS": {"target_session_attrs": "primary"}}, is_pooled=is_pooled)
    assert chosen["OPTIONS"]["target_session_attrs"] == "primary"


def test_sqlite_is_left_alone() -> None:
    assert connections.derive_settings(SQLITE, is_pooled=True) == connections.derive_settings(SQLITE)


def test_the_page_gives_the_role_the_limits_that_connections_bring_otherwise() -> None:
    given = re.findall(r"^ALTER ROLE CURRENT_USER SET (\w+) = '(\w+)';$", BLOCKS["limits of the role"], re.MULTILINE)
    assert tuple(f"{name}={value}" for name, value in given) == connections.SERVER_LIMITS


def test_the_dispatcher_looks_for_work_more_often_where_nothing_wakes_it(settings: Any) -> None:
    usual = loop.poll_seconds()
    settings.BEHIND_PGBOUNCER = True
    assert not outbox.is_notified()
    assert loop.poll_seconds() <= min(usual, 0.2)


@pytest.mark.django_db
def test_it_is_an_error_without_postgresql(settings: Any) -> None:
    settings.BEHIND_PGBOUNCER = True
    found = {message.id for message in run_checks(databases=["default"])}
    assert ("prealerts.E010" in found) is (connection.vendor == "sqlite")
    assert "prealerts.W005" not in found  # the tests' connections bring their limits
