"""The report's page and its workbook."""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any, cast

from django import forms
from django.contrib import admin
from django.core.exceptions import BadRequest
from django.db.models import QuerySet
from django.http import FileResponse, HttpRequest, HttpResponseBase
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from companies.admin_base.activity import log_act_on
from companies.admin_base.admin_pages import AdminPage
from companies.admin_base.clocks import zone_name
from companies.admin_base.list_exports import EXPORTED
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
_LAST_MONTH = "month"
_MOST_DAYS = 2 * 366


def _day_input() -> forms.TextInput:
    return UnfoldAdminTextInputWidget(attrs={"type": "date"})


def _usual_days(request: HttpRequest) -> dict[str, str]:
    """Return the days of the button that was pressed; without one the usual ones, unless the address has days."""
    today, weeks = timezone.localdate(), request.GET.get("weeks", "")
    if not weeks and (request.GET.get("since") or request.GET.get("until")):
        return {}
    since, until = last_weeks(int(weeks) if weeks in map(str, _WEEKS) else _USUAL_WEEKS, today)
    if weeks == _LAST_MONTH:
        until = today.replace(day=1) - timedelta(days=1)
        since = until.replace(day=1)
    return {"since": since.isoformat(), "until": until.isoformat()}


class ReportForm(forms.Form):
    """What the report is about. Offers the companies and countries that the operator may see."""

    company = forms.ChoiceField(label=_("Company"), required=False, widget=UnfoldAdminSelectWidget)
    country = forms.ChoiceField(label=_("Country"), required=False, widget=UnfoldAdminSelectWidget)
    since = forms.DateField(label=_("From"), input_formats=["%Y-%m-%d"], widget=_day_input())
    until = forms.DateField(label=_("To"), input_formats=["%Y-%m-%d"], widget=_day_input())
    # Of the buttons, which send the company and the country that are chosen, and of bookmarks.
    weeks = forms.ChoiceField(
        required=False, widget=forms.HiddenInput, choices=[(key, key) for key in (*map(str, _WEEKS), _LAST_MONTH)]
    )

    def __init__(self, request: HttpRequest) -> None:
        super().__init__({**request.GET.dict(), **_usual_days(request)})
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
        company, country = self.cleaned_data["company"], self.cleaned_data["country"]
        manifests = manifests.filter(company__client_code=company) if company else manifests
        return manifests.filter(country=country) if country else manifests


def urls() -> list[URLPattern]:
    return [
        path("", admin.site.admin_view(ReportPage.as_view()), name="reports"),
        path("report.xlsx", admin.site.admin_view(ReportWorkbook.as_view()), name="reports-workbook"),
    ]


class ReportPage(AdminPage):
    """The report; only the form, with what is wrong, for choices that it does not offer."""

    permission_required = "shipments.view_manifest"
    template_name = "shipments/reports.html"
    title = _("Reports")
    http_method_names = ["get", "head"]

    def get(self, *_args: object, **_named: object) -> HttpResponseBase:
        form = ReportForm(self.request)
        if not form.is_valid():
            return self.answered(form, None)
        manifests = form.narrowed(Manifest.objects.visible_to(self.request.user))
        return self.answered(form, report_between(manifests, form.cleaned_data["since"], form.cleaned_data["until"]))

    def answered(self, form: ReportForm, made: ClientReport | None) -> HttpResponseBase:
        """Return the answer. made: None if the form is invalid."""
        shown: dict[str, Any] = {
            "form": form,
            "zone": zone_name(),
            "spans": [
                *((str(number), gettext("%d weeks") % number) for number in _WEEKS),
                (_LAST_MONTH, gettext("Last month")),
            ],
            "query": self.request.GET.urlencode(),
        }
        if made is not None:
            shown |= {
                "made": made,
                "cells": made.cells[:SHOWN_ROWS],
                "left_out": max(0, len(made.cells) - SHOWN_ROWS),
                "volumes": plots.volumes(made.weeks),
                "customs": plots.customs(made.weeks),
            }
        return self.render_to_response(self.get_context_data(**shown))


class ReportWorkbook(ReportPage):
    def answered(self, form: ReportForm, made: ClientReport | None) -> HttpResponseBase:
        """Return the file. Raises `BadRequest` for choices that the form does not offer."""
        if made is None:
            raise BadRequest
        headings = [
            gettext("Week of"), gettext("Company"), gettext("Manifests"), gettext("Guides"), gettext("Weight (kg)"),
            gettext("Delivered guides"), gettext("Delivered, %"), gettext("In exception"),
            gettext("Ended without delivery"),
            gettext("Customs, median hours"), gettext("Customs, 95th percentile hours"),
            gettext("Guides measured in customs"),
        ]  # fmt: skip
        file, chosen = xlsx_file(headings, _rows(made), title=gettext("Reports")), form.cleaned_data
        filters = ", ".join(f"{name}={value}" for name, value in chosen.items() if value)
        title, rows = gettext_noop("Report by client and week"), len(made.cells)
        log_act_on(self.request, Guide, title, EXPORTED, kind="XLSX", rows=rows, filters=filters)
        whose = "-".join(filter(None, ("report", chosen["company"], chosen["country"])))
        headers = {
            "Content-Disposition": f'attachment; filename="{whose}-{chosen["since"]}-{chosen["until"]}.xlsx"',
            "Cache-Control": "no-store",
        }
        return FileResponse(file, content_type=XLSX_CONTENT_TYPE, headers=headers)


def _rows(made: ClientReport) -> Iterator[list[Value]]:
    for cell in made.cells:
        yield [
            cell.begins_on, cell.client, cell.manifests, cell.guides, cell.weight_kg, cell.delivered,
            _rounded(cell.delivered_percent), cell.exceptions, cell.failed, _rounded(cell.median_hours),
            _rounded(cell.hours_of_95_percent), len(cell.customs_hours),
        ]  # fmt: skip


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
