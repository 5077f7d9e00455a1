"""The page of the rules by which guides are judged."""

from datetime import date
from typing import Any, NamedTuple

from django.contrib import admin
from django.http import HttpResponseBase
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from base.admin.pages import AdminPage
from companies.countries import SERVED
from companies.country_names import country_choices
from companies.scope import scope_of
from shipments.manifests.countries import COUNTRIES
from shipments.manifests.countries.rules import Rule
from shipments.wording.rendering import amounts_on_page


class ShownRule(NamedTuple):
    """state: empty for a rule in force."""

    title: str
    rule: Rule
    state: str


def urls() -> list[URLPattern]:
    return [path("", admin.site.admin_view(RulesPage.as_view()), name="rules-in-force")]


class RulesPage(AdminPage):
    """Every rule of the operator's countries, with its days and its source."""

    permission_required = "shipments.view_manifest"
    template_name = "shipments/rules.html"
    title = _("Rules in force")
    http_method_names = ["get", "head"]

    def get(self, *_args: object, **_named: object) -> HttpResponseBase:
        scope, now = scope_of(self.request.user), timezone.now()
        countries: list[dict[str, Any]] = []
        for code, name in country_choices():
            if scope.covers([code]):
                today = now.astimezone(SERVED[code].clock).date()
                rules = [
                    ShownRule(amounts_on_page(gettext(rule.title)), rule, _state(rule, today))
                    for rule in COUNTRIES[code].rules
                ]
                rules.sort(key=lambda shown: bool(shown.state))
                countries.append({"name": name, "rules": rules})
        return self.render_to_response(self.get_context_data(countries=countries))


def _state(rule: Rule, today: date) -> str:
    if rule.is_in_force(today):
        return ""
    return gettext("ended") if rule.until and rule.until < today else gettext("not yet in force")
