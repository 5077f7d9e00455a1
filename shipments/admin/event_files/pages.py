"""Importing events in the admin: upload a file, preview it row by row and run it. Past imports are listed."""

from collections.abc import Sequence
from typing import Any, NamedTuple, cast
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.files.storage import default_storage
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, gettext_noop, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_safe
from unfold.widgets import UnfoldAdminFileFieldWidget

from companies.admin_base.activity import log_act, log_act_on
from companies.admin_base.admin_pages import UploadField
from companies.admin_base.clocks import zone_name
from companies.admin_base.spreadsheets import CSV_CONTENT_TYPE, XLSX_CONTENT_TYPE, csv_chunks
from companies.scope import Viewer
from shipments.activity import EVENTS_IMPORTED, IMPORT_DOWNLOADED
from shipments.admin.badges import outcome_badge, outcome_tally
from shipments.admin.columns import plain_number
from shipments.admin.event_files.template import FILENAME, event_template
from shipments.errors import EventFileUnreadable, ParserBusy
from shipments.files.storage import file_store, store_waiting
from shipments.models import BulkMove, Guide, MoveState
from shipments.tracking.event_files.file_moves import add_import, claimed, content_of, finish
from shipments.tracking.event_files.importing import import_events
from shipments.tracking.event_files.reading import read_event_file
from shipments.tracking.event_files.report import HEADINGS, Report
from shipments.tracking.moves import Outcome
from shipments.trouble import reports_missing_files

SHOWN_LINES = 200
"""The most rows shown on the page. The CSV contains all of them."""

MOST_ROWS = 10_000
"""The most rows that a page imports: a few seconds of work, within a proxy's timeout."""

_TITLES = {
    MoveState.WAITING: _("Preview"),
    MoveState.RUNNING: _("The import is running"),
    MoveState.DONE: _("What happened"),
    MoveState.STOPPED: _("The import was stopped"),
}
_may_be_called = require_http_methods(["GET", "HEAD", "POST"])


class EventFileForm(forms.Form):
    """The upload form."""

    file = UploadField(
        label=_("Event file"),
        help_text=_("CSV or XLSX, at most 20 MB and 10,000 rows."),
        widget=UnfoldAdminFileFieldWidget(attrs={"accept": ".csv,.txt,.xlsx"}),
    )


def urls() -> list[URLPattern]:
    """Return the URL patterns of the pages, for staff only."""
    view = admin.site.admin_view
    return [
        path("", view(reports_missing_files(upload_page)), name="import-events"),
        path("template.xlsx", view(template), name="import-events-template"),
        path("<uuid:import_id>/", view(reports_missing_files(file_page)), name="import-events-file"),
        path("<uuid:import_id>/rows.csv", view(reports_missing_files(rows)), name="import-events-rows"),
    ]


@_may_be_called
def upload_page(request: HttpRequest) -> HttpResponseBase:
    """Show the upload form, or store the uploaded file and redirect to its preview."""
    _require_permission(request)
    if request.method != "POST":
        return _form_page(request, EventFileForm())
    form = EventFileForm(request.POST, request.FILES)
    if not form.is_valid():
        return _form_page(request, form, status=400)
    upload, total = form.cleaned_data["file"], 0
    name = store_waiting(upload)
    try:
        with file_store().local_copy(name) as content:
            total = len(read_event_file(content))
        problem = _length_problem(total)
    except (EventFileUnreadable, ParserBusy) as refused:
        problem = _message(refused)
    if problem:
        default_storage.delete(name)
        return _refusal(request, problem)
    return _to(add_import(name, upload.name or "", cast("User", request.user), total=total))


@_may_be_called
def file_page(request: HttpRequest, import_id: UUID) -> HttpResponseBase:
    """Show the preview or the results of an import for each guide, and run it on POST."""
    event_import = _import_or_404(request, import_id)
    try:
        if request.method == "POST":
            _run(request, event_import)
            return _to(event_import)
        is_done = event_import.state == MoveState.DONE
        lines = _lines_by_row(_report(request, event_import), is_done=is_done)
    except ParserBusy as refused:  # all slots for reading workbooks are in use; the file remains waiting
        return _refusal(request, _message(refused), status=503)
    state = MoveState(event_import.state)
    context = {
        "event_import": event_import,
        "title": _TITLES[state],
        "is_waiting": state is MoveState.WAITING,
        "past_tally": tally_of(event_import),
        **lines,
    }
    return _page(request, "shipments/import_events_file.html", context)


@require_safe
def rows(request: HttpRequest, import_id: UUID) -> HttpResponseBase:
    """Return every row with its expected or actual outcome, as CSV."""
    event_import = _import_or_404(request, import_id)
    lines = _report(request, event_import).lines
    if not lines:
        raise Http404
    if event_import.state == MoveState.DONE:  # a preview writes nothing
        log_act_on(
            request, Guide, gettext_noop("Rows of an import"), IMPORT_DOWNLOADED, name=event_import.original_name
        )
    separator = ";" if get_language() == "es" else ","
    response = StreamingHttpResponse(csv_chunks(HEADINGS, lines, separator=separator), content_type=CSV_CONTENT_TYPE)
    response["Content-Disposition"] = f'attachment; filename="events-{event_import.state}.csv"'
    return response


@require_safe
def template(request: HttpRequest) -> HttpResponse:
    """Return the workbook template. It contains no personal data."""
    _require_permission(request)
    headers = {"Content-Disposition": f'attachment; filename="{FILENAME}"'}
    return HttpResponse(event_template(), content_type=XLSX_CONTENT_TYPE, headers=headers)


# --- running and reading an import ------------------------------------------------------------------------------


def _run(request: HttpRequest, event_import: BulkMove) -> None:
    """Run the previewed import, evaluating every row again. Submitting twice runs it once."""
    with claimed(event_import) as content:
        if content is None:
            return
        imported = import_events(
            read_event_file(content),
            actor=request.user.get_username(),
            among=Guide.objects.visible_to(request.user),
        )
    report = Report.of(imported)
    finish(event_import, report)
    tally = [[outcome, count] for outcome, count in report.tally]
    log_act(request, event_import, EVENTS_IMPORTED, tally=tally)
    if advanced := dict(report.tally).get(Outcome.ADVANCED):
        messages.success(request, ngettext("%d guide advanced.", "%d guides advanced.", advanced) % advanced)


def _report(request: HttpRequest, event_import: BulkMove) -> Report:
    """Return the preview while the import waits, else its result, as far as it is still stored."""
    if event_import.state != MoveState.WAITING:
        return Report.kept(event_import.lines)
    actor = request.user.get_username()
    guides = Guide.objects.visible_to(request.user)
    with content_of(event_import) as content:
        return Report.of(import_events(read_event_file(content), actor=actor, dry_run=True, among=guides))


def _lines_by_row(report: Report, *, is_done: bool) -> dict[str, Any]:
    return {
        "tally": [(outcome_tally(outcome, count, is_done=is_done), count) for outcome, count in report.tally],
        "changes": report.changes,
        "lines": [(line, outcome_badge(line.became, is_done=is_done)) for line in report.worst_first(SHOWN_LINES)],
        "total": len(report.lines),
    }


def _require_permission(request: HttpRequest) -> None:
    if not request.user.has_perm("shipments.change_guide"):
        raise PermissionDenied


def _import_or_404(request: HttpRequest, import_id: UUID) -> BulkMove:
    """Return an import of the current operator. Raises `Http404` for any other."""
    _require_permission(request)
    return get_object_or_404(BulkMove.objects.of(request.user), pk=import_id)


def _length_problem(length: int) -> str:
    if length > MOST_ROWS:
        text = gettext(
            "The file has %(rows)d rows, and a page imports at most %(most)d: send it in parts, or use the command "
            "import_events, which has no such limit."
        )
        return text % {"rows": length, "most": MOST_ROWS}
    return "" if length else gettext("There are no rows below the headings.")


def _message(refused: EventFileUnreadable | ParserBusy) -> str:
    if isinstance(refused, ParserBusy):
        return gettext("Too many workbooks are being read at once; try again in a moment.")
    return refused.message


def _to(event_import: BulkMove) -> HttpResponse:
    return HttpResponseRedirect(reverse("import-events-file", args=[event_import.pk]))


def _refusal(request: HttpRequest, problem: str, *, status: int = 400) -> HttpResponse:
    return _form_page(request, EventFileForm(), problem=problem, status=status)


def _form_page(request: HttpRequest, form: EventFileForm, *, problem: str = "", status: int = 200) -> HttpResponse:
    imports = recent_imports(request.user)
    context = {"form": form, "problem": problem, "title": _("Import events"), "imports": imports, "zone": zone_name()}
    return _page(request, "shipments/import_events.html", context, status=status)


def _page(request: HttpRequest, name: str, context: dict[str, Any], *, status: int = 200) -> HttpResponse:
    response = TemplateResponse(request, name, {**admin.site.each_context(request), **context}, status=status)
    response["Cache-Control"] = "no-store"
    return response


SHOWN_IMPORTS = 20


class PastImport(NamedTuple):
    """One line of the list. rows: how many the file has, grouped. has_page: the import is the viewer's
    own, so its page can be opened.
    """

    event_import: BulkMove
    rows: str
    tally: Sequence[tuple[SafeString, str]]
    has_page: bool


def recent_imports(user: Viewer) -> Sequence[PastImport]:
    """Return the newest imports visible to `user`, including waiting ones, newest first."""
    newest = BulkMove.objects.visible_to(user).defer("lines").order_by("-created_at")[:SHOWN_IMPORTS]
    return [PastImport(each, plain_number(each.total), tally_of(each), each.operator_id == user.pk) for each in newest]


def tally_of(event_import: BulkMove) -> Sequence[tuple[SafeString, str]]:
    """Return the badge and the number of rows of each outcome; empty until the import is done."""
    counted = ((outcome, event_import.tally.get(outcome.value, 0)) for outcome in Outcome)
    return [(outcome_tally(outcome, count, is_done=True), plain_number(count)) for outcome, count in counted if count]
