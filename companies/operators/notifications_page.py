"""*My notifications*: which mails an operator gets, and in which language."""

from typing import Any, cast

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import get_language, gettext, gettext_lazy as _
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldBooleanSwitchWidget

from base.admin.pages import FormPage
from base.admin.stale_forms import StaleCheck
from companies.mail import outbox
from companies.models import OperatorProfile


class LanguageField(forms.ChoiceField):
    def __init__(self, **options: Any) -> None:  # noqa: ANN401  # Django's
        choices, label = settings.LANGUAGES, _("Language of mails")
        super().__init__(choices=choices, label=label, required=False, widget=UnfoldAdminSelectWidget, **options)


def _switch(label: Any, help_text: Any) -> forms.BooleanField:  # noqa: ANN401  # lazy
    return forms.BooleanField(label=label, help_text=help_text, required=False, widget=UnfoldBooleanSwitchWidget)


class NotificationsForm(StaleCheck, forms.Form):
    has_digest = _switch(
        _("Daily summary"), _("From seven in the morning: refused uploads, layouts, webhooks, carriers, late MAWBs.")
    )
    has_alerts = _switch(_("At once"), _("When an endpoint is disabled, and when personal data is not erased in time."))
    language = LanguageField()


class NotificationsPage(FormPage):
    title = _("My notifications")
    template_name = "companies/notifications.html"
    form_class = NotificationsForm
    permission_required = ()

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:  # noqa: ANN401  # Django's
        if not outbox.is_on():
            raise Http404
        return super().dispatch(request, *args, **kwargs)

    def get_initial(self) -> dict[str, Any]:
        profile = getattr(self.request.user, "operator_profile", None) or OperatorProfile()
        names = ("has_digest", "has_alerts", "language")
        initial = {name: getattr(profile, name) for name in names}
        return {**initial, "language": profile.language or (get_language() or "")[:2]}

    def save(self, form: NotificationsForm) -> HttpResponse:
        operator = cast("User", self.request.user)  # the admin is for those who are logged in
        OperatorProfile.objects.update_or_create(user=operator, defaults=form.cleaned_data)
        messages.success(self.request, gettext("Saved."))
        return HttpResponseRedirect(reverse("notifications"))
