"""The columns of an exported guide list, for any selection of guides."""

from collections.abc import Iterator, Sequence

from django.db.models import QuerySet

from companies.admin_base.spreadsheets import Value
from shipments.manifests.guide_fields import EXPORTED_FIELDS
from shipments.models import Guide

_COLUMNS = {
    "client_code": "manifest__company__client_code",
    "mawb": "manifest__mawb",
    "eta": "manifest__eta",
    **{
        name: name
        for name in (
            "hawb",
            "tracking_code",
            "status",
            *(field for field in EXPORTED_FIELDS if field != "hawb"),
            "needs_review",
            "retention_required",
            "created_at",
        )
    },
}
"""Heading -> source. The headings are the contract's names and are not translated: programs read these files too."""

GUIDE_HEADINGS: Sequence[str] = tuple(_COLUMNS)

_FETCHED = 2_000


def guide_rows(guides: QuerySet[Guide]) -> Iterator[tuple[Value, ...]]:
    """Yield the rows for `GUIDE_HEADINGS`, read lazily from the database."""
    return guides.values_list(*_COLUMNS.values()).iterator(chunk_size=_FETCHED)
