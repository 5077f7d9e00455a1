"""Exports of the admin's lists as CSV or XLSX: everything that matches the filter, or the selected rows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import FileResponse, HttpRequest, HttpResponseBase, HttpResponseRedirect, StreamingHttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import get_language, gettext, override
from django.utils.translation import gettext_lazy as _

from companies.admin_base.activity import ActKind, act, log_act_on
from companies.admin_base.scoped_admin import StrictAdmin
from companies.admin_base.spreadsheets import (
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


@dataclass(frozen=True, slots=True)
class ExportedList:
    """What of a list is exported.

    name: begins the file's name. title: how the activity log names the list. headings: not translated, because
    programs read these files too. rows: yields the rows of a queryset lazily, one value for each heading.
    """

    name: str
    title: str | Promise
    headings: Sequence[str]
    rows: Callable[[QuerySet[Any]], Iterator[Sequence[Value]]]


def exported_columns(name: str, title: str | Promise, columns: Mapping[str, str]) -> ExportedList:
    """Return the export of these columns of the list's model: heading -> source."""
    sources = columns.values()
    return ExportedList(name, title, [*columns], lambda rows: rows.values_list(*sources).iterator(chunk_size=2_000))


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
            *super().get_urls(),
        ]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        links = [(kind.upper(), self.address(f"export_{kind}")) for kind in ("csv", "xlsx")]
        exports = {"exports": links if self.has_export_permission(request) else []}
        return super().changelist_view(request, {**(extra_context or {}), **exports})

    def exported_rows(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the filtered list. Filters that the list rejects are rejected here too."""
        if not self.has_export_permission(request):
            raise PermissionDenied
        rows: QuerySet[Any] = self.get_changelist_instance(request).get_queryset(request)
        return rows

    @admin.action(description=_("Export as CSV"), permissions=["export"])
    def export_csv(self, request: HttpRequest, ticked: QuerySet[Any] | None = None) -> HttpResponseBase:
        """Stream the ticked rows, or everything that matches the list's filter, without a limit on its length."""
        rows = self.exported_rows(request) if ticked is None else ticked
        self._log(request, "CSV", rows)
        separator = ";" if get_language() == "es" else ","
        chunks = csv_chunks(self.exported.headings, self.exported.rows(rows), separator=separator)
        return self._as_download(StreamingHttpResponse(chunks, content_type=CSV_CONTENT_TYPE), "csv")

    @admin.action(description=_("Export as XLSX"), permissions=["export"])
    def export_xlsx(self, request: HttpRequest, ticked: QuerySet[Any] | None = None) -> HttpResponseBase:
        """The same as a workbook, up to the row limit of a sheet."""
        rows = self.exported_rows(request) if ticked is None else ticked
        title = str(capfirst(str(self.opts.verbose_name_plural)))
        try:
            file = xlsx_file(self.exported.headings, self.exported.rows(rows), title=title)
        except TooManyRows:
            text = gettext("A sheet can have at most %d rows here; narrow the filter or export as CSV.")
            messages.error(request, text % (MAX_SHEET_ROWS - 1))
            return HttpResponseRedirect(f"{self.address('changelist')}?{request.GET.urlencode()}")
        self._log(request, "XLSX", rows)
        return self._as_download(FileResponse(file, content_type=XLSX_CONTENT_TYPE), "xlsx")

    export_ticked_as_csv, export_ticked_as_xlsx = export_csv, export_xlsx

    def _log(self, request: HttpRequest, kind: str, queryset: QuerySet[Any]) -> None:
        """Record an export. The rows are counted now: a CSV is only being sent once this is written."""
        rows = queryset.order_by().count()
        with override("en"):
            title = str(self.exported.title)
        log_act_on(request, self.model, title, EXPORTED, kind=kind, rows=rows, filters=_filters(request))

    def _as_download(self, response: HttpResponseBase, extension: str) -> HttpResponseBase:
        name = f"{self.exported.name}-{timezone.now():%Y%m%d-%H%M%S}.{extension}"
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        response["Cache-Control"] = "no-store"
        return response


def _filters(request: HttpRequest) -> str:
    """Describe the list's filters. The search text is left out, because it may be a person's name."""
    filters = [f"{name}={value}" for name, value in request.GET.items() if name != _SEARCHED]
    if request.GET.get(_SEARCHED):
        filters.append("q")
    return ", ".join(filters) or "-"
