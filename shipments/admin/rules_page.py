"""The page of the rules by which guides are judged."""

from typing import Any, NamedTuple

from django.contrib import admin
from django.http import HttpResponseBase
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy as _

from base.admin.pages import AdminPage
from companies.countries import SERVED
from companies.country_names import choices_within
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
        countries: list[dict[str, Any]] = []
        for code, name in choices_within(scope_of(self.request.user)):
            today = timezone.localdate(timezone=SERVED[code].clock)
            rules = []
            for rule in COUNTRIES[code].rules:
                state = gettext("ended") if rule.until and rule.until < today else gettext("not yet in force")
                state = "" if rule.is_in_force(today) else state
                rules.append(ShownRule(amounts_on_page(gettext(rule.title)), rule, state))
            rules.sort(key=lambda shown: bool(shown.state))
            countries.append({"name": name, "rules": rules})
        return self.render_to_response(self.get_context_data(countries=countries))
