"""Advancing guides: tell a fact, see what it would do to each guide, then do it and see what it did."""

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

from companies.errors import DomainError
from shipments.admin.actions.guide_pages import GuidePages
from shipments.admin.actions.selections import Selection, ticked
from shipments.admin.actions.steps import Step, blame, is_pressed, show_step
from shipments.admin.badges import outcome_badge, outcome_tally, status_badge
from shipments.admin.forms import AdvanceForm
from shipments.admin.log_entries import log_moves
from shipments.manifests.destinations import country_timezone
from shipments.models import Guide
from shipments.tracking.advancing import advance
from shipments.tracking.moves import Outcome
from shipments.tracking.results import Result

PREVIEW = "preview"
_SHOWN_RESULTS = 200
_FIRST_SHOWN = [Outcome.REFUSED, Outcome.HISTORY, Outcome.REPEATED, Outcome.UNCHANGED, Outcome.ADVANCED]

TELLING = Step(
    title=_("Advance to…"),
    explanations=(_("The next page shows what would happen to each guide; nothing is written before you agree."),),
    button=_("Show what would happen"),
    pressed=PREVIEW,
)
PREVIEWED = Step(title=_("What would happen"), button=_("Do it"))
DONE = Step(title=_("What happened"))


class AdvanceActions(GuidePages):
    """The actions, for the admin of guides."""

    actions: Any = ["advance_selected"]
    actions_detail: Any = ["advance"]

    @action(description=_("Advance to…"), url_path="advance", permissions=["operate"], icon="moving")
    def advance(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """One guide, from its own page."""
        guide = self.guide_or_404(request, object_id)
        page = reverse("admin:shipments_guide_change", args=[guide.pk])
        return advance_pages(self, request, Selection(Guide.objects.filter(pk=guide.pk), page, subject=guide))

    @admin.action(description=_("Advance to…"), permissions=["operate"])
    def advance_selected(self, request: HttpRequest, queryset: QuerySet[Guide]) -> HttpResponse | None:
        """What is ticked in the list."""
        selection = ticked(request, queryset)
        return None if selection.is_too_long(request) else advance_pages(self, request, selection)


def advance_pages(model_admin: ModelAdmin, request: HttpRequest, selection: Selection) -> HttpResponse:
    """The form, what would happen, and what happened: three answers at one address.

    What is done is what the preview was asked, judged again; sent twice it changes nothing more.
    """
    is_asked = is_pressed(request, PREVIEW) or is_pressed(request)
    form = AdvanceForm(request.POST if is_asked else None, initial={"zone": _zone(selection)})
    guides = GuidePages.sample(selection)
    if form.is_valid():
        is_run = is_pressed(request)
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
            step, more = (DONE if is_run else PREVIEWED), {"form": form, "guides": guides, **_told(results)}
            return show_step(model_admin, request, step, selection, template="admin/shipments/moves.html", **more)
    return show_step(model_admin, request, TELLING, selection, form=form, guides=guides)


def _zone(selection: Selection) -> str:
    country = selection.guides.order_by("pk").values_list("manifest__country", flat=True).first()
    return country_timezone(country).key if country else "UTC"


def _told(results: Sequence[Result]) -> dict[str, Any]:
    """Results for a template: the tally, and the first of them, refusals first."""
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
