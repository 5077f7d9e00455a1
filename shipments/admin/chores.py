"""What the worker does by the clock, for those who see every country."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy as _, pgettext

from base.admin.lists import badge, column
from base.admin.scoped_admin import ReadOnly
from companies.everywhere_admin import EverywhereAdmin
from shipments.admin.columns import time_column
from shipments.models import Chore
from shipments.work.chores import overdue, tasks


@admin.register(Chore)
class ChoreAdmin(ReadOnly, EverywhereAdmin):  # type: ignore[misc]  # unfold's hints disagree with Django's
    nothing_yet = _("The worker has not run yet")
    how_it_begins = _("The worker notes here when it did each chore, and what came of it.")
    list_display = ["shown_name", "shown_state", "shown_done", "shown_due", "failures", "shown_outcome"]
    list_display_links = None
    actions = None
    sortable_by = ()

    shown_name = column(_("chore"), lambda row: tasks()[row.name].title)
    shown_state = column(_("state"), lambda row: badge(*_state(row)))
    shown_done = time_column(_("last done"), "succeeded_at")
    shown_due = time_column(_("due"), "due_at")
    shown_outcome = column(_("output of the command"), lambda row: row.outcome or "–")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Chore]:
        rows: QuerySet[Chore] = super().get_queryset(request)
        return rows.filter(name__in=tasks())


def _state(row: Chore) -> tuple[str, str]:
    """Return the state in words, and its colour."""
    now = timezone.now()
    if row in overdue(now):
        return pgettext("chore", "overdue"), "danger"
    if row.held_until and row.held_until > now:
        return pgettext("chore", "under way"), "info"
    return (pgettext("chore", "done"), "success") if row.succeeded_at else (gettext("not done yet"), "muted")
