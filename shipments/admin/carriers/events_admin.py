"""What carriers reported: parked events first of all, and what they said about one guide."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display
from unfold.widgets import UnfoldAdminTextInputWidget

from companies.admin_base.activity import ActKind, act
from companies.admin_base.confirmed_action import ConfirmedAction, Done, Question, Scene
from companies.admin_base.lists import badge
from shipments.admin.columns import badge_column, column, time_column
from shipments.admin.read_only_admin import ReadOnlyAdmin
from shipments.carriers.parking import assign
from shipments.models import CarrierEvent, EventOutcome, Guide

EVENT_ASSIGNED = act("carrier_event_assigned", ActKind.MOVED, _("Assigned an event of %(carrier)s to this guide."))

REASONS = {
    "no_guide": _("No guide has the reference."),
    "ambiguous": _("Several guides have the HAWB."),
    "mawb_only": _("It names only a MAWB."),
    "time_without_offset": _("Its time has no offset, and the carrier no time zone."),
    "reference_missing": _("It names no guide."),
    "invalid_transition": _("It does not follow the guide's status; judged again when an earlier event arrives."),
    "guide_under_retention": _("The guide is under retention; judged again when customs releases it."),
    "guide_already_terminal": _("The guide's status is final."),
    "event_taken_back": _("An administrator took this event back."),
    "event_in_future": _("Its time is in the future."),
}
_COLOURS = {
    EventOutcome.APPLIED: "success",
    EventOutcome.PARKED: "warning",
    EventOutcome.UNMAPPED: "warning",
    EventOutcome.REFUSED: "danger",
}
_SHOWN_OF_A_GUIDE = 200


class GuideForm(forms.Form):
    """The guide that an event is about. guides: those that may be chosen."""

    tracking_code = forms.CharField(label=_("Tracking code"), max_length=16, widget=UnfoldAdminTextInputWidget())

    def __init__(self, guides: QuerySet[Guide], data: Any = None) -> None:  # noqa: ANN401  # Django's
        super().__init__(data)
        self._guides = guides

    def clean_tracking_code(self) -> Guide:
        guide = self._guides.filter(tracking_code=self.cleaned_data["tracking_code"].strip().upper()).first()
        if guide is None:
            raise forms.ValidationError(_("No guide in the carrier's countries has this tracking code."))
        return guide


def _may_be_assigned(event: CarrierEvent) -> bool:
    return event.guide_id is None and event.outcome in {EventOutcome.PARKED, EventOutcome.EXPIRED}


def _guides(scene: Scene[CarrierEvent]) -> QuerySet[Guide]:
    visible = Guide.objects.visible_to(scene.request.user)
    return visible.filter(manifest__country__in=scene.one.carrier.countries, manifest__voided_at=None)


def _asking(scene: Scene[CarrierEvent]) -> Question:
    title = _("Assign a guide")
    if not _may_be_assigned(scene.one):
        return Question(title, [_("The event is not waiting for a guide.")])
    rule = _("The event is applied to the guide at its own time. The number it came with, if any, is learned.")
    return Question(title, [rule], _("Assign"))


def _assign(scene: Scene[CarrierEvent], form: GuideForm) -> Done[Any]:
    event, guide = scene.one, form.cleaned_data["tracking_code"]
    assign(event, guide)
    said = gettext("The event is assigned: %s.") % event.get_outcome_display()
    return Done([guide], [(messages.SUCCESS, said)], {"carrier": event.carrier.name})


ASSIGN = ConfirmedAction[CarrierEvent](
    name="assign_guide", path="assign", label=_("Assign a guide"), icon="link", fits=_may_be_assigned,
    question=_asking, form=lambda scene, data, _files: GuideForm(_guides(scene), data), run=_assign,
    logged=EVENT_ASSIGNED,
)  # fmt: skip


@admin.register(CarrierEvent)
class CarrierEventAdmin(ReadOnlyAdmin):
    """Events of carriers, newest first."""

    list_title = _("Carriers' events")
    nothing_yet = _("No carrier has reported an event yet")
    how_it_begins = _("What carriers send appears here by itself.")
    list_display = [
        "shown_recorded", "carrier", "shown_code", "shown_reference", "shown_happened", "shown_outcome", "shown_reason",
        "shown_guide",
    ]  # fmt: skip
    list_select_related = ["carrier", "guide"]
    list_filter = [("outcome", ChoicesDropdownFilter)]
    ordering = ["-id"]
    sortable_by = ()
    search_fields = ["hawb"]
    search_help_text = _("tracking code, HAWB, MAWB or carrier's number, in full")
    fields = [
        ("carrier", "shown_outcome"), "shown_reason", ("shown_code", "description"), ("tracking_code", "number"),
        ("hawb", "mawb"), ("occurred_at", "recorded_at"), "place", "shown_guide", "shown_receipt",
    ]  # fmt: skip
    readonly_fields = ["shown_outcome", "shown_reason", "shown_code", "shown_guide", "shown_receipt"]
    confirmed_actions = (ASSIGN,)

    def search_rows(self, events: QuerySet[CarrierEvent], text: str) -> QuerySet[CarrierEvent]:
        upper = text.upper()
        same = Q(hawb=upper) | Q(tracking_code=upper) | Q(number=text) | Q(mawb=text)
        return events.filter(same | Q(guide__tracking_code=upper))

    shown_recorded = time_column(_("recorded"), "recorded_at")
    shown_happened = time_column(_("happened"), "occurred_at")
    shown_code = column(_("code"), lambda event: event.code or "–")

    @display(description=_("reference"))
    def shown_reference(self, event: CarrierEvent) -> str:
        named = [event.tracking_code, event.hawb, event.mawb, event.number]
        return " · ".join(name for name in named if name) or "–"

    shown_outcome = badge_column(_("outcome"), "outcome", _COLOURS)
    shown_reason = column(_("reason"), lambda event: reason_of(event) or "–")

    @display(description=_("guide"))
    def shown_guide(self, event: CarrierEvent) -> SafeString | str:
        if event.guide is None:
            return "–"
        url = reverse("admin:shipments_guide_change", args=[event.guide.pk])
        return format_html('<a class="underline" href="{}">{}</a>', url, event.guide.tracking_code)

    shown_receipt = column(_("receipt"), lambda event: event.receipt.public_id)


def outcome_badge(event: CarrierEvent) -> SafeString:
    """Render what became of an event."""
    return badge(event.get_outcome_display(), _COLOURS.get(EventOutcome(event.outcome), "muted"))


def reason_of(event: CarrierEvent) -> str:
    """Return why an event is parked or was refused, in words."""
    return str(REASONS.get(event.error, event.error))


def reported_about(guide: Guide) -> list[dict[str, Any]]:
    """Return what carriers reported about a guide, in the order of time, for its page."""
    events = guide.carrier_events.select_related("carrier").order_by("occurred_at", "id")[:_SHOWN_OF_A_GUIDE]
    return [{"event": event, "outcome": outcome_badge(event), "reason": reason_of(event)} for event in events]
