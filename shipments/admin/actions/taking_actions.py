"""Taking guides to look at, so that two operators do not do the same work, and releasing them."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin, messages
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from unfold.decorators import action

from companies.admin_base.activity import operator_id
from companies.admin_base.confirmation import Question, is_confirmed
from shipments.activity import RELEASED, TAKEN
from shipments.admin.actions.guide_pages import GuidePages
from shipments.admin.actions.selections import Selection, ask_about, ticked
from shipments.log_entries import log_guides
from shipments.models import Guide, GuideTaking

TAKING = Question(
    title=_("Take the guide"),
    consequences=(_("Other operators see that you are looking at it. Clients do not."),),
    button=_("Take"),
)
RELEASING = Question(
    title=_("Release the guide"),
    consequences=(_("Any operator may take it again."),),
    button=_("Release"),
)


class TakingActions(GuidePages):
    """The actions, for the guide admin."""

    actions: Any = ["take_selected", "release_selected"]
    actions_detail: Any = ["take", "release"]

    @action(description=_("Take"), url_path="take", permissions=["operate"], icon="person_add")
    def take(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Take one guide, from its own page."""
        selection = self._only(request, object_id)
        if not is_confirmed(request):
            return ask_about(self, request, TAKING, selection, guides=self.sample(selection))
        self._take(request, selection.guides)
        return HttpResponseRedirect(selection.way_back)

    @action(description=_("Release"), url_path="release", permissions=["operate"], icon="person_remove")
    def release(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Release one guide, whoever has taken it: colleagues fall ill."""
        selection = self._only(request, object_id)
        if not is_confirmed(request):
            return ask_about(self, request, RELEASING, selection, guides=self.sample(selection))
        self._release(request, selection.guides)
        return HttpResponseRedirect(selection.way_back)

    @admin.action(description=_("Take"), permissions=["operate"])
    def take_selected(self, request: HttpRequest, queryset: QuerySet[Guide]) -> None:
        """Take the selected guides that nobody has taken."""
        if not ticked(request, queryset).is_too_long(request):
            self._take(request, queryset)

    @admin.action(description=_("Release"), permissions=["operate"])
    def release_selected(self, request: HttpRequest, queryset: QuerySet[Guide]) -> None:
        """Release those of the selected guides that the operator has taken."""
        if not ticked(request, queryset).is_too_long(request):
            self._release(request, queryset.filter(taking__operator=operator_id(request)))

    def _only(self, request: HttpRequest, object_id: str) -> Selection:
        guide = self.guide_or_404(request, object_id)
        page = reverse("admin:shipments_guide_change", args=[guide.pk])
        return Selection(Guide.objects.filter(pk=guide.pk), page, subject=guide)

    @staticmethod
    def _take(request: HttpRequest, guides: QuerySet[Guide]) -> None:
        wanted = list(guides.order_by("pk").values_list("pk", "tracking_code"))
        own = operator_id(request)
        with transaction.atomic():
            before = set(_taken(wanted).values_list("pk", flat=True))
            GuideTaking.objects.bulk_create(
                [GuideTaking(guide_id=key, operator_id=own) for key, _code in wanted if key not in before],
                ignore_conflicts=True,  # somebody else was faster
            )
            mine = set(_taken(wanted).filter(operator=own).values_list("pk", flat=True))
            added = mine - before
            log_guides(request, TAKEN, ((key, code, {}) for key, code in wanted if key in added))
        taken = ngettext("You have taken %d guide.", "You have taken %d guides.", len(mine)) % len(mine)
        if mine:
            messages.success(request, taken)
        if others := len(wanted) - len(mine):
            text = ngettext("%d guide was taken by somebody else.", "%d guides were taken by others.", others)
            messages.warning(request, text % others)

    @staticmethod
    def _release(request: HttpRequest, guides: QuerySet[Guide]) -> None:
        wanted = list(guides.order_by("pk").values_list("pk", "tracking_code"))
        with transaction.atomic():
            freed = set(_taken(wanted).values_list("pk", flat=True))
            _taken(wanted).delete()
            log_guides(request, RELEASED, ((key, code, {}) for key, code in wanted if key in freed))
        text = ngettext("%d guide is released.", "%d guides are released.", len(freed))
        messages.success(request, text % len(freed))


def next_to_review(request: HttpRequest, guide: Guide) -> Guide | None:
    """Return the guide below `guide` in the work list, or the first one after the last.

    Only of those that the operator may see and nobody else has taken.
    """
    free = Q(taking=None) | Q(taking__operator=operator_id(request))
    waiting = Guide.objects.visible_to(request.user).to_review().filter(free).exclude(pk=guide.pk).order_by("-pk")
    return waiting.filter(pk__lt=guide.pk).first() or waiting.first()


def _taken(wanted: Sequence[tuple[int, str]]) -> QuerySet[GuideTaking]:
    return GuideTaking.objects.filter(pk__in=[key for key, _code in wanted])
