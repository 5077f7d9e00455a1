"""Which companies an operator may change, and the actions that deactivate and activate them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _
from unfold.dataclasses import UnfoldAction
from unfold.decorators import action

from companies.admin_base.confirmation import Question, ask, company_or_404, is_confirmed
from companies.admin_base.scoped_admin import ScopedAdmin
from companies.models import Company
from companies.onboarding import activate, deactivate
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


@dataclass(frozen=True, slots=True)
class Switch:
    """One of the two directions: what it does, what it asks, and what it reports and logs."""

    verb: Callable[[Company], bool]
    question: Question
    done: str | Promise
    unchanged: str | Promise
    logged: str


DEACTIVATION = Switch(
    verb=deactivate,
    question=Question(
        title=_("Deactivate"),
        consequences=(
            _("From now on the API rejects its password, and no courier can post on its behalf."),
            _("Manifests, guides and settings are kept. Activating the company restores the same password."),
        ),
        button=_("Deactivate"),
        is_dangerous=True,
    ),
    done=_("Deactivated; the API now rejects the password of: %(companies)s."),
    unchanged=_("Already inactive; nothing changed: %(companies)s."),
    logged=gettext_noop("active (now: no)"),
)
ACTIVATION = Switch(
    verb=activate,
    question=Question(
        title=_("Activate"),
        consequences=(_("The API accepts the company's password again, the same one as before."),),
        button=_("Activate"),
    ),
    done=_("Activated; the API now accepts the password of: %(companies)s."),
    unchanged=_("Already active; nothing changed: %(companies)s."),
    logged=gettext_noop("active (now: yes)"),
)


class ActivationActions(GovernedCompanies):
    """A mixin that adds the actions to the admin of companies."""

    actions = ["deactivate_selected", "activate_selected"]
    actions_detail: Any = ["deactivate", "activate"]

    def get_actions_detail(self, request: HttpRequest, object_id: int) -> list[UnfoldAction]:
        """Leave out the action that would change nothing."""
        company = self.get_object(request, str(object_id))
        pointless = "activate" if company is None or company.is_active else "deactivate"
        actions: list[UnfoldAction] = super().get_actions_detail(request, object_id)
        return [one for one in actions if one.path != pointless]

    @action(  # type: ignore[untyped-decorator]  # unfold ships no types
        description=_("Deactivate"), url_path="deactivate", permissions=["change"], icon="block"
    )
    def deactivate(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._switch_one(request, object_id, DEACTIVATION)

    @action(  # type: ignore[untyped-decorator]  # unfold ships no types
        description=_("Activate"), url_path="activate", permissions=["change"], icon="check_circle"
    )
    def activate(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._switch_one(request, object_id, ACTIVATION)

    @admin.action(description=_("Deactivate"), permissions=["change"])
    def deactivate_selected(self, request: HttpRequest, queryset: QuerySet[Company]) -> HttpResponse | None:
        return self._switch_selected(request, queryset, DEACTIVATION)

    @admin.action(description=_("Activate"), permissions=["change"])
    def activate_selected(self, request: HttpRequest, queryset: QuerySet[Company]) -> HttpResponse | None:
        return self._switch_selected(request, queryset, ACTIVATION)

    def _switch_one(self, request: HttpRequest, object_id: str, switch: Switch) -> HttpResponse:
        company = company_or_404(self, request, object_id)
        page = reverse("admin:companies_company_change", args=[company.pk])
        if not is_confirmed(request):
            return ask(self, request, switch.question, subject=company, way_back=page)
        self._switch(request, [company], switch)
        return HttpResponseRedirect(page)

    def _switch_selected(
        self, request: HttpRequest, queryset: QuerySet[Company], switch: Switch
    ) -> HttpResponse | None:
        queryset = self.governed(request, queryset)
        if not queryset:
            return None
        if not is_confirmed(request):
            chosen = list(queryset)
            again: dict[str, Any] = {
                "action": [f"{switch.verb.__name__}_selected"],
                ACTION_CHECKBOX_NAME: [str(company.pk) for company in chosen],
            }
            return ask(self, request, switch.question, named=chosen, way_back=request.get_full_path(), fields=again)
        self._switch(request, queryset, switch)
        return None

    def _switch(self, request: HttpRequest, companies: QuerySet[Company] | list[Company], switch: Switch) -> None:
        changed, unchanged = [], []
        with transaction.atomic():
            for company in companies:
                if switch.verb(company):
                    self.log_change(request, company, [{"changed": {"fields": [switch.logged]}}])
                    changed.append(str(company))
                else:
                    unchanged.append(str(company))
        if changed:
            self.message_user(request, str(switch.done) % {"companies": ", ".join(changed)}, messages.SUCCESS)
        if unchanged:
            self.message_user(request, str(switch.unchanged) % {"companies": ", ".join(unchanged)}, messages.INFO)
