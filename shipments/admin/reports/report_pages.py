"""The report's page and its workbook."""

from calendar import monthrange
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any, NamedTuple, cast

from django import forms
from django.contrib import admin
from django.core.exceptions import BadRequest
from django.db.models import QuerySet
from django.http import FileResponse, HttpRequest, HttpResponseBase
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _, gettext_noop
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from base.admin.activity import log_act_on
from base.admin.list_exports import EXPORTED
from base.admin.pages import AdminPage
from base.admin.spreadsheets import XLSX_CONTENT_TYPE, Value, xlsx_file
from companies.clocks import zone_name
from companies.country_names import choices_within
from companies.models import Company
from companies.scope import scope_of
from shipments.admin.filters import company_select
from shipments.admin.reports import plots
from shipments.admin.reports.periods import Cell, ClientReport, report_between
from shipments.models import Guide, Manifest

SHOWN_ROWS = 300
"""The most rows of the page's table. The workbook has all of them."""
_SPANS: Mapping[str, tuple[str | Promise, int]] = {
    "this_month": (_("This month"), 1),
    "last_month": (_("Last month"), 1),
    "3_months": (_("3 months"), 3),
    "12_months": (_("12 months"), 12),
}
"""The buttons, and the number of months of each."""
_MOST_DAYS = 2 * 366
_DAY_INPUT = UnfoldAdminTextInputWidget(attrs={"type": "date"})


def _usual_days(request: HttpRequest) -> dict[str, str]:
    """Return the days of the button that was pressed; without one this month's, unless the address has days."""
    today, span = timezone.localdate(), request.GET.get("span", "")
    if not span and (request.GET.get("since") or request.GET.get("until")):
        return {}
    until = today.replace(day=1) - timedelta(days=1) if span == "last_month" else today
    _label, months = _SPANS.get(span, _SPANS["this_month"])
    since = _months_before(until.replace(day=1), months - 1)
    return {"since": since.isoformat(), "until": until.isoformat(), "span": span or "this_month"}


def _months_before(day: date, months: int) -> date:
    """Return the same day `months` earlier, or the last one of that month where it is shorter."""
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def days_before(since: date, until: date) -> tuple[date, date]:
    """Return the days that a report from `since` to `until` is compared with: as many whole months earlier as it
    covers, if it begins with a month, else as many days earlier.
    """
    if since.day != 1:
        return since - (until - since) - timedelta(days=1), since - timedelta(days=1)
    months = (until.year - since.year) * 12 + until.month - since.month + 1
    is_whole = (until + timedelta(days=1)).day == 1
    return _months_before(since, months), since - timedelta(days=1) if is_whole else _months_before(until, months)


class Figure(NamedTuple):
    """One of the four figures. change: against the days before, with its sign; empty if there is nothing to compare."""

    title: str
    value: str
    change: str


def figures(now: Cell, before: Cell) -> list[Figure]:
    def number(value: float | None, places: int, unit: str = "") -> str:
        return "–" if value is None else number_format(round(value, places), places, force_grouping=True) + unit

    def change(value: float | None, earlier: float | None, places: int, unit: str) -> str:
        difference = None if value is None or earlier is None else round(value - earlier, places)
        sign = "+" if difference and difference > 0 else "−" if difference and difference < 0 else "±"
        return "" if difference is None else f"{sign}{number(abs(difference), places)}{unit}"

    def growth(value: int, earlier: int) -> str:
        return change(100 * value / earlier, 100, 0, " %") if earlier else ""

    rates, hours = (now.delivered_percent, before.delivered_percent), (now.median_hours, before.median_hours)
    return [
        Figure(gettext("Manifests"), number(now.manifests, 0), growth(now.manifests, before.manifests)),
        Figure(gettext("Guides"), number(now.guides, 0), growth(now.guides, before.guides)),
        Figure(gettext("Delivered"), number(rates[0], 1, " %"), change(*rates, 1, gettext(" points"))),
        Figure(gettext("Customs, median hours"), number(hours[0], 1), change(*hours, 1, " h")),
    ]


class ReportForm(forms.Form):
    """What the report is about. Offers the companies and countries that the operator may see."""

    company = forms.ModelChoiceField(
        label=_("Company"), queryset=Company.objects.none(), to_field_name="client_code", required=False,
        widget=company_select(Manifest, _("All companies")),
    )  # fmt: skip
    country = forms.ChoiceField(label=_("Country"), required=False, widget=UnfoldAdminSelectWidget)
    since = forms.DateField(label=_("From"), input_formats=["%Y-%m-%d"], widget=_DAY_INPUT)
    until = forms.DateField(label=_("To"), input_formats=["%Y-%m-%d"], widget=_DAY_INPUT)
    # Of the buttons, which send the company and the country that are chosen, and of bookmarks.
    span = forms.ChoiceField(required=False, widget=forms.HiddenInput, choices=[(key, key) for key in _SPANS])

    def __init__(self, request: HttpRequest) -> None:
        super().__init__({**request.GET.dict(), **_usual_days(request)})
        chosen: Any = self.fields
        chosen["company"].queryset = Company.objects.visible_to(request.user)
        chosen["country"].choices = [("", _("All countries")), *choices_within(scope_of(request.user))]

    def clean_until(self) -> date:
        """Reject an end before the beginning, and more weeks than a page can show."""
        since, until = self.cleaned_data.get("since"), self.cleaned_data["until"]
        if since and until < since:
            raise forms.ValidationError(gettext("This day is before the first one."))
        if since and (until - since).days > _MOST_DAYS:
            raise forms.ValidationError(gettext("A report has at most two years."))
        return cast("date", until)

    def narrow(self, manifests: QuerySet[Manifest]) -> QuerySet[Manifest]:
        company, country = self.cleaned_data["company"], self.cleaned_data["country"]
        manifests = manifests.filter(company=company) if company else manifests
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
            return self.answer(form, None)
        manifests = form.narrow(Manifest.objects.visible_to(self.request.user))
        return self.answer(form, report_between(manifests, form.cleaned_data["since"], form.cleaned_data["until"]))

    def answer(self, form: ReportForm, made: ClientReport | None) -> HttpResponseBase:
        """Return the answer. made: None if the form is invalid."""
        shown: dict[str, Any] = {
            "form": form,
            "zone": zone_name(),
            "spans": [(span, label) for span, (label, _months) in _SPANS.items()],
            "query": self.request.GET.urlencode(),
        }
        if made is not None:
            since, until = days_before(form.cleaned_data["since"], form.cleaned_data["until"])
            manifests = form.narrow(Manifest.objects.visible_to(self.request.user))
            clients, total = made.clients, made.total
            shown |= {
                "made": made,
                "cells": [(cell, _share(cell, total)) for cell in clients[:SHOWN_ROWS]],
                "left_out": max(0, len(clients) - SHOWN_ROWS),
                "total": total,
                "figures": figures(total, report_between(manifests, since, until).total),
                "before": (since, until),
                "volumes": plots.volumes(made.periods) if len(made.periods) > 1 else None,
            }
        return self.render_to_response(self.get_context_data(**shown))


def _share(cell: Cell, total: Cell) -> float | None:
    """Return the percentage of all guides."""
    return 100 * cell.guides / total.guides if total.guides else None


class ReportWorkbook(ReportPage):
    def answer(self, form: ReportForm, made: ClientReport | None) -> HttpResponseBase:
        """Return the file. Raises `BadRequest` for choices that the form does not offer."""
        if made is None:
            raise BadRequest
        headings = [
            gettext("Month"), gettext("Company"), gettext("Manifests"), gettext("Guides"), gettext("Guides, % of all"),
            gettext("Weight (kg)"),
            gettext("Delivered guides"), gettext("Delivered, %"), gettext("In exception"),
            gettext("Ended without delivery"),
            gettext("Customs, median hours"), gettext("Customs, 95th percentile hours"),
            gettext("Guides measured in customs"),
        ]  # fmt: skip
        file, chosen = xlsx_file(headings, _rows(made), title=gettext("Reports")), form.cleaned_data
        company = chosen["company"].client_code if chosen["company"] else ""
        filters = ", ".join(f"{name}={value}" for name, value in {**chosen, "company": company}.items() if value)
        title, rows = gettext_noop("Report by client and month"), len(made.cells)
        log_act_on(self.request, Guide, title, EXPORTED, kind="XLSX", rows=rows, filters=filters)
        whose = "-".join(filter(None, ("report", company, chosen["country"])))
        headers = {
            "Content-Disposition": f'attachment; filename="{whose}-{chosen["since"]}-{chosen["until"]}.xlsx"',
            "Cache-Control": "no-store",
        }
        return FileResponse(file, content_type=XLSX_CONTENT_TYPE, headers=headers)


def _rows(made: ClientReport) -> Iterator[list[Value]]:
    """Yield a row for each month and client, then the total."""
    total = made.total
    for cell, month, client in [*((cell, cell.begins_on, cell.client) for cell in made.cells), (total, None, "")]:
        yield [
            month or gettext("Total"), client, cell.manifests, cell.guides, _round(_share(cell, total)),
            cell.weight_kg, cell.delivered, _round(cell.delivered_percent), cell.exceptions, cell.failed,
            _round(cell.median_hours), _round(cell.hours_of_95_percent), len(cell.customs_hours),
        ]  # fmt: skip


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
