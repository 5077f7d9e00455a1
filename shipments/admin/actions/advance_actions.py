"""Advancing guides: enter an event, preview its effect on each guide, apply it and see the results."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin
from unfold.decorators import action

from companies.countries import SERVED
from companies.errors import DomainError
from companies.operators.confirmation import Question, is_confirmed
from shipments.admin.actions.guide_pages import GuidePages, blame
from shipments.admin.actions.selections import Selection, ask_about, ticked
from shipments.admin.badges import outcome_badge, outcome_tally, status_badge
from shipments.admin.forms import AdvanceForm
from shipments.admin.log_entries import log_moves
from shipments.models import Guide
from shipments.tracking.advancing import advance
from shipments.tracking.moves import Outcome
from shipments.tracking.results import Result

PREVIEW = "preview"
_SHOWN_RESULTS = 200
_FIRST_SHOWN = [Outcome.REFUSED, Outcome.HISTORY, Outcome.REPEATED, Outcome.UNCHANGED, Outcome.ADVANCED]

TELLING = Question(
    title=_("Advance to…"),
    consequences=(_("The next page shows what would happen to each guide; nothing is written before you agree."),),
    button=_("Show what would happen"),
    pressed=PREVIEW,
)
PREVIEWED = Question(title=_("What would happen"), button=_("Do it"))
DONE = Question(title=_("What happened"))


class AdvanceActions(GuidePages):
    """The actions, for the guide admin."""

    actions: Any = ["advance_selected"]
    actions_detail: Any = ["advance"]

    @action(description=_("Advance to…"), url_path="advance", permissions=["operate"], icon="moving")
    def advance(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Advance one guide, from its own page."""
        guide = self.guide_or_404(request, object_id)
        page = reverse("admin:shipments_guide_change", args=[guide.pk])
        return advance_pages(self, request, Selection(Guide.objects.filter(pk=guide.pk), page, subject=guide))

    @admin.action(description=_("Advance to…"), permissions=["operate"])
    def advance_selected(self, request: HttpRequest, queryset: QuerySet[Guide]) -> HttpResponse | None:
        """Advance the guides selected in the list."""
        selection = ticked(request, queryset)
        return None if selection.is_too_long(request) else advance_pages(self, request, selection)


def advance_pages(model_admin: ModelAdmin, request: HttpRequest, selection: Selection) -> HttpResponse:
    """Show the form, the preview or the results, all at the same address.

    Applying evaluates the previewed event again. Submitting it twice changes nothing more.
    """
    is_asked = is_confirmed(request, PREVIEW) or is_confirmed(request)
    form = AdvanceForm(request.POST if is_asked else None, initial={"zone": _zone(selection)})
    guides = GuidePages.sample(selection)
    if form.is_valid():
        is_run = is_confirmed(request)
        try:
            results = advance(
                selection.guides,
                form.fact,
                actor=request.user.get_username(),
                dry_run=not is_run,
                after_batch=lambda batch: log_moves(request, batch) if is_run else None,
            )
        except DomainError as refused:
            blame(form, refused)
        else:
            question, more = (DONE if is_run else PREVIEWED), {"form": form, "guides": guides, **_told(results)}
            return ask_about(model_admin, request, question, selection, template="admin/shipments/moves.html", **more)
    return ask_about(model_admin, request, TELLING, selection, form=form, guides=guides)


def _zone(selection: Selection) -> str:
    country = selection.guides.order_by("pk").values_list("manifest__country", flat=True).first()
    return SERVED[country].clock.key if country else "UTC"


def _told(results: Sequence[Result]) -> dict[str, Any]:
    """Return the template context for results: the tally and the first results, refusals first."""
    tally = Counter(result.outcome for result in results)
    ranked = sorted(results, key=lambda result: _FIRST_SHOWN.index(result.outcome))
    return {
        "tally": [(tally[outcome], outcome_tally(outcome, tally[outcome])) for outcome in Outcome if tally[outcome]],
        "changes": bool(len(results) - tally[Outcome.REFUSED] - tally[Outcome.UNCHANGED]),
        "lines": [_line(result) for result in ranked[:_SHOWN_RESULTS]],
        "more_lines": max(0, len(results) - _SHOWN_RESULTS),
    }


def _line(result: Result) -> dict[str, Any]:
    return {
        "guide_id": result.move.guide_id,
        "tracking_code": result.tracking_code,
        "hawb": result.hawb,
        "mawb": result.manifest.mawb,
        "previous": status_badge(result.previous_status),
        "status": status_badge(result.move.fact.status),
        "outcome": outcome_badge(result.outcome),
        "why": result.refusal.in_words if result.refusal else "",
    }
