"""The columns of a guide list that leaves the house, for any selection of guides."""

from collections.abc import Iterator, Sequence

from django.db.models import QuerySet

from shipments.export import Value
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
"""Heading -> where it comes from. The contract's words in every language, for programs read such files too."""

GUIDE_HEADINGS: Sequence[str] = tuple(_COLUMNS)

_FETCHED = 2_000


def guide_rows(guides: QuerySet[Guide]) -> Iterator[tuple[Value, ...]]:
    """The rows under `GUIDE_HEADINGS`, read from the database as they are asked for."""
    return guides.values_list(*_COLUMNS.values()).iterator(chunk_size=_FETCHED)
