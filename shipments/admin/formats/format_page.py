"""A format's own page: its versions in words, files to download, and alarms that an operator settles."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Max
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext
from django.views.decorators.http import require_safe
from unfold.widgets import UnfoldAdminSelectWidget

from companies.admin_base.activity import log_act
from companies.admin_base.spreadsheets import XLSX_CONTENT_TYPE
from companies.errors import DomainError
from companies.models import Company
from shipments.activity import SPELLING_ACCEPTED
from shipments.admin.formats.version_words import differences_in_words
from shipments.formats.format_files import export_format, spec_of
from shipments.formats.kept_tests import failing
from shipments.formats.publishing import accept_spelling
from shipments.manifests.mapped.empty_workbook import empty_workbook
from shipments.models import AlarmKind, FormatAlarm, FormatVersion, Manifest, WorkbookFormat
from shipments.wording.rendering import in_words

UPLOADS_SINCE = timedelta(days=30)
_MOST_ALARMS = 50


class ShownVersion(NamedTuple):
    """A version, what changed in it, and how many uploads it read in the last 30 days."""

    version: FormatVersion
    changes: Sequence[str]
    uploads: int
    is_in_use: bool


class SpellingForm(forms.Form):
    """Which new heading is which missing column."""

    heading = forms.ChoiceField(widget=UnfoldAdminSelectWidget)
    spelling = forms.ChoiceField(widget=UnfoldAdminSelectWidget)

    def __init__(self, alarm: FormatAlarm, data: Any = None) -> None:  # noqa: ANN401  # a form's data
        super().__init__(data)
        self.fields["heading"].label = gettext("Missing column")
        self.fields["spelling"].label = gettext("New heading")
        for name, key in (("heading", "missing"), ("spelling", "new")):
            choices = [(text, text) for text in alarm.headings.get(key, ())]
            self.fields[name].choices = choices  # type: ignore[attr-defined]  # a ChoiceField


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
    current = [test for test in tests if test.superseded_by is None]
    return {
        "versions": _versions(form),
        "alarms": [shown_alarm(alarm, form) for alarm in _open_alarms(form)],
        "tests_count": len(current),
        "tests_failing": [test.name for test in failing(spec_of(form.in_use), current)] if form.in_use else [],
        "superseded": [test for test in tests if test.superseded_by],
    }


def uploads_of(forms_shown: Sequence[WorkbookFormat]) -> Mapping[UUID, tuple[int, Any]]:
    """Format -> its uploads in the last 30 days, and the last of them."""
    rows = (
        Manifest.objects.filter(
            company__in={form.company_id for form in forms_shown},
            created_at__gte=timezone.now() - UPLOADS_SINCE,
            format_version__format__in=forms_shown,
        )
        .order_by()
        .values_list("format_version__format")
        .annotate(uploads=Count("pk"), last=Max("created_at"))
    )
    return {format_id: (uploads, last) for format_id, uploads, last in rows}


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
    version = _version_or_404(request, object_id, number)
    return _file(export_format(version), "application/json", f"{_slug(version)}-v{number}.json")


@require_safe
def empty(request: HttpRequest, object_id: UUID) -> HttpResponse:
    """Return an empty workbook with the headings of the version in use."""
    form = format_or_404(request, object_id)
    version = form.in_use or form.versions.first()
    if version is None:
        raise Http404
    return _file(empty_workbook(spec_of(version)), XLSX_CONTENT_TYPE, f"{_slug(version)}.xlsx")


def accept(request: HttpRequest, object_id: UUID, alarm_id: int) -> HttpResponse:
    """Accept a new heading as a missing column's, or only close the alarm."""
    form = format_or_404(request, object_id)
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    alarm = get_object_or_404(FormatAlarm, pk=alarm_id, format=form, closed_at=None)
    page = reverse("admin:shipments_workbookformat_change", args=[form.pk])
    if "close" in request.POST:
        _close(request, alarm)
        messages.success(request, gettext("The alarm is closed. The next such upload raises it again."))
        return HttpResponseRedirect(page)
    posted = SpellingForm(alarm, request.POST)
    if not posted.is_valid():
        messages.error(request, gettext("Choose a missing column and a new heading."))
        return HttpResponseRedirect(page)
    name, spelling = posted.cleaned_data["heading"], posted.cleaned_data["spelling"]
    try:
        version = accept_spelling(form, *_as_written(form, name, spelling), actor=request.user.get_username())
    except DomainError as refused:
        messages.error(request, refused.message)
        return HttpResponseRedirect(page)
    _close(request, alarm)
    params = {"new": spelling, "old": name, "version": version.number}
    log_act(request, form, SPELLING_ACCEPTED, **params)
    messages.success(request, SPELLING_ACCEPTED.said(params))
    return HttpResponseRedirect(page)


def _as_written(form: WorkbookFormat, name: str, spelling: str) -> tuple[str, str]:
    """The heading as the format has it, and the new spelling without the group that both are under."""
    columns = spec_of(form.in_use).columns if form.in_use else ()
    column = next((each for each in columns if each.name() == name and each.heading), None)
    if column is None:
        return name, spelling
    return column.heading, spelling.removeprefix(f"{column.group} / ") if column.group else spelling


def _close(request: HttpRequest, alarm: FormatAlarm) -> None:
    FormatAlarm.objects.filter(pk=alarm.pk).update(closed_at=timezone.now(), closed_by=request.user.pk)


def _versions(form: WorkbookFormat) -> list[ShownVersion]:
    versions = list(form.versions.all())
    specs = [spec_of(version) for version in versions]
    counts = dict(
        Manifest.objects.filter(
            company=form.company_id, created_at__gte=timezone.now() - UPLOADS_SINCE, format_version__in=versions
        )
        .order_by()
        .values_list("format_version")
        .annotate(Count("pk"))
    )
    shown = []
    for position, version in enumerate(versions):
        older = specs[position + 1] if position + 1 < len(specs) else None
        changes = differences_in_words(older, specs[position]) if older else []
        shown.append(ShownVersion(version, changes, counts.get(version.pk, 0), version.pk == form.in_use_id))
    return shown


def _open_alarms(form: WorkbookFormat) -> Any:  # noqa: ANN401  # a QuerySet
    return form.alarms.filter(closed_at=None).order_by("-last_seen_at")[:_MOST_ALARMS]


def shown_alarm(alarm: FormatAlarm, form: WorkbookFormat) -> ShownAlarm:
    """Return an open alarm of a format, with the form that settles it."""
    is_renaming = alarm.kind == AlarmKind.CHANGED and alarm.headings.get("missing") and alarm.headings.get("new")
    headings = [  # what is missing first
        (name, [in_words(text, {}) for text in texts] if name == "values" else [f"“{text}”" for text in texts])
        for name, texts in sorted(alarm.headings.items())
    ]
    return ShownAlarm(alarm, SpellingForm(alarm) if is_renaming and form.in_use else None, headings)


def _version_or_404(request: HttpRequest, object_id: UUID, number: int) -> FormatVersion:
    return get_object_or_404(FormatVersion, format=format_or_404(request, object_id), number=number)


def _slug(version: FormatVersion) -> str:
    return slugify(version.format.name) or "format"


def _file(content: bytes, content_type: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return HttpResponse(content, content_type=content_type, headers=headers)
