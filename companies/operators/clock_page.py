"""Where operators choose the clock by which the admin shows them times."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy as _
from unfold.widgets import UnfoldAdminSelectWidget

from base.admin.pages import FormPage
from base.admin.stale_forms import StaleCheck
from companies.country_names import zone_choices
from companies.models import OperatorProfile
from companies.scope import NOWHERE, scope_of


class ZoneField(forms.ChoiceField):
    def __init__(self, label: Any) -> None:  # noqa: ANN401  # lazy
        text = _("The clock by which times are shown. Flights and arrivals keep the destination's.")
        super().__init__(
            label=label, choices=zone_choices, required=False, widget=UnfoldAdminSelectWidget, help_text=text
        )


class ClockForm(StaleCheck, forms.Form):
    time_zone = ZoneField(_("Clock"))


class ClockPage(FormPage):
    title = _("Clock")
    template_name = "companies/clock.html"
    form_class = ClockForm
    permission_required = ()

    def get_initial(self) -> dict[str, Any]:
        return {"time_zone": getattr(getattr(self.request.user, "operator_profile", None), "time_zone", "")}

    def save(self, form: ClockForm) -> HttpResponse:
        operator = cast("User", self.request.user)  # the admin is for those who are logged in
        OperatorProfile.objects.update_or_create(user=operator, defaults=form.cleaned_data)
        messages.success(self.request, gettext("Times are shown by this clock from now on."))
        return HttpResponseRedirect(reverse("admin:index"))


def lacks_a_clock(request: HttpRequest) -> bool:
    """Return whether the operator has several countries and has chosen no clock: times are then in UTC."""
    scope = scope_of(request.user)
    is_of_several = scope != NOWHERE and (scope.countries is None or len(scope.countries) > 1)
    return is_of_several and not getattr(getattr(request.user, "operator_profile", None), "time_zone", "")
