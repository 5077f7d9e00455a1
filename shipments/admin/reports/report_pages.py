"""The report's page and its workbook."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import BadRequest, PermissionDenied
from django.db.models import QuerySet
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe
from unfold.widgets import UnfoldAdminSelectWidget

from companies.admin_base.clocks import zone_name
from companies.admin_base.list_exports import log_export
from companies.admin_base.spreadsheets import XLSX_CONTENT_TYPE, Value, xlsx_file
from companies.country_names import country_choices
from companies.models import Company
from companies.scope import scope_of
from shipments.admin.reports import plots
from shipments.admin.reports.weeks import ClientReport, report
from shipments.models import Guide, Manifest

SHOWN_ROWS = 300
"""The most rows of the page's table. The workbook has all of them."""
_WEEKS = (4, 12, 26, 52)
_USUAL_WEEKS = 12


class ReportForm(forms.Form):
    """What the report is about. Offers the companies and countries that the operator may see."""

    company = forms.ChoiceField(label=_("Company"), required=False, widget=UnfoldAdminSelectWidget)
    country = forms.ChoiceField(label=_("Country"), required=False, widget=UnfoldAdminSelectWidget)
    weeks = forms.ChoiceField(
        label=_("Weeks"),
        required=False,
        widget=UnfoldAdminSelectWidget,
        choices=[(str(number), str(number)) for number in _WEEKS],
    )

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request.GET or {"weeks": _USUAL_WEEKS})
        companies = Company.objects.visible_to(request.user).order_by("name").values_list("client_code", "name")
        scope = scope_of(request.user)
        chosen: Any = self.fields
        chosen["company"].choices = [
            ("", _("All companies")),
            *((code, f"{name} ({code})") for code, name in companies),
        ]
        chosen["country"].choices = [
            ("", _("All countries")), *((code, name) for code, name in country_choices() if scope.covers([code])),
        ]  # fmt: skip

    def narrowed(self, manifests: QuerySet[Manifest]) -> QuerySet[Manifest]:
        """Return those of `manifests` that the form asks for."""
        company, country = self.cleaned_data["company"], self.cleaned_data["country"]
        manifests = manifests.filter(company__client_code=company) if company else manifests
        return manifests.filter(country=country) if country else manifests


def urls() -> list[URLPattern]:
    """The routes below `admin/reports/`."""
    return [
        path("", admin.site.admin_view(page), name="reports"),
        path("report.xlsx", admin.site.admin_view(workbook), name="reports-workbook"),
    ]


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Show the report. Raises `BadRequest` for choices that the form does not offer."""
    form, made = _made(request)
    shown: dict[str, Any] = {
        "title": _("Reports"),
        "form": form,
        "zone": zone_name(),
        "cells": made.cells[:SHOWN_ROWS],
        "left_out": max(0, len(made.cells) - SHOWN_ROWS),
        "weeks": made.weeks,
        "is_cut": made.is_cut,
        "volumes": plots.volumes(made.weeks),
        "customs": plots.customs(made.weeks),
        "query": request.GET.urlencode(),
    }
    return TemplateResponse(request, "shipments/reports.html", {**admin.site.each_context(request), **shown})


@require_safe
def workbook(request: HttpRequest) -> HttpResponseBase:
    """Return the report's table as a workbook."""
    form, made = _made(request)
    headings = [
        gettext("Week of"), gettext("Company"), gettext("Manifests"), gettext("Guides"), gettext("Weight (kg)"),
        gettext("Delivered guides"), gettext("Delivered, %"), gettext("In exception"),
        gettext("Ended without delivery"),
        gettext("Customs, median hours"), gettext("Customs, 95th percentile hours"),
        gettext("Guides measured in customs"),
    ]  # fmt: skip
    file = xlsx_file(headings, _rows(made), title=gettext("Reports"))
    filters = ", ".join(f"{name}={value}" for name, value in form.cleaned_data.items() if value)
    title, rows = gettext_noop("Report by client and week"), len(made.cells)
    log_export(request, Guide, title, kind="XLSX", filters=filters, rows=rows)
    response = FileResponse(file, content_type=XLSX_CONTENT_TYPE)
    response["Content-Disposition"] = f'attachment; filename="report-{timezone.now():%Y%m%d-%H%M%S}.xlsx"'
    response["Cache-Control"] = "no-store"
    return response


def _made(request: HttpRequest) -> tuple[ReportForm, ClientReport]:
    if not request.user.has_perm("shipments.view_manifest"):
        raise PermissionDenied
    form = ReportForm(request)
    if not form.is_valid():
        raise BadRequest
    manifests = form.narrowed(Manifest.objects.visible_to(request.user))
    return form, report(manifests, int(form.cleaned_data["weeks"] or _USUAL_WEEKS), timezone.now())


def _rows(made: ClientReport) -> Iterator[list[Value]]:
    for cell in made.cells:
        yield [
            cell.begins_on, cell.client, cell.manifests, cell.guides, cell.weight_kg, cell.delivered,
            _rounded(cell.delivered_percent), cell.exceptions, cell.failed, _rounded(cell.median_hours),
            _rounded(cell.hours_of_95_percent), len(cell.customs_hours),
        ]  # fmt: skip


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
