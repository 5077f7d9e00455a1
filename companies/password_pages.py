"""Admin pages for a company's API password: the page that shows a new one once, and the rotation."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action

from companies.activation_actions import GovernedCompanies
from companies.admin_base import shown_once
from companies.admin_base.confirmation import Question, ask, company_or_404, is_confirmed
from companies.models import Company

ROTATION = Question(
    title=_("Rotate the API password"),
    consequences=(
        _("The current password stops working at once: requests that still use it get a 401."),
        _("The next page shows the new one, once. Have a safe way ready to hand it over."),
    ),
    button=_("Rotate"),
    is_dangerous=True,
)


class PasswordPages(GovernedCompanies):
    """A mixin that adds the pages to the admin of companies."""

    actions_detail: Any = ["rotate_api_password"]

    def get_urls(self) -> list[URLPattern]:
        shown = path(
            "<path:object_id>/api-password/",
            self.admin_site.admin_view(self.api_password_page),
            name="companies_company_api_password",
        )
        return [shown, *super().get_urls()]

    @action(  # type: ignore[untyped-decorator]  # unfold ships no types
        description=_("Rotate API password"), url_path="rotate-api-password", permissions=["change"], icon="key"
    )
    def rotate_api_password(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask for confirmation, then replace the password and redirect to the page that shows the new one."""
        company = company_or_404(self, request, object_id)
        if not is_confirmed(request):
            page = reverse("admin:companies_company_change", args=[company.pk])
            return ask(self, request, ROTATION, subject=company, way_back=page)
        with transaction.atomic():
            password = company.set_new_password()
            self.log_change(request, company, [{"changed": {"fields": [gettext_noop("API password")]}}])
        messages.success(
            request, gettext("The old API password of %(company)s no longer works.") % {"company": company}
        )
        return self.redirect_to_password(request, company, password)

    @staticmethod
    def redirect_to_password(request: HttpRequest, company: Company, password: str) -> HttpResponse:
        """Redirect to the page that shows `password` once."""
        page = reverse("admin:companies_company_api_password", args=[company.pk])
        response = HttpResponseRedirect(page)
        shown_once.hand_over(request, response, password, page=page)
        return response

    def api_password_page(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Show the new password if it has not been shown yet; otherwise explain how to get another one.

        Open to operators who may add or change companies; only the session that generated the password holds its key.
        """
        if not (self.has_change_permission(request) or self.has_add_permission(request)):
            raise PermissionDenied
        if request.method != "GET":
            return HttpResponseNotAllowed(["GET"])
        company = company_or_404(self, request, object_id)
        may_rotate = self.has_change_permission(request, company)
        if not (may_rotate or self.has_add_permission(request)):
            raise PermissionDenied
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "original": company,
            "title": gettext("API password"),
            "company": company,
            "secret": shown_once.take(request),
            "may_rotate": may_rotate,
            "may_view": self.has_view_permission(request, company),
        }
        response = TemplateResponse(request, "companies/api_password.html", context)
        shown_once.forget(request, response)
        return response
