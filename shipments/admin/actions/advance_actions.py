"""Advancing guides: enter an event, preview its effect on each guide, apply it and see the results."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin
from unfold.decorators import action

from companies.admin_base.confirmation import Question, is_confirmed
from companies.errors import DomainError
from shipments.admin.actions.guide_pages import GuidePages, blame
from shipments.admin.actions.guide_spread import moves_by_clock, spread_of
from shipments.admin.actions.move_results import results_context, who_is_notified
from shipments.admin.actions.selections import Selection, ask_about, ticked
from shipments.admin.forms import AdvanceForm
from shipments.labels import STATUS_LABELS
from shipments.log_entries import log_moves
from shipments.models import Guide, Manifest
from shipments.statuses import GuideStatus
from shipments.tracking.advancing import advance_each
from shipments.tracking.batches import Result
from shipments.tracking.moves import Outcome

PREVIEW = "preview"

TELLING = Question(
    title=_("Advance to…"),
    consequences=(_("The next page shows what would happen to each guide. Nothing is changed until you confirm."),),
    button=_("Preview"),
    pressed=PREVIEW,
)
PREVIEWED = Question(title=_("Preview"), button=_("Confirm"))
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


class ManifestAdvance(GuidePages):
    """The action, for the manifest admin."""

    actions_detail: Any = ["advance_guides"]

    def has_move_guides_permission(self, request: HttpRequest, obj: object = None) -> bool:  # noqa: ARG002  # the signature is Django's
        """Advancing guides needs the permission on guides, from here too."""
        return request.user.has_perm("shipments.change_guide")

    @action(description=_("Advance guides…"), url_path="advance", permissions=["move_guides"], icon="moving")
    def advance_guides(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Apply one event to all guides of the manifest."""
        manifest: Manifest | None = self.get_object(request, object_id)
        if manifest is None:
            raise Http404
        page = reverse("admin:shipments_manifest_change", args=[manifest.pk])
        selection = Selection(manifest.guides.all(), page, subject=manifest)
        if selection.is_too_long(request):
            return HttpResponseRedirect(page)
        return advance_pages(self, request, selection)


def advance_pages(model_admin: ModelAdmin, request: HttpRequest, selection: Selection) -> HttpResponse:
    """Show the form, the preview or the results, all at the same address.

    Applying evaluates the previewed event again. Submitting it twice changes nothing more.
    """
    is_asked = is_confirmed(request, PREVIEW) or is_confirmed(request)
    spread = spread_of(selection.guides)
    form = AdvanceForm(request.POST if is_asked else None, initial={"zone": spread.zone})
    more: dict[str, Any] = {"form": form, "named": GuidePages.sample(selection), "spread": spread.in_words}
    if form.is_valid():
        is_run = is_confirmed(request)
        try:
            results = advance_each(
                moves_by_clock(selection.guides, form.event_at),
                actor=request.user.get_username(),
                dry_run=not is_run,
                after_batch=lambda batch: log_moves(request, batch) if is_run else None,
            )
        except DomainError as refused:
            blame(form, refused)
        else:
            question = _next(request, GuideStatus(form.cleaned_data["status"]), results, is_run=is_run)
            more |= results_context(results)
            return ask_about(model_admin, request, question, selection, template="admin/shipments/moves.html", **more)
    question = replace(TELLING, consequences=(*spread.in_words, *TELLING.consequences))
    return ask_about(model_admin, request, question, selection, **more)


def _next(request: HttpRequest, status: GuideStatus, results: Sequence[Result], *, is_run: bool) -> Question:
    """Return what the page after the form says. A final status cannot be taken back by another one: it asks in red."""
    advanced = [result for result in results if result.outcome is Outcome.ADVANCED]
    if is_run:
        if advanced:
            text = ngettext("%d guide advanced.", "%d guides advanced.", len(advanced)) % len(advanced)
            messages.success(request, text)
        return DONE
    if not (status.is_terminal and advanced):
        return PREVIEWED
    label = f'"{STATUS_LABELS[status]}"'
    final = ngettext(
        "%(count)d guide gets the final status %(status)s. No other status can follow it; only an administrator can "
        "take it back.",
        "%(count)d guides get the final status %(status)s. No other status can follow it; only an administrator can "
        "take it back.",
        len(advanced),
    ) % {"count": len(advanced), "status": label}
    return replace(
        PREVIEWED,
        consequences=(final, who_is_notified(advanced)),
        button=gettext("Set the final status"),
        is_dangerous=True,
    )
