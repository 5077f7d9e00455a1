"""Base classes of the read-only admins: the service writes the rows; operators read them and use actions."""

from collections.abc import Collection, Mapping
from typing import Any, ClassVar, cast

from django.contrib.auth import get_permission_codename
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise, cached_property
from django.utils.translation import gettext_lazy as _

from base.admin.lists import StrictChangeList
from base.admin.scoped_admin import ReadOnly, ScopedAdmin

COUNTED = 10_000
"""The number of rows at which counting stops: counting a million rows is too slow for a page."""


class BoundedPaginator(Paginator):  # type: ignore[type-arg]  # generic only in the hints
    """Paginate a list of any length. `count` is exact up to `COUNTED`; for longer lists it is `COUNTED` + 1."""

    @cached_property
    def count(self) -> int:
        rows = cast("QuerySet[Any]", self.object_list)
        return rows.order_by()[: self.counted + 1].count()

    @property
    def counted(self) -> int:
        return COUNTED

    @property
    def is_cut(self) -> bool:
        return self.count > self.counted


class CountedChangeList(StrictChangeList):
    """A list with its length only below it. unfold would repeat it in the title without marking it as incomplete."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.full_result_count = self.result_count
        if not self.multi_page and self.result_count:
            # Django does not ask the paginator for a list of one page, but only it reads all that the columns show.
            self.result_list = self.paginator.page(1).object_list


class ReadOnlyAdmin(ReadOnly, ScopedAdmin):  # type: ignore[misc]  # unfold's hints disagree with Django's
    """A read-only admin: rows are written by the service and cannot be added, edited or deleted."""

    nothing_yet = _("Nothing has arrived yet")
    how_it_begins = _("What clients send appears here by itself.")
    first_steps: Collection[tuple[str | Promise, str, str]] = [
        (_("Upload a manifest"), "enter-manifest", "shipments.change_manifest")
    ]

    list_per_page = 50
    sortable_by: ClassVar[list[str] | tuple[str, ...] | None] = ()  # nothing but what an index has in order
    show_full_result_count = False
    paginator = BoundedPaginator
    change_list: type[StrictChangeList] = CountedChangeList

    def get_paginator(
        self,
        request: HttpRequest,
        queryset: QuerySet[Any],
        *args: Any,  # noqa: ANN401  # Django's signature
        **kwargs: Any,  # noqa: ANN401  # as above
    ) -> Paginator:  # type: ignore[type-arg]  # as above
        """The history of a row is paginated too. Its pages list entries of the admin log, not rows of this model."""
        if queryset.model is not self.model:
            return Paginator(queryset, *args, **kwargs)
        return super().get_paginator(request, queryset, *args, **kwargs)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> Any:  # noqa: ANN401, ARG002  # unfold's hint is wrong
        return self.change_list

    def search_rows(self, rows: QuerySet[Any], text: str) -> QuerySet[Any] | None:  # noqa: ARG002  # for others
        """Return those of `rows` that match `text`, which is not empty; None to search in `search_fields`.

        With an answer of its own an admin needs `search_fields` only to make Django show the search box.
        """
        return None

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        text = search_term.replace("\0", "").strip()
        found = self.search_rows(queryset, text) if text else queryset
        return super().get_search_results(request, queryset, search_term) if found is None else (found, False)

    def page_context(self, request: HttpRequest, row: Any) -> Mapping[str, Any]:  # noqa: ANN401, ARG002  # of the model
        """Return what the template of a row's page shows besides its fields."""
        return {}

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:  # noqa: ANN401  # Django's signature
        own = self.page_context(request, kwargs["obj"])
        return super().render_change_form(request, {**context, **own}, *args, **kwargs)

    def has_operate_permission(self, request: HttpRequest, obj: object = None) -> bool:  # noqa: ARG002  # as above
        """The change permission allows the actions. The rows themselves stay read-only for everyone."""
        return request.user.has_perm(f"{self.opts.app_label}.{get_permission_codename('change', self.opts)}")
