"""The admin of inbound batches: open ones first, then by their differences; what is missing, too much, or short."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from base.admin.confirmed_action import ConfirmedAction, Done, Grouped, Question, Scene
from base.admin.list_exports import ExportedColumn, ExportedList, ListExports
from base.admin.list_filters import StatesFilter
from base.admin.lists import badge
from base.admin.spreadsheets import Value
from companies.country_names import country_choices
from companies.exported_columns import moment
from companies.scope import scope_of
from shipments.activity import BATCH_CLOSED
from shipments.admin.actions.guide_actions import TEMPLATE
from shipments.admin.actions.move_actions import NEXT_PAGE, begun, zone_of
from shipments.admin.columns import column, time_column
from shipments.admin.forms import AdvanceForm
from shipments.admin.read_only_admin import ReadOnlyAdmin
from shipments.admin.receiving.sheets import LabelsForm, difference_sheet, label_page
from shipments.inbound import differences
from shipments.inbound.receiving import close
from shipments.manifests.waybills import sought_mawb
from shipments.models import BatchState, Guide, InboundBatch, MoveKind, ScanOutcome

_LISTED = 1_000

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


def _missing(scene: Scene[InboundBatch]) -> QuerySet[Guide]:
    return Guide.objects.filter(pk__in=differences.missing(scene.one).order_by().values("pk"))


def _advancing(scene: Scene[InboundBatch]) -> Question:
    title = _("Advance the missing…")
    if not _missing(scene).exists():
        return Question(title, [_("Nothing is missing.")])
    return Question(title, [NEXT_PAGE], _("Preview"))


ADVANCE_MISSING = ConfirmedAction[InboundBatch](
    name="advance_missing", label=_("Advance the missing…"), icon="moving", question=_advancing,
    form=lambda scene, data, _files: AdvanceForm(data, initial={"zone": zone_of(_missing(scene))}),
    run=lambda scene, form: begun(scene, MoveKind.ADVANCE, _missing(scene), form.event), template=TEMPLATE,
)  # fmt: skip


def _closing(scene: Scene[InboundBatch]) -> Question:
    title = gettext("Close %s") % scene.one
    if not scene.one.is_open:
        return Question(title, [_("It is closed.")])
    lines: Sequence[str | Promise] = [
        gettext("Missing: %(n)s.") % {"n": Grouped(differences.counts_of(scene.one)["missing"])},
        _("Its counts stay as they are then, and it takes no more scans."),
    ]
    return Question(title, lines, _("Close"))


def _close(scene: Scene[InboundBatch], _form: object) -> Done[InboundBatch]:
    return Done([close(scene.one.pk, actor=scene.actor)])


CLOSE = ConfirmedAction[InboundBatch](
    name="close", label=_("Close…"), icon="inventory", fits=lambda batch: batch.is_open, permission="close",
    question=_closing, run=_close, logged=BATCH_CLOSED, said=_("The batch %(rows)s is closed."), template=TEMPLATE,
)  # fmt: skip


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
    sortable_by = ()
    exported = ExportedList("inbound-batches", _("Differences of inbound batches"), COLUMNS, difference_rows)
    actions: Any = ["export_ticked_as_csv", "export_ticked_as_xlsx"]
    confirmed_actions = (ADVANCE_MISSING, CLOSE)
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
        if mawb := sought_mawb(text):
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
        return _printed(request, "labels", shown)

    def print_differences(self, request: HttpRequest, batch_id: int) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        batch = get_object_or_404(self.get_queryset(request), pk=batch_id)
        return _printed(request, "differences", difference_sheet(batch, scope_of(request.user)))

    def page_context(self, request: HttpRequest, batch: InboundBatch) -> dict[str, Any]:
        counts, scope = differences.counts_of(batch), scope_of(request.user)
        export = reverse("admin:shipments_inboundbatch_export_xlsx")
        return {
            "counts": [(label, counts[name]) for name, label in _COUNTS.items()],
            "mawbs": batch.manifests.select_related("company").order_by("mawb", "id"),
            "guide_parts": [
                (_("Missing"), _rows(differences.missing(batch))),
                (_("Packages short"), _rows(differences.short(batch))),
                (_("Packages over"), _rows(differences.over(batch))),
            ],
            "surplus": [(scan, differences.seen_guide(scan, scope)) for scan in differences.surplus(batch)[:_LISTED]],
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


def _printed(request: HttpRequest, name: str, shown: dict[str, Any]) -> HttpResponse:
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


def _rows(guides: "QuerySet[Any, Any]") -> "QuerySet[Any, Any]":
    return guides.select_related("manifest")[:_LISTED]
