"""Operators choose their own passwords: one that somebody else set opens only the page that changes it."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth import BACKEND_SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.auth.views import PasswordChangeView
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext
from unfold.forms import AdminOwnPasswordChangeForm

from base.http.requests import is_admin_request
from companies.models import OperatorProfile
from companies.operators.local_passwords import PASSWORD_BACKEND
from companies.operators.logins import answer_attempt, provider_name

NEXT = "next"
_OPEN = (
    "admin:login", "admin:logout", "admin:password_change", "admin:jsi18n", "second-factor-verify",
    "second-factor-enrol", "second-factor-qr", "second-factor-recovery-codes",
)  # fmt: skip


class OwnPasswordMiddleware(MiddlewareMixin):
    """Redirect operators whose password somebody else set to the page that changes it.

    Comes after the second factor: who knows only such a password has not shown that the account is theirs.
    """

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if not is_admin_request(request) or not must_change(request.user):
            return None
        if request.session.get(BACKEND_SESSION_KEY) != PASSWORD_BACKEND:  # no password opened this session
            return None
        if request.path in {reverse(name) for name in _OPEN}:
            return None
        messages.warning(request, gettext("Somebody else set your password. Choose your own to go on."))
        is_page = request.method == "GET" and request.path != reverse("admin:index")
        query = {NEXT: request.get_full_path()} if is_page else None
        return HttpResponseRedirect(reverse("admin:password_change", query=query))


def must_change(user: object) -> bool:
    """Return whether the password of `user` was set by somebody else and not changed since."""
    profile = getattr(user, "operator_profile", None)
    return profile is not None and profile.must_change_password


def require_change(user: User) -> None:
    """Demand another password of `user` at the next request."""
    OperatorProfile.objects.update_or_create(user=user, defaults={"must_change_password": True})


class OwnPasswordForm(AdminOwnPasswordChangeForm):
    def clean(self) -> dict[str, Any] | None:
        """Reject the present password: somebody else may know it."""
        cleaned: dict[str, Any] | None = super().clean()
        if self.user.check_password(self.cleaned_data.get("new_password1") or ""):
            self.add_error("new_password2", gettext("This is your present password. Choose another one."))
        return cleaned

    def save(self, commit: bool = True) -> Any:  # noqa: ANN401, FBT001, FBT002  # Django's signature
        """Save the password; it is the operator's own from now on."""
        with transaction.atomic():
            OperatorProfile.objects.filter(user=self.user).update(must_change_password=False)
            return super().save(commit)


def _way_on(request: HttpRequest) -> str:
    """Return the page of the admin that was asked for before the password had to be changed; else the start page."""
    start, asked = reverse("admin:index"), request.GET.get(NEXT, "")
    is_ours = url_has_allowed_host_and_scheme(asked, request.get_host()) and asked.startswith(start)
    return asked if is_ours else start


def own_password_page(request: HttpRequest) -> HttpResponseBase:
    """Show and process the form. unfold's own page cannot be given another form.

    The present password cannot be guessed here faster than at the login. Whoever had to change it goes on to the page
    that was asked for.
    """
    if request.session.get(BACKEND_SESSION_KEY) != PASSWORD_BACKEND and not request.user.has_usable_password():  # type: ignore[union-attr]  # the admin is for operators
        messages.info(request, gettext("You have no password here: you log in with %s.") % provider_name())
        return HttpResponseRedirect(reverse("admin:index"))
    view = PasswordChangeView.as_view(
        form_class=OwnPasswordForm,
        success_url=_way_on(request) if must_change(request.user) else reverse("admin:password_change_done"),
        extra_context=admin.site.each_context(request),
    )
    if request.method != "POST":
        return view(request)
    return answer_attempt(request, request.user.get_username(), lambda: view(request))
