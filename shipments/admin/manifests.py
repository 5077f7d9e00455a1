"""The manifests: the list, and the page of one with its guides by status and what the reader noticed."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from unfold.dataclasses import UnfoldAction
from unfold.decorators import display

from companies.countries import SERVED
from shipments.admin.actions.manifest_actions import ManifestActions
from shipments.admin.badges import badge, mawb_badge
from shipments.admin.filters import ArrivalFilter, CompanyFilter, CountryFilter, VoidedFilter
from shipments.admin.guide_search import mawb_lookup
from shipments.admin.status_bar import parts
from shipments.admin.understanding import shown_account, shown_columns, shown_left_out
from shipments.models import FileKind, Manifest, ManifestFile
from shipments.models.manifests import FINDINGS, FINDINGS_OF_MANIFEST
from shipments.tracking.voiding import NOT_UNDER_WAY
from shipments.trouble import told_when_files_are_away
from shipments.wording.stored import shown

_CONTENT_TYPES = {
    FileKind.MANIFEST: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    FileKind.INVOICE: "application/pdf",
}
_TRANSPORT_LABELS = {"air": _("Air"), "ground": _("Ground")}
_SHOWN_REMARKS = 100

ERASED = _(
    "The stored files were erased: each holds the data of everybody on the manifest. Once all guides are anonymised, "
    "the manifest says when. The totals stay as they were."
)


@admin.register(Manifest)
class ManifestAdmin(ManifestActions):
    """Manifests are read; their guides are moved, and a wrong one is voided, by verbs."""

    list_display = [
        "mawb",
        "company",
        "country",
        "shown_status",
        "shown_eta",
        "total_guides",
        "shown_problems",
        "created_at",
    ]
    list_select_related = ["company"]
    list_filter = [CompanyFilter, CountryFilter, ArrivalFilter, VoidedFilter, "channel"]
    linked_lookups = {  # from the start page: the arrivals of a day, the uploads of an hour
        "country__exact", "created_at__gte", "created_at__lt", "eta__gte", "eta__lt", "voided_at__isnull",
    }  # fmt: skip
    search_fields = ["mawb"]
    search_help_text = _("MAWB in any spelling, or its beginning")
    fieldsets = [
        (None, {"fields": [
            ("mawb", "status_text"), ("company", "posted_by"), ("channel", "created_at"),
        ]}),
        (_("Flight"), {"fields": [("flight", "shown_eta"), ("country", "shown_transport_mode")]}),
        (_("Totals"), {"fields": [
            ("total_guides", "total_pieces"), ("total_weight_kg", "total_fob_usd"), ("rut_invalid_count",),
        ]}),
    ]  # fmt: skip
    readonly_fields = ["status_text", "shown_eta", "shown_transport_mode"]

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:  # noqa: ANN401  # unfold's signature
        fieldsets = list(super().get_fieldsets(request, obj))
        if obj is not None and obj.voided_at:
            fieldsets.insert(0, (_("Voided"), {"fields": [("voided_at", "voided_by", "void_reason")]}))
        if obj is not None and (obj.anonymised_at or obj.files_erased_at):
            erased = {"fields": ["anonymised_at", "files_erased_at"], "description": ERASED}
            fieldsets.insert(0, (_("Erased people's data"), erased))
        return fieldsets

    def get_queryset(self, request: HttpRequest) -> QuerySet[Manifest]:
        manifests: QuerySet[Manifest] = super().get_queryset(request).select_related("company", "posted_by", "flight")
        resolved = request.resolver_match
        is_list = resolved is not None and resolved.url_name == "shipments_manifest_changelist"
        return manifests.defer(*FINDINGS) if is_list else manifests

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Manifest], search_term: str  # noqa: ARG002  # Django's signature
    ) -> tuple[QuerySet[Manifest], bool]:  # fmt: skip
        """By MAWB; what cannot be one is looked for as its beginning, and not found."""
        text = " ".join(search_term.replace("\0", "").split())
        if not text:
            return queryset, False
        condition = mawb_lookup(text)
        return queryset.filter(condition) if condition is not None else queryset.filter(mawb__startswith=text), False

    def get_urls(self) -> list[URLPattern]:
        download = path(
            "<uuid:manifest_id>/files/<str:kind>/",
            self.admin_site.admin_view(told_when_files_are_away(self.download)),
            name="shipments_manifest_download",
        )
        return [download, *super().get_urls()]

    def get_actions_detail(self, request: HttpRequest, object_id: int) -> list[UnfoldAction]:
        """A voided manifest asks for nothing any more, one under way is not voided, an anonymised one gets no file."""
        actions: list[UnfoldAction] = super().get_actions_detail(request, object_id)
        manifest = self.get_object(request, str(object_id))
        if manifest is None or manifest.voided_at is not None:
            return []
        without = {
            "void": not NOT_UNDER_WAY.issuperset(manifest.guides_by_status),
            "invoice": manifest.anonymised_at is not None,
        }
        return [one for one in actions if not without.get(str(one.path))]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show one manifest, with what its own template draws."""
        manifest = self.get_object(request, object_id)
        drawn = _drawn(manifest) if manifest else {}
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **drawn})

    def download(self, request: HttpRequest, manifest_id: str, kind: str) -> HttpResponseBase:
        """One of the two files, as it was received; never shown inside the browser."""
        seen = Manifest.objects.visible_to(request.user)
        files = ManifestFile.objects.select_related("manifest").defer(*FINDINGS_OF_MANIFEST)
        file = get_object_or_404(files, manifest__in=seen, manifest=manifest_id, kind=kind)
        if not self.has_view_permission(request, file.manifest):
            raise PermissionDenied
        content = file.file.open("rb")
        self.log_change(request, file.manifest, gettext("Downloaded a file: %s.") % file.get_kind_display())
        extension = (file.file.name or "").rpartition(".")[2]
        response = FileResponse(
            content,
            as_attachment=True,
            filename=f"{file.manifest.mawb}-{kind}.{extension}",
            content_type=_CONTENT_TYPES[FileKind(kind)],
        )
        response["Content-Security-Policy"] = "sandbox; default-src 'none'"
        response["Cache-Control"] = "no-store"
        return response

    @display(description=_("status"))
    def shown_status(self, manifest: Manifest) -> SafeString:
        return _standing(manifest)

    @display(description=_("status"))
    def status_text(self, manifest: Manifest) -> SafeString:
        return _standing(manifest)

    @display(description=_("ETA, local time"), ordering="eta")
    def shown_eta(self, manifest: Manifest) -> str:
        """By the clock of the destination, which is the one that operators and consignees live by."""
        if manifest.eta is None:
            return ""
        local = manifest.eta.astimezone(SERVED[manifest.country].clock)
        return f"{local:%Y-%m-%d %H:%M} {local.isoformat()[-6:]}"

    @display(description=_("transport mode"))
    def shown_transport_mode(self, manifest: Manifest) -> str:
        return str(_TRANSPORT_LABELS.get(manifest.transport_mode, manifest.transport_mode))

    @display(description=_("to look at"))
    def shown_problems(self, manifest: Manifest) -> SafeString | str:
        if not manifest.rut_invalid_count:
            return ""
        invalid = manifest.rut_invalid_count
        return badge(ngettext("%d invalid RUT", "%d invalid RUTs", invalid) % invalid, "warning")


def _standing(manifest: Manifest) -> SafeString:
    if manifest.voided_at:
        return badge(_("Voided"), "muted")
    return mawb_badge(manifest.guides_by_status)


def _drawn(manifest: Manifest) -> dict[str, Any]:
    warnings_count, notices_count = manifest.findings_counts
    return {
        "columns": shown_columns(manifest),
        "row_account": shown_account(manifest),
        "left_out": shown_left_out(manifest),
        "status_parts": parts(manifest.guides_by_status),
        "files": manifest.files.order_by("-kind"),
        "remarks": [
            _remarks(_("Warnings"), manifest.warnings, warnings_count),
            _remarks(_("Notices"), manifest.notices, notices_count),
        ],
    }


def _remarks(title: Any, remarks: Sequence[dict[str, Any]], count: int) -> dict[str, Any]:  # noqa: ANN401  # a lazy translation
    """The first of what the reader noticed, and how many there are, kept or not."""
    return {
        "title": title,
        "count": count,
        "shown": [shown(each) for each in remarks[:_SHOWN_REMARKS]],
        "more": max(0, count - _SHOWN_REMARKS),
    }
