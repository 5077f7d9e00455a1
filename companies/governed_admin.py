"""Which companies an operator may change: those whose every country is the operator's own."""

from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.utils.translation import gettext

from companies.models import Company
from companies.operators.scope import scope_of
from companies.operators.scoped_admin import ScopedAdmin


class GovernedCompanies(ScopedAdmin):
    """The base of the admin of companies. A company that ships elsewhere too is read, and left alone."""

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401  # unfold passes a key where Django passes a row
        if not super().has_change_permission(request, obj):
            return False
        if obj is None or scope_of(request.user).is_everywhere:
            return True
        company = obj if isinstance(obj, Company) else self.get_object(request, str(obj))
        if company is None:
            raise Http404  # before anything is said of what may be done to it
        return Company.objects.governed_by(request.user).filter(pk=company.pk).exists()

    def governed(self, request: HttpRequest, companies: QuerySet[Company]) -> QuerySet[Company]:
        """Those of `companies`, ticked in the list, that the operator may change; the others are named and left out."""
        mine = Company.objects.governed_by(request.user).filter(pk__in=companies.order_by().values("pk"))
        if others := companies.exclude(pk__in=mine.order_by().values("pk")).values_list("client_code", flat=True):
            text = gettext("These ship to other countries than yours too, and are left as they are: %(companies)s.")
            self.message_user(request, text % {"companies": ", ".join(others)}, messages.WARNING)
        return mine
