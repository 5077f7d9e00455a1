"""The list of guides over all MAWBs of a company, the oldest change first.

Pages are told apart by `updated_at` and id: all guides of an ingest have one time, more of them than DRF's cursors can
count from.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Q

from companies.models import Company
from shipments.errors import InvalidQuery
from shipments.manifests import waybills
from shipments.models import Guide, GuideQuerySet, Manifest
from shipments.v1.paging import CURSOR_REFUSED
from shipments.v1.queries import Asked
from webhooks.encryption import open_cursor, seal_cursor

_COLUMNS = (
    "id", "hawb", "tracking_code", "manifest__mawb", "status", "sequence", "updated_at", "needs_review",
    "review_reasons", "anonymised_at",
)  # fmt: skip


def page_of_changes(company: Company, asked: Asked) -> tuple[Sequence[Mapping[str, Any]], str | None]:
    """Return a page of the guides that a `GuideChangesQuery` asks for, and the cursor of the next; None after the last.

    Raises `InvalidQuery` for a cursor that was made with other filters.
    """
    made_with = {**asked.filters, "company": company.pk, "list": "guides"}
    after = _position(asked.cursor, made_with) if asked.cursor is not None else None
    found = _matching(company, asked.filters, after).order_by("updated_at", "id").values(*_COLUMNS)
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


def _matching(company: Company, filters: Mapping[str, Any], after: tuple[datetime, int] | None) -> GuideQuerySet:
    guides = Guide.objects.of(company)
    compared = {f"{name}__in": filters[name] for name in ("hawb", "tracking_code", "status") if name in filters}
    if "mawb" in filters:
        compared["manifest__mawb"] = waybills.sought_mawb(filters["mawb"]) or ""
    if "country" in filters:
        compared["manifest__country"] = filters["country"]
    guides = guides.filter(**compared)
    since = filters.get("updated_since")
    if after:
        moment, guide_id = after
        guides = guides.filter(Q(updated_at__gt=moment) | Q(id__gt=guide_id))
        since = max(since or moment, moment)
    if since:
        # A manifest is never older than a change of its guides, and an index finds those that changed.
        changed = Manifest.objects.of(company).updated_since(since).order_by().values("pk")
        guides = guides.filter(updated_at__gte=since, manifest__in=changed)
    return guides
