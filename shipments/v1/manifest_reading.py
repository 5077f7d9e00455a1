"""The list of a company's manifests. Its beginning, which most requests ask for, is read in hand-written SQL.

The ORM took longer to compose that statement than everything else of a short list (decision 0007). Filters and further
pages are the ORM's.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, Self

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import QuerySet

from companies.models import Company
from companies.rows import RowReader
from shipments.models import Manifest
from shipments.v1.queries import Asked, matching


class Newest:
    """The newest manifests of a company, as far as DRF's pagination uses a QuerySet for a first page.

    Rows are dicts of the fields `names`, as from `QuerySet.values`, in the order of `Manifest.objects`.
    """

    def __init__(self, company: Company, names: Sequence[str]) -> None:
        self._company, self._names = company, tuple(names)

    def order_by(self, *_order: str) -> Self:
        """Return the same: it has one order."""
        return self

    def __getitem__(self, window: slice) -> list[dict[str, Any]]:
        reader = _reader(self._names)
        connection = connections[DEFAULT_DB_ALIAS]  # `django.db.connection` would look it up for each attribute
        with connection.cursor() as cursor:
            cursor.execute(_newest(reader.columns), [self._company.pk, window.stop])
            rows = cursor.fetchall()
        return [reader.values(row, connection) for row in rows]


def listed(company: Company, asked: Asked, names: Sequence[str]) -> QuerySet[Manifest, dict[str, Any]] | Newest:
    """Return the rows of the company that a request asks for, newest first, to be paginated. names: of fields."""
    if not asked.filters and asked.cursor is None:
        return Newest(company, names)
    found: QuerySet[Manifest, dict[str, Any]] = matching(Manifest.objects.of(company), asked.filters).values(*names)
    return found


@cache
def _reader(names: tuple[str, ...]) -> RowReader[Manifest]:
    return RowReader(Manifest, *names)


@cache
def _newest(columns: str) -> str:
    return (
        f"SELECT {columns} FROM {Manifest._meta.db_table} "  # noqa: S608  # our own table's and columns' names
        "WHERE company_id = %s AND voided_at IS NULL ORDER BY created_at DESC, id DESC LIMIT %s"
    )
