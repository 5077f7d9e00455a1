"""The pages of the second factor: enrolling an app, entering a code, the recovery codes."""

import io
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import segno
from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext, gettext_lazy as _, ngettext
from django.views.decorators.http import require_http_methods, require_safe
from django_otp import login as remember_device
from django_otp.models import Device
from unfold.widgets import UnfoldAdminTextInputWidget

from base.admin import secret_page
from base.admin.activity import ActKind, act, log_act
from companies.models.operators import Authenticator
from companies.operators import second_factor
from companies.operators.second_factor import Verdict

ENROLLED = act("second_factor_enrolled", ActKind.CONFIGURED, _("Enrolled a second factor."))
CODES_RENEWED = act("recovery_codes_renewed", ActKind.CONFIGURED, _("Created new recovery codes."))
CODE_USED = act("recovery_code_used", ActKind.CONFIGURED, _("Used a recovery code."))

_PENDING = "second_factor_pending"
_FEW = 3


class CodeForm(forms.Form):
    code = forms.CharField(
        label=_("Code"),
        max_length=40,
        widget=UnfoldAdminTextInputWidget(
            attrs={"autocomplete": "one-time-code", "autofocus": True, "spellcheck": "false", "autocapitalize": "none"}
        ),
    )

    def blame(self, verdict: Verdict) -> None:
        """Add the error that explains why the code was rejected; the same one for wrong and used codes."""
        if verdict.waits:
            text = ngettext(
                "Too many wrong codes. Try again in %d second.",
                "Too many wrong codes. Try again in %d seconds.",
                verdict.waits,
            )
            self.add_error("code", text % verdict.waits)
        else:
            self.add_error("code", gettext("The code is wrong or was already used. Wait for the next one in the app."))


def urls() -> list[URLPattern]:
    """Return the pages, which require the first factor and stay out of caches, as all of the admin."""
    pages = (
        ("", status_page, "second-factor"),
        ("verify/", verify_page, "second-factor-verify"),
        ("enrol/", enrol_page, "second-factor-enrol"),
        ("enrol/qr.svg", qr, "second-factor-qr"),
        ("recovery-codes/", recovery_codes_page, "second-factor-recovery-codes"),
    )
    return [path(address, admin.site.admin_view(page), name=name) for address, page, name in pages]


def _operator(request: HttpRequest) -> User:
    return cast("User", request.user)  # the admin is for those who are logged in


@require_http_methods(["GET", "HEAD", "POST"])
def verify_page(request: HttpRequest) -> HttpResponse:
    user = _operator(request)
    if second_factor.authenticator_of(user) is None:
        return HttpResponseRedirect(reverse("second-factor-enrol"))
    form = CodeForm(request.POST or None)
    if form.is_valid():
        verdict = _verify(request, form, partial(second_factor.verify, user))
        if verdict.device is not None:
            _let_in(request, verdict.device)
            if not isinstance(verdict.device, Authenticator):
                _warn_of_few(request, user)
            return HttpResponseRedirect(_way_on(request))
        form.blame(verdict)
    return _page(request, "verify", title=_("Second factor"), form=form)


@require_http_methods(["GET", "HEAD", "POST"])
def enrol_page(request: HttpRequest) -> HttpResponse:
    user = _operator(request)
    if second_factor.authenticator_of(user) is not None:
        return HttpResponseRedirect(reverse("second-factor"))
    pending = _pending(request, user)
    if pending is None:
        pending = second_factor.begin_enrolment(user)
        request.session[_PENDING] = pending.pk
    form = CodeForm(request.POST or None)
    if form.is_valid():
        verdict = _verify(request, form, partial(second_factor.finish_enrolment, pending))
        if verdict.device is not None:
            del request.session[_PENDING]
            _let_in(request, verdict.device)
            log_act(request, user, ENROLLED)
            return _show_new_codes(request, user)
        form.blame(verdict)
    key = second_factor.readable_key(pending)
    return _page(request, "enrol", title=_("Set up the second factor"), form=form, key=key)


@require_safe
def qr(request: HttpRequest) -> HttpResponse:
    """The key of the enrolment begun in this session, as a QR code."""
    user = _operator(request)
    pending = _pending(request, user)
    if pending is None or second_factor.authenticator_of(user) is not None:
        raise Http404
    image = io.BytesIO()
    segno.make(pending.config_url, error="m").save(image, kind="svg", scale=4, border=4, light="#fff")
    return HttpResponse(image.getvalue(), content_type="image/svg+xml")


@require_safe
def status_page(request: HttpRequest) -> HttpResponse:
    user = _operator(request)
    app, left = second_factor.authenticator_of(user), second_factor.recovery_codes_left(user)
    return _page(request, "status", title=_("Second factor"), authenticator=app, left=left, few=_FEW)


@require_http_methods(["GET", "HEAD", "POST"])
def recovery_codes_page(request: HttpRequest) -> HttpResponse:
    user = _operator(request)
    if second_factor.authenticator_of(user) is None:
        return HttpResponseRedirect(reverse("second-factor-enrol"))
    if not second_factor.is_verified(request.user):  # checked here too, in case the settings do not require it
        return HttpResponseRedirect(reverse("second-factor-verify", query={"next": request.path}))
    if request.method == "POST":
        log_act(request, user, CODES_RENEWED)
        return _show_new_codes(request, user)
    codes = (secret_page.take(request) or "").split()
    response = _page(request, "recovery_codes", title=_("Recovery codes"), codes=codes)
    secret_page.forget(request, response)
    return response


def _pending(request: HttpRequest, user: User) -> Authenticator | None:
    """The enrolment begun in this session; one begun in another session may have been seen by somebody else."""
    return Authenticator.objects.filter(pk=request.session.get(_PENDING), user=user, confirmed=False).first()


def _verify(request: HttpRequest, form: CodeForm, judge: Callable[[str], Verdict]) -> Verdict:
    """Verify the form's code, unless this session must wait after wrong ones."""
    if waits := second_factor.seconds_left(request.session):
        return Verdict(waits=waits)
    verdict = judge(form.cleaned_data["code"])
    if verdict.device is not None:
        second_factor.forget_wrong_codes(request.session)
    elif not verdict.waits:
        second_factor.note_wrong_code(request.session)
    return verdict


def _let_in(request: HttpRequest, device: Device) -> None:
    """Mark the session as verified, under a new id: the old id was only good for one factor."""
    request.session.cycle_key()
    remember_device(request, device)  # type: ignore[no-untyped-call]  # django-otp ships no types


def _show_new_codes(request: HttpRequest, user: User) -> HttpResponse:
    page = reverse("second-factor-recovery-codes")
    response = HttpResponseRedirect(page)
    secret_page.hand_over(request, response, " ".join(second_factor.renew_recovery_codes(user)), page=page)
    return response


def _warn_of_few(request: HttpRequest, user: User) -> None:
    log_act(request, user, CODE_USED)
    left = second_factor.recovery_codes_left(user)
    text = ngettext("%d recovery code is left.", "%d recovery codes are left.", left) % left
    messages.warning(request, text)


def _way_on(request: HttpRequest) -> str:
    wanted = request.GET.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if is_ours else reverse("admin:index")


def _page(request: HttpRequest, name: str, **context: Any) -> HttpResponse:  # noqa: ANN401  # a template's context
    return TemplateResponse(
        request, f"companies/second_factor/{name}.html", {**admin.site.each_context(request), **context}
    ).render()
