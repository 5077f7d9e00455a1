"""The hot read of the API: one guide and its timeline, by statements written by hand.

The ORM took longer to compose these than the database to answer them (decision 0007). What comes back are rows, not
models: nothing that could be saved.
"""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, NamedTuple

from django.db import connection

from companies.models import Company
from shipments.models import Guide, GuideEvent, Manifest


class GuideRow(NamedTuple):
    """What the API says of a guide. Weight in kg, value in USD, None where unknown; floats on SQLite."""

    id: int
    hawb: str
    tracking_code: str
    mawb: str
    status: str
    consignee_name: str
    weight_kg: Decimal | float | None
    packages_count: int
    description_original: str
    fob_usd: Decimal | float | None


class EventRow(NamedTuple):
    """What the API says of an event; `occurred_at` is aware, in UTC."""

    status: str
    occurred_at: datetime
    source: str


_GUIDE = f"""
    SELECT guide.id, guide.hawb, guide.tracking_code, manifest.mawb, guide.status, guide.consignee_name,
           guide.weight_kg, guide.packages_count, guide.description_original, guide.fob_usd
    FROM {Guide._meta.db_table} guide JOIN {Manifest._meta.db_table} manifest ON manifest.id = guide.manifest_id
    WHERE guide.tracking_code = %s AND manifest.company_id = %s AND manifest.voided_at IS NULL
"""  # noqa: S608  # our own tables' names
_TIMELINE = f"""
    SELECT status, occurred_at, source FROM {GuideEvent._meta.db_table} WHERE guide_id = %s ORDER BY occurred_at, id
"""  # noqa: S608  # our own table's name


def guide(company: Company, tracking_code: str) -> GuideRow | None:
    """The guide behind `tracking_code`, in capitals, if `company` owns it and sees it."""
    rows = _rows(_GUIDE, [tracking_code, company.pk])
    return GuideRow(*rows[0]) if rows else None


def timeline(guide_id: int) -> list[EventRow]:
    """The events of a guide, oldest first."""
    return [
        EventRow(status, _aware(occurred_at), source) for status, occurred_at, source in _rows(_TIMELINE, [guide_id])
    ]


def _rows(query: str, parameters: list[int | str]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _aware(moment: datetime) -> datetime:
    """SQLite keeps moments in UTC and gives them back without saying so."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
