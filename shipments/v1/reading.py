"""The most frequent reads of the API, in hand-written SQL: a guide and its timeline, a manifest's state, the list.

The ORM took longer to compose these statements than the database to answer them (decision 0007). The results are rows
and not models, so they cannot be saved.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import cache, partial
from typing import Any, NamedTuple, Self

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import QuerySet

from base.db.moments import aware
from base.db.rows import RowReader
from companies.models import Company, ExtraSelect
from shipments.manifests.guide_fields import ANSWERED_FIELDS
from shipments.models import Guide, GuideEvent, Manifest
from shipments.v1.queries import ListRequest, filter_manifests


class GuideRecord(NamedTuple):
    """The columns of a guide that the API returns.

    updated_at: when any of them, or the timeline, last changed.
    fields: the values of `ANSWERED_FIELDS`. Amounts are decimals (floats on SQLite), or None if unknown.
    Times are as the database returns them; see `aware`. review_reasons: JSON.
    """

    id: int
    hawb: str
    tracking_code: str
    mawb: str
    status: str
    updated_at: datetime
    retention_required: bool
    retention_reason: str
    retention_lifted_at: datetime | None
    needs_review: bool
    review_reasons: str
    is_anonymised: bool
    fields: tuple[Any, ...]


class EventRecord(NamedTuple):
    """The columns of an event that the API returns. `occurred_at` is aware, in UTC.

    sequence: 0 if it did not change the status. client_note: may be empty.
    """

    status: str
    occurred_at: datetime
    source: str
    sequence: int
    client_note: str


_CODES = len(GuideRecord._fields) - 1
_GUIDE = f"""
    SELECT guide.id, guide.hawb, guide.tracking_code, manifest.mawb, guide.status, guide.updated_at,
           guide.retention_required, guide.retention_reason, guide.retention_lifted_at,
           guide.needs_review, guide.review_reasons, guide.anonymised_at IS NOT NULL,
           {", ".join(f"guide.{field.name}" for field in ANSWERED_FIELDS)}
    FROM {Guide._meta.db_table} guide JOIN {Manifest._meta.db_table} manifest ON manifest.id = guide.manifest_id
    WHERE guide.tracking_code = %s AND manifest.company_id = %s AND manifest.voided_at IS NULL
"""  # noqa: S608  # our own tables' and columns' names
# The manifest is a subquery: a second outer join takes PostgreSQL a third longer to plan.
_STATE_OF_GUIDE = f"""
    , guide.id, guide.updated_at,
    (SELECT manifest.id FROM {Manifest._meta.db_table} manifest
     WHERE manifest.id = guide.manifest_id AND manifest.company_id = company.id AND manifest.voided_at IS NULL)
"""  # noqa: S608  # our own tables' names
_GUIDE_BY_CODE = f"LEFT JOIN {Guide._meta.db_table} guide ON guide.tracking_code = %s"
_MANIFEST_BY_MAWB = f"""
    LEFT JOIN {Manifest._meta.db_table} manifest
    ON manifest.company_id = company.id AND manifest.mawb = %s AND manifest.voided_at IS NULL
"""
_TIMELINE = f"""
    SELECT status, occurred_at, source, sequence, client_note
    FROM {GuideEvent._meta.db_table} WHERE guide_id = %s AND withdrawn_at IS NULL ORDER BY occurred_at, id
"""  # noqa: S608  # our own table's name


def guide(company: Company, tracking_code: str) -> GuideRecord | None:
    """Return the guide with `tracking_code`, in capitals, if `company` owns it and may see it, else None."""
    rows = _rows(_GUIDE, [tracking_code, company.pk])
    return GuideRecord._make((*rows[0][:_CODES], rows[0][_CODES:])) if rows else None


def guide_state(tracking_code: str) -> ExtraSelect:
    """Return what reads the id and `updated_at` of the guide that `guide` would return, beside its company.

    The third value is None if the company has no such guide.
    """
    return ExtraSelect(_STATE_OF_GUIDE, _GUIDE_BY_CODE, [tracking_code])


def manifest_state(mawb: str) -> ExtraSelect:
    """Return what reads the id and version of the manifest with `mawb`, in its normal form, beside its company.

    Both are None if the company has no such manifest.
    """
    return ExtraSelect(", manifest.id, manifest.version", _MANIFEST_BY_MAWB, [mawb])


def timeline(guide_id: int) -> list[EventRecord]:
    """Return the events of a guide, oldest first, without those that were taken back."""
    return [
        EventRecord(status, aware(occurred_at), source, sequence, client_note)
        for status, occurred_at, source, sequence, client_note in _rows(_TIMELINE, [guide_id])
    ]


def _rows(query: str, parameters: list[int | str]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


_reader = cache(partial(RowReader, Manifest))


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
        reader = _reader(*self._names)
        connection = connections[DEFAULT_DB_ALIAS]  # `django.db.connection` would look it up for each attribute
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT {reader.columns} FROM {Manifest._meta.db_table} "  # noqa: S608  # our own table's and columns' names
                "WHERE company_id = %s AND voided_at IS NULL ORDER BY created_at DESC, id DESC LIMIT %s",
                [self._company.pk, window.stop],
            )
            rows = cursor.fetchall()
        return [reader.values(row, connection) for row in rows]


def list_manifests(
    company: Company, asked: ListRequest, names: Sequence[str]
) -> QuerySet[Manifest, dict[str, Any]] | Newest:
    """Return the rows of the company that a request asks for, newest first, to be paginated. names: of fields."""
    if not asked.filters and asked.cursor is None:
        return Newest(company, names)
    found: QuerySet[Manifest, dict[str, Any]] = filter_manifests(Manifest.objects.of(company), asked.filters).values(
        *names
    )
    return found
