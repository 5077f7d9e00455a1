"""Review: marking guides as reviewed, and correcting a consignee's data."""

from typing import Any

from django.contrib import admin, messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action

from companies.admin_base.confirmation import FURTHER, Question, is_confirmed
from companies.errors import DomainError
from shipments.activity import CORRECTED, REVIEWED
from shipments.admin.actions.guide_pages import GuidePages, blame
from shipments.admin.actions.selections import Selection, ask_about, ticked
from shipments.admin.actions.taking_actions import next_to_review
from shipments.admin.forms import ConsigneeForm
from shipments.log_entries import correction_params, log_guides
from shipments.models import Guide
from shipments.statuses import GuideStatus
from shipments.tracking.review import correct_consignee, mark_reviewed
from shipments.wording.rendering import reason_in_words

REVIEWING = Question(
    title=_("Mark as reviewed"),
    consequences=(_("The guides leave the list of those that need review. Their reasons stay on record."),),
    button=_("Mark as reviewed"),
)
CORRECTING = Question(
    title=_("Correct the consignee"),
    consequences=(
        _("A document is checked by the rules of the guide's country; one in order ends the review it caused."),
    ),
    button=_("Correct"),
)


class ReviewActions(GuidePages):
    """The actions, for the guide admin."""

    actions: Any = ["mark_selected_reviewed"]
    actions_detail: Any = ["correct_consignee", "mark_reviewed"]

    @action(description=_("Mark as reviewed"), url_path="mark-reviewed", permissions=["operate"], icon="task_alt")
    def mark_reviewed(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Mark one guide as reviewed, from its own page."""
        guide = self.guide_or_404(request, object_id)
        page = reverse("admin:shipments_guide_change", args=[guide.pk])
        return self._review(request, Selection(Guide.objects.filter(pk=guide.pk), page, subject=guide))

    @admin.action(description=_("Mark as reviewed…"), permissions=["operate"])
    def mark_selected_reviewed(self, request: HttpRequest, queryset: QuerySet[Guide]) -> HttpResponse | None:
        """Mark the selected guides that need review as reviewed."""
        selection = ticked(request, queryset.filter(needs_review=True))
        if not selection.guides.exists():
            messages.info(request, gettext("None of these guides needs review."))
            return None
        return None if selection.is_too_long(request) else self._review(request, selection)

    def _review(self, request: HttpRequest, selection: Selection) -> HttpResponse:
        if not is_confirmed(request):
            guides = self.sample(selection, _why)
            return ask_about(self, request, REVIEWING, selection, guides=guides, further=_further(selection))
        with transaction.atomic():
            done = mark_reviewed(selection.guides, actor=request.user.get_username())
            log_guides(request, REVIEWED, ((guide.pk, guide.tracking_code, {}) for guide in done))
        text = ngettext("%d guide is marked as reviewed.", "%d guides are marked as reviewed.", len(done))
        messages.success(request, text % len(done))
        return HttpResponseRedirect(_after(request, selection))

    @action(description=_("Correct consignee"), url_path="correct", permissions=["operate"], icon="edit")
    def correct_consignee(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Correct the consignee's data of an active guide. Outside a review the operator gives the reason."""
        guide = self.guide_or_404(request, object_id)
        page = reverse("admin:shipments_guide_change", args=[guide.pk])
        if GuideStatus(guide.status).is_terminal:
            messages.info(request, gettext("%s has a final status; its consignee stays as it is.") % guide)
            return HttpResponseRedirect(page)
        selection = Selection(Guide.objects.filter(pk=guide.pk), page, subject=guide)
        form = ConsigneeForm(guide, request.POST if is_confirmed(request) else None)
        if form.is_valid():
            try:
                self._correct(request, guide, form)
            except DomainError as refused:
                blame(form, refused)
            else:
                return HttpResponseRedirect(_after(request, selection))
        guides = self.sample(selection, _why)
        return ask_about(
            self, request, CORRECTING, selection, form=form, guides=guides, further=_further(selection),
            checks_documents=True,
        )  # fmt: skip

    @staticmethod
    def _correct(request: HttpRequest, guide: Guide, form: ConsigneeForm) -> None:
        with transaction.atomic():
            correction = correct_consignee(guide, form.changes, actor=request.user.get_username())
            if correction.after:
                params = correction_params(correction, form.reason)
                log_guides(request, CORRECTED, [(guide.pk, guide.tracking_code, params)])
        if not correction.after:
            messages.info(request, gettext("Nothing was changed."))
        elif correction.ends_review:
            messages.success(request, gettext("The consignee is corrected; the guide no longer needs review."))
        else:
            messages.success(request, gettext("The consignee is corrected."))


def _further(selection: Selection) -> str:
    """Return the label of the button that goes on to the next guide; empty unless this one is in the work list."""
    guide = selection.subject
    return gettext("Save and next") if isinstance(guide, Guide) and guide.needs_review else ""


def _after(request: HttpRequest, selection: Selection) -> str:
    """Return the address to go to: back, or with "Save and next" the next guide that needs review."""
    if FURTHER not in request.POST or not isinstance(selection.subject, Guide):
        return selection.way_back
    following = next_to_review(request, selection.subject)
    if following is None:
        messages.info(request, gettext("No other guide needs review."))
        return reverse("admin:shipments_guide_changelist") + "?work=review"
    return reverse("admin:shipments_guide_change", args=[following.pk])


def _why(guide: Guide) -> list[str]:
    return [reason_in_words(reason) for reason in guide.review_reasons]
