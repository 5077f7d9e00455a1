"""The report's page and its workbook."""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any, cast
from urllib.parse import urlencode

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
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from companies.admin_base.clocks import zone_name
from companies.admin_base.list_exports import log_export
from companies.admin_base.spreadsheets import XLSX_CONTENT_TYPE, Value, xlsx_file
from companies.country_names import country_choices
from companies.models import Company
from companies.scope import scope_of
from shipments.admin.reports import plots
from shipments.admin.reports.weeks import ClientReport, last_weeks, report_between
from shipments.models import Guide, Manifest

SHOWN_ROWS = 300
"""The most rows of the page's table. The workbook has all of them."""
_WEEKS = (4, 12, 26, 52)
_USUAL_WEEKS = 12
_MOST_DAYS = 2 * 366


def _day_input() -> forms.TextInput:
    return UnfoldAdminTextInputWidget(attrs={"type": "date"})


def _usual_days(request: HttpRequest) -> dict[str, str]:
    """Return the days of the weeks in the address, unless it has days."""
    if request.GET.get("since") or request.GET.get("until"):
        return {}
    weeks = request.GET.get("weeks", "")
    since, until = last_weeks(int(weeks) if weeks in map(str, _WEEKS) else _USUAL_WEEKS, timezone.localdate())
    return {"since": since.isoformat(), "until": until.isoformat()}


class ReportForm(forms.Form):
    """What the report is about. Offers the companies and countries that the operator may see."""

    company = forms.ChoiceField(label=_("Company"), required=False, widget=UnfoldAdminSelectWidget)
    country = forms.ChoiceField(label=_("Country"), required=False, widget=UnfoldAdminSelectWidget)
    since = forms.DateField(label=_("From"), input_formats=["%Y-%m-%d"], widget=_day_input())
    until = forms.DateField(label=_("To"), input_formats=["%Y-%m-%d"], widget=_day_input())
    # Of the quick links, and of bookmarks.
    weeks = forms.ChoiceField(
        required=False, widget=forms.HiddenInput, choices=[(str(number), str(number)) for number in _WEEKS]
    )

    def __init__(self, request: HttpRequest) -> None:
        super().__init__({**_usual_days(request), **request.GET.dict()})
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

    def clean_until(self) -> date:
        """Reject an end before the beginning, and more weeks than a page can show."""
        since, until = self.cleaned_data.get("since"), self.cleaned_data["until"]
        if since and until < since:
            raise forms.ValidationError(gettext("This day is before the first one."))
        if since and (until - since).days > _MOST_DAYS:
            raise forms.ValidationError(gettext("A report has at most two years."))
        return cast("date", until)

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
    """Show the report; only the form, with what is wrong, for choices that it does not offer."""
    form, made = _made(request)
    shown: dict[str, Any] = {
        "title": _("Reports"),
        "form": form,
        "zone": zone_name(),
        "spans": _spans(request),
        "query": request.GET.urlencode(),
    }
    if made is not None:
        shown |= {
            "made": made,
            "cells": made.cells[:SHOWN_ROWS],
            "left_out": max(0, len(made.cells) - SHOWN_ROWS),
            "volumes": plots.volumes(made.weeks),
            "customs": plots.customs(made.weeks),
        }
    context = {**admin.site.each_context(request), **shown}
    return TemplateResponse(request, "shipments/reports.html", context, status=400 if made is None else 200)


def _spans(request: HttpRequest) -> list[tuple[str, str]]:
    """Return the quick links: their words, and the query of the same report of other days."""
    kept = {name: value for name in ("company", "country") if (value := request.GET.get(name))}
    end = timezone.localdate().replace(day=1) - timedelta(days=1)
    month = {"since": end.replace(day=1).isoformat(), "until": end.isoformat()}
    spans: list[tuple[str, dict[str, str]]] = [
        (gettext("%d weeks") % number, {"weeks": str(number)}) for number in _WEEKS
    ]
    return [(words, urlencode(kept | days)) for words, days in [*spans, (gettext("Last month"), month)]]


@require_safe
def workbook(request: HttpRequest) -> HttpResponseBase:
    """Return the report's table as a workbook. Raises `BadRequest` for choices that the form does not offer."""
    form, made = _made(request)
    if made is None:
        raise BadRequest
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
    chosen = form.cleaned_data
    whose = "-".join(filter(None, ("report", chosen["company"], chosen["country"])))
    response["Content-Disposition"] = f'attachment; filename="{whose}-{chosen["since"]}-{chosen["until"]}.xlsx"'
    response["Cache-Control"] = "no-store"
    return response


def _made(request: HttpRequest) -> tuple[ReportForm, ClientReport | None]:
    if not request.user.has_perm("shipments.view_manifest"):
        raise PermissionDenied
    form = ReportForm(request)
    if not form.is_valid():
        return form, None
    manifests = form.narrowed(Manifest.objects.visible_to(request.user))
    return form, report_between(manifests, form.cleaned_data["since"], form.cleaned_data["until"])


def _rows(made: ClientReport) -> Iterator[list[Value]]:
    for cell in made.cells:
        yield [
            cell.begins_on, cell.client, cell.manifests, cell.guides, cell.weight_kg, cell.delivered,
            _rounded(cell.delivered_percent), cell.exceptions, cell.failed, _rounded(cell.median_hours),
            _rounded(cell.hours_of_95_percent), len(cell.customs_hours),
        ]  # fmt: skip


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
