"""Hand-written queries: model instances from their rows, and the first statement of an API request."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, InterfaceError, OperationalError, connections, models
from django.db.backends.base.base import BaseDatabaseWrapper

Row = TypeVar("Row", bound=models.Model)
_Converters = list[tuple[int, list[Callable[..., Any]], Any]]


class RowReader(Generic[Row]):
    """Like `QuerySet.raw`, but looks up columns and converters once instead of for every query.

    Creating one instance with `raw()` took four times as long as the query itself.
    """

    def __init__(self, model: type[Row], *names: str) -> None:
        """names: the fields to select, all by default; the others are deferred."""
        self._model = model
        self._fields = [field for field in model._meta.concrete_fields if not names or field.name in names]
        self._names = [field.attname for field in self._fields]
        self._converters: dict[str, _Converters] = {}
        self.columns = ", ".join(str(field.column) for field in self._fields)
        """The columns to select, in the order that `instance` expects."""
        self.width = len(self._fields)

    def columns_of(self, alias: str) -> str:
        return ", ".join(f"{alias}.{field.column}" for field in self._fields)

    def instance(self, row: Sequence[Any], connection: BaseDatabaseWrapper) -> Row:
        return self._model.from_db(connection.alias, self._names, self._convert(row, connection))

    def values(self, row: Sequence[Any], connection: BaseDatabaseWrapper) -> dict[str, Any]:
        """Return the values of `row` by their fields' names, as `QuerySet.values` does."""
        return dict(zip(self._names, self._convert(row, connection), strict=True))

    def _convert(self, row: Sequence[Any], connection: BaseDatabaseWrapper) -> list[Any]:
        values = list(row)
        for index, converters, expression in self._converters_of(connection):
            for convert in converters:
                values[index] = convert(values[index], expression, connection)
        return values

    def _converters_of(self, connection: BaseDatabaseWrapper) -> _Converters:
        vendor = connection.vendor
        if vendor not in self._converters:
            found = []
            for index, field in enumerate(self._fields):
                column = field.get_col(self._model._meta.db_table)
                converters = connection.ops.get_db_converters(column) + field.get_db_converters(connection)
                if converters:
                    found.append((index, converters, column))
            self._converters[vendor] = found
        return self._converters[vendor]


def first_row(query: str, parameters: Sequence[str | int]) -> tuple[Any, ...] | None:
    """Return the first row of a query that only reads, or None. Run it before a request writes anything.

    It also shows whether the connection is alive: Django would ask `SELECT 1` on each connection that was open before
    (decision 0009), a fifth of the time of a read.

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


def _first_row(connection: BaseDatabaseWrapper, query: str, parameters: Sequence[str | int]) -> tuple[Any, ...] | None:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        row: tuple[Any, ...] | None = cursor.fetchone()
    return row
