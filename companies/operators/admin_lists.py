"""A list of the admin answers the look-ups of its own filters, and refuses every other."""

from typing import Any

from django.contrib.admin.exceptions import DisallowedModelAdminLookup
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ERROR_FLAG
from django.core.exceptions import BadRequest
from django.db import DataError
from django.http import HttpRequest
from unfold.views import ChangeList


class DeskList(ChangeList):
    """Django's list takes any look-up of any column of its model: `?api_password_digest__startswith=a` tells by the
    length of the list whether a digest begins so, and `?id__range=1` is an error of the server.

    Here the parameters are those of the list's filters, those that pages of the admin link to (`linked_lookups` of the
    model's admin), and Django's own for searching, sorting and paging. Raises `DisallowedModelAdminLookup` for another
    parameter and `BadRequest` for a value or a page that the list does not have; both are answered 400.
    """

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # Django's signature
        if ERROR_FLAG in request.GET:
            raise DisallowedModelAdminLookup  # Django redirects to it and shows an error page; this list does neither
        try:
            super().__init__(request, *args, **kwargs)
        except (IncorrectLookupParameters, DataError, OverflowError) as error:
            raise BadRequest from error

    def get_filters(self, request: Any) -> Any:  # noqa: ANN401  # the stubs know no return type
        """The filters; each takes its own parameters, and what is left over has to be linked to."""
        found = super().get_filters(request)
        left_over = found[2]
        admin: Any = self.model_admin  # a `DeskAdmin`
        if left_over.keys() - set(admin.linked_lookups):
            raise DisallowedModelAdminLookup
        return found

    def get_results(self, request: HttpRequest) -> None:
        """Read the page's rows at once: a value that the database refuses is found here, not in the template."""
        super().get_results(request)
        len(self.result_list)
