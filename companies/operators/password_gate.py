"""Operators choose their own passwords: one that somebody else set opens only the page that changes it."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.contrib.auth.views import PasswordChangeView
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext
from unfold.forms import AdminOwnPasswordChangeForm

from companies.models import OperatorProfile
from companies.requests import is_admin_request

_OPEN = (
    "admin:login", "admin:logout", "admin:password_change", "admin:jsi18n", "second-factor-verify",
    "second-factor-enrol", "second-factor-qr", "second-factor-recovery-codes",
)  # fmt: skip


class OwnPasswordMiddleware:
    """Redirect operators whose password somebody else set to the page that changes it.

    Comes after the second factor: who knows only such a password has not shown that the account is theirs.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if is_admin_request(request) and must_change(request.user):
            page = reverse("admin:password_change")
            if request.path not in {reverse(name) for name in _OPEN}:
                messages.warning(request, gettext("Somebody else set your password. Choose your own to go on."))
                return HttpResponseRedirect(page)
        return self.get_response(request)


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


def own_password_page(request: HttpRequest) -> HttpResponseBase:
    """Show and process the form. unfold's own page cannot be given another form."""
    view = PasswordChangeView.as_view(
        form_class=OwnPasswordForm,
        success_url=reverse("admin:password_change_done"),
        extra_context=admin.site.each_context(request),
    )
    return view(request)
