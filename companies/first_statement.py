"""The first statement of an API request: it also shows whether the connection is alive.

Django would ask `SELECT 1` on each connection that was open before (decision 0009), a fifth of the time of a read.
"""

from collections.abc import Sequence
from typing import Any

from django.db import DEFAULT_DB_ALIAS, InterfaceError, OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper


def first_row(query: str, parameters: Sequence[str]) -> tuple[Any, ...] | None:
    """Return the first row of a query that only reads, or None. Run it before a request writes anything.

    If the connection died since the last request, because the database was restarted, it is replaced and the query
    repeated, once. Raises Django's `OperationalError` if the database is unavailable, or if the query reached a limit.
    """
    connection = connections[DEFAULT_DB_ALIAS]  # `django.db.connection` would look it up for each attribute
    if connection.connection is None or connection.in_atomic_block:
        return _first_row(connection, query, parameters)
    connection.health_check_done = True  # type: ignore[attr-defined]  # the stubs lack it
    try:
        return _first_row(connection, query, parameters)
    except (OperationalError, InterfaceError):
        if connection.is_usable():
            raise  # a timeout, for example: repeating it would wait twice
        connection.close()
    return _first_row(connection, query, parameters)


def _first_row(connection: BaseDatabaseWrapper, query: str, parameters: Sequence[str]) -> tuple[Any, ...] | None:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        row: tuple[Any, ...] | None = cursor.fetchone()
    return row
