"""Guides in the order of their changes: the pages that clients and operators' programs read."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import BooleanField, DateTimeField, Func, Value
from django.db.models.lookups import GreaterThan

from base.encryption import open_cursor, seal_cursor
from base.http.paging import CURSOR_REFUSED
from shipments.errors import InvalidQuery
from shipments.manifests import waybills
from shipments.models import GuideQuerySet
from shipments.v1.queries import Asked

COLUMNS: Sequence[str] = (
    "id", "hawb", "tracking_code", "manifest__mawb", "status", "sequence", "updated_at", "needs_review",
    "review_reasons", "anonymised_at",
)  # fmt: skip
"""What a client's page shows of a guide."""


def page_of_changes(
    guides: GuideQuerySet, asked: Asked, columns: Sequence[str], **whose: object
) -> tuple[Sequence[Mapping[str, Any]], str | None]:
    """Return a page of the guides that a `GuideChangesQuery` asks for, and the cursor of the next; None after the last.

    guides: those that the caller may see. columns: of each row, with `id` and `updated_at`. whose: the caller, for whom
    alone the cursor counts. Raises `InvalidQuery` for a cursor that was made with other filters.
    """
    made_with = {**asked.filters, **whose, "list": "guides"}
    after = _position(asked.cursor, made_with) if asked.cursor is not None else None
    found = matching_changes(guides, asked.filters, after).order_by("updated_at", "id").values(*columns)
    rows = list(found[: asked.limit + 1])
    if len(rows) <= asked.limit:
        return rows, None
    page = rows[:-1]
    return page, seal_cursor([page[-1]["updated_at"].isoformat(), page[-1]["id"]], made_with)


def _position(cursor: str, made_with: Mapping[str, Any]) -> tuple[datetime, int]:
    try:
        moment, guide_id = open_cursor(cursor, made_with)
        return datetime.fromisoformat(moment), int(guide_id)
    except (TypeError, ValueError):
        raise InvalidQuery(details={"cursor": [CURSOR_REFUSED]}) from None


def matching_changes(
    guides: GuideQuerySet, filters: Mapping[str, Any], after: tuple[datetime, int] | None
) -> GuideQuerySet:
    """Return those of `guides` that match the filters. after: the place in the order where the last page ended."""
    compared = {f"{name}__in": filters[name] for name in ("hawb", "tracking_code", "status") if name in filters}
    if "mawb" in filters:
        compared["manifest__mawb"] = waybills.sought_mawb(filters["mawb"]) or ""
    if "country" in filters:
        compared["manifest__country"] = filters["country"]
    if "bag" in filters:
        compared["bag"] = filters["bag"]
    if after:  # which is no earlier than `updated_since`
        moment, guide_id = after
        last = _row(Value(moment, DateTimeField()), Value(guide_id))
        return guides.filter(GreaterThan(_row("updated_at", "id"), last), **compared)
    if "updated_since" in filters:
        compared["updated_at__gte"] = filters["updated_since"]
    return guides.filter(**compared)


def _row(*columns: str | Value) -> Func:
    """Return a row value, `(a, b)`. An index finds what is greater at once; with OR, the database reads all guides of
    the moment again for each page, and a manifest's guides have one.
    """
    return Func(*columns, function="", output_field=BooleanField())
