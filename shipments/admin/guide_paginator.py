"""Pagination of guide lists of any length and filter: first the keys, then the fifty rows of the page.

For the newest fifty guides that match a condition, a database may read the guides backwards until it has found fifty.
That is quick when matches are spread evenly. When they are all old, as the guides of an old manifest are, it reads a
million rows.
"""

from collections.abc import Iterable, Sequence
from typing import Any, cast

from django.core.paginator import Page
from django.db import connection
from django.db.models import F, Max, OuterRef, QuerySet, Subquery
from django.utils.functional import cached_property

from shipments.admin.read_only_admin import BoundedPaginator
from shipments.models import Guide, GuideEvent

_MATCHES = 1_000
"""The number of guides at which counting stops in a broad search. An operator of one country has a tenth of the guides
with a common surname, and ten thousand of his are found among a hundred thousand rows in no order.
"""

_NEWEST = 50_000
"""The number of newest guides in which the page of a long list is looked for first; twice as many for guides of one
status, since the newest of all may not have reached it yet.
"""

_NEWEST_OF_A_CODE = 5_000
"""The same for codes that begin alike. Guides of the same days have them: the newest of all, or far older ones."""

_SORTED = 100_000
"""The most guides that can be sorted within the time budget of a page."""

_SHOWN = (
    "hawb", "tracking_code", "status", "consignee_name", "needs_review", "review_reasons", "retention_required",
    "anonymised_at", "created_at", "manifest__mawb", "manifest__country", "manifest__company__name",
    "manifest__company__client_code",
)  # fmt: skip


class GuidePaginator(BoundedPaginator):
    """Paginate guides, newest first, or in an order that the operator chose.

    is_broad: the guides are those of a search that may match a large part of all guides.
    is_of_a_code: the search is for a code or the beginning of codes, not for words of a name.
    has_one_status: the guides are filtered by status, so that an index has them in the usual order.
    """

    def __init__(
        self,
        *args: Any,  # noqa: ANN401  # Django's signature
        is_broad: bool = False,
        is_of_a_code: bool = False,
        has_one_status: bool = False,
        **kwargs: Any,  # noqa: ANN401  # as above
    ) -> None:
        super().__init__(*args, **kwargs)
        self._is_broad = is_broad
        self._is_of_a_code = is_of_a_code
        self._has_one_status = has_one_status

    @property
    def counted(self) -> int:
        return min(_MATCHES, super().counted) if self._is_broad else super().counted

    @cached_property
    def count(self) -> int:
        return len(self._found)

    @cached_property
    def _guides(self) -> QuerySet[Guide]:
        return cast("QuerySet[Guide]", self.object_list).order_by()

    @cached_property
    def _found(self) -> list[int]:
        """Return the listed keys: all, or one more than is counted. Unordered, so that any index can be used."""
        return list(self._guides.values_list("pk", flat=True)[: self.counted + 1])

    def page(self, number: Any) -> Page[Guide]:  # noqa: ANN401  # the signature is Django's
        number = self.validate_number(number)
        first = (number - 1) * self.per_page
        keys = list(self._keys(first, min(first + self.per_page, self.count)))
        events = GuideEvent.objects.valid().filter(guide=OuterRef("pk")).order_by("-occurred_at", "-id")
        shown = self._guides.model.objects.filter(pk__in=keys).select_related("manifest__company").only(*_SHOWN)
        shown = shown.annotate(
            last_event_at=Subquery(events.values("occurred_at")[:1]), taken_by=F("taking__operator__username")
        )
        return Page(sorted(shown, key=lambda guide: keys.index(guide.pk)), number, self)

    def _keys(self, first: int, end: int) -> Iterable[int]:
        """Return the keys of the guides from position `first` up to but excluding `end`; the newest is at 0."""
        if self._chosen_order:
            return self._in_chosen_order(first, end)
        if not self.is_cut:
            return sorted(self._found, reverse=True)[first:end]
        keys = self._guides.values_list("pk", flat=True)
        if self._has_one_status and not self._is_broad:
            return list(keys.order_by("-pk")[first:end])
        newest = Guide.objects.aggregate(newest=Max("pk"))["newest"]
        found = list(keys.filter(pk__gt=newest - self._looked_at_first).order_by("-pk")[first:end])
        if len(found) == end - first:
            return found
        # The matches are old. Sort all of them, whichever index finds them, unless there are so many that reading
        # backwards soon finds the newest.
        found, total = self._fetch_sorted(first, end)
        return found if total <= _SORTED else list(keys.order_by("-pk")[first:end])

    @property
    def _looked_at_first(self) -> int:
        if self._is_of_a_code:
            return _NEWEST_OF_A_CODE
        return _NEWEST * 2 if self._has_one_status else _NEWEST

    @property
    def _chosen_order(self) -> Sequence[str]:
        """Return the columns by which the operator sorts; empty for the usual order."""
        columns = [str(each) for each in cast("QuerySet[Guide]", self.object_list).query.order_by]
        if self._has_one_status:
            columns = [each for each in columns if each.removeprefix("-") != "status"]
        return () if columns[:1] in ([], ["-pk"], ["-id"]) else columns

    def _in_chosen_order(self, first: int, end: int) -> list[int]:
        keys = self._guides.order_by(*self._chosen_order).values_list("pk", flat=True)
        if not self.is_cut:
            keys = Guide.objects.filter(pk__in=self._found).order_by(*self._chosen_order).values_list("pk", flat=True)
        return list(keys[first:end])

    def _fetch_sorted(self, first: int, end: int) -> tuple[list[int], int]:
        """Return the keys at these positions and the number of keys, counting at most `_SORTED` + 1, in one query.

        The ORM cannot select from a limited subquery without reading the table a second time.
        """
        inner, parameters = self._guides.values_list("id", flat=True)[: _SORTED + 1].query.sql_with_params()
        query = f"SELECT id, COUNT(*) OVER () FROM ({inner}) AS found ORDER BY id DESC LIMIT %s OFFSET %s"  # noqa: S608  # the ORM's own statement
        with connection.cursor() as cursor:
            cursor.execute(query, [*parameters, end - first, first])
            rows = cursor.fetchall()
        return [key for key, _total in rows], rows[0][1] if rows else 0
