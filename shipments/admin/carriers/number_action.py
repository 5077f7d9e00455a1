"""Entering a carrier's number on a guide's page."""

from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from companies.admin_base.activity import ActKind, act, log_act
from companies.admin_base.confirmation import Question, ask, is_confirmed
from shipments.admin.actions.guide_pages import GuidePages
from shipments.carriers.guides import learn_numbers
from shipments.models import Carrier, CarrierNumber
from shipments.models.carriers import NUMBER_LENGTH
from shipments.tracking.batches import text_problem

NUMBER_ENTERED = act("carrier_number_entered", ActKind.CONFIGURED, _("Entered the number of %(carrier)s."))

NUMBERING = Question(
    title=_("Enter a carrier's number"),
    consequences=(
        _("The carrier's events with this number are applied to the guide; those that wait, within seconds."),
    ),
    button=_("Save"),
)


class NumberForm(forms.Form):
    """A carrier's number for a guide. carriers: those that may be chosen."""

    carrier = forms.ModelChoiceField(Carrier.objects.none(), label=_("Carrier"), widget=UnfoldAdminSelectWidget())
    number = forms.CharField(label=_("Carrier's number"), max_length=NUMBER_LENGTH, widget=UnfoldAdminTextInputWidget())

    def __init__(self, carriers: QuerySet[Carrier], data: Any = None) -> None:  # noqa: ANN401  # Django's
        super().__init__(data)
        self.fields["carrier"].queryset = carriers  # type: ignore[attr-defined]  # a ModelChoiceField's

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if text_problem(cleaned.get("number", "")):
            self.add_error("number", text_problem(cleaned["number"]))
        known = CarrierNumber.objects.filter(carrier=cleaned.get("carrier"), number=cleaned.get("number"))
        if known.exists():
            self.add_error("number", _("The carrier has this number for a guide already."))
        return cleaned


class NumberAction(GuidePages):
    """The action, for the guide admin."""

    @action(description=_("Enter a carrier's number"), url_path="carrier-number", permissions=["operate"], icon="tag")
    def enter_carrier_number(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask for the carrier and its number for the guide, then store it."""
        guide = self.guide_or_404(request, object_id)
        page = reverse("admin:shipments_guide_change", args=[guide.pk])
        active = Carrier.objects.visible_to(request.user).filter(is_active=True)
        serving = [carrier.pk for carrier in active if guide.manifest.country in carrier.countries]
        form = NumberForm(active.filter(pk__in=serving), request.POST if is_confirmed(request) else None)
        if not form.is_valid():
            return ask(self, request, NUMBERING, way_back=page, subject=guide, form=form)
        carrier = form.cleaned_data["carrier"]
        learn_numbers(carrier, {form.cleaned_data["number"]: guide.pk})
        log_act(request, guide, NUMBER_ENTERED, carrier=carrier.name)
        messages.success(request, gettext("The number is stored."))
        return HttpResponseRedirect(page)
