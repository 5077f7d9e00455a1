"""What operators do to companies: rotate the API password, deactivate and activate; and the page of a new password."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _
from unfold.widgets import UnfoldAdminSelectWidget

from base.admin.activity import ActKind, act
from base.admin.confirmed_action import ConfirmedAction, Question
from base.admin.secret_page import SecretPage
from base.db.moments import in_list
from companies.models import Company, EndingPassword
from companies.onboarding import activate, deactivate
from companies.welcome import welcome_texts

PASSWORD_ROTATED = act("password_rotated", ActKind.CONFIGURED, _("Rotated the API password."))
OLD_PASSWORD_ENDED = act("old_password_ended", ActKind.CONFIGURED, _("Ended the old API password."))
DEACTIVATED = act("company_deactivated", ActKind.CONFIGURED, _("Deactivated."))
ACTIVATED = act("company_activated", ActKind.CONFIGURED, _("Activated."))


PICTURES: list[Callable[[User, Company], dict[str, Any]]] = []
"""What draws a company for an operator on its page. The project adds it, for this application knows no manifests."""


def _get_context_data(model_admin: Any, request: HttpRequest, company: Company) -> Mapping[str, Any]:  # noqa: ANN401  # a ModelAdmin
    pictures = (draw(cast("User", request.user), company) for draw in PICTURES)
    return {
        "company": company,
        "may_rotate": model_admin.has_change_permission(request, company),
        "may_view": model_admin.has_view_permission(request, company),
        "texts": welcome_texts(request, company),
        "picture": next(pictures, None),
    }


PASSWORD_PAGE = SecretPage(
    "api-password", "api_password", _("API password"), "companies/api_password.html", _get_context_data
)


class RotationForm(forms.Form):
    old_works_for = forms.TypedChoiceField(
        label=_("The old password works"),
        choices=[("0", _("no more, from now on")), ("24", _("for 24 hours")), ("168", _("for 7 days"))],
        coerce=lambda hours: timedelta(hours=int(hours)),
        initial="24",
        help_text=_("If it has leaked, it must stop now."),
        widget=UnfoldAdminSelectWidget,
    )


class RotatePassword(ConfirmedAction[Company]):
    name, permission = "rotate_api_password", "change"
    label, icon = _("Rotate API password"), "key"
    form_class = RotationForm
    logged = PASSWORD_ROTATED

    def get_question(self) -> Question:
        """Return the question; it says which password ends at once if two work already."""
        said: list[str | Promise] = [
            _("Once the current password has ended, requests that still use it get a 401."),
            _("The next page shows the new one, once. Have a safe way ready to hand it over."),
        ]
        if old := EndingPassword.objects.working().filter(company=self.row).first():
            text = gettext("%(old)s It stops working now: only the current one keeps working for a while.")
            if self.row.has_unsent_password:
                text = gettext(
                    "%(old)s The current one was created minutes ago and has never been used, so the client probably "
                    "does not have it yet: it stops working now, and this older one keeps working for a while."
                )
            said.insert(0, text % {"old": old_in_words(old)})
        return Question(_("Rotate the API password"), said, _("Rotate"), is_dangerous=True)

    def confirm(self, form: Any) -> Sequence[Company]:  # noqa: ANN401  # a RotationForm
        self.works_for = form.cleaned_data["old_works_for"]
        self.password = self.row.set_new_password(old_works_for=self.works_for)
        return [self.row]

    def respond(self, rows: Sequence[Company]) -> HttpResponseBase:  # noqa: ARG002  # the base's signature
        said = gettext("The old API password of %s no longer works.") % self.row
        if self.works_for:
            ends_at = EndingPassword.objects.get(company=self.row).ends_at
            until = in_list(ends_at)
            text = gettext("The old API password of %(company)s works until %(until)s; then it stops by itself.")
            said = text % {"company": self.row, "until": until}
        messages.success(self.request, said)
        return PASSWORD_PAGE.show(self.admin, self.request, self.row, self.password)


def old_in_words(old: EndingPassword) -> str:
    """Return until when an old password works, and whether it is still used: then the client has not switched yet."""
    until, used = (in_list(at) if at else gettext("never") for at in (old.ends_at, old.last_used_at))
    text = gettext("%(hint)s… works until %(until)s; last used: %(used)s.")
    return text % {"hint": old.hint, "until": until, "used": used}


def has_old_password(row: Company) -> bool:
    return EndingPassword.objects.working().filter(company=row).exists()


class EndOldPassword(ConfirmedAction[Company]):
    name, permission = "end_old_password", "change"
    label, icon = _("End the old password"), "key_off"
    question = Question(
        _("End the old API password"),
        [_("The password from before the last rotation stops working at once; the new one is not affected.")],
        _("End now"), is_dangerous=True,
    )  # fmt: skip
    nothing = _("The company has no old password that still works.")
    logged, said = OLD_PASSWORD_ENDED, _("The old API password of %(rows)s no longer works.")
    fits = staticmethod(has_old_password)

    def among(self) -> QuerySet[Company]:
        return self.rows.filter(ending_password__in=EndingPassword.objects.working())

    def confirm(self, form: object) -> Sequence[Company]:  # noqa: ARG002  # nothing is entered
        return [self.row] if self.row.end_old_password() else []


class _Switch(ConfirmedAction[Company]):
    """unchanged: said of the companies that were in that state before."""

    permission = "change"
    switch: Callable[[Company], bool]
    unchanged: str | Promise

    def among(self) -> QuerySet[Company]:
        """Return the companies that the operator may change; a message names those that were left out."""
        mine = Company.objects.managed_by(self.request.user).filter(pk__in=self.rows.order_by().values("pk"))
        if others := self.rows.exclude(pk__in=mine.order_by().values("pk")).values_list("client_code", flat=True):
            text = gettext("Not changed, because they also ship to countries outside yours: %(companies)s.")
            messages.warning(self.request, text % {"companies": ", ".join(others)})
        return mine

    def confirm(self, form: object) -> Sequence[Company]:  # noqa: ARG002  # nothing is entered
        self.same: list[Company] = []
        changed: list[Company] = []
        for company in self.rows:
            (changed if self.switch(company) else self.same).append(company)
        return changed

    def respond(self, rows: Sequence[Company]) -> HttpResponseBase:
        response = super().respond(rows)
        if self.same:
            messages.info(self.request, str(self.unchanged) % {"companies": ", ".join(map(str, self.same))})
        return response


class Deactivate(_Switch):
    name, list_name = "deactivate", "deactivate_selected"
    label, icon = _("Deactivate"), "block"
    question = Question(
        _("Deactivate"),
        [
            _("From now on the API rejects its password, and no courier can post on its behalf."),
            _("Manifests, guides and settings are kept. Activating the company restores the same password."),
        ],
        _("Deactivate"), is_dangerous=True,
    )  # fmt: skip
    switch = staticmethod(deactivate)
    unchanged = _("Already inactive; nothing changed: %(companies)s.")
    logged, said = DEACTIVATED, _("Deactivated; the API now rejects the password of: %(rows)s.")
    fits = staticmethod(lambda row: row.is_active)


class Activate(_Switch):
    name, list_name = "activate", "activate_selected"
    label, icon = _("Activate"), "check_circle"
    question = Question(
        _("Activate"), [_("The API accepts the company's password again, the same one as before.")], _("Activate")
    )
    switch = staticmethod(activate)
    unchanged = _("Already active; nothing changed: %(companies)s.")
    logged, said = ACTIVATED, _("Activated; the API now accepts the password of: %(rows)s.")
    fits = staticmethod(lambda row: not row.is_active)
