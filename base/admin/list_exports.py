"""Exports of the admin's lists as CSV or XLSX: everything that matches the filter, or the selected rows.

People get headings and choices in their language and times by the clock of their lists; programs, by choice, a CSV with
the contract's names and UTC.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib import admin, messages
from django.contrib.admin.models import LogEntry
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import FileResponse, HttpRequest, HttpResponseBase, HttpResponseRedirect, StreamingHttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import get_language, gettext, gettext_lazy as _, override

from base.admin.activity import ActKind, act, log_act_on
from base.admin.scoped_admin import StrictAdmin
from base.admin.spreadsheets import (
    CSV_CONTENT_TYPE,
    MAX_SHEET_ROWS,
    XLSX_CONTENT_TYPE,
    TooManyRows,
    Value,
    csv_chunks,
    xlsx_file,
)

_SEARCHED = "q"

EXPORTED = act("exported", ActKind.EXPORTED, _("Exported as %(kind)s; rows: %(rows)s; filters: %(filters)s."))
"""filters: the names of those used, never the search text. rows: how many were exported."""


class ExportedColumn(NamedTuple):
    """A column of an export.

    name: for programs, never translated. title: for people; that of a time names its clock. labels: what people read
    instead of a value. has_own_clock: its times are aware, by the clock that people read them by.
    """

    name: str
    title: str | Promise
    labels: Mapping[str, str | Promise] = {}
    has_own_clock: bool = False


@dataclass(frozen=True, slots=True)
class ExportedList:
    """What of a list is exported.

    name: begins the file's name. title: how the activity log names the list. rows: yields the rows of a queryset
    lazily, one value for each column.
    """

    name: str
    title: str | Promise
    columns: Sequence[ExportedColumn]
    rows: Callable[[QuerySet[Any]], Iterator[Sequence[Value]]]

    @property
    def headings(self) -> list[str]:
        """The headings for programs."""
        return [column.name for column in self.columns]


def titles_of(columns: Sequence[ExportedColumn]) -> list[str]:
    """Return the headings for people, in the active language."""
    return [str(capfirst(str(column.title))) for column in columns]


def in_words(columns: Sequence[ExportedColumn], rows: Iterable[Sequence[Value]]) -> Iterator[Sequence[Value]]:
    """Return the rows for people.

    Language and clock are those of the call: a CSV is written when the request is over.
    """
    zone, answers = timezone.get_current_timezone(), {True: gettext("Yes"), False: gettext("No")}
    labels = [{value: str(label) for value, label in column.labels.items()} for column in columns]

    def show(place: int, value: Value) -> Value:
        if isinstance(value, bool):
            return answers[value]
        if isinstance(value, datetime):
            return (value if columns[place].has_own_clock else value.astimezone(zone)).replace(tzinfo=None)
        return labels[place].get(value, value) if isinstance(value, str) else value

    return ([show(place, value) for place, value in enumerate(row)] for row in rows)


class ListExports(StrictAdmin):
    """A list that can be exported. Each export is recorded with its number of rows and its filters."""

    exported: ExportedList

    def has_export_permission(self, request: HttpRequest) -> bool:
        """Whoever sees the list may export it, unless a subclass asks for more."""
        return self.has_view_permission(request)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("export.csv", view(self.export_csv), name=self.url_name("export_csv")),
            path("export.xlsx", view(self.export_xlsx), name=self.url_name("export_xlsx")),
            path("programs.csv", view(self.export_for_programs), name=self.url_name("export_for_programs")),
            *super().get_urls(),
        ]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        links = [
            ("CSV", self.address("export_csv")),
            ("XLSX", self.address("export_xlsx")),
            (gettext("CSV for programs"), self.address("export_for_programs")),
        ]
        exports = {"exports": links if self.has_export_permission(request) else []}
        return super().changelist_view(request, {**(extra_context or {}), **exports})

    def get_exported_rows(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the filtered list. Filters that the list rejects are rejected here too."""
        if not self.has_export_permission(request):
            raise PermissionDenied
        rows: QuerySet[Any] = self.get_changelist_instance(request).get_queryset(request)
        return rows

    @admin.action(description=_("Export as CSV"), permissions=["export"])
    def export_csv(self, request: HttpRequest, ticked: QuerySet[Any] | None = None) -> HttpResponseBase:
        """Stream the ticked rows, or everything that matches the list's filter, without a limit on its length."""
        rows, columns = self.get_exported_rows(request) if ticked is None else ticked, self.exported.columns
        return self._as_csv(request, rows, titles_of(columns), in_words(columns, self.exported.rows(rows)))

    def export_for_programs(self, request: HttpRequest) -> HttpResponseBase:
        """The same with the contract's names and values, and times in UTC."""
        rows = self.get_exported_rows(request)
        return self._as_csv(request, rows, self.exported.headings, self.exported.rows(rows))

    def _as_csv(
        self, request: HttpRequest, queryset: QuerySet[Any], headings: Sequence[str], rows: Iterator[Sequence[Value]]
    ) -> HttpResponseBase:
        self.log_export(request, "CSV", queryset)
        chunks = csv_chunks(headings, rows, separator=";" if get_language() == "es" else ",")
        return self._as_download(StreamingHttpResponse(chunks, content_type=CSV_CONTENT_TYPE), "csv")

    @admin.action(description=_("Export as XLSX"), permissions=["export"])
    def export_xlsx(self, request: HttpRequest, ticked: QuerySet[Any] | None = None) -> HttpResponseBase:
        """The same as a workbook, up to the row limit of a sheet."""
        rows, columns = self.get_exported_rows(request) if ticked is None else ticked, self.exported.columns
        title = str(capfirst(str(self.opts.verbose_name_plural)))
        try:
            file = xlsx_file(titles_of(columns), in_words(columns, self.exported.rows(rows)), title=title)
        except TooManyRows:
            text = gettext("A sheet can have at most %d rows here; narrow the filter or export as CSV.")
            messages.error(request, text % (MAX_SHEET_ROWS - 1))
            return HttpResponseRedirect(f"{self.address('changelist')}?{request.GET.urlencode()}")
        self.log_export(request, "XLSX", rows)
        return self._as_download(FileResponse(file, content_type=XLSX_CONTENT_TYPE), "xlsx")

    export_ticked_as_csv, export_ticked_as_xlsx = export_csv, export_xlsx

    def log_export(self, request: HttpRequest, kind: str, queryset: QuerySet[Any]) -> LogEntry:
        """Record an export. The rows are counted now: a CSV is only being sent once this is written."""
        rows = queryset.order_by().count()
        with override("en"):
            title = str(self.exported.title)
        return log_act_on(request, self.model, title, EXPORTED, kind=kind, rows=rows, filters=filters_of(request))

    def _as_download(self, response: HttpResponseBase, extension: str) -> HttpResponseBase:
        name = f"{self.exported.name}-{timezone.now():%Y%m%d-%H%M%S}.{extension}"
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        response["Cache-Control"] = "no-store"
        return response


def filters_of(request: HttpRequest) -> str:
    """Describe the list's filters. The search text is left out, because it may be a person's name."""
    filters = [f"{name}={value}" for name, value in request.GET.items() if name != _SEARCHED]
    if request.GET.get(_SEARCHED):
        filters.append("q")
    return ", ".join(filters) or "-"
