"""The columns of an exported list of manifests."""

from collections.abc import Iterator, Sequence

from django.db.models import QuerySet

from companies.exports.spreadsheets import Value
from shipments.models import Manifest

_COLUMNS = {
    "mawb": "mawb",
    "client_code": "company__client_code",
    "posted_by": "posted_by__client_code",
    "entered_by": "entered_by__username",
    "channel": "channel",
    "country": "country",
    "status": "status",
    "eta": "eta",
    "flight_number": "flight__flight_number",
    "transport_mode": "transport_mode",
    "total_guides": "total_guides",
    "total_pieces": "total_pieces",
    "total_weight_kg": "total_weight_kg",
    "total_fob_usd": "total_fob_usd",
    "rut_invalid_count": "rut_invalid_count",
    "voided_at": "voided_at",
    "created_at": "created_at",
}
"""Heading -> source."""

MANIFEST_HEADINGS: Sequence[str] = tuple(_COLUMNS)

_FETCHED = 2_000


def manifest_rows(manifests: QuerySet[Manifest]) -> Iterator[Sequence[Value]]:
    """Yield the rows for `MANIFEST_HEADINGS`, read lazily from the database."""
    yield from manifests.values_list(*_COLUMNS.values()).iterator(chunk_size=_FETCHED)
