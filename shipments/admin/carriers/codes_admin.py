"""What carriers' codes mean, unknown ones first; choosing a meaning applies the events that wait."""

from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.db.models import Case, QuerySet, Value, When
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import action, display
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from companies.admin_base.activity import ActKind, act, log_act
from companies.admin_base.confirmation import Question, ask, is_confirmed
from companies.admin_base.lists import badge
from shipments.admin.actions.move_results import results_context, who_is_notified
from shipments.admin.badges import status_badge
from shipments.admin.read_only_admin import ReadOnlyAdmin
from shipments.carriers.codes import apply_waiting, map_code, preview
from shipments.errors import ValidationFailed
from shipments.labels import STATUS_LABELS
from shipments.models import Action, CarrierCode
from shipments.models.carriers import CarrierCodeQuerySet
from shipments.statuses import GuideStatus
from shipments.tracking.moves import Outcome

CODE_MAPPED = act("carrier_code_mapped", ActKind.CONFIGURED, _("Chose the meaning of a code: %(meaning)s."))
PREVIEW = "preview"
CHOOSING = Question(
    title=_("Choose the meaning"),
    consequences=(_("The next page shows what would happen to the guides of the events that wait."),),
    button=_("Preview"),
    pressed=PREVIEW,
)
_MEANINGS = [
    (Action.EVENT_ONLY.value, Action.EVENT_ONLY.label),
    (Action.IGNORE.value, Action.IGNORE.label),
    *((status.value, label) for status, label in STATUS_LABELS.items() if status is not GuideStatus.REGISTERED),
]


class MeaningForm(forms.Form):
    """What a code means."""

    meaning = forms.ChoiceField(label=_("Meaning"), choices=_MEANINGS, widget=UnfoldAdminSelectWidget())
    client_note = forms.CharField(
        label=_("Note to the client"),
        required=False,
        max_length=255,
        help_text=_("In your own words, with a status only. The carrier's words never reach clients."),
        widget=UnfoldAdminTextInputWidget(),
    )

    @property
    def status(self) -> GuideStatus | None:
        """The status that was chosen, if it is one."""
        meaning = self.cleaned_data["meaning"]
        return None if meaning in {Action.EVENT_ONLY, Action.IGNORE} else GuideStatus(meaning)

    @property
    def action(self) -> Action:
        """What was chosen."""
        return Action.STATUS if self.status else Action(self.cleaned_data["meaning"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("client_note") and "meaning" in cleaned and self.status is None:
            self.add_error("client_note", _("Only a status has a note to the client."))
        return cleaned


@admin.register(CarrierCode)
class CarrierCodeAdmin(ReadOnlyAdmin):
    """Codes, unknown ones first. Only operators of all countries of the carrier see them."""

    nothing_yet = _("No carrier has codes yet")
    how_it_begins = _("A new carrier has those of its format's documentation; unknown ones are added as they arrive.")
    list_display = ["code", "carrier", "shown_meaning", "shown_waiting", "shown_words", "updated_by"]
    list_select_related = ["carrier"]
    list_filter = [("action", ChoicesDropdownFilter)]
    sortable_by = ()
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
    actions_detail: Any = ["choose_meaning"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[CarrierCode]:
        return cast("CarrierCodeQuerySet", super().get_queryset(request)).with_waiting()

    def get_ordering(self, request: HttpRequest) -> Any:  # noqa: ANN401, ARG002  # Django's signature
        """Unknown ones first."""
        return [Case(When(action=Action.UNKNOWN, then=Value(0)), default=Value(1)), "carrier__name", "code"]

    @action(description=_("Choose the meaning"), url_path="meaning", permissions=["operate"], icon="rule")
    def choose_meaning(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask for the meaning, preview its effect on each guide, apply it; all at the same address."""
        code: CarrierCode | None = self.get_object(request, object_id)
        if code is None:
            raise Http404
        page = reverse("admin:shipments_carriercode_change", args=[code.pk])
        is_sent = is_confirmed(request, PREVIEW) or is_confirmed(request)
        known = {"meaning": code.status or code.action, "client_note": code.client_note}
        form = MeaningForm(request.POST if is_sent else None, initial=known)
        if not form.is_valid():
            return ask(self, request, CHOOSING, way_back=page, subject=code, form=form)
        if not is_confirmed(request):
            return self._preview(request, code, form, page)
        try:
            meant = map_code(
                code.carrier, code.code, form.action, form.status, client_note=form.cleaned_data["client_note"],
                by=request.user.get_username(),
            )  # fmt: skip
        except ValidationFailed as refused:
            messages.error(request, refused.message)
            return HttpResponseRedirect(page)
        log_act(request, code, CODE_MAPPED, meaning=form.cleaned_data["meaning"])
        applied = apply_waiting(meant)
        messages.success(request, gettext("The meaning of the code is stored."))
        if applied:
            text = ngettext("%d event that waited was taken up.", "%d events that waited were taken up.", applied)
            messages.success(request, text % applied)
        return HttpResponseRedirect(page)

    def _preview(self, request: HttpRequest, code: CarrierCode, form: MeaningForm, page: str) -> HttpResponse:
        results = preview(code, form.status) if form.status else []
        advanced = [result for result in results if result.outcome is Outcome.ADVANCED]
        shown = dict(_MEANINGS)[form.cleaned_data["meaning"]]
        question = Question(
            title=gettext("%(code)s means: %(meaning)s") % {"code": code.code, "meaning": shown},
            consequences=(who_is_notified(advanced),) if advanced else (),
            button=gettext("Confirm"),
            is_dangerous=bool(form.status and form.status.is_terminal and advanced),
        )
        context = results_context(results) | {"changes": True, "spread": [_waiting_in_words(code)]}
        context |= {"template": "admin/shipments/moves.html", "form": form}
        return ask(self, request, question, way_back=page, subject=code, **context)

    @display(description=_("meaning"))
    def shown_meaning(self, code: CarrierCode) -> SafeString:
        if code.action == Action.STATUS:
            return status_badge(code.status)
        return badge(code.get_action_display(), "warning" if code.action == Action.UNKNOWN else "muted")

    @display(description=_("events waiting"))
    def shown_waiting(self, code: Any) -> str:  # noqa: ANN401  # annotated
        return str(code.waiting) if code.waiting else "–"

    @display(description=_("in the carrier's words"))
    def shown_words(self, code: Any) -> str:  # noqa: ANN401  # as above
        return str(code.described or "–")


def _waiting_in_words(code: Any) -> str:  # noqa: ANN401  # annotated
    waiting: int = code.waiting
    return ngettext("%d event waits for this code.", "%d events wait for this code.", waiting) % waiting
