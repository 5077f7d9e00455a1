"""The forms of the operators' actions. Model fields are never edited directly."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.utils.text import capfirst, format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminFileFieldWidget, UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from companies.countries import SERVED
from shipments.labels import SOURCE_CHOICES, STATUS_CHOICES
from shipments.manifests.guide_fields import CONSIGNEE_FIELDS
from shipments.manifests.moments import read_moment
from shipments.models import Guide
from shipments.statuses import GuideStatus, Source
from shipments.tracking.moves import Fact
from shipments.tracking.reasons import REASON_LENGTH

_COLUMNS = {column.name: column for column in Guide._meta.concrete_fields}
_ZONE_CHOICES = [
    *((country.clock.key, format_lazy(_("{city} time"), city=country.capital)) for country in SERVED.values()),
    ("UTC", "UTC"),
]


class ReasonForm(forms.Form):
    """The reason for an action. Required wherever the data alone does not explain the change."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=REASON_LENGTH,
        widget=UnfoldAdminTextInputWidget,
        help_text=_("For people who ask later. No document numbers, please."),
    )


class AdvanceForm(forms.Form):
    """One event to apply to guides."""

    status = forms.ChoiceField(
        label=_("Status"),
        choices=[
            ("", _("Choose…")),
            *((value, label) for value, label in STATUS_CHOICES if value != GuideStatus.REGISTERED),
        ],
        widget=UnfoldAdminSelectWidget,
    )
    occurred_at = forms.CharField(
        label=_("When it happened"),
        required=False,
        widget=UnfoldAdminTextInputWidget({"type": "datetime-local"}),
        help_text=_("Empty: now. A time before a guide's latest event goes to its history and moves nothing."),
    )
    zone = forms.ChoiceField(label=_("By the clock of"), choices=_ZONE_CHOICES, widget=UnfoldAdminSelectWidget)
    source = forms.ChoiceField(
        label=_("Who told us"),
        choices=[(value, label) for value, label in SOURCE_CHOICES if value != Source.PRE_ALERT],
        initial=Source.OPERATOR.value,
        widget=UnfoldAdminSelectWidget,
        help_text=_("A release that customs itself tells ends a retention."),
    )
    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        max_length=REASON_LENGTH,
        widget=UnfoldAdminTextInputWidget,
        help_text=_("It stands on the timeline. No document numbers, please."),
    )

    def clean_occurred_at(self) -> str:
        """Check that the time can be read. An empty time is valid."""
        text = str(self.cleaned_data["occurred_at"])
        moment = read_moment(text)
        if text and (moment is None or not moment.has_time):
            raise forms.ValidationError(gettext("Write date and time, such as 2026-11-20 14:30."))
        return text

    @property
    def fact(self) -> Fact:
        """Return the event that was entered. The form must be valid."""
        told = self.cleaned_data
        return Fact(GuideStatus(told["status"]), Source(told["source"]), self._occurred_at(), told["reason"])

    def _occurred_at(self) -> datetime | None:
        moment = read_moment(self.cleaned_data["occurred_at"])
        return moment.at(ZoneInfo(self.cleaned_data["zone"])) if moment else None


class InvoiceForm(forms.Form):
    """The invoice of a manifest."""

    invoice_file = forms.FileField(
        label=_("Invoice (PDF)"),
        widget=UnfoldAdminFileFieldWidget({"accept": "application/pdf,.pdf"}),
        error_messages={"required": _("Choose the file first."), "empty": _("The file is empty.")},
    )


class ConsigneeForm(forms.Form):
    """A consignee's data, prefilled from the guide. `correct_consignee` validates the new values."""

    def __init__(self, guide: Guide, data: Any = None) -> None:  # noqa: ANN401  # Django's data
        super().__init__(data, initial={name: getattr(guide, name) for name in CONSIGNEE_FIELDS})
        for name in CONSIGNEE_FIELDS:
            column = _COLUMNS[name]
            self.fields[name] = forms.CharField(
                label=capfirst(str(column.verbose_name)),
                required=False,
                max_length=column.max_length,
                widget=UnfoldAdminTextInputWidget,
            )
        self.fields["consignee_document"].widget.attrs |= {
            "data-country": guide.manifest.country,
            "data-rut-good": gettext("✓ This is a RUT."),
            "data-rut-bad": gettext("✗ This is no RUT: 7 or 8 digits, and the check digit that belongs to them."),
            "data-rut-dummy": gettext("✗ This RUT is a well-known placeholder; the guide stays under review."),
        }

    @property
    def changes(self) -> dict[str, str]:
        """Return field -> new value, only for fields that differ. The form must be valid."""
        return {name: self.cleaned_data[name] for name in self.changed_data}
