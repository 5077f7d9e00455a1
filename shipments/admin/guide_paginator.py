"""Pagination of guide lists of any length and filter: first the keys, then the fifty rows of the page.

For the newest fifty guides that match a condition, a database may read the guides backwards until it has found fifty.
That is quick when matches are spread evenly. When they are all old, as the guides of an old manifest are, it reads a
million rows.
"""

from collections.abc import Iterable
from typing import Any, cast

from django.core.paginator import Page
from django.db import connection
from django.db.models import Max, QuerySet
from django.utils.functional import cached_property

from shipments.admin import journals
from shipments.admin.journals import BoundedPaginator
from shipments.models import Guide

_NEWEST = 50_000
"""The number of newest guides in which the page of a long list is looked for first."""

_SORTED = 100_000
"""The most guides that can be sorted within the time budget of a page."""

_SHOWN = (
    "hawb", "tracking_code", "status", "consignee_name", "needs_review", "retention_required", "created_at",
    "manifest__mawb", "manifest__company__name", "manifest__company__client_code",
)  # fmt: skip


class GuidePaginator(BoundedPaginator):
    """Paginate guides, newest first."""

    @cached_property
    def count(self) -> int:
        return len(self._found)

    @cached_property
    def _guides(self) -> QuerySet[Guide]:
        return cast("QuerySet[Guide]", self.object_list).order_by()

    @cached_property
    def _found(self) -> list[int]:
        """Return the listed keys: all, or one more than is counted. Unordered, so that any index can be used."""
        return list(self._guides.values_list("pk", flat=True)[: journals.COUNTED + 1])

    def page(self, number: Any) -> Page[Guide]:  # noqa: ANN401  # the signature is Django's
        number = self.validate_number(number)
        first = (number - 1) * self.per_page
        keys = self._keys(first, min(first + self.per_page, self.count))
        shown = self._guides.model.objects.filter(pk__in=keys).select_related("manifest__company").only(*_SHOWN)
        return Page(shown.order_by("-pk"), number, self)

    def _keys(self, first: int, end: int) -> Iterable[int]:
        """Return the keys of the guides from position `first` up to but excluding `end`; the newest is at 0."""
        if not self.is_cut:
            return sorted(self._found, reverse=True)[first:end]
        keys = self._guides.values_list("pk", flat=True)
        newest = Guide.objects.aggregate(newest=Max("pk"))["newest"]
        found = list(keys.filter(pk__gt=newest - _NEWEST).order_by("-pk")[first:end])
        if len(found) == end - first:
            return found
        # The matches are old. Sort all of them, whichever index finds them, unless there are so many that reading
        # backwards soon finds the newest.
        found, total = self._sorted(first, end)
        return found if total <= _SORTED else list(keys.order_by("-pk")[first:end])

    def _sorted(self, first: int, end: int) -> tuple[list[int], int]:
        """Return the keys at these positions and the number of keys, counting at most `_SORTED` + 1, in one query.

        The ORM cannot select from a limited subquery without reading the table a second time.
        """
        inner, parameters = self._guides.values_list("id", flat=True)[: _SORTED + 1].query.sql_with_params()
        query = f"SELECT id, COUNT(*) OVER () FROM ({inner}) AS found ORDER BY id DESC LIMIT %s OFFSET %s"  # noqa: S608  # the ORM's own statement
        with connection.cursor() as cursor:
            cursor.execute(query, [*parameters, end - first, first])
            rows = cursor.fetchall()
        return [key for key, _total in rows], rows[0][1] if rows else 0
