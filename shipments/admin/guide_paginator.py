"""The pages of a guide list, however long it is and whatever it is narrowed by: first the keys, then fifty rows.

Asked for the newest fifty of a condition, a database gambles: it reads the guides backwards until it has fifty. That is
quick where they lie everywhere, and reads a million rows where they all lie together in the past, as the guides of an
old manifest do.
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
"""Guides among which the page of a long list is looked for first."""

_SORTED = 100_000
"""Guides that are sorted within a page's time."""

_SHOWN = (
    "hawb", "tracking_code", "status", "consignee_name", "needs_review", "retention_required", "created_at",
    "manifest__mawb", "manifest__company__name", "manifest__company__client_code",
)  # fmt: skip


class GuidePaginator(BoundedPaginator):
    """Pages of guides, newest first."""

    @cached_property
    def count(self) -> int:
        return len(self._found)

    @cached_property
    def _guides(self) -> QuerySet[Guide]:
        return cast("QuerySet[Guide]", self.object_list).order_by()

    @cached_property
    def _found(self) -> list[int]:
        """Keys of what is listed: all, or one more than is counted. In no order, so that any index may find them."""
        return list(self._guides.values_list("pk", flat=True)[: journals.COUNTED + 1])

    def page(self, number: Any) -> Page[Guide]:  # noqa: ANN401  # the signature is Django's
        number = self.validate_number(number)
        first = (number - 1) * self.per_page
        keys = self._keys(first, min(first + self.per_page, self.count))
        shown = self._guides.model.objects.filter(pk__in=keys).select_related("manifest__company").only(*_SHOWN)
        return Page(shown.order_by("-pk"), number, self)

    def _keys(self, first: int, end: int) -> Iterable[int]:
        """Those of the guides from place `first` to before `end`, the newest being 0."""
        if not self.is_cut:
            return sorted(self._found, reverse=True)[first:end]
        keys = self._guides.values_list("pk", flat=True)
        newest = Guide.objects.aggregate(newest=Max("pk"))["newest"]
        found = list(keys.filter(pk__gt=newest - _NEWEST).order_by("-pk")[first:end])
        if len(found) == end - first:
            return found
        # They lie in the past: whatever index finds them, all of them are sorted, unless there are so many that the
        # newest are soon met by reading backwards.
        found, total = self._sorted(first, end)
        return found if total <= _SORTED else list(keys.order_by("-pk")[first:end])

    def _sorted(self, first: int, end: int) -> tuple[list[int], int]:
        """The keys of these places among up to `_SORTED` and one, and how many there are: found, counted and sorted at
        once. The ORM has no query of a query that keeps the inner one's limit without a second look at the table.
        """
        inner, parameters = self._guides.values_list("id", flat=True)[: _SORTED + 1].query.sql_with_params()
        query = f"SELECT id, COUNT(*) OVER () FROM ({inner}) AS found ORDER BY id DESC LIMIT %s OFFSET %s"  # noqa: S608  # the ORM's own statement
        with connection.cursor() as cursor:
            cursor.execute(query, [*parameters, end - first, first])
            rows = cursor.fetchall()
        return [key for key, _total in rows], rows[0][1] if rows else 0
