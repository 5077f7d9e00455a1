"""Entering a carrier's number on a guide's page."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from companies.admin_base.activity import ActKind, act
from companies.admin_base.confirmed_action import ConfirmedAction, Done, Question, Scene
from shipments.carriers.guides import learn_numbers
from shipments.models import Carrier, CarrierNumber, Guide
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


def _form(scene: Scene[Guide], data: Any, _files: Any) -> NumberForm:  # noqa: ANN401  # Django's
    active = Carrier.objects.visible_to(scene.request.user).filter(is_active=True)
    serving = [carrier.pk for carrier in active if scene.one.manifest.country in carrier.countries]
    return NumberForm(active.filter(pk__in=serving), data)


def _enter(scene: Scene[Guide], form: NumberForm) -> Done[Guide]:
    carrier = form.cleaned_data["carrier"]
    learn_numbers(carrier, {form.cleaned_data["number"]: scene.one.pk})
    return Done([scene.one], params={"carrier": carrier.name})


ENTER_NUMBER = ConfirmedAction[Guide](
    name="enter_carrier_number", path="carrier-number", label=_("Enter a carrier's number"), icon="tag",
    question=NUMBERING, form=_form, run=_enter, logged=NUMBER_ENTERED, said=_("The number is stored."),
    fits=lambda guide: any(guide.manifest.country in each.countries for each in Carrier.objects.filter(is_active=True)),
)  # fmt: skip
