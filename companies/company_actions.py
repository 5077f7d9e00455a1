"""What operators do to companies: rotate the API password, deactivate and activate; and the page of a new password."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.timezone import localtime
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminSelectWidget

from base.admin.activity import Act, ActKind, act
from base.admin.confirmed_action import ConfirmedAction, Done, Question, Scene
from base.admin.secret_page import SecretPage
from companies.models import Company, EndingPassword
from companies.onboarding import activate, deactivate
from companies.welcome import welcome_texts

PASSWORD_ROTATED = act("password_rotated", ActKind.CONFIGURED, _("Rotated the API password."))
OLD_PASSWORD_ENDED = act("old_password_ended", ActKind.CONFIGURED, _("Ended the old API password."))
DEACTIVATED = act("company_deactivated", ActKind.CONFIGURED, _("Deactivated."))
ACTIVATED = act("company_activated", ActKind.CONFIGURED, _("Activated."))


PICTURES: list[Callable[[User, Company], dict[str, Any]]] = []
"""What draws a company for an operator on its page. The project adds it, for this application knows no manifests."""


def _shown(model_admin: Any, request: HttpRequest, company: Company) -> Mapping[str, Any]:  # noqa: ANN401  # a ModelAdmin
    pictures = (draw(cast("User", request.user), company) for draw in PICTURES)
    return {
        "company": company,
        "may_rotate": model_admin.has_change_permission(request, company),
        "may_view": model_admin.has_view_permission(request, company),
        "texts": welcome_texts(request, company),
        "picture": next(pictures, None),
    }


PASSWORD_PAGE = SecretPage("api-password", "api_password", _("API password"), "companies/api_password.html", _shown)


class RotationForm(forms.Form):
    old_works_for = forms.TypedChoiceField(
        label=_("The old password works"),
        choices=[("0", _("no more, from now on")), ("24", _("for 24 hours")), ("168", _("for 7 days"))],
        coerce=lambda hours: timedelta(hours=int(hours)),
        initial="24",
        help_text=_("If it has leaked, it must stop now."),
        widget=UnfoldAdminSelectWidget,
    )


def _rotation(scene: Scene[Company]) -> Question:
    """Return the question; it says which password ends at once if two work already."""
    said: list[str | Promise] = [
        _("Once the current password has ended, requests that still use it get a 401."),
        _("The next page shows the new one, once. Have a safe way ready to hand it over."),
    ]
    if old := EndingPassword.objects.working().filter(company=scene.one).first():
        text = gettext("%(old)s It stops now: only the current one goes on for a while.")
        if scene.one.has_unsent_password:
            text = gettext(
                "%(old)s The current one was made minutes ago and never used, so we take it that the client does not "
                "have it yet: it stops now, and this older one goes on for a while."
            )
        said.insert(0, text % {"old": old_in_words(old)})
    return Question(_("Rotate the API password"), said, _("Rotate"), is_dangerous=True)


def old_in_words(old: EndingPassword) -> str:
    """Return until when an old password works, and whether it is still used: then the client has not switched yet."""
    until, used = (
        date_format(localtime(at), "SHORT_DATETIME_FORMAT") if at else gettext("never")
        for at in (old.ends_at, old.last_used_at)
    )
    text = gettext("%(hint)s… works until %(until)s; last used: %(used)s.")
    return text % {"hint": old.hint, "until": until, "used": used}


def _rotate(scene: Scene[Company], form: Any) -> Done[Company]:  # noqa: ANN401  # a RotationForm
    works_for = form.cleaned_data["old_works_for"]
    password = scene.one.set_new_password(old_works_for=works_for)
    said = gettext("The old API password of %s no longer works.") % scene.one
    if works_for:
        until = date_format(localtime(EndingPassword.objects.get(company=scene.one).ends_at), "SHORT_DATETIME_FORMAT")
        text = gettext("The old API password of %(company)s works until %(until)s; then it stops by itself.")
        said = text % {"company": scene.one, "until": until}
    response = PASSWORD_PAGE.show(scene.admin, scene.request, scene.one, password)
    return Done([scene.one], [(messages.SUCCESS, said)], response=response)


def has_old_password(company: Company) -> bool:
    return EndingPassword.objects.working().filter(company=company).exists()


def _governed(scene: Scene[Company]) -> QuerySet[Company]:
    """Return the companies that the operator may change; a message names those that were left out."""
    mine = Company.objects.governed_by(scene.request.user).filter(pk__in=scene.rows.order_by().values("pk"))
    if others := scene.rows.exclude(pk__in=mine.order_by().values("pk")).values_list("client_code", flat=True):
        text = gettext("Not changed, because they also ship to countries outside yours: %(companies)s.")
        messages.warning(scene.request, text % {"companies": ", ".join(others)})
    return mine


def _switch(
    verb: Callable[[Company], bool], unchanged: str | Promise
) -> Callable[[Scene[Company], Any], Done[Company]]:
    def run(scene: Scene[Company], _form: object) -> Done[Company]:
        changed: list[Company] = []
        same: list[Company] = []
        for company in scene.rows:
            (changed if verb(company) else same).append(company)
        text = str(unchanged) % {"companies": ", ".join(map(str, same))}
        return Done(changed, [(messages.INFO, text)] if same else [])

    return run


def _switching(
    name: str, question: Question, run: Callable[[Scene[Company], Any], Done[Company]], *, icon: str, logged: Act,
    said: str | Promise, fits: Callable[[Company], bool],
) -> ConfirmedAction[Company]:  # fmt: skip
    return ConfirmedAction(
        name=name, list_name=f"{name}_selected", label=question.title, icon=icon, permission="change",
        question=question, among=_governed, run=run, logged=logged, said=said, fits=fits,
    )  # fmt: skip


COMPANY_ACTIONS = (
    ConfirmedAction[Company](
        name="rotate_api_password", label=_("Rotate API password"), icon="key", permission="change",
        question=_rotation, form=lambda _scene, data, _files: RotationForm(data), run=_rotate, logged=PASSWORD_ROTATED,
    ),
    ConfirmedAction[Company](
        name="end_old_password", label=_("End the old password"), icon="key_off", permission="change",
        question=Question(
            _("End the old API password"),
            [_("The password from before the last rotation stops working at once; the new one is not affected.")],
            _("End now"), is_dangerous=True,
        ),
        among=lambda scene: scene.rows.filter(ending_password__in=EndingPassword.objects.working()),
        nothing=_("The company has no old password that still works."),
        run=lambda scene, _form: Done([scene.one] if scene.one.end_old_password() else []),
        logged=OLD_PASSWORD_ENDED, said=_("The old API password of %(rows)s no longer works."),
        fits=has_old_password,
    ),
    _switching(
        "deactivate",
        Question(
            _("Deactivate"),
            [
                _("From now on the API rejects its password, and no courier can post on its behalf."),
                _("Manifests, guides and settings are kept. Activating the company restores the same password."),
            ],
            _("Deactivate"), is_dangerous=True,
        ),
        _switch(deactivate, _("Already inactive; nothing changed: %(companies)s.")),
        icon="block", logged=DEACTIVATED, said=_("Deactivated; the API now rejects the password of: %(rows)s."),
        fits=lambda company: company.is_active,
    ),
    _switching(
        "activate",
        Question(
            _("Activate"), [_("The API accepts the company's password again, the same one as before.")], _("Activate")
        ),
        _switch(activate, _("Already active; nothing changed: %(companies)s.")),
        icon="check_circle", logged=ACTIVATED, said=_("Activated; the API now accepts the password of: %(rows)s."),
        fits=lambda company: not company.is_active,
    ),
)  # fmt: skip
