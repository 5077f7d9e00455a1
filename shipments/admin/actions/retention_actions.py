"""Lifting retentions, of one guide on its page or of several in the list. A reason is required."""

from typing import Any

from django.contrib import admin, messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action

from companies.admin_base.confirmation import Question, is_confirmed
from companies.errors import DomainError
from shipments.activity import RETENTION_LIFTED
from shipments.admin.actions.guide_pages import GuidePages, blame
from shipments.admin.actions.selections import Selection, ask_about, ticked
from shipments.admin.forms import ReasonForm
from shipments.errors import GuideNotUnderRetention
from shipments.log_entries import log_guides
from shipments.models import Guide
from shipments.tracking.review import lift_retention

LIFTING = Question(
    title=_("Lift the retention"),
    consequences=(
        _("The guide may then be released, go out for delivery and be delivered. No customs event is invented."),
        _("Who lifted it, when and why stays on the guide."),
    ),
    button=_("Lift the retention"),
)


class RetentionActions(GuidePages):
    """The actions, for the guide admin."""

    actions: Any = ["lift_retention_of_selected"]
    actions_detail: Any = ["lift_retention"]

    @action(description=_("Lift retention"), url_path="lift-retention", permissions=["operate"], icon="lock_open")
    def lift_retention(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask for a reason, then lift the retention."""
        guide = self.guide_or_404(request, object_id)
        page = reverse("admin:shipments_guide_change", args=[guide.pk])
        if not guide.retention_required:
            messages.info(request, gettext("%s is not under retention.") % guide)
            return HttpResponseRedirect(page)
        return self._lift(request, Selection(Guide.objects.filter(pk=guide.pk), page, subject=guide))

    @admin.action(description=_("Lift retention…"), permissions=["operate"])
    def lift_retention_of_selected(self, request: HttpRequest, queryset: QuerySet[Guide]) -> HttpResponse | None:
        """Lift the retention of the selected guides. Guides that are not under retention are skipped."""
        selection = ticked(request, queryset.filter(retention_required=True))
        if not selection.guides.exists():
            messages.info(request, gettext("None of these guides is under retention."))
            return None
        return None if selection.is_too_long(request) else self._lift(request, selection)

    def _lift(self, request: HttpRequest, selection: Selection) -> HttpResponse:
        form = ReasonForm(request.POST if is_confirmed(request) else None)
        if form.is_valid():
            try:
                lifted = self._lift_all(request, selection, form.cleaned_data["reason"])
            except DomainError as refused:
                blame(form, refused)
            else:
                text = ngettext("The retention of %d guide is lifted.", "The retention of %d guides is lifted.", lifted)
                messages.success(request, text % lifted)
                return HttpResponseRedirect(selection.way_back)
        return ask_about(self, request, LIFTING, selection, form=form, guides=self.sample(selection))

    @staticmethod
    def _lift_all(request: HttpRequest, selection: Selection, reason: str) -> int:
        lifted = []
        with transaction.atomic():
            for guide in selection.guides.order_by("pk"):
                try:
                    lifted.append(lift_retention(guide, reason=reason, actor=request.user.get_username()))
                except GuideNotUnderRetention:
                    continue  # customs or another operator already released it
            log_guides(request, RETENTION_LIFTED, ((guide.pk, guide.tracking_code, {}) for guide in lifted))
        return len(lifted)
