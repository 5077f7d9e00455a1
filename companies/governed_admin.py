"""Which companies an operator may change: those with every country within the operator's scope."""

from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.utils.translation import gettext

from companies.admin_base.scoped_admin import ScopedAdmin
from companies.models import Company
from companies.scope import scope_of


class GovernedCompanies(ScopedAdmin):
    """The base of the admin of companies. A company that also ships elsewhere is read-only."""

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401  # unfold passes a key where Django passes a row
        if not super().has_change_permission(request, obj):
            return False
        if obj is None or scope_of(request.user).is_everywhere:
            return True
        company = obj if isinstance(obj, Company) else self.get_object(request, str(obj))
        if company is None:
            raise Http404  # before the page reveals which actions it has
        return Company.objects.governed_by(request.user).filter(pk=company.pk).exists()

    def governed(self, request: HttpRequest, companies: QuerySet[Company]) -> QuerySet[Company]:
        """Return the selected companies that the operator may change; a message names those that were left out."""
        mine = Company.objects.governed_by(request.user).filter(pk__in=companies.order_by().values("pk"))
        if others := companies.exclude(pk__in=mine.order_by().values("pk")).values_list("client_code", flat=True):
            text = gettext("Not changed, because they also ship to countries outside yours: %(companies)s.")
            self.message_user(request, text % {"companies": ", ".join(others)}, messages.WARNING)
        return mine
