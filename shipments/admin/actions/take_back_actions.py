"""Taking back a wrong status, for administrators: a form, a preview of what clients are sent, and the results."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin
from unfold.decorators import action

from companies.admin_base.confirmation import Question, is_confirmed
from companies.errors import DomainError
from shipments.admin.actions.advance_actions import DONE, PREVIEW
from shipments.admin.actions.guide_pages import GuidePages, blame
from shipments.admin.actions.move_results import results_context, who_is_notified, zone_of
from shipments.admin.actions.selections import Selection, ask_about, ticked
from shipments.admin.badges import status_badge
from shipments.admin.forms import TakeBackForm
from shipments.log_entries import log_taken_back
from shipments.models import Guide
from shipments.statuses import GuideStatus
from shipments.tracking.announcements import event_type, notified_companies
from shipments.tracking.batches import Result
from shipments.tracking.taking_back import take_back
from shipments.tracking.withdrawals import Withdrawal

CORRECTING = Question(
    title=_("Take back the last status"),
    consequences=(
        _(
            "For a status that was recorded by mistake, also a final one. The wrong event stays here, struck through; "
            "the client no longer finds it, and is sent the status that holds instead."
        ),
        _("The next page shows what would happen to each guide. Nothing is changed until you confirm."),
    ),
    button=_("Preview"),
    pressed=PREVIEW,
)
PREVIEWED = Question(title=_("Preview"), button=_("Take back"), is_dangerous=True)


class TakeBackActions(GuidePages):
    """The actions, for the guide admin."""

    actions: Any = ["take_back_selected"]
    actions_detail: Any = ["take_back"]

    def has_take_back_permission(self, request: HttpRequest, obj: object = None) -> bool:  # noqa: ARG002  # Django's signature
        """Only administrators: no role has it."""
        return bool(request.user.is_active and request.user.is_superuser)

    @action(description=_("Take back status"), url_path="take-back", permissions=["take_back"], icon="undo")
    def take_back(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Take back the status of one guide, from its own page."""
        guide = self.guide_or_404(request, object_id)
        page = reverse("admin:shipments_guide_change", args=[guide.pk])
        return _pages(self, request, Selection(Guide.objects.filter(pk=guide.pk), page, subject=guide))

    @admin.action(description=_("Take back the last status…"), permissions=["take_back"])
    def take_back_selected(self, request: HttpRequest, queryset: QuerySet[Guide]) -> HttpResponse | None:
        """Take back the status of the guides selected in the list, such as those of one wrong bulk move."""
        selection = ticked(request, queryset)
        if selection.is_too_long(request, "take_back_status"):
            return None
        if not (is_confirmed(request) or _statuses(selection)):
            messages.info(request, gettext("None of these guides has moved yet."))
            return None
        return _pages(self, request, selection)


_MOVED = {*GuideStatus} - {GuideStatus.REGISTERED}


def _statuses(selection: Selection) -> set[str]:
    found = selection.guides.order_by().values_list("status", flat=True).distinct()
    return {*found} & _MOVED


def _pages(model_admin: ModelAdmin, request: HttpRequest, selection: Selection) -> HttpResponse:
    """Show the form, the preview or the results, all at the same address.

    The wrong status is part of the form: a guide that has moved since is refused, and nothing right is taken back.
    """
    is_asked, is_run = is_confirmed(request, PREVIEW) or is_confirmed(request), is_confirmed(request)
    form = TakeBackForm(
        _MOVED if is_asked else _statuses(selection),  # once it is done, the guides have other statuses
        request.POST if is_asked else None,
        initial={"zone": zone_of(selection)},
    )
    if form.is_valid():
        try:
            results = take_back(
                selection.guides,
                form.withdrawal,
                actor=request.user.get_username(),
                dry_run=not is_run,
                after_batch=lambda batch: log_taken_back(request, batch) if is_run else None,
            )
        except DomainError as refused:
            blame(form, refused)
        else:
            question, more = _next(request, form.withdrawal, results, is_run=is_run), results_context(results)
            return ask_about(
                model_admin, request, question, selection, template="admin/shipments/moves.html", form=form, **more
            )
    named = GuidePages.sample(selection, lambda guide: [status_badge(guide.status)])
    return ask_about(model_admin, request, CORRECTING, selection, form=form, named=named)


def _next(request: HttpRequest, withdrawal: Withdrawal, results: Sequence[Result], *, is_run: bool) -> Question:
    taken = [result for result in results if result.refusal is None]
    if is_run:
        if taken:
            text = ngettext(
                "The status of %d guide is taken back.", "The status of %d guides is taken back.", len(taken)
            )
            messages.success(request, text % len(taken))
        return DONE
    if not taken:
        return PREVIEWED
    heard = notified_companies(taken)
    sent = Counter(event_type(one.move.reported.status).value for one in taken if one.manifest.company_id in heard)
    kinds = ", ".join(f"{kind} × {count}" for kind, count in sent.most_common())
    lines = [f"{who_is_notified(taken)} {kinds}"]
    if withdrawal.client_note:
        lines.append(gettext("Note to the client: %s") % withdrawal.client_note)
    lines.append(gettext("What clients were sent before cannot be taken back; they are sent the new status after it."))
    return replace(PREVIEWED, consequences=lines)
