"""Exports of guide lists as CSV or XLSX: the selected guides, or everything that matches the filter."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import FileResponse, HttpRequest, HttpResponseBase, HttpResponseRedirect, StreamingHttpResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from shipments.admin.actions.guide_pages import GuidePages
from shipments.admin.log_entries import log_export
from shipments.export import (
    CSV_CONTENT_TYPE,
    MAX_SHEET_ROWS,
    XLSX_CONTENT_TYPE,
    TooManyRows,
    csv_chunks,
    xlsx_file,
)
from shipments.guide_lists import GUIDE_HEADINGS, guide_rows
from shipments.models import Guide

_SEARCHED = "q"


class GuideExports(GuidePages):
    """The exports, for the guide admin. They contain personal data: they need the change permission and are logged."""

    actions: Any = ["export_ticked_as_csv", "export_ticked_as_xlsx"]

    def get_urls(self) -> list[URLPattern]:
        return [
            path("export.csv", self.admin_site.admin_view(self.export_csv), name="shipments_guide_export_csv"),
            path("export.xlsx", self.admin_site.admin_view(self.export_xlsx), name="shipments_guide_export_xlsx"),
            *super().get_urls(),
        ]

    def export_csv(self, request: HttpRequest) -> HttpResponseBase:
        """Stream everything that matches the list's filter, without a limit on its length."""
        return self._csv(request, self._filtered(request))

    def export_xlsx(self, request: HttpRequest) -> HttpResponseBase:
        """Export everything that matches the list's filter, up to the row limit of a sheet."""
        return self._xlsx(request, self._filtered(request))

    @admin.action(description=_("Export as CSV"), permissions=["operate"])
    def export_ticked_as_csv(self, request: HttpRequest, queryset: QuerySet[Guide]) -> HttpResponseBase:
        return self._csv(request, queryset)

    @admin.action(description=_("Export as XLSX"), permissions=["operate"])
    def export_ticked_as_xlsx(self, request: HttpRequest, queryset: QuerySet[Guide]) -> HttpResponseBase:
        return self._xlsx(request, queryset)

    def _filtered(self, request: HttpRequest) -> QuerySet[Guide]:
        """Return the filtered list. Filters that the list rejects are rejected here too."""
        if not self.has_operate_permission(request):
            raise PermissionDenied
        guides: QuerySet[Guide] = self.get_changelist_instance(request).get_queryset(request)
        return guides

    def _csv(self, request: HttpRequest, guides: QuerySet[Guide]) -> HttpResponseBase:
        log_export(request, "CSV", _filters(request))
        separator = ";" if get_language() == "es" else ","
        chunks = csv_chunks(GUIDE_HEADINGS, guide_rows(guides), separator=separator)
        response = StreamingHttpResponse(chunks, content_type=CSV_CONTENT_TYPE)
        return _as_download(response, "csv")

    def _xlsx(self, request: HttpRequest, guides: QuerySet[Guide]) -> HttpResponseBase:
        try:
            file = xlsx_file(GUIDE_HEADINGS, guide_rows(guides), title=gettext("Guides"))
        except TooManyRows:
            text = gettext("A sheet can have at most %d guides here; narrow the filter or export as CSV.")
            messages.error(request, text % (MAX_SHEET_ROWS - 1))
            page = reverse("admin:shipments_guide_changelist")
            return HttpResponseRedirect(f"{page}?{request.GET.urlencode()}")
        log_export(request, "XLSX", _filters(request))
        return _as_download(FileResponse(file, content_type=XLSX_CONTENT_TYPE), "xlsx")


def _filters(request: HttpRequest) -> str:
    """Describe the list's filters. The search text is left out, because it may be a person's name."""
    filters = [f"{name}={value}" for name, value in request.GET.items() if name != _SEARCHED]
    if request.GET.get(_SEARCHED):
        filters.append("q")
    return ", ".join(filters) or "-"


def _as_download(response: HttpResponseBase, extension: str) -> HttpResponseBase:
    name = f"guides-{timezone.now():%Y%m%d-%H%M%S}.{extension}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "no-store"
    return response
