"""The admin of inbound batches: open ones first, then by their differences; what is missing, too much, or short."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import segno
from barcode import Code128
from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy as _
from unfold.decorators import display

from base.admin.confirmed_action import Grouped, Question
from base.admin.list_exports import ExportedColumn, ExportedList, ListExports
from base.admin.list_filters import StatesFilter
from base.admin.lists import badge
from base.admin.spreadsheets import Value
from companies.country_names import country_choices
from companies.exported_columns import moment
from companies.scope import Scope, scope_of
from shipments.activity import BATCH_CLOSED
from shipments.admin.actions.guide_actions import ShipmentAction
from shipments.admin.actions.move_actions import NEXT_PAGE, BeginsMove, zone_of
from shipments.admin.columns import column, time_column
from shipments.admin.forms import AdvanceForm
from shipments.admin.read_only_admin import ReadOnlyAdmin
from shipments.inbound import differences
from shipments.inbound.receiving import close
from shipments.labels import CITY_LABELS
from shipments.manifests.waybills import read_sought_mawb
from shipments.models import BatchState, Guide, InboundBatch, ScanOutcome

_DIFFERENCES = {
    "missing": _("Missing"),
    **dict(ScanOutcome.choices),
    "packages_short": _("Packages short"),
    "packages_over": _("Packages over"),
}
COLUMNS: Sequence[ExportedColumn] = (
    ExportedColumn("batch", _("batch")),
    ExportedColumn("facility", _("facility")),
    ExportedColumn("country", _("country"), dict(country_choices())),
    ExportedColumn("state", _("state"), dict(BatchState.choices)),
    moment("created_at", _("opened")),
    moment("closed_at", _("closed")),
    ExportedColumn("difference", _("difference"), _DIFFERENCES),
    ExportedColumn("tracking_code", _("tracking code")),
    ExportedColumn("hawb", "HAWB"),
    ExportedColumn("mawb", "MAWB"),
    ExportedColumn("code", _("scanned code")),
    ExportedColumn("expected", _("packages expected")),
    ExportedColumn("scanned", _("packages scanned")),
)


def difference_rows(batches: QuerySet[InboundBatch]) -> Iterator[tuple[Value, ...]]:
    """Yield a row of `COLUMNS` for each difference of the batches, as things stand; a batch without any has one row."""
    for batch in batches.iterator(chunk_size=100):
        head = (batch.public_id, batch.facility, batch.country, batch.state, batch.created_at, batch.closed_at)
        is_empty = True
        for row in _differences(batch):
            is_empty = False
            yield (*head, *row)
        if is_empty:
            yield (*head, "", "", "", "", "", None, None)


def _differences(batch: InboundBatch) -> Iterator[tuple[Value, ...]]:
    for guide in differences.missing(batch).select_related("manifest").iterator():
        yield ("missing", *_names(guide), "", guide.packages_count, 0)
    for scan in differences.surplus(batch).iterator():
        # Who sees the batch may not see a guide of another country.
        is_named = scan.guide is not None and scan.guide.manifest.country == batch.country
        names = _names(scan.guide) if scan.guide and is_named else ("", "", "")
        yield (scan.outcome, *names, scan.code, None, scan.packages)
    for kind, guides in (("packages_short", differences.short), ("packages_over", differences.over)):
        for guide in guides(batch).select_related("manifest").iterator():
            yield (kind, *_names(guide), "", guide.packages_count, guide.scanned)


def _names(guide: Guide) -> tuple[str, str, str]:
    return guide.tracking_code, guide.hawb, guide.manifest.mawb


class AdvanceMissing(BeginsMove[InboundBatch]):
    name, label, icon = "advance_missing", _("Advance the missing…"), "moving"

    def find_guides(self, form: object = None) -> QuerySet[Guide]:  # noqa: ARG002  # the base's signature
        return Guide.objects.filter(pk__in=differences.missing(self.row).order_by().values("pk"))

    def get_question(self) -> Question:
        if not self.find_guides().exists():
            return Question(self.label, [_("Nothing is missing.")])
        return Question(self.label, [NEXT_PAGE], _("Preview"))

    def get_form(self, data: Any, files: object) -> AdvanceForm:  # noqa: ANN401, ARG002  # Django's data
        return AdvanceForm(data, initial={"zone": zone_of(self.find_guides())})


class Close(ShipmentAction[InboundBatch]):
    name, permission = "close", "close"
    label, icon = _("Close…"), "inventory"
    logged, said = BATCH_CLOSED, _("The batch %(rows)s is closed.")
    fits = staticmethod(lambda row: row.is_open)

    def get_question(self) -> Question:
        title = gettext("Close %s") % self.row
        if not self.row.is_open:
            return Question(title, [_("It is closed.")])
        lines: Sequence[str | Promise] = [
            gettext("Missing: %(n)s.") % {"n": Grouped(differences.counts_of(self.row)["missing"])},
            _("Its counts stay as they are then, and it takes no more scans."),
        ]
        return Question(title, lines, _("Close"))

    def confirm(self, form: object) -> Sequence[InboundBatch]:  # noqa: ARG002  # nothing is entered
        return [close(self.row.pk, actor=self.actor)]


@admin.register(InboundBatch)
class InboundBatchAdmin(ListExports, ReadOnlyAdmin):  # type: ignore[misc]  # unfold's hints disagree with Django's
    """Batches are read here, closed and printed, and their guides moved; the page *Receive* opens them and scans."""

    nothing_yet = _("No cargo has been received yet")
    how_it_begins = _("Open a batch with a phone, or with scanners through the operators' API.")
    first_steps = ((_("Receive"), "receive", "shipments.add_inboundbatch"),)
    list_display = [
        "shown_id", "facility", "country", "shown_state", "shown_mawbs", "shown_matched", "shown_differences",
        "shown_opened", "opened_by",
    ]  # fmt: skip
    list_filter = [("state", StatesFilter), "country"]
    linked_lookups = {"id__exact"}  # the workbook of one batch, from its page
    search_fields = ["facility"]
    search_help_text = _("MAWB in any spelling, or facility")
    exported = ExportedList("inbound-batches", _("Differences of inbound batches"), COLUMNS, difference_rows)
    actions: Any = ["export_ticked_as_csv", "export_ticked_as_xlsx"]
    confirmed_actions = (AdvanceMissing, Close)
    fieldsets = [
        (None, {"fields": [
            ("shown_id", "shown_state"), ("facility", "country"), ("on_scan", "note"),
            ("opened_by", "created_at"), ("closed_by", "closed_at"),
        ]}),
    ]  # fmt: skip
    readonly_fields = ["shown_id", "shown_state"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[InboundBatch]:
        batches: QuerySet[InboundBatch] = super().get_queryset(request)
        return batches.prefetch_related("manifests")

    def search_rows(self, batches: QuerySet[InboundBatch], text: str) -> QuerySet[InboundBatch]:
        """By MAWB, or by the beginning of a facility."""
        if mawb := read_sought_mawb(text):
            with_it = InboundBatch.objects.filter(manifests__mawb=mawb).order_by().values("pk")
            return batches.filter(pk__in=with_it)
        return batches.filter(facility__istartswith=text)

    def has_operate_permission(self, request: HttpRequest, obj: object = None) -> bool:  # noqa: ARG002  # Django's signature
        """What is moved here are guides."""
        return request.user.has_perm("shipments.change_guide")

    def has_close_permission(self, request: HttpRequest, obj: object = None) -> bool:  # noqa: ARG002  # as above
        return request.user.has_perm("shipments.change_inboundbatch")

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("<int:batch_id>/labels/", view(self.print_labels), name="shipments_inboundbatch_labels"),
            path("<int:batch_id>/sheet/", view(self.print_differences), name="shipments_inboundbatch_sheet"),
            *super().get_urls(),
        ]

    def print_labels(self, request: HttpRequest, batch_id: int) -> HttpResponse:
        if not request.user.has_perm("shipments.add_inboundbatch"):
            raise PermissionDenied
        batch, form = get_object_or_404(self.get_queryset(request), pk=batch_id), LabelsForm(request.GET)
        page, labels = label_page(form.guides_of(batch), request.GET.get("page"))
        shown = {"batch": batch, "form": form, "page": page, "labels": labels, "paper": form.paper}
        return _print(request, "labels", shown)

    def print_differences(self, request: HttpRequest, batch_id: int) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        batch = get_object_or_404(self.get_queryset(request), pk=batch_id)
        return _print(request, "differences", difference_sheet(batch, scope_of(request.user)))

    def page_context(self, request: HttpRequest, batch: InboundBatch) -> dict[str, Any]:
        sheet = difference_sheet(batch, scope_of(request.user))
        export = reverse("admin:shipments_inboundbatch_export_xlsx")
        return {
            "counts": [(label, sheet["counts"][name]) for name, label in _COUNTS.items()],
            "mawbs": batch.manifests.select_related("company").order_by("mawb", "id"),
            "guide_parts": sheet["parts"],
            "surplus": sheet["surplus"],
            "may_operate": self.has_operate_permission(request),
            "may_scan": request.user.has_perm("shipments.add_inboundbatch"),
            "workbook": f"{export}?id__exact={batch.pk}" if self.has_export_permission(request) else "",
        }

    shown_id = column(_("batch"), lambda batch: batch.public_id)
    shown_state = column(
        _("state"), lambda batch: badge(batch.get_state_display(), "info" if batch.is_open else "muted")
    )

    @display(description="MAWB")
    def shown_mawbs(self, batch: InboundBatch) -> str:
        mawbs = sorted({manifest.mawb for manifest in batch.manifests.all()})
        more = f" +{len(mawbs) - 1}" if len(mawbs) > 1 else ""
        return f"{mawbs[0]}{more}" if mawbs else ""

    @display(description=_("arrived"))
    def shown_matched(self, batch: InboundBatch) -> str:
        counts = _counts(batch)
        return gettext("%(matched)s of %(expected)s") % counts

    @display(description=_("differences"))
    def shown_differences(self, batch: InboundBatch) -> SafeString | str:
        found = differences.differences_in(_counts(batch))
        return badge(str(found), "warning") if found else "0"

    shown_opened = time_column(_("opened"), "created_at")


def _print(request: HttpRequest, name: str, shown: dict[str, Any]) -> HttpResponse:
    response = TemplateResponse(request, f"shipments/receiving/{name}.html", shown)
    response["Cache-Control"] = "no-store"
    return response


_COUNTS = {
    "expected": _("Expected"),
    "matched": _("Arrived"),
    "missing": _("Missing"),
    "surplus": _("Surplus"),
    "elsewhere": _("Of another MAWB"),
    "damaged": _("Damaged"),
    "packages_short": _("Packages short"),
    "packages_over": _("Packages over"),
}


def _counts(batch: InboundBatch) -> dict[str, int]:
    """Return the counts of a batch, counted once a page."""
    counts: dict[str, int] | None = vars(batch).get("counts_now")
    if counts is None:
        counts = vars(batch)["counts_now"] = differences.counts_of(batch)
    return counts


# --- what the warehouse prints: differences, and labels for parcels without a barcode ---------------------------------

LABELS_A_PAGE = 200
"""Printed at once: some seconds of a browser's work."""
MOST_LISTED = 1_000
_QUIET = 10
"""Modules of white beside the bars, as Code 128 asks for."""


class Label(NamedTuple):
    """A label. city_name: what a city is called there; qr, bars: pictures of the tracking code."""

    tracking_code: str
    hawb: str
    mawb: str
    city_name: str | Promise
    city: str
    qr: SafeString
    bars: SafeString


class LabelsForm(forms.Form):
    """Which labels, on which paper. Without anything sent: the missing, by A6."""

    A6, A4 = "a6", "a4"
    MISSING, ALL = "missing", "all"

    size = forms.ChoiceField(
        label=_("Paper"), required=False,
        choices=[(A6, _("A6, one label")), (A4, _("A4, eight labels"))],
    )  # fmt: skip
    which = forms.ChoiceField(
        label=_("Parcels"), required=False,
        choices=[(MISSING, _("The missing")), (ALL, _("All that are expected"))],
    )  # fmt: skip
    codes = forms.CharField(
        label=_("Only these"), required=False, max_length=2000,
        help_text=_("Tracking codes or HAWBs, with commas or blanks between them."),
    )  # fmt: skip

    def guides_of(self, batch: InboundBatch) -> QuerySet[Guide]:
        sent = self.cleaned_data if self.is_valid() else {}
        expected = differences.expected(batch).select_related("manifest").order_by("manifest_id", "id")
        if codes := sent.get("codes", "").replace(",", " ").upper().split():
            return expected.filter(Q(tracking_code__in=codes) | Q(hawb__in=codes))
        if sent.get("which") == self.ALL:
            return expected
        return differences.missing(batch).select_related("manifest")

    @property
    def paper(self) -> str:
        is_a4 = self.is_valid() and self.cleaned_data["size"] == self.A4
        return self.A4 if is_a4 else self.A6


def label_page(guides: QuerySet[Guide], number: str | None) -> tuple[Any, Sequence[Label]]:
    """Return a page of a paginator, and its labels."""
    page, labels = Paginator(guides, LABELS_A_PAGE).get_page(number), []
    for guide in page:
        code, manifest = guide.tracking_code, guide.manifest
        city_name, pictures = CITY_LABELS.get(manifest.country, _("city")), (draw_qr(code), draw_bars(code))
        labels.append(Label(code, guide.hawb, manifest.mawb, city_name, guide.consignee_city, *pictures))
    return page, labels


def draw_qr(code: str) -> SafeString:
    picture = segno.make(code, micro=False, error="m").svg_inline(omitsize=True, svgclass="label-qr", border=4)
    return format_html("{}", SafeString(picture))


def draw_bars(code: str) -> SafeString:
    """Return a Code 128 as SVG: one rectangle for each run of black modules."""
    path, at = [], _QUIET
    for module, run in groupby(Code128(code).build()[0]):
        width = len(list(run))
        if module == "1":
            path.append(f"M{at} 0h{width}v1H{at}z")
        at += width
    return format_html(
        '<svg class="label-bars" viewBox="0 0 {} 1" preserveAspectRatio="none" role="img" aria-label="{}">'
        '<path d="{}"/></svg>',
        at + _QUIET, code, "".join(path),
    )  # fmt: skip


def difference_sheet(batch: InboundBatch, scope: Scope) -> dict[str, Any]:
    """Return what the sheet of a batch's differences shows, as things stand. scope: of the operator."""
    parts = [
        (_("Missing"), differences.missing(batch)),
        (_("Packages short"), differences.short(batch)),
        (_("Packages over"), differences.over(batch)),
    ]
    surplus = differences.surplus(batch)[:MOST_LISTED]
    return {
        "batch": batch,
        "mawbs": sorted({manifest.mawb for manifest in batch.manifests.all()}),
        "now": timezone.now(),
        "counts": differences.counts_of(batch),
        "parts": [(title, rows.select_related("manifest")[:MOST_LISTED]) for title, rows in parts],
        "surplus": [(scan, differences.get_visible_guide(scan, scope)) for scan in surplus],
    }
