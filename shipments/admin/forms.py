"""The forms of the operators' actions. Model fields are never edited directly."""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django import forms
from django.db.models import QuerySet
from django.utils.text import capfirst, format_lazy
from django.utils.translation import gettext, gettext_lazy as _
from unfold.widgets import (
    UnfoldAdminFileFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from base.admin.confirmed_action import Grouped
from base.admin.pages import UploadField
from base.admin.stale_forms import StaleCheck
from companies.countries import SERVED
from shipments.admin.guide_search import tracking_spellings, words_of
from shipments.labels import CITY_LABELS, SOURCE_CHOICES, STATUS_CHOICES, STATUS_LABELS
from shipments.manifests.countries import COUNTRIES
from shipments.manifests.field_kinds import Country, DecimalNumber
from shipments.manifests.guide_fields import CORRECTABLE, LONGEST
from shipments.manifests.moments import read_moment
from shipments.models import Guide, Manifest
from shipments.statuses import GuideStatus, Source, StatusKind
from shipments.tracking.moves import REASON_LENGTH, ReportedEvent
from shipments.tracking.withdrawals import REINSTATED, Withdrawal

EACH_DESTINATION = "destination"
"""In place of a clock's name: the local time at each guide's destination."""
_WAY = [
    GuideStatus.REGISTERED, GuideStatus.CUSTOMS_PROCESSING, GuideStatus.CUSTOMS_RELEASED, GuideStatus.OUT_FOR_DELIVERY,
    GuideStatus.DELIVERED,
]  # fmt: skip
_FOLLOWS = {**dict(pairwise(_WAY)), GuideStatus.IN_TRANSIT: GuideStatus.OUT_FOR_DELIVERY}
_LOOKED_UP = 500
_LONGEST_COUNTRY = 64


class NextStep(NamedTuple):
    """A proposal. status: the next one; empty if there is none. among: the status of the guides that it is for.
    guides: how many they are.
    """

    status: str
    among: str
    guides: int


def next_step(guides_by_status: Mapping[str, int]) -> NextStep:
    """Return the step after the status that most guides under way have."""
    under_way = {
        GuideStatus(status): count
        for status, count in guides_by_status.items()
        if count and GuideStatus(status).kind is StatusKind.PROGRESS
    }
    if not under_way:
        return NextStep("", "", 0)
    most = max(under_way, key=lambda status: (under_way[status], -status.code))
    return NextStep(_FOLLOWS[most].value, most.value, under_way[most])


def find_named_guides(manifest: Manifest, text: str) -> tuple[set[int], Sequence[str]]:
    """Return the ids of the guides of `manifest` that `text` names, and the words that name none.

    text: HAWBs and tracking codes, in lines or with commas, semicolons, tabs or blanks between them.
    """
    lines = [line.strip() for line in re.split(r"[\n\r,;\t]+", text) if line.strip()]
    found = _find(manifest, lines)
    words = [word for line in lines if line not in found for word in words_of(line)]
    found |= _find(manifest, words)
    return set(found.values()), list(dict.fromkeys(word for word in words if word not in found))


def _find(manifest: Manifest, names: Sequence[str]) -> dict[str, int]:
    """Return name -> id, of the names that are a HAWB or a tracking code of the manifest, also in lower case."""
    by_value: dict[str, int] = {}
    for start in range(0, len(names), _LOOKED_UP):
        some = names[start : start + _LOOKED_UP]
        for column in ("hawb", "tracking_code"):
            spelled = {one for name in some for one in (name, *tracking_spellings(name))}
            by_value |= dict(manifest.guides.filter(**{f"{column}__in": spelled}).values_list(column, "pk"))
    return {name: by_value[one] for name in names for one in (*tracking_spellings(name), name) if one in by_value}


_COLUMNS = {column.name: column for column in Guide._meta.concrete_fields}
_CORRECTABLE = CORRECTABLE["operator"]
_NAMED_WORDS = 20
_ZONE_CHOICES = [
    (EACH_DESTINATION, _("Local time at each destination")),
    *((country.clock.key, format_lazy(_("{city} time"), city=country.capital)) for country in SERVED.values()),
    ("UTC", "UTC"),
]


def text_field(label: Any, help_text: Any, *, is_required: bool = False) -> forms.CharField:  # noqa: ANN401  # lazy texts
    """Return a field for a reason or a note."""
    return forms.CharField(
        label=label,
        required=is_required,
        max_length=REASON_LENGTH,
        widget=UnfoldAdminTextInputWidget,
        help_text=help_text,
    )


def client_note_field() -> forms.CharField:
    """Return a field for what is sent to the client."""
    return text_field(
        _("Note to the client"), _("The client is sent it, and reads it on the timeline. Do not name people.")
    )


class ReasonForm(forms.Form):
    """The reason for an action. Required wherever the data alone does not explain the change."""

    reason = text_field(_("Reason"), _("Only operators see it. Do not enter document numbers."), is_required=True)


class OptionalReasonForm(forms.Form):
    """Why a guide needs nothing, for whoever opens it later."""

    reason = text_field(_("Reason"), _("Optional. It is kept as a note, which only operators see."))


class VoidForm(ReasonForm):
    """Why a manifest is voided, and what is sent to its client."""

    client_note = client_note_field()


class TimedForm(forms.Form):
    """When something happened, by a clock that the operator chooses."""

    occurred_at = forms.CharField(
        label=_("When it happened"),
        required=False,
        widget=UnfoldAdminTextInputWidget({"type": "datetime-local"}),
        help_text=_("If empty: now. An event before a guide's latest one is added to its history only."),
    )
    zone = forms.ChoiceField(label=_("Time zone"), choices=_ZONE_CHOICES, widget=UnfoldAdminSelectWidget)

    def clean_occurred_at(self) -> str:
        text = str(self.cleaned_data["occurred_at"])
        moment = read_moment(text)
        if text and (moment is None or not moment.has_time):
            raise forms.ValidationError(gettext("Enter a date and time, such as 2026-11-20 14:30."))
        return text

    def read_time(self) -> tuple[datetime | None, str]:
        """Return when it happened, and what is in doubt about it as `Moment.doubt` says. The form must be valid.

        Without an offset it is each destination's time.
        """
        moment, zone = read_moment(self.cleaned_data["occurred_at"]), self.cleaned_data["zone"]
        if moment is None or zone == EACH_DESTINATION:
            return moment.value if moment else None, ""
        return moment.at(ZoneInfo(zone)), moment.doubt(ZoneInfo(zone))


class AdvanceForm(TimedForm):
    """One event to apply to guides."""

    field_order: Sequence[str] = ("status", "occurred_at", "zone")

    status = forms.ChoiceField(
        label=_("Status"),
        choices=[
            ("", _("Choose…")),
            *((value, label) for value, label in STATUS_CHOICES if value != GuideStatus.REGISTERED),
        ],
        widget=UnfoldAdminSelectWidget,
    )
    source = forms.ChoiceField(
        label=_("Source"),
        choices=[(value, label) for value, label in SOURCE_CHOICES if value != Source.PRE_ALERT],
        initial=Source.OPERATOR.value,
        widget=UnfoldAdminSelectWidget,
        help_text=_("A release reported by customs ends a retention."),
    )
    internal_note = text_field(
        _("Internal note"), _("Only operators see it, on the timeline. Do not enter document numbers.")
    )
    client_note = client_note_field()

    @property
    def event(self) -> ReportedEvent:
        """Return what was entered. The form must be valid."""
        entered = self.cleaned_data
        status, source = GuideStatus(entered["status"]), Source(entered["source"])
        occurred_at, doubt = self.read_time()
        return ReportedEvent(status, source, occurred_at, entered["internal_note"], entered["client_note"], doubt)


class ManifestAdvanceForm(AdvanceForm):
    """One event for the guides of a manifest: all, or those that have one status, except some."""

    field_order: Sequence[str] = ("status", "which", "except_for", "occurred_at", "zone")
    which = forms.ChoiceField(label=_("Which guides"), required=False, widget=UnfoldAdminSelectWidget)
    except_for = forms.CharField(
        label=_("Except"),
        required=False,
        max_length=20_000,
        widget=UnfoldAdminTextareaWidget({"rows": 2}),
        help_text=_("HAWBs or tracking codes, as you copy them from a list or a mail."),
    )

    def __init__(self, manifest: Manifest, data: Any = None) -> None:  # noqa: ANN401  # Django's data
        step = next_step(manifest.guides_by_status)
        initial = {"which": step.among, "status": step.status, "zone": EACH_DESTINATION}
        super().__init__(data, initial=initial)
        self.manifest = manifest
        counts = [(status, manifest.guides_by_status.get(status, 0)) for status in GuideStatus]
        which: Any = self.fields["which"]
        which.choices = [
            ("", format_lazy("{} ({})", _("All guides"), Grouped(manifest.total_guides))),
            *((status.value, f"{STATUS_LABELS[status]} ({Grouped(count)})") for status, count in counts if count),
        ]

    def clean_except_for(self) -> set[int]:
        """Return the ids of the guides that are named. Each word must be one of this manifest."""
        found, unknown = find_named_guides(self.manifest, self.cleaned_data["except_for"])
        if unknown:
            text = gettext("Not in this manifest: %s. Nothing was previewed, so that no exception is missed.")
            named = list(unknown[:_NAMED_WORDS])
            if more := len(unknown) - len(named):
                named.append(gettext("and %d more") % more)
            raise forms.ValidationError(text % ", ".join(named))
        return found

    @property
    def guides(self) -> QuerySet[Guide]:
        """Return the guides that are meant. The form must be valid."""
        guides = self.manifest.guides.exclude(pk__in=self.cleaned_data["except_for"])
        which = self.cleaned_data["which"]
        return guides.filter(status=which) if which else guides

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and not self.guides.exists():
            raise forms.ValidationError(gettext("No guides are left: choose others."))
        return cleaned


class TakeBackForm(ReasonForm, TimedForm):
    """A wrong status, and what holds instead."""

    field_order = ("wrong", "status", "occurred_at", "zone", "reason", "client_note")

    wrong = forms.ChoiceField(
        label=_("Wrong status"),
        widget=UnfoldAdminSelectWidget,
        help_text=_("Guides that have another status by now are left alone."),
    )
    status = forms.ChoiceField(
        label=_("Status that holds now"),
        required=False,
        choices=[
            ("", _("The one that follows from the guide's other events")),
            *((status.value, STATUS_LABELS[status]) for status in REINSTATED),
        ],
        widget=UnfoldAdminSelectWidget,
    )
    client_note = client_note_field()

    def __init__(self, statuses: Collection[str], data: Any = None, **more: Any) -> None:  # noqa: ANN401  # Django's
        """Offer to take back `statuses`, those that the selected guides have."""
        super().__init__(data, **more)
        choices = [(status.value, STATUS_LABELS[status]) for status in GuideStatus if status in statuses]
        zones: Any = self.fields["zone"]
        zones.choices = [choice for choice in zones.choices if choice[0] != EACH_DESTINATION]
        offered: Any = self.fields["wrong"]
        offered.choices = choices if len(choices) == 1 else [("", _("Choose…")), *choices]
        self.fields["occurred_at"].help_text = _(
            "If empty: with the other events, or now for a status that you choose."
        )

    @property
    def event(self) -> Withdrawal:
        """Return what was entered. The form must be valid."""
        entered = self.cleaned_data
        status = GuideStatus(entered["status"]) if entered["status"] else None
        wrong, reason = GuideStatus(entered["wrong"]), entered["reason"]
        occurred_at, doubt = self.read_time()
        return Withdrawal(wrong, status, occurred_at, reason, entered["client_note"], doubt)


class InvoiceForm(forms.Form):
    invoice_file = UploadField(
        label=_("Invoice (PDF)"), widget=UnfoldAdminFileFieldWidget({"accept": "application/pdf,.pdf"})
    )


def _document_type(guide: Guide) -> forms.ChoiceField:
    """Return the choice of the documents of the guide's country; what is stored stays one of them."""
    names = [kind.name for kind in COUNTRIES[guide.manifest.country].documents]
    stored = guide.consignee_document_type
    choices = [(name, name) for name in dict.fromkeys([*names, *([stored] if stored else [])])]
    return forms.ChoiceField(
        label=capfirst(str(_COLUMNS["consignee_document_type"].verbose_name)),
        required=False,
        choices=[("", _("By its number")), *choices],
        widget=UnfoldAdminSelectWidget,
    )


class ConsigneeForm(StaleCheck, forms.Form):
    """What operators may correct of a guide, prefilled from it. `tracking.corrections` validates the new values."""

    def __init__(self, guide: Guide, data: Any = None) -> None:  # noqa: ANN401  # Django's data
        super().__init__(data, initial={name: getattr(guide, name) for name in _CORRECTABLE})
        self.instance = guide
        for name, field in _CORRECTABLE.items():
            named = CITY_LABELS.get(guide.manifest.country) if name == "consignee_city" else None
            label = capfirst(str(named or _COLUMNS[name].verbose_name))
            shown: dict[str, Any] = {"label": label, "required": False, "widget": UnfoldAdminTextInputWidget}
            if isinstance(field.kind, DecimalNumber):
                self.fields[name] = forms.DecimalField(
                    min_value=field.kind.minimum,
                    max_value=field.kind.maximum,
                    decimal_places=field.kind.places,
                    **shown,
                )
            else:  # a country's name is longer than what is stored of it
                longest = max(LONGEST[name], _LONGEST_COUNTRY) if isinstance(field.kind, Country) else LONGEST[name]
                self.fields[name] = forms.CharField(max_length=longest, **shown)
        if not guide.needs_review:
            why = _("Why it is corrected now; it is recorded. Do not enter document numbers.")
            self.fields["reason"] = text_field(_("Reason"), why, is_required=True)
        self.fields["consignee_document_type"] = _document_type(guide)
        self.order_fields([*_CORRECTABLE, "reason"])
        self.fields["consignee_document"].widget.attrs |= {
            "data-country": guide.manifest.country,
            "data-rut-good": gettext("✓ Valid RUT"),
            "data-rut-bad": gettext("✗ Not a valid RUT: it has 7 or 8 digits and the matching check digit."),
            "data-rut-dummy": gettext("✗ This RUT is a known placeholder; the guide stays under review."),
        }

    @property
    def changes(self) -> dict[str, Any]:
        """Return field -> new value, only for fields that differ. The form must be valid."""
        return {name: self.cleaned_data[name] for name in self.changed_data if name in _CORRECTABLE}

    @property
    def reason(self) -> str:
        """Return the reason for correcting a guide that is not under review. The form must be valid."""
        return str(self.cleaned_data.get("reason", ""))
