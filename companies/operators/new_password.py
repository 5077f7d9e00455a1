"""A forgotten password: asked for at the login, chosen behind the link of a mail. The second factor stays as it is."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.views import PasswordResetConfirmView
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse, reverse_lazy
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _
from django.views.generic import FormView
from unfold.widgets import UnfoldAdminEmailInputWidget, UnfoldAdminPasswordWidget

from companies.mail import outbox
from companies.mail.links import NEW_PASSWORD_TOKENS
from companies.models import OperatorProfile, OperatorSession


class _Page:
    """A page for people who are not logged in, where mail is on and a password opens something."""

    request: HttpRequest
    title: str | Promise

    def dispatch(self, *args: Any, **kwargs: Any) -> HttpResponseBase:  # noqa: ANN401  # Django's signature
        if not (outbox.is_on() and self.is_offered()):
            raise Http404
        response: HttpResponseBase = super().dispatch(*args, **kwargs)  # type: ignore[misc]  # of the view
        response["Cache-Control"] = "no-store"
        return response

    def is_offered(self) -> bool:
        return bool(settings.LOCAL_PASSWORDS)

    def get_context_data(self, **context: Any) -> dict[str, Any]:  # noqa: ANN401  # as above
        shown = super().get_context_data(**context)  # type: ignore[misc]  # as above
        return {**admin.site.each_context(self.request), **shown, "title": self.title}


class _AddressForm(forms.Form):
    email = forms.EmailField(
        label=_("E-mail"),
        max_length=254,
        widget=UnfoldAdminEmailInputWidget(attrs={"autocomplete": "email", "autofocus": True}),
    )


class ForgottenPasswordPage(_Page, FormView):  # type: ignore[type-arg]  # generic in the stubs alone
    """Asks for the address. Its answer says nothing of whether an operator has it."""

    title = _("Forgotten password")
    form_class = _AddressForm
    template_name = "companies/forgotten_password.html"

    def get_context_data(self, **context: Any) -> dict[str, Any]:  # noqa: ANN401  # Django's signature
        return super().get_context_data(is_sent="sent" in self.request.GET, **context)

    def form_valid(self, form: _AddressForm) -> HttpResponse:
        outbox.ask_for_new_password(self.request, form.cleaned_data["email"])
        return HttpResponseRedirect(reverse("forgotten-password", query={"sent": 1}))


class _NewPasswordForm(SetPasswordForm):  # type: ignore[type-arg]  # as above
    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # Django's signature
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.widget = UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"})


class NewPasswordPage(_Page, PasswordResetConfirmView):
    """Django's page in unfold's look. The link's token goes into the session, so that no address shows it for long."""

    form_class = _NewPasswordForm
    template_name = "companies/new_password.html"
    token_generator = NEW_PASSWORD_TOKENS
    success_url = reverse_lazy("admin:login")
    title = _("A new password")

    def form_valid(self, form: Any) -> HttpResponse:  # noqa: ANN401  # Django's form
        """Save the password, which is the operator's own, and end what was opened with the old one."""
        with transaction.atomic():
            response = super().form_valid(form)
            OperatorProfile.objects.filter(user=self.user).update(must_change_password=False, invited_at=None)
            OperatorSession.objects.filter(user=self.user).end()
        messages.success(self.request, gettext("Your password is set. Log in with it."))
        return response
