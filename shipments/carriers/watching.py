"""What the metrics say about carriers."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

from shipments.models import Carrier, CarrierEvent, CarrierReceipt

_LAST = (
    f"SELECT c.slug, (SELECT MAX(r.received_at) FROM {CarrierReceipt._meta.db_table} r WHERE r.carrier_id = c.id) "  # noqa: S608  # our own tables' names
    f"FROM {Carrier._meta.db_table} c WHERE c.is_active"
)
_UNMAPPED = f"SELECT MIN(recorded_at) FROM {CarrierEvent._meta.db_table} WHERE outcome = 'unmapped'"  # noqa: S608  # as above
_MOMENT = models.DateTimeField()


class CarriersState(NamedTuple):
    """last_receipts: slug of an active carrier -> its last receipt. oldest_unmapped_at: None if none waits."""

    last_receipts: Mapping[str, datetime]
    oldest_unmapped_at: datetime | None


def carriers_state(connection: BaseDatabaseWrapper) -> CarriersState:
    """Query how long carriers have been silent, and codes waiting for their meaning."""
    with connection.cursor() as cursor:
        cursor.execute(_LAST)
        last = {slug: _aware(moment) for slug, moment in cursor.fetchall() if moment}
        cursor.execute(_UNMAPPED)
        (oldest,) = cursor.fetchone()
    return CarriersState(last, _aware(oldest) if oldest else None)


def _aware(moment: datetime | str) -> datetime:
    """SQLite returns text, in UTC without an offset."""
    read = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return read.replace(tzinfo=read.tzinfo or UTC)
