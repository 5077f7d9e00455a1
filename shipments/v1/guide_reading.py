"""The most frequent read of the API: one guide and its timeline, in hand-written SQL.

The ORM took longer to compose these statements than the database to answer them (decision 0007). The results are rows
and not models, so they cannot be saved.
"""

from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.db import connection

from companies.models import Company
from shipments.manifests.guide_fields import ANSWERED_FIELDS
from shipments.models import Guide, GuideEvent, Manifest


class GuideRow(NamedTuple):
    """The columns of a guide that the API returns.

    fields: the values of `ANSWERED_FIELDS`. Amounts are decimals (floats on SQLite), or None if unknown.
    """

    id: int
    hawb: str
    tracking_code: str
    mawb: str
    status: str
    fields: tuple[Any, ...]


class EventRow(NamedTuple):
    """The columns of an event that the API returns. `occurred_at` is aware, in UTC."""

    status: str
    occurred_at: datetime
    source: str


_CODES = len(GuideRow._fields) - 1
_GUIDE = f"""
    SELECT guide.id, guide.hawb, guide.tracking_code, manifest.mawb, guide.status,
           {", ".join(f"guide.{field.name}" for field in ANSWERED_FIELDS)}
    FROM {Guide._meta.db_table} guide JOIN {Manifest._meta.db_table} manifest ON manifest.id = guide.manifest_id
    WHERE guide.tracking_code = %s AND manifest.company_id = %s AND manifest.voided_at IS NULL
"""  # noqa: S608  # our own tables' and columns' names
_TIMELINE = f"""
    SELECT status, occurred_at, source FROM {GuideEvent._meta.db_table} WHERE guide_id = %s ORDER BY occurred_at, id
"""  # noqa: S608  # our own table's name


def guide(company: Company, tracking_code: str) -> GuideRow | None:
    """Return the guide with `tracking_code`, in capitals, if `company` owns it and may see it, else None."""
    rows = _rows(_GUIDE, [tracking_code, company.pk])
    return GuideRow._make((*rows[0][:_CODES], rows[0][_CODES:])) if rows else None


def timeline(guide_id: int) -> list[EventRow]:
    """Return the events of a guide, oldest first."""
    return [
        EventRow(status, _aware(occurred_at), source) for status, occurred_at, source in _rows(_TIMELINE, [guide_id])
    ]


def _rows(query: str, parameters: list[int | str]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _aware(moment: datetime) -> datetime:
    """Make a datetime aware. SQLite returns datetimes in UTC without an offset."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
