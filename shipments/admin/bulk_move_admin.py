"""The history of bulk moves: who moved what, when, and what came of it."""

from typing import Any

from django.contrib import admin
from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display

from shipments.admin.columns import badge_column, column, number_column, plain_number, time_column
from shipments.admin.event_files.pages import tally_of
from shipments.admin.read_only_admin import ReadOnlyAdmin
from shipments.labels import STATUS_LABELS
from shipments.models import BulkMove, MoveKind, MoveState
from shipments.statuses import GuideStatus
from shipments.tracking.moves import Outcome

_COLOURS = {
    MoveState.PREVIEWING: "info",
    MoveState.WAITING: "muted",
    MoveState.QUEUED: "info",
    MoveState.RUNNING: "info",
    MoveState.DONE: "success",
    MoveState.STOPPED: "warning",
}


@admin.register(BulkMove)
class BulkMoveAdmin(ReadOnlyAdmin):
    """Imports, newest first, with counts only: rows may be of any country, and only their operator sees them."""

    list_display = [
        "shown_uploaded", "actor", "kind", "shown_name", "shown_rows", "shown_moved", "shown_refused", "shown_state",
    ]  # fmt: skip
    nothing_yet = _("Nothing has been moved yet")
    how_it_begins = _(
        "Guides are moved from their list or their manifest, or by the files that couriers and customs send."
    )
    list_filter = [("kind", ChoicesDropdownFilter), ("state", ChoicesDropdownFilter)]
    ordering = ["-created_at"]
    sortable_by = ()
    search_fields = ["original_name", "actor"]
    search_help_text = _("file name or operator, or a part of either")
    fields = [
        ("shown_name", "shown_state"), ("actor", "kind"), "created_at", ("started_at", "finished_at"),
        ("shown_rows", "shown_result"), "shown_report",
    ]  # fmt: skip
    readonly_fields = ["shown_name", "shown_state", "shown_rows", "shown_result", "shown_report"]

    shown_rows = number_column(BulkMove, "total")

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401, ARG002  # Django's signature
        """Whoever may import events sees the history."""
        return request.user.has_perm("shipments.change_guide")

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def get_queryset(self, request: HttpRequest) -> QuerySet[BulkMove]:
        is_own = ExpressionWrapper(Q(operator_id=request.user.pk), output_field=BooleanField())
        imports: QuerySet[BulkMove] = super().get_queryset(request)
        return imports.defer("lines", "guides").select_related("manifest").annotate(is_own=is_own)

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:  # noqa: ANN401  # Django's signature
        """Show a file's import; other moves have a page of their own."""
        move = self.get_object(request, object_id)
        if move is not None and move.kind != MoveKind.FILE and self.has_view_permission(request, move):
            return HttpResponseRedirect(reverse("bulk-move", args=[move.pk]))
        return super().change_view(request, object_id, *args, **kwargs)

    shown_uploaded = time_column(_("begun"), "created_at")

    @display(description=_("of what"))
    def shown_name(self, move: BulkMove) -> str:
        """The file, or the MAWB and the status."""
        if move.kind == MoveKind.FILE:
            return move.original_name or "–"
        status = move.event.get("wrong") or move.event.get("status")
        label = STATUS_LABELS[GuideStatus(status)] if status else "–"
        whose = move.manifest.mawb if move.manifest else gettext("a list")
        return f"{whose} · {label}"

    shown_moved = column(_("guides moved"), lambda event_import: _counted(event_import, Outcome.ADVANCED))
    shown_refused = column(_("refused"), lambda event_import: _counted(event_import, Outcome.REFUSED))

    shown_state = badge_column(_("state"), "state", _COLOURS)

    @display(description=_("result"))
    def shown_result(self, event_import: BulkMove) -> SafeString | str:
        tally = tally_of(event_import)
        return format_html_join(" ", "<span><strong>{}</strong> {}</span>", ((n, word) for word, n in tally)) or "–"

    @display(description=_("report"))
    def shown_report(self, event_import: BulkMove) -> SafeString | str:
        """A link to the rows, for the operator who uploaded the file."""
        if not getattr(event_import, "is_own", False):
            return gettext("Only the operator who moved them sees the guides.")
        page = reverse("import-events-file", args=[event_import.pk])
        return format_html('<a class="underline" href="{}">{}</a>', page, gettext("Open the report"))


def _counted(event_import: BulkMove, outcome: Outcome) -> str:
    """Return how many rows had this outcome; empty until the import is done."""
    return plain_number(event_import.tally.get(outcome.value, 0)) if event_import.state == MoveState.DONE else ""
