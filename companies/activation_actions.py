"""Deactivating and activating companies in the admin: one by one on their page, or several in the list."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop
from unfold.dataclasses import UnfoldAction
from unfold.decorators import action

from companies.activation import activate, deactivate
from companies.governed_admin import GovernedCompanies
from companies.models import Company
from companies.operators.confirmation import Question, ask, company_or_404, is_confirmed


@dataclass(frozen=True, slots=True)
class Switch:
    """One of the two directions, with what it says before, after, and in the log."""

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
            _("From this moment on the API password opens nothing, and no courier can post for the company."),
            _("Manifests, guides and settings stay. Activating again brings the same password back."),
        ),
        button=_("Deactivate"),
    ),
    done=_("Deactivated; the API password opens nothing: %(companies)s."),
    unchanged=_("Not active before; nothing changed: %(companies)s."),
    logged=gettext_noop("active (now: no)"),
)
ACTIVATION = Switch(
    verb=activate,
    question=Question(
        title=_("Activate"),
        consequences=(_("The API password opens the API again: the same one as before."),),
        button=_("Activate"),
        is_dangerous=False,
    ),
    done=_("Activated; the API password opens the API: %(companies)s."),
    unchanged=_("Active before; nothing changed: %(companies)s."),
    logged=gettext_noop("active (now: yes)"),
)


class ActivationActions(GovernedCompanies):
    """The actions, for the admin of companies."""

    actions = ["deactivate_selected", "activate_selected"]
    actions_detail: Any = ["deactivate", "activate"]

    def get_actions_detail(self, request: HttpRequest, object_id: int) -> list[UnfoldAction]:
        """Leave out the direction that would change nothing."""
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
            return ask(self, request, switch.question, [company], way_back=page)
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
                "action": f"{switch.verb.__name__}_selected",
                ACTION_CHECKBOX_NAME: [str(company.pk) for company in chosen],
            }
            return ask(self, request, switch.question, chosen, way_back=request.get_full_path(), fields=again)
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
