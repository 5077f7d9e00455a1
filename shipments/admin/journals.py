"""What all of the desk's models have in common: the service writes them, people read them and act by verbs."""

from typing import Any, cast

from django.contrib.admin import ShowFacets
from django.contrib.auth import get_permission_codename
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property

from companies.operators.admin_lists import DeskList
from companies.operators.scoped_admin import ScopedAdmin

COUNTED = 10_000
"""A list is counted up to here: counting a million rows takes longer than any page may."""


class BoundedPaginator(Paginator):  # type: ignore[type-arg]  # generic only in the hints
    """Pages of a list of any length. `count` is exact up to `COUNTED`, and one more where there is more."""

    template_name = "admin/shipments/pagination.html"

    @cached_property
    def count(self) -> int:
        rows = cast("QuerySet[Any]", self.object_list)
        return rows.order_by()[: COUNTED + 1].count()

    @property
    def counted(self) -> int:
        """How far was counted."""
        return COUNTED

    @property
    def is_cut(self) -> bool:
        """There are more rows than were counted."""
        return self.count > COUNTED


class JournalList(DeskList):
    """A list whose length is told once, below it: unfold's title would tell it again, without saying that it is cut."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.full_result_count = self.result_count


class JournalAdmin(ScopedAdmin):
    """Rows that the service writes and people read: nothing is typed in, nothing is deleted."""

    list_per_page = 50
    show_full_result_count = False
    show_facets = ShowFacets.NEVER  # they count the whole table once for each choice of each filter
    paginator = BoundedPaginator

    class Media:
        css = {"all": ["shipments/admin.css"]}

    def get_paginator(
        self,
        request: HttpRequest,
        queryset: QuerySet[Any],
        *args: Any,  # noqa: ANN401  # Django's signature
        **kwargs: Any,  # noqa: ANN401  # as above
    ) -> Paginator:  # type: ignore[type-arg]  # as above
        """The history of one row is paged too, and its pages hold the admin's log, not rows of ours."""
        if queryset.model is not self.model:
            return Paginator(queryset, *args, **kwargs)
        return super().get_paginator(request, queryset, *args, **kwargs)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> Any:  # noqa: ANN401, ARG002  # unfold's hint is wrong
        return JournalList

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002  # the signature is Django's
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:  # noqa: ARG002  # as above
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:  # noqa: ARG002  # as above
        return False

    def has_operate_permission(self, request: HttpRequest, obj: object = None) -> bool:  # noqa: ARG002  # as above
        """Whoever holds the right to change may use the verbs; the rows themselves stay closed to everybody's hands."""
        return request.user.has_perm(f"{self.opts.app_label}.{get_permission_codename('change', self.opts)}")
