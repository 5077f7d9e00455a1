"""Change lists that accept only the lookups of their own filters, and coloured badges for their columns."""

from typing import Any

from django.contrib.admin.exceptions import DisallowedModelAdminLookup
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ERROR_FLAG
from django.core.exceptions import BadRequest
from django.db import DataError
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.views import ChangeList

from companies.admin_base.chips import Chip, chips_of


class StrictChangeList(ChangeList):
    """Django's change list accepts any lookup on any column of its model: with `?api_password_digest__startswith=a`,
    the length of the list reveals whether a digest begins so, and `?id__range=1` is a server error.

    This one accepts the parameters of the list's filters, those that pages of the admin link to (`linked_lookups` of
    the model admin), and Django's own for search, pagination and the order of a column that can be sorted. Raises
    `DisallowedModelAdminLookup` for any other parameter, and `BadRequest` for an invalid value or page; both become a
    400.
    """

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # Django's signature
        self.asked = request
        if ERROR_FLAG in request.GET:
            raise DisallowedModelAdminLookup  # set by Django's own redirect, which this list never uses
        try:
            super().__init__(request, *args, **kwargs)
        except (IncorrectLookupParameters, DataError, OverflowError) as error:
            raise BadRequest from error

    def chips(self) -> list[Chip]:
        """Return the filters that are set."""
        return list(chips_of(self, self.asked))

    def get_filters(self, request: Any) -> Any:  # noqa: ANN401  # the stubs know no return type
        """Return the filters; each consumes its own parameters, and the remaining ones must be in `linked_lookups`."""
        found = super().get_filters(request)
        left_over = found[2]
        admin: Any = self.model_admin  # a `StrictAdmin`
        if left_over.keys() - set(admin.linked_lookups):
            raise DisallowedModelAdminLookup
        return found

    def get_ordering_field(self, field_name: Any) -> Any:  # noqa: ANN401  # the stubs know no type
        """Return nothing for a column that the list's head does not sort by, in an address either: Django would sort
        by it, without an index.
        """
        return super().get_ordering_field(field_name) if field_name in (self.sortable_by or ()) else None

    def get_results(self, request: HttpRequest) -> None:
        """Fetch the page's rows here, so that a value the database rejects fails here and not in the template."""
        super().get_results(request)
        len(self.result_list)


def badge(text: str | Promise, colour: str) -> SafeString:
    """Render a badge, on any page; unfold renders its own in lists only, each from a template.

    colour: info, success, warning, danger or muted, as defined in `companies/lists.css`.
    """
    return format_html('<span class="pa-badge pa-{}">{}</span>', colour, text)
