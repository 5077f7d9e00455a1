"""What carriers' codes mean, unknown ones first; choosing a meaning applies the events that wait."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.db.models import Case, QuerySet, Value, When
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy as _, ngettext
from unfold.decorators import display
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from base.admin.activity import ActKind, act
from base.admin.confirmed_action import ConfirmedAction, Grouped, Question
from base.admin.list_filters import StatesFilter
from base.admin.lists import StrictChangeList, badge
from base.admin.stale_forms import StaleCheck
from shipments.admin.badges import outcome_tally, status_badge
from shipments.admin.columns import column
from shipments.admin.read_only_admin import ReadOnlyAdmin
from shipments.carriers.codes import apply_waiting, map_code, preview
from shipments.labels import STATUS_LABELS
from shipments.models import Action, CarrierCode
from shipments.models.carriers import CarrierCodeQuerySet
from shipments.statuses import GuideStatus
from shipments.tracking.moves import Outcome
from shipments.wording.rendering import quote

CODE_MAPPED = act("carrier_code_mapped", ActKind.CONFIGURED, _("Chose the meaning of a code: %(meaning)s."))
_NAMED = 20
"""The most guides that the preview names."""
_UNANSWERED = ("", _("Choose…"))
_MEANINGS = [
    (Action.EVENT_ONLY.value, Action.EVENT_ONLY.label),
    (Action.IGNORE.value, Action.IGNORE.label),
    *((status.value, label) for status, label in STATUS_LABELS.items() if status is not GuideStatus.REGISTERED),
]


class MeaningForm(StaleCheck, forms.Form):
    meaning = forms.ChoiceField(label=_("Meaning"), choices=[_UNANSWERED, *_MEANINGS], widget=UnfoldAdminSelectWidget())
    client_note = forms.CharField(
        label=_("Note to the client"),
        required=False,
        max_length=255,
        help_text=_("In your own words, with a status only. The carrier's words never reach clients."),
        widget=UnfoldAdminTextInputWidget(),
    )

    @property
    def status(self) -> GuideStatus | None:
        meaning = self.cleaned_data["meaning"]
        return None if meaning in {Action.EVENT_ONLY, Action.IGNORE} else GuideStatus(meaning)

    @property
    def action(self) -> Action:
        return Action.STATUS if self.status else Action(self.cleaned_data["meaning"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("client_note") and "meaning" in cleaned and self.status is None:
            self.add_error("client_note", _("Only a status has a note to the client."))
        return cleaned


class ChooseMeaning(ConfirmedAction[CarrierCode]):
    name, path = "choose_meaning", "meaning"
    label, icon = _("Choose the meaning"), "rule"
    has_preview = True
    logged = CODE_MAPPED

    @property
    def waiting(self) -> str:
        """How many events wait, in words."""
        waiting = getattr(self.row, "waiting", 0)  # annotated
        return ngettext("%s event waits for this code.", "%s events wait for this code.", waiting) % Grouped(waiting)

    def get_question(self) -> Question:
        """Ask for the meaning, with what the carrier says itself and how many events wait."""
        code: Any = self.row  # annotated
        said = {"carrier": code.carrier.name, "code": code.code, "words": quote(code.described or "")}
        words = gettext("%(carrier)s sends the code %(code)s without words of its own.") % said
        if code.described:
            words = gettext("%(carrier)s sends the code %(code)s and calls it %(words)s.") % said
        lines: list[str | Promise] = [
            words,
            self.waiting,
            _("The next page shows what would happen to the guides of the events that wait."),
        ]
        return Question(_("Choose the meaning"), lines, _("Preview"))

    def get_form(self, data: Any, files: object) -> MeaningForm:  # noqa: ANN401, ARG002  # Django's data
        meaning = "" if self.row.action == Action.UNKNOWN else self.row.status or self.row.action
        form = MeaningForm(data, initial={"meaning": meaning, "client_note": self.row.client_note})
        form.instance = self.row
        return form

    def preview(self, form: MeaningForm) -> Question:
        results = preview(self.row, form.status) if form.status else []
        tally = Counter(result.outcome for result in results)
        said = {
            "carrier": self.row.carrier.name,
            "code": self.row.code,
            "meaning": dict(_MEANINGS)[form.cleaned_data["meaning"]],
        }
        return Question(
            gettext("%(carrier)s, %(code)s: %(meaning)s") % said,
            [
                self.waiting,
                *(format_html("{} {}", n, outcome_tally(each, n)) for each in Outcome if (n := tally[each])),
                ", ".join(result.tracking_code for result in results[:_NAMED]),
            ],
            _("Confirm"),
            is_dangerous=bool(form.status and form.status.is_terminal and tally[Outcome.ADVANCED]),
        )

    def confirm(self, form: MeaningForm) -> Sequence[CarrierCode]:
        code, note = self.row, form.cleaned_data["client_note"]
        before = code.action, code.status, code.client_note
        meant = map_code(code.carrier, code.code, form.action, form.status, client_note=note, by=self.actor)
        messages.success(self.request, gettext("The meaning of the code is stored."))
        if applied := apply_waiting(meant):
            text = ngettext("%d waiting event was applied.", "%d waiting events were applied.", applied)
            messages.success(self.request, text % applied)
        self.params = {"meaning": form.cleaned_data["meaning"]}
        self.goes_to = reverse("admin:shipments_carriercode_changelist")  # the next one comes first
        return [code] if applied or before != (meant.action, meant.status, meant.client_note) else []


class CodeList(StrictChangeList):
    """A code without a meaning leads straight to the question, for those who may answer it."""

    def url_for_result(self, result: Any) -> Any:  # noqa: ANN401  # a code; the stubs know no type
        admin = cast("CarrierCodeAdmin", self.model_admin)
        is_asked = result.action == Action.UNKNOWN and ChooseMeaning.is_permitted(admin, self.asked, result)
        return admin.address(ChooseMeaning.name, result) if is_asked else super().url_for_result(result)


@admin.register(CarrierCode)
class CarrierCodeAdmin(ReadOnlyAdmin):
    """Codes, unknown ones first. Only operators of all countries of the carrier see them."""

    nothing_yet = _("No carrier has codes yet")
    how_it_begins = _("A new carrier has those of its format's documentation; unknown ones are added as they arrive.")
    first_steps = [(_("Carriers"), "admin:shipments_carrier_changelist", "shipments.view_carrier")]
    list_display = ["code", "carrier", "shown_meaning", "shown_waiting", "shown_words", "updated_by"]
    list_select_related = ["carrier"]
    change_list = CodeList
    list_filter = [("action", StatesFilter)]
    search_fields = ["code", "carrier__name"]
    search_help_text = _("code or carrier")
    fields = [
        ("code", "carrier"),
        "shown_meaning",
        "client_note",
        "shown_waiting",
        "shown_words",
        ("updated_by", "updated_at"),
    ]
    readonly_fields = ["shown_meaning", "shown_waiting", "shown_words"]
    confirmed_actions = (ChooseMeaning,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[CarrierCode]:
        return cast("CarrierCodeQuerySet", super().get_queryset(request)).with_waiting()

    def get_ordering(self, request: HttpRequest) -> Any:  # noqa: ANN401, ARG002  # Django's signature
        return [Case(When(action=Action.UNKNOWN, then=Value(0)), default=Value(1)), "carrier__name", "code"]

    @display(description=_("meaning"))
    def shown_meaning(self, code: CarrierCode) -> SafeString:
        if code.action == Action.STATUS:
            return status_badge(code.status)
        return badge(code.get_action_display(), "warning" if code.action == Action.UNKNOWN else "muted")

    shown_waiting = column(
        _("events waiting"), lambda code: str(Grouped(code.waiting)) if code.waiting else "–", is_number=True
    )
    shown_words = column(_("in the carrier's words"), lambda code: code.described or "–")
