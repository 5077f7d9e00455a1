"""What carriers sent: receipts, never with the body itself, and the events in them."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy as _
from unfold.decorators import display
from unfold.widgets import UnfoldAdminTextInputWidget

from base.admin.activity import ActKind, act
from base.admin.confirmed_action import ConfirmedAction, Question
from base.admin.list_filters import StatesFilter
from base.admin.lists import badge
from shipments.admin.columns import badge_column, column, number_column, time_column
from shipments.admin.read_only_admin import ReadOnlyAdmin
from shipments.carriers.guides import judge
from shipments.carriers.parking import assign
from shipments.carriers.processing import process_again
from shipments.manifests.waybills import TRACKING_CODE_LENGTH
from shipments.models import CarrierEvent, CarrierReceipt, EventOutcome, Guide, ReceiptState

DONE_AGAIN = act("carrier_receipt_repeated", ActKind.SENT, _("Did the receipt again: %(state)s."))
_RECEIPT_COLOURS = {
    ReceiptState.RECEIVED: "info",
    ReceiptState.PROCESSED: "success",
    ReceiptState.REJECTED: "warning",
    ReceiptState.FAILED: "danger",
}


class Repeat(ConfirmedAction[CarrierReceipt]):
    name, path = "repeat", "again"
    label, icon = _("Do again"), "replay"
    logged = DONE_AGAIN
    fits = staticmethod(lambda row: row.body is not None)

    def get_question(self) -> Question:
        if self.row.body is None:
            return Question(_("Do again"), [_("The body has been deleted.")])
        rule = _("The body is processed again as it was received. What was applied already is not applied twice.")
        return Question(_("Do again"), [rule], _("Do again"))

    def confirm(self, form: object) -> Sequence[CarrierReceipt]:  # noqa: ARG002  # nothing is entered
        receipt = self.row
        process_again(receipt)
        receipt.refresh_from_db()
        level = messages.SUCCESS if receipt.state == ReceiptState.PROCESSED else messages.WARNING
        said = gettext("The receipt is now: %s.") % receipt.get_state_display()
        messages.add_message(self.request, level, said)
        self.params = {"state": receipt.state}
        return [receipt]


@admin.register(CarrierReceipt)
class CarrierReceiptAdmin(ReadOnlyAdmin):
    """Receipts, newest first. Bodies hold names: nobody sees them."""

    list_title = _("Carriers' receipts")
    nothing_yet = _("No carrier has sent anything yet")
    how_it_begins = _("What carriers send appears here by itself.")
    first_steps = [(_("Carriers"), "admin:shipments_carrier_changelist", "shipments.view_carrier")]
    list_display = ["shown_received", "carrier", "shown_state", "shown_events", "shown_counts", "shown_size"]
    list_select_related = ["carrier"]
    list_filter = [("state", StatesFilter)]
    ordering = ["-received_at"]
    search_fields = ["id"]
    search_help_text = _("receipt id, in full")
    fields = [
        ("carrier", "shown_state"), "shown_id", ("received_at", "held_until"), ("attempts", "fault"),
        ("shown_events", "shown_counts"), ("shown_size", "shown_kept"), "sha256",
    ]  # fmt: skip
    readonly_fields = ["shown_state", "shown_id", "shown_events", "shown_counts", "shown_size", "shown_kept"]
    confirmed_actions = (Repeat,)

    shown_events = number_column(CarrierReceipt, "events")
    shown_size = number_column(CarrierReceipt, "size_bytes")

    def search_rows(self, receipts: QuerySet[CarrierReceipt], text: str) -> QuerySet[CarrierReceipt]:
        with suppress(ValueError):
            return receipts.filter(pk=UUID(text.removeprefix("rcp_")))
        return receipts.none()

    shown_received = time_column(_("received"), "received_at")
    shown_state = badge_column(_("state"), "state", _RECEIPT_COLOURS)
    shown_id = column(_("receipt id"), lambda receipt: receipt.public_id)

    @display(description=_("what became of them"))
    def shown_counts(self, receipt: CarrierReceipt) -> SafeString | str:
        names = {**{outcome.value: outcome.label for outcome in EventOutcome}, "duplicate": gettext("known already")}
        shown = ((names[name], count) for name, count in receipt.counts.items() if count)
        return format_html_join(", ", "{}: {}", shown) or "–"

    shown_kept = column(
        _("body"), lambda receipt: gettext("deleted") if receipt.body is None else gettext("kept for repeating it")
    )


EVENT_ASSIGNED = act("carrier_event_assigned", ActKind.MOVED, _("Assigned an event of %(carrier)s to this guide."))

REASONS = {
    "no_guide": _("No guide has the reference."),
    "ambiguous": _("It may be about several guides, or what it names does not go together."),
    "number_given_up": _(
        "The status of the guide that had the number is final; the event waits for the next guide with it."
    ),
    "mawb_only": _("It names only a MAWB."),
    "time_without_offset": _("Its time has no offset, and the carrier no time zone."),
    "reference_missing": _("It names no guide."),
    "invalid_transition": _("It does not follow the guide's status; judged again when an earlier event arrives."),
    "guide_under_retention": _("The guide is under retention; judged again when customs releases it."),
    "guide_already_terminal": _("The guide's status is final."),
    "delivered_after_end": _("The carrier delivered it, and here the guide ended otherwise: find out which is right."),
    "event_taken_back": _("An administrator took this event back."),
    "event_in_future": _("Its time is in the future."),
}
_TIME_DOUBTS = {
    "time_skipped": _("Its hour does not exist because clocks go forward; it was read as one hour later."),
    "time_doubled": _("Its hour occurs twice because clocks go back; the first was used."),
}
"""By `CarrierEvent.doubt`."""
_COLOURS = {
    EventOutcome.APPLIED: "success",
    EventOutcome.PARKED: "warning",
    EventOutcome.UNMAPPED: "warning",
    EventOutcome.REFUSED: "danger",
}
_SHOWN_OF_A_GUIDE = 200
_NAMED = 10


class GuideForm(forms.Form):
    """The guide that an event is about. guides: those that may be chosen."""

    tracking_code = forms.CharField(
        label=_("Tracking code"), max_length=TRACKING_CODE_LENGTH, widget=UnfoldAdminTextInputWidget()
    )

    def __init__(self, guides: QuerySet[Guide], data: Any = None) -> None:  # noqa: ANN401  # Django's
        super().__init__(data)
        self._guides = guides

    def clean_tracking_code(self) -> Guide:
        guide = self._guides.filter(tracking_code=self.cleaned_data["tracking_code"].strip().upper()).first()
        if guide is None:
            raise forms.ValidationError(_("No guide in the carrier's countries has this tracking code."))
        return guide


class AssignGuide(ConfirmedAction[Any]):
    """The subject is an event, and what it changes a guide."""

    name, path = "assign_guide", "assign"
    label, icon = _("Assign a guide"), "link"
    logged = EVENT_ASSIGNED
    fits = staticmethod(lambda row: row.guide_id is None and row.outcome in {EventOutcome.PARKED, EventOutcome.EXPIRED})

    @property
    def guides(self) -> QuerySet[Guide]:
        """Those that may be chosen."""
        visible = Guide.objects.visible_to(self.request.user)
        return visible.filter(manifest__country__in=self.row.carrier.countries, manifest__voided_at=None)

    def get_question(self) -> Question:
        """Ask for the guide, and name those that the event may be about, each in a line."""
        title, event = _("Assign a guide"), self.row
        if not self.fits(event):
            return Question(title, [_("The event is not waiting for a guide.")])
        rule = _("The event is applied to the guide at its own time. The number it came with, if any, is bound to it.")
        (verdict,) = judge(event.carrier, [event])
        guides = self.guides.filter(pk__in=[guide.id for guide in verdict.guides[:_NAMED]])
        rows = guides.order_by("pk").values_list("tracking_code", "hawb", "manifest__mawb", "manifest__company__name")
        text = gettext("It may be %(code)s (HAWB %(hawb)s, MAWB %(mawb)s) of %(company)s.")
        possible = [text % dict(zip(("code", "hawb", "mawb", "company"), row, strict=True)) for row in rows]
        return Question(title, [rule, *possible], _("Assign"))

    def get_form(self, data: Any, files: object) -> GuideForm:  # noqa: ANN401, ARG002  # Django's data
        return GuideForm(self.guides, data)

    def confirm(self, form: GuideForm) -> Sequence[Guide]:
        event, guide = self.row, form.cleaned_data["tracking_code"]
        assign(event, guide)
        said = gettext("The event is assigned: %s.") % event.get_outcome_display()
        messages.success(self.request, said)
        self.params = {"carrier": event.carrier.name}
        return [guide]


@admin.register(CarrierEvent)
class CarrierEventAdmin(ReadOnlyAdmin):
    """Events of carriers, newest first."""

    list_title = _("Carriers' events")
    nothing_yet = _("No carrier has reported an event yet")
    how_it_begins = _("What carriers send appears here by itself.")
    first_steps = [(_("Carriers"), "admin:shipments_carrier_changelist", "shipments.view_carrier")]
    list_display = [
        "shown_recorded", "carrier", "shown_code", "shown_reference", "shown_happened", "shown_outcome", "shown_reason",
        "shown_guide",
    ]  # fmt: skip
    list_select_related = ["carrier", "guide"]
    list_filter = [("outcome", StatesFilter)]
    ordering = ["-id"]
    search_fields = ["hawb"]
    search_help_text = _("tracking code, HAWB, MAWB or carrier's number, in full")
    fields = [
        ("carrier", "shown_outcome"), "shown_reason", ("shown_code", "description"), ("tracking_code", "number"),
        ("hawb", "mawb"), ("occurred_at", "recorded_at"), "place", "shown_guide", "shown_receipt",
    ]  # fmt: skip
    readonly_fields = ["shown_outcome", "shown_reason", "shown_code", "shown_guide", "shown_receipt"]
    confirmed_actions = (AssignGuide,)

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


def reason_of(event: CarrierEvent) -> str:
    """Return why an event is parked or was refused, and what is in doubt about its time, in words."""
    said = [REASONS.get(event.error, event.error), _TIME_DOUBTS.get(event.doubt, "")]
    return " ".join(str(each) for each in said if each)


def carrier_reports(guide: Guide) -> list[dict[str, Any]]:
    """Return what carriers reported about a guide, in the order of time, for its page."""
    return [
        {
            "event": event,
            "outcome": badge(event.get_outcome_display(), _COLOURS.get(EventOutcome(event.outcome), "muted")),
            "reason": reason_of(event),
        }
        for event in guide.carrier_events.select_related("carrier").order_by("occurred_at", "id")[:_SHOWN_OF_A_GUIDE]
    ]
