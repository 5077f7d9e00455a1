"""A format's own page: its versions in words, files to download, and alarms that an operator settles."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import islice
from typing import Any, NamedTuple, cast
from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Max
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe
from unfold.widgets import UnfoldAdminSelectWidget

from companies.admin_base.activity import log_act
from companies.admin_base.spreadsheets import XLSX_CONTENT_TYPE
from companies.errors import DomainError
from companies.models import Company
from shipments.activity import ALARM_CLOSED, SPELLING_ACCEPTED
from shipments.admin.field_labels import field_label
from shipments.formats.alarms import close_alarm
from shipments.formats.format_files import export_format
from shipments.formats.kept_tests import failing
from shipments.formats.publishing import accept_spelling
from shipments.manifests.cells import text_of
from shipments.manifests.mapped.house.manifest_template import empty_workbook
from shipments.manifests.mapped.made_up import workbook_of
from shipments.manifests.mapped.spec import FormatSpec, MappedColumn, from_json
from shipments.models import AlarmKind, FormatAlarm, FormatTest, FormatVersion, Manifest, WorkbookFormat
from shipments.wording.rendering import in_words, quoted

UPLOADS_SINCE = timedelta(days=30)
_MOST_ALARMS, _MOST_CHANGES, _SHOWN_ROWS = 50, 12, 15


class SpellingForm(forms.Form):
    """Which new heading is which missing column."""

    heading = forms.ChoiceField(label=_("Missing column"), widget=UnfoldAdminSelectWidget)
    spelling = forms.ChoiceField(label=_("New heading"), widget=UnfoldAdminSelectWidget)

    def __init__(self, alarm: FormatAlarm, data: Any = None) -> None:  # noqa: ANN401  # a form's data
        super().__init__(data)
        fields: Any = self.fields
        for name, key in (("heading", "missing"), ("spelling", "new")):
            texts = [(text, text) for text in alarm.headings.get(key, ())]
            fields[name].choices = texts if len(texts) == 1 else [("", _("Choose…")), *texts]


class ShownAlarm(NamedTuple):
    """An open alarm. form: to accept a heading, if it says which columns are missing and which are new.
    headings: what differs, with its headings in quotation marks, or sentences on the values.
    """

    alarm: FormatAlarm
    form: SpellingForm | None
    headings: Sequence[tuple[str, Sequence[str]]]


def format_context(form: WorkbookFormat) -> dict[str, Any]:
    """What the page of a format shows."""
    tests = list(form.tests.select_related("superseded_by").order_by("name"))
    alarms = form.alarms.filter(closed_at=None).order_by("-last_seen_at")
    current = [test for test in tests if test.superseded_by is None]
    return {
        "versions": _versions(form),
        "alarms": [shown_alarm(alarm, form) for alarm in alarms[:_MOST_ALARMS]],
        "tests": [(str(test), _rows(test)) for test in current],
        "tests_failing": [*map(str, failing(from_json(form.in_use.spec), current))] if form.in_use else [],
        "superseded": [test for test in tests if test.superseded_by],
    }


def _rows(test: FormatTest) -> list[list[str]]:
    sheet = workbook_of(test.grid).sheets[0]
    return [[text_of(cell) for cell in cells] for _number, cells in islice(sheet.rows, _SHOWN_ROWS)]


def uploads_of(forms_shown: Sequence[WorkbookFormat]) -> Mapping[UUID, tuple[int, Any]]:
    """Format -> its uploads in the last 30 days, and the last of them."""
    rows = _uploads(forms_shown, "format_version__format").annotate(last=Max("created_at"))
    return {format_id: (uploads, last) for format_id, uploads, last in rows}


def _uploads(forms_shown: Sequence[WorkbookFormat], by: str) -> Any:  # noqa: ANN401  # a QuerySet
    """What the uploads are counted by -> how many there were in the last 30 days."""
    since, companies = timezone.now() - UPLOADS_SINCE, {form.company_id for form in forms_shown}
    rows = Manifest.objects.filter(company__in=companies, created_at__gte=since, format_version__format__in=forms_shown)
    return rows.order_by().values_list(by).annotate(uploads=Count("pk"))


def format_or_404(request: HttpRequest, format_id: UUID | str) -> WorkbookFormat:
    """Return a format of a company that the operator may change. Raises `PermissionDenied` and `Http404`."""
    if not request.user.has_perms(["shipments.add_workbookformat", "shipments.change_workbookformat"]):
        raise PermissionDenied
    found = (
        WorkbookFormat.objects.visible_to(request.user).filter(pk=format_id).select_related("company", "in_use").first()
    )
    if found is None:
        raise Http404
    if not Company.objects.governed_by(request.user).filter(pk=found.company_id).exists():
        raise PermissionDenied
    return found


@require_safe
def download(request: HttpRequest, object_id: UUID, number: int) -> HttpResponse:
    """Return a version as its file, with the kept tests."""
    version = get_object_or_404(FormatVersion, format=format_or_404(request, object_id), number=number)
    return attachment(export_format(version), "application/json", f"{_slug(version)}-v{number}.json")


@require_safe
def empty(request: HttpRequest, object_id: UUID) -> HttpResponse:
    """Return an empty workbook with the headings of the version in use."""
    form = format_or_404(request, object_id)
    version = form.in_use or form.versions.first()
    if version is None:
        raise Http404
    return attachment(empty_workbook(from_json(version.spec)), XLSX_CONTENT_TYPE, f"{_slug(version)}.xlsx")


@require_POST
def accept(request: HttpRequest, object_id: UUID, alarm_id: int) -> HttpResponse:
    """Accept a new heading as a missing column's, or only close the alarm."""
    form, operator = format_or_404(request, object_id), cast("User", request.user)
    alarm = get_object_or_404(FormatAlarm, pk=alarm_id, format=form)
    page = reverse("admin:shipments_workbookformat_change", args=[form.pk])
    if alarm.closed_at is not None:  # by a second click, or by a colleague
        messages.info(request, gettext("The alarm was closed already."))
        return HttpResponseRedirect(page)
    if "close" in request.POST:
        if close_alarm(alarm, operator):
            log_act(request, form, ALARM_CLOSED)
        messages.success(request, gettext("The alarm is closed. The next such upload raises it again."))
        return HttpResponseRedirect(page)
    posted = SpellingForm(alarm, request.POST)
    if not posted.is_valid():
        messages.error(request, gettext("Choose a missing column and a new heading."))
        return HttpResponseRedirect(page)
    name, spelling = posted.cleaned_data["heading"], posted.cleaned_data["spelling"]
    try:
        version = accept_spelling(form, name, spelling, actor=operator.get_username(), operator=operator)
    except DomainError as refused:
        messages.error(request, refused.message)
        return HttpResponseRedirect(page)
    params = {"new": spelling, "old": name, "version": version.number}
    log_act(request, form, SPELLING_ACCEPTED, **params)
    messages.success(request, SPELLING_ACCEPTED.said(params))
    if form.alarms.filter(pk=alarm.pk, closed_at=None).exists():
        messages.warning(request, gettext("Other columns still differ."))
    else:
        messages.info(request, gettext("Ask the client to send the refused workbook again: nothing of it was kept."))
    return HttpResponseRedirect(page)


def _versions(form: WorkbookFormat) -> list[dict[str, Any]]:
    """Each version with what changed in it, and how many uploads it read in the last 30 days."""
    versions = list(form.versions.all())
    uploads = dict(_uploads([form], "format_version"))
    specs = [from_json(version.spec) for version in versions]
    return [
        {
            "version": version,
            "changes": _changes(before, after) if before else [],
            "uploads": uploads.get(version.pk, 0),
            "is_in_use": version.pk == form.in_use_id,
        }
        for version, after, before in zip(versions, specs, [*specs[1:], None], strict=False)
    ]


def shown_alarm(alarm: FormatAlarm, form: WorkbookFormat) -> ShownAlarm:
    """Return an open alarm of a format, with the form that settles it."""
    is_renaming = alarm.kind == AlarmKind.CHANGED and alarm.headings.get("missing") and alarm.headings.get("new")
    headings = [  # what is missing first
        (name, [in_words(text, {}) for text in texts] if name == "values" else [*map(quoted, texts)])
        for name, texts in sorted(alarm.headings.items())
    ]
    return ShownAlarm(alarm, SpellingForm(alarm) if is_renaming and form.in_use else None, headings)


def _slug(version: FormatVersion) -> str:
    return slugify(version.format.name) or "format"


def attachment(content: bytes, content_type: str, name: str) -> HttpResponse:
    """A file to save. As all pages of the admin, it is not cached."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=content_type, headers=headers)


# --- the difference between two versions, in words --------------------------------------------------------------------


def _changes(before: FormatSpec, after: FormatSpec) -> list[str]:
    """What changed, a sentence each, at most `_MOST_CHANGES`. Columns are compared by their heading."""
    said = list(_differences(before, after))
    more = len(said) - _MOST_CHANGES
    return said if more <= 0 else [*said[:_MOST_CHANGES], gettext("and %d more") % more]


def _differences(before: FormatSpec, after: FormatSpec) -> Iterator[str]:
    was = {(column.group, column.heading, column.right_of): column for column in before.columns}
    now = {(column.group, column.heading, column.right_of): column for column in after.columns}
    for key, column in now.items():
        if key not in was:
            yield gettext("%(column)s is new: %(use)s") % {"column": column.name(), "use": _use(column)}
        elif was[key] != column:
            yield from _of_column(was[key], column)
    for key, column in was.items():
        if key not in now:
            yield gettext("%s is gone") % column.name()
    if before.mawb != after.mawb:
        yield gettext("MAWB beside “%s”") % after.mawb.label
    if before.destination != after.destination:
        yield gettext("another rule for the destination")
    if dict(before.flight) != dict(after.flight):
        yield gettext("other labels or clocks for the flight")
    if (before.sheet, before.header_rows) != (after.sheet, after.header_rows):
        yield gettext("another sheet or rows of headings")


def _of_column(was: MappedColumn, now: MappedColumn) -> Iterator[str]:
    name = now.name()
    if was.field != now.field or was.key != now.key:
        yield gettext("%(column)s: now %(use)s") % {"column": name, "use": _use(now)}
        return
    if was.unit != now.unit:
        yield gettext("%(column)s now in %(unit)s") % {"column": name, "unit": now.unit or "?"}
    if was.decimals != now.decimals:
        yield gettext("%s: another decimal mark") % name
    if added := [text for text in now.also if text not in was.also]:
        yield gettext("%(column)s is also called %(texts)s") % {"column": name, "texts": ", ".join(added)}
    if dict(was.values) != dict(now.values):
        yield gettext("%s: other meanings of its values") % name
    if was.required != now.required:
        yield (gettext("%s is required") if now.required else gettext("%s may be absent")) % name
    if was.empty != now.empty or was.month_first != now.month_first or was.zone != now.zone:
        yield gettext("%s: cells are read differently") % name


def _use(column: MappedColumn) -> str:
    if not column.field:
        return gettext("not read")
    return gettext("kept as %s") % field_label(f"+{column.key}") if column.key else field_label(column.field)
