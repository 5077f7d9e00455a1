"""The history of imported event files: who imported what, when, and what came of it."""

from typing import Any

from django.contrib import admin
from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display

from companies.admin_base.clocks import headed_by_zone, in_list
from companies.admin_base.lists import badge
from shipments.admin.event_files.pages import tally_of
from shipments.admin.numbers import number_column, plain_number
from shipments.admin.read_only_admin import ReadOnlyAdmin
from shipments.models import EventImport, ImportState
from shipments.tracking.moves import Outcome

_COLOURS = {
    ImportState.WAITING: "muted",
    ImportState.RUNNING: "info",
    ImportState.DONE: "success",
    ImportState.STOPPED: "warning",
}


@admin.register(EventImport)
class EventImportAdmin(ReadOnlyAdmin):
    """Imports, newest first, with counts only: rows may be of any country, and only their operator sees them."""

    list_display = [
        "shown_uploaded", "actor", "shown_name", "shown_rows", "shown_moved", "shown_refused", "shown_state",
    ]  # fmt: skip
    nothing_yet = _("No file has been imported yet")
    how_it_begins = _("“Import events” in the sidebar reads the files that couriers and customs send.")
    list_filter = [("state", ChoicesDropdownFilter)]
    ordering = ["-created_at"]
    sortable_by = ()
    search_fields = ["original_name", "actor"]
    search_help_text = _("file name or operator, or a part of either")
    fields = [
        ("shown_name", "shown_state"), ("actor", "created_at"), ("started_at", "finished_at"),
        ("shown_rows", "shown_result"), "shown_report",
    ]  # fmt: skip
    readonly_fields = ["shown_name", "shown_state", "shown_rows", "shown_result", "shown_report"]

    shown_rows = number_column(EventImport, "total_rows")

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401, ARG002  # Django's signature
        """Whoever may import events sees the history."""
        return request.user.has_perm("shipments.change_guide")

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def get_queryset(self, request: HttpRequest) -> QuerySet[EventImport]:
        is_own = ExpressionWrapper(Q(operator_id=request.user.pk), output_field=BooleanField())
        imports: QuerySet[EventImport] = super().get_queryset(request)
        return imports.defer("lines").annotate(is_own=is_own)

    @display(description=headed_by_zone(_("uploaded")))
    def shown_uploaded(self, event_import: EventImport) -> str:
        return in_list(event_import.created_at)

    @display(description=_("file"))
    def shown_name(self, event_import: EventImport) -> str:
        return event_import.original_name or "–"

    @display(description=_("guides moved"))
    def shown_moved(self, event_import: EventImport) -> str:
        return _counted(event_import, Outcome.ADVANCED)

    @display(description=_("rows refused"))
    def shown_refused(self, event_import: EventImport) -> str:
        return _counted(event_import, Outcome.REFUSED)

    @display(description=_("state"))
    def shown_state(self, event_import: EventImport) -> SafeString:
        state = ImportState(event_import.state)
        return badge(state.label, _COLOURS[state])

    @display(description=_("result"))
    def shown_result(self, event_import: EventImport) -> SafeString | str:
        tally = tally_of(event_import)
        return format_html_join(" ", "<span><strong>{}</strong> {}</span>", ((n, word) for word, n in tally)) or "–"

    @display(description=_("rows of the file"))
    def shown_report(self, event_import: EventImport) -> SafeString | str:
        """A link to the rows, for the operator who uploaded the file."""
        if not getattr(event_import, "is_own", False):
            return gettext("Only the operator who uploaded the file sees its rows.")
        page = reverse("import-events-file", args=[event_import.pk])
        return format_html('<a class="underline" href="{}">{}</a>', page, gettext("Open the report"))


def _counted(event_import: EventImport, outcome: Outcome) -> str:
    """Return how many rows had this outcome; empty until the import is done."""
    return plain_number(event_import.tally.get(outcome.value, 0)) if event_import.state == ImportState.DONE else ""
