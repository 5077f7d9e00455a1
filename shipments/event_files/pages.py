"""Importing events in the admin: a file is uploaded, looked at row by row, run, and its result kept for a day."""

from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import PermissionDenied
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe
from unfold.widgets import UnfoldAdminFileFieldWidget

from shipments.admin.badges import outcome_badge, outcome_tally, outcome_word
from shipments.admin.log_entries import log_moves, operator_id
from shipments.errors import EventFileUnreadable, ParserBusy, ValidationFailed
from shipments.event_files.importing import import_events
from shipments.event_files.reading import read_event_file
from shipments.event_files.report import HEADINGS, Report
from shipments.event_files.template import FILENAME, event_template
from shipments.event_files.waiting_files import State, WaitingFile
from shipments.export import CSV_CONTENT_TYPE, XLSX_CONTENT_TYPE, csv_chunks
from shipments.models import Guide
from shipments.trouble import told_when_files_are_away

SHOWN_LINES = 200
"""Rows on the page; the CSV holds them all."""

MOST_ROWS = 10_000
"""Rows that a page imports: some seconds of work, within the time that a proxy waits for an answer."""

_TITLES = {
    State.WAITING: _("What would happen"),
    State.RUNNING: _("The import is running"),
    State.DONE: _("What happened"),
}
_may_be_called = require_http_methods(["GET", "HEAD", "POST"])


class EventFileForm(forms.Form):
    """The file."""

    file = forms.FileField(
        label=_("File of events"),
        help_text=_("CSV or XLSX, at most 20 MB and 10,000 rows."),
        widget=UnfoldAdminFileFieldWidget(attrs={"accept": ".csv,.txt,.xlsx"}),
        error_messages={"required": _("Choose the file first."), "empty": _("The file is empty.")},
    )


def urls() -> list[URLPattern]:
    """The addresses of the pages, for staff alone."""
    view = admin.site.admin_view
    return [
        path("", view(told_when_files_are_away(upload_page)), name="import-events"),
        path("template.xlsx", view(template), name="import-events-template"),
        path("<uuid:file_id>/", view(told_when_files_are_away(file_page)), name="import-events-file"),
        path("<uuid:file_id>/rows.csv", view(told_when_files_are_away(rows)), name="import-events-rows"),
    ]


@csrf_exempt  # `_upload` protects itself: the check reads the body, and must not meet what the handlers refuse
@_may_be_called
def upload_page(request: HttpRequest) -> HttpResponseBase:
    """Ask for a file; take one and lead to its preview."""
    _require_permission(request)
    if request.method != "POST":
        return _form_page(request, EventFileForm())
    try:
        request.FILES  # noqa: B018  # reads the body; the upload handlers refuse what is too large
    except ValidationFailed:
        return _refusal(request, gettext("The file is larger than %d MB.") % (settings.MAX_FILE_BYTES // 1024**2))
    return _upload(request)


@csrf_protect
def _upload(request: HttpRequest) -> HttpResponseBase:
    form = EventFileForm(request.POST, request.FILES)
    if not form.is_valid():
        return _form_page(request, form, status=400)
    file = WaitingFile.keep(form.cleaned_data["file"], operator_id(request))
    try:
        with file.content() as content:
            problem = _length_problem(len(read_event_file(content)))
    except (EventFileUnreadable, ParserBusy) as refused:
        problem = _told(refused)
    if problem:
        file.discard()
        return _refusal(request, problem)
    return _to(file)


@_may_be_called
def file_page(request: HttpRequest, file_id: UUID) -> HttpResponseBase:
    """What the file would do, or did, to each guide; a press of the button runs it."""
    file, state = _file_or_404(request, file_id)
    try:
        if request.method == "POST":
            _run(request, file)
            return _to(file)
        told = {} if state is State.RUNNING else _told_by_row(_report(request, file, state))
    except ParserBusy as refused:  # all places for reading workbooks stay taken; the file goes on waiting
        return _refusal(request, _told(refused), status=503)
    context = {"file": file, "title": _TITLES[state], "is_waiting": state is State.WAITING, **told}
    return _page(request, "shipments/import_events_file.html", context)


@require_safe
def rows(request: HttpRequest, file_id: UUID) -> HttpResponseBase:
    """Every row with what would become, or became, of it, as CSV."""
    file, state = _file_or_404(request, file_id)
    if state is State.RUNNING:
        raise Http404
    lines = _report(request, file, state).lines
    if state is State.DONE:  # a preview writes nothing
        _log(request, gettext("Rows of an import"), gettext("Downloaded: %s.") % file.original_name)
    separator = ";" if get_language() == "es" else ","
    response = StreamingHttpResponse(csv_chunks(HEADINGS, lines, separator=separator), content_type=CSV_CONTENT_TYPE)
    response["Content-Disposition"] = f'attachment; filename="events-{state}.csv"'
    return response


@require_safe
def template(request: HttpRequest) -> HttpResponse:
    """The workbook to fill in; it holds nobody's data."""
    _require_permission(request)
    headers = {"Content-Disposition": f'attachment; filename="{FILENAME}"'}
    return HttpResponse(event_template(), content_type=XLSX_CONTENT_TYPE, headers=headers)


# --- what the pages do ------------------------------------------------------------------------------------------


def _run(request: HttpRequest, file: WaitingFile) -> None:
    """Do what the preview showed, judged again; pressed twice it is done once."""
    with file.claimed() as content:
        if content is None:
            return
        imported = import_events(
            read_event_file(content),
            actor=request.user.get_username(),
            after_batch=lambda results: log_moves(request, results),
            among=Guide.objects.visible_to(request.user),
        )
    report = Report.of(imported)
    file.finish(report.lines)
    tally = ", ".join(f"{count} {outcome_word(outcome, count)}" for outcome, count in report.tally)
    _log(request, file.original_name, gettext("Imported events: %s.") % tally)


def _log(request: HttpRequest, subject: str, what: str) -> None:
    LogEntry.objects.create(
        user_id=operator_id(request),
        content_type=ContentType.objects.get_for_model(Guide),
        object_repr=subject,
        action_flag=CHANGE,
        change_message=what,
    )


def _report(request: HttpRequest, file: WaitingFile, state: State) -> Report:
    if state is State.DONE:
        return Report.kept(file.outcome())
    actor = request.user.get_username()
    guides = Guide.objects.visible_to(request.user)
    with file.content() as content:
        return Report.of(import_events(read_event_file(content), actor=actor, dry_run=True, among=guides))


def _told_by_row(report: Report) -> dict[str, Any]:
    return {
        "tally": [(outcome_tally(outcome, count), count) for outcome, count in report.tally],
        "changes": report.changes,
        "lines": [(line, outcome_badge(line.became)) for line in report.worst_first(SHOWN_LINES)],
        "total": len(report.lines),
    }


def _require_permission(request: HttpRequest) -> None:
    if not request.user.has_perm("shipments.change_guide"):
        raise PermissionDenied


def _file_or_404(request: HttpRequest, file_id: UUID) -> tuple[WaitingFile, State]:
    """The operator's own file; another's is not found."""
    _require_permission(request)
    file = WaitingFile(operator_id(request), file_id)
    state = file.state
    if state is None:
        raise Http404
    return file, state


def _length_problem(length: int) -> str:
    if length > MOST_ROWS:
        text = gettext(
            "The file has %(rows)d rows, and a page imports at most %(most)d: send it in parts, or use the command "
            "import_events, which takes all of it."
        )
        return text % {"rows": length, "most": MOST_ROWS}
    return "" if length else gettext("There is no row below the headings.")


def _told(refused: EventFileUnreadable | ParserBusy) -> str:
    if isinstance(refused, ParserBusy):
        return gettext("Too many workbooks are being read at once; try again in a moment.")
    return refused.message


def _to(file: WaitingFile) -> HttpResponse:
    return HttpResponseRedirect(reverse("import-events-file", args=[file.id]))


def _refusal(request: HttpRequest, problem: str, *, status: int = 400) -> HttpResponse:
    return _form_page(request, EventFileForm(), problem=problem, status=status)


def _form_page(request: HttpRequest, form: EventFileForm, *, problem: str = "", status: int = 200) -> HttpResponse:
    context = {"form": form, "problem": problem, "title": _("Import events")}
    return _page(request, "shipments/import_events.html", context, status=status)


def _page(request: HttpRequest, name: str, context: dict[str, Any], *, status: int = 200) -> HttpResponse:
    response = TemplateResponse(request, name, {**admin.site.each_context(request), **context}, status=status)
    response["Cache-Control"] = "no-store"
    return response
