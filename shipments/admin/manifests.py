"""The manifest admin: the list, and the page of a manifest with its guides by status and the reader's findings."""

from collections.abc import Iterator, Sequence
from typing import Any, cast
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q, QuerySet
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy as _, ngettext, pgettext_lazy
from unfold.decorators import display

from base.admin.activity import log_act
from base.admin.confirmed_action import Grouped, Question
from base.admin.list_exports import ExportedColumn, ListExports
from base.admin.lists import badge
from base.admin.saved_views import SavedViews
from base.errors import DomainError
from companies.exported_columns import ETA, build_export
from companies.models import Company
from shipments.activity import (
    ANNOTATED_DOWNLOADED,
    FILE_DOWNLOADED,
    INVOICE_ATTACHED,
    INVOICE_REPLACED,
    VOIDED,
    log_list,
)
from shipments.admin.actions.guide_actions import ShipmentAction
from shipments.admin.actions.move_actions import AdvanceGuides
from shipments.admin.actions.note_action import AddNote, notes_of
from shipments.admin.attention import flags
from shipments.admin.badges import mawb_badge, mawb_progress, mawb_status_choices, parts, status_badge
from shipments.admin.columns import amount, column, destination_time_column, eta_text, number_column, time_column
from shipments.admin.filters import (
    TO_PAY,
    ArrivalFilter,
    CompanyFilter,
    CountryFilter,
    ManifestStatusFilter,
    VatFilter,
    VoidedFilter,
    WorkFilter,
    with_vat_to_pay,
)
from shipments.admin.forms import InvoiceForm, ManifestAdvanceForm, VoidForm, next_step
from shipments.admin.guide_search import search_manifests
from shipments.admin.outgoing_layouts import BrokerFilePage
from shipments.admin.read_only_admin import CountedChangeList, ReadOnlyAdmin
from shipments.admin.understanding import describe_reading
from shipments.errors import ParserBusy
from shipments.files.invoices import attach_invoice
from shipments.files.storage import file_store
from shipments.intake.annotated_workbook import MEDIA_TYPE
from shipments.intake.trial import annotate_copy
from shipments.labels import STATUS_LABELS, TRANSPORT_LABELS
from shipments.manifests.countries import COUNTRIES
from shipments.manifests.manifest import FlightFields
from shipments.models import BulkMove, FileKind, Guide, Manifest, ManifestFile
from shipments.models.manifests import FINDINGS, FINDINGS_OF_MANIFEST
from shipments.statuses import EXCEPTIONS, GuideStatus
from shipments.tracking.voiding import void_manifest
from shipments.trouble import reports_missing_files

_CONTENT_TYPES = {FileKind.MANIFEST: MEDIA_TYPE, FileKind.INVOICE: "application/pdf"}
_DOWNLOADED = {"Content-Security-Policy": "sandbox; default-src 'none'", "Cache-Control": "no-store"}

ERASED = _(
    "The stored files were erased because they have the data of every consignee. Once all guides are anonymised, "
    "the manifest says when. The totals stay as they were."
)

_HEADINGS = (
    "mawb", "client_code", "posted_by", "entered_by", "channel", "country", "status", "eta", "flight_number",
    "transport_mode", "total_guides", "total_pieces", "total_weight_kg", "total_fob_usd", "rut_invalid_count",
    "voided_at", "created_at",
)  # fmt: skip
_SOURCES = {
    "client_code": "company__client_code",
    "posted_by": "posted_by__client_code",
    "entered_by": "entered_by__username",
    "flight_number": "flight__flight_number",
}
"""Heading -> source, where that is not a column of the same name."""


class ManifestList(CountedChangeList):
    """The list, with the number of guides of each manifest that still wait for a review."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        keys = [manifest.pk for manifest in self.result_list]
        waiting = Guide.objects.to_review().filter(manifest__in=keys).order_by().values_list("manifest")
        counts = dict(waiting.annotate(Count("pk")))
        for manifest in self.result_list:
            manifest.guides_to_review = counts.get(manifest.pk, 0)


def status_summary(manifest: Manifest) -> SafeString:
    if manifest.voided_at:
        return badge(_("Voided"), "muted")
    return mawb_badge(manifest.guides_by_status)


def _facts(manifest: Manifest) -> list[str]:
    """Return what tells this manifest from another one."""
    flight = " · ".join(part for part in (str(manifest.flight), eta_text(manifest)) if part)
    params = {"company": manifest.company.name, "n": amount(manifest.total_guides)}
    return [gettext("%(company)s · guides: %(n)s") % params, flight]


class Void(ShipmentAction[Manifest]):
    name, label, icon = "void", _("Void…"), "block"
    form_class = VoidForm
    logged, said = VOIDED, _("The manifest %(rows)s is void; its MAWB can be sent again.")
    fits = staticmethod(lambda row: row.voided_at is None)

    def get_question(self) -> Question:
        """Ask for a reason and the MAWB, or say why it cannot be voided."""
        title = gettext("Void the manifest %s") % self.row
        try:
            void_manifest(self.row, reason="?", actor=self.actor, dry_run=True)
        except DomainError as refused:
            return Question(title, (*_facts(self.row), refused.message))
        lines = (
            _("Its guides are cancelled, its company no longer sees it, and its MAWB can be sent again."),
            _("Operators still find it. This cannot be undone."),
        )
        return Question(title, (*_facts(self.row), *lines), _("Void"), is_dangerous=True, typed=self.row.mawb)

    def confirm(self, form: VoidForm) -> Sequence[Manifest]:
        entered = form.cleaned_data
        void_manifest(self.row, reason=entered["reason"], client_note=entered["client_note"], actor=self.actor)
        return [self.row]


class AttachInvoice(ShipmentAction[Manifest]):
    name, path = "attach_invoice", "invoice"
    label, icon = _("Attach invoice"), "attach_file"
    form_class = InvoiceForm
    logged, said = INVOICE_ATTACHED, _("The invoice is attached.")
    guard = staticmethod(reports_missing_files)
    fits = staticmethod(lambda row: row.voided_at is None and row.anonymised_at is None)

    def get_question(self) -> Question:
        present = self.row.files.filter(kind=FileKind.INVOICE).first()
        if present is None:
            kept = _("A PDF of at most 20 MB. It is kept as it is.")
            return Question(_("Attach the invoice"), [kept], _("Attach"))
        fact = gettext("It already has an invoice: %s.") % present
        replaced = _("A PDF of at most 20 MB. It is kept as it is; the one it replaces is deleted.")
        return Question(_("Replace the invoice"), [fact, replaced], _("Replace"))

    def confirm(self, form: InvoiceForm) -> Sequence[Manifest]:
        file, replaced = attach_invoice(self.row, form.cleaned_data["invoice_file"], actor=self.actor)
        self.params = {"new": file.sha256[:16]}
        if replaced:
            self.params |= {"old": replaced[:16]}
            self.logged = INVOICE_REPLACED
        return [self.row]


@admin.register(Manifest)
class ManifestAdmin(SavedViews, ListExports, ReadOnlyAdmin):  # type: ignore[misc]  # unfold's hints disagree with Django's
    """Manifests are read-only. Actions advance their guides, void them, and attach invoices."""

    list_display = [
        "mawb", "company", "country", "shown_progress", "shown_eta", "shown_guides", "shown_problems",
        "shown_entered_by", "shown_received",
    ]  # fmt: skip
    sortable_by = None  # every column
    list_select_related = ["company", "entered_by"]
    change_list = ManifestList
    list_filter = [
        ManifestStatusFilter, CompanyFilter, CountryFilter, ArrivalFilter, WorkFilter, VoidedFilter, "channel",
    ]  # fmt: skip
    linked_lookups = {  # from the start page: the arrivals of a day, the uploads of an hour
        "country__exact", "created_at__gte", "created_at__lt", "eta__gte", "eta__lt", "voided_at__isnull",
    }  # fmt: skip
    exported = build_export(
        "manifests", _("List of manifests"), Manifest, {name: _SOURCES.get(name, name) for name in _HEADINGS},
        ETA,
        ExportedColumn("status", _("status"), dict(mawb_status_choices())),
        ExportedColumn("posted_by", _("posted by")),
        ExportedColumn("entered_by", _("entered by")),
        ExportedColumn("transport_mode", _("transport mode"), TRANSPORT_LABELS),
        country="country",
    )  # fmt: skip
    search_fields = ["mawb"]
    search_help_text = _("MAWB in any spelling, or its beginning; flight; or a list of MAWBs")
    fieldsets = [
        (_("Flight"), {"fields": [("flight", "shown_eta"), ("country", "shown_transport_mode"), "arrival_day"]}),
        (_("Manifest"), {"fields": [
            ("mawb", "shown_status"), ("company", "posted_by"), ("channel", "created_at"), "entered_by",
        ]}),
        (_("Totals"), {"fields": [
            ("shown_guides", "shown_pieces"), ("shown_weight", "shown_fob"), ("shown_invalid_ruts",),
        ]}),
    ]  # fmt: skip
    shown_guides = number_column(Manifest, "total_guides")
    shown_pieces = number_column(Manifest, "total_pieces")
    shown_weight = number_column(Manifest, "total_weight_kg")
    shown_fob = number_column(Manifest, "total_fob_usd")
    shown_invalid_ruts = number_column(Manifest, "rut_invalid_count")
    readonly_fields = [
        "shown_status", "shown_eta", "arrival_day", "shown_transport_mode",
        "shown_guides", "shown_pieces", "shown_weight", "shown_fob", "shown_invalid_ruts", "shown_vat_to_pay",
    ]  # fmt: skip

    change_form_outer_after_template: Any = "admin/shipments/manifest/below.html"
    confirmed_actions = (AdvanceGuides, AttachInvoice, AddNote, Void)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:  # noqa: ANN401  # unfold's signature
        fieldsets = list(super().get_fieldsets(request, obj))
        if obj is not None and obj.voided_at:
            fieldsets.insert(0, (_("Voided"), {"fields": [("voided_at", "voided_by", "void_reason")]}))
        if obj is not None and (obj.anonymised_at or obj.files_erased_at):
            erased = {"fields": ["anonymised_at", "files_erased_at"], "description": ERASED}
            fieldsets.insert(0, (_("Personal data erased"), erased))
        if obj is not None and not obj.voided_at and COUNTRIES[obj.country].vat_at_sale:
            title, totals = fieldsets[-1]
            fieldsets[-1] = (title, {"fields": [*totals["fields"], "shown_vat_to_pay"]})
        return fieldsets

    def has_export_permission(self, request: HttpRequest) -> bool:
        """An export needs the permission to act on manifests, as one of guides does."""
        return self.has_operate_permission(request)

    def get_field_queryset(self, db: str | None, db_field: Any, request: HttpRequest) -> QuerySet[Any] | None:  # noqa: ANN401  # Django's signature
        """Offer clients alone: couriers have none."""
        if db_field.name == "company":
            return Company.objects.visible_to(request.user).clients()
        return super().get_field_queryset(db, db_field, request)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Manifest]:
        manifests: QuerySet[Manifest] = (
            super().get_queryset(request).select_related("company", "posted_by", "flight", "entered_by")
        )
        resolved = request.resolver_match
        is_list = resolved is not None and resolved.url_name == "shipments_manifest_changelist"
        return manifests.defer(*FINDINGS) if is_list else manifests

    def search_rows(self, manifests: QuerySet[Manifest], text: str) -> QuerySet[Manifest]:
        return search_manifests(manifests, text)

    def get_urls(self) -> list[URLPattern]:
        view, guard = self.admin_site.admin_view, reports_missing_files
        file, annotated = view(guard(self.download)), view(guard(self.download_annotated))
        return [
            path("<uuid:manifest_id>/broker/", view(BrokerFilePage.as_view()), name="shipments_manifest_broker"),
            path("<uuid:manifest_id>/files/<str:kind>/", file, name="shipments_manifest_download"),
            path("<uuid:manifest_id>/annotated.xlsx", annotated, name="shipments_manifest_annotated"),
            *super().get_urls(),
        ]

    def has_move_guides_permission(self, request: HttpRequest, obj: object = None) -> bool:  # noqa: ARG002  # the signature is Django's
        """Advancing guides needs the permission on guides, from here too."""
        return request.user.has_perm("shipments.change_guide")

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:  # noqa: ANN401  # Django's signature
        """Show one manifest, and record whose people its first guides are."""
        response = cast("TemplateResponse", super().render_change_form(request, context, *args, **kwargs))
        shown = [guide.pk for guide, *_badges in (response.context_data or {})["first_guides"]]
        log_list(request, shown, filters="manifest", of=kwargs["obj"])
        response["Cache-Control"] = "no-store"
        return response

    def page_context(self, request: HttpRequest, manifest: Manifest) -> dict[str, Any]:
        addresses, may_note = self.addresses(manifest), self.has_operate_permission(request)
        may_move = manifest.voided_at is None and self.has_move_guides_permission(request)
        step = next_step(manifest.guides_by_status)
        visible = BulkMove.objects.visible_to(request.user).moving()
        return {
            "moves": [(move, move in visible) for move in moves_under_way(manifest)],
            "same_mawb": same_mawb(request, manifest.mawb, manifest.company_id),
            "to_review": manifest.guides.to_review().count(),
            "status_parts": parts(manifest.guides_by_status),
            "step": step,
            "step_label": STATUS_LABELS[GuideStatus(step.status)] if step.status else "",
            "move_form": ManifestAdvanceForm(manifest) if may_move and step.status else None,
            "move_address": addresses["advance_guides"],
            "guides_url": reverse("admin:shipments_guide_changelist") + f"?manifest__id__exact={manifest.pk}",
            "may_download": manifest.voided_at is None and self.has_move_guides_permission(request),
            "first_guides": first_guides(manifest) if request.user.has_perm("shipments.view_guide") else [],
            "files": manifest.files.order_by("-kind"),
            **notes_of(manifest, addresses["add_note"], may_note=may_note),
            **describe_reading(manifest),
        }

    def download(self, request: HttpRequest, manifest_id: str, kind: str) -> HttpResponseBase:
        """Download one of the two files as it was received; never displayed in the browser."""
        file = self._file_or_404(request, manifest_id, kind, "manifest")
        content = file.file.open("rb")
        log_act(request, file.manifest, FILE_DOWNLOADED, file=file.kind)
        extension = (file.file.name or "").rpartition(".")[2]
        name = f"{file.manifest.mawb}-{kind}.{extension}"
        return FileResponse(
            content, as_attachment=True, filename=name, content_type=_CONTENT_TYPES[FileKind(kind)], headers=_DOWNLOADED
        )

    def download_annotated(self, request: HttpRequest, manifest_id: str) -> HttpResponseBase:
        """Download the workbook with each problem at its cell. It contains personal data, so the download is logged."""
        related = ("manifest__company", "manifest__flight")
        file = self._file_or_404(request, manifest_id, FileKind.MANIFEST, *related)
        manifest = file.manifest
        form = FlightFields(destination_airport=manifest.flight.destination_airport)
        try:
            with file_store().local_copy(str(file.file.name)) as local:
                content = annotate_copy(manifest.company, local, form, manifest.eta or manifest.created_at)
        except ParserBusy:
            messages.warning(request, gettext("Too many workbooks are being read at once; try again in a moment."))
            return redirect("admin:shipments_manifest_change", manifest_id)
        log_act(request, manifest, ANNOTATED_DOWNLOADED)
        named = {"Content-Disposition": f'attachment; filename="{manifest.mawb}-annotated.xlsx"'}
        return HttpResponse(content, content_type=MEDIA_TYPE, headers={**_DOWNLOADED, **named})

    def _file_or_404(self, request: HttpRequest, manifest_id: str, kind: str, *related: str) -> ManifestFile:
        files = ManifestFile.objects.select_related(*related).defer(*FINDINGS_OF_MANIFEST)
        seen = Manifest.objects.visible_to(request.user)
        file = get_object_or_404(files, manifest__in=seen, manifest=manifest_id, kind=kind)
        if not self.has_view_permission(request, file.manifest):
            raise PermissionDenied
        return file

    shown_status = column(_("status"), status_summary)
    shown_progress = column(
        _("status"), lambda row: status_summary(row) if row.voided_at else mawb_progress(row.guides_by_status)
    )
    shown_eta = destination_time_column("ETA", "eta")
    shown_received = time_column(pgettext_lazy("manifest", "received"), "created_at", ordering="created_at")
    shown_entered_by = column(_("entered by"), lambda manifest: manifest.entered_by or "")
    shown_transport_mode = column(
        _("transport mode"), lambda manifest: TRANSPORT_LABELS.get(manifest.transport_mode, manifest.transport_mode)
    )

    @display(description=_("VAT to be paid"))
    def shown_vat_to_pay(self, manifest: Manifest) -> SafeString | str:
        count = with_vat_to_pay(manifest.guides.all()).count()
        if not count:
            return gettext("None.")
        query = urlencode({"manifest__id__exact": manifest.pk, VatFilter.parameter_name: TO_PAY})
        guides = ngettext("%s guide", "%s guides", count) % Grouped(count)
        return format_html('<a href="{}?{}">{}</a>', reverse("admin:shipments_guide_changelist"), query, guides)

    @display(description=_("needs attention"))
    def shown_problems(self, manifest: Manifest) -> SafeString | str:
        """How many guides still wait for a review; `ManifestList` counts them."""
        waiting: int = getattr(manifest, "guides_to_review", 0)
        return badge(ngettext("%s to review", "%s to review", waiting) % Grouped(waiting), "warning") if waiting else ""


def same_mawb(request: HttpRequest, mawb: str, company_id: int) -> list[Manifest]:
    """Return the manifests of other companies that have the MAWB, of those that the operator sees."""
    others = Manifest.objects.visible_to(request.user).without_findings().filter(mawb=mawb, voided_at=None)
    return list(others.exclude(company=company_id).select_related("company").order_by("created_at")[:_OTHERS])


_OTHERS = 5
SHOWN_GUIDES = 20


def first_guides(manifest: Manifest) -> Sequence[tuple[Guide, SafeString, Sequence[str]]]:
    """Return the guides that the page shows, each with its status and flags: those that need attention first."""
    guides = manifest.guides.only(
        "tracking_code", "hawb", "consignee_name", "status", "needs_review", "review_reasons", "retention_required",
        "anonymised_at", "manifest_id",
    ).order_by("hawb")  # fmt: skip
    found: list[Guide] = []
    for some in (guides.filter(status__in=EXCEPTIONS), guides.to_review(), guides.to_release(), guides):
        if len(found) < SHOWN_GUIDES:
            found += some.exclude(pk__in=[guide.pk for guide in found])[: SHOWN_GUIDES - len(found)]
    return [(guide, status_badge(guide.status), flags(guide)) for guide in found]


def moves_under_way(manifest: Manifest) -> Iterator[BulkMove]:
    """Yield the moves that are moving guides of the manifest at this moment: its own, and those of lists and files."""
    moving = BulkMove.objects.moving().filter(Q(manifest=manifest) | Q(manifest=None))
    for move in moving.defer("lines", "moved", "table").order_by("created_at"):
        if move.manifest_id or manifest.guides.filter(pk__in=move.guide_ids).exists():
            yield move
