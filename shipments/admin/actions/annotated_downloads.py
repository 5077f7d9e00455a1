"""The annotated workbook of a manifest: its stored workbook, read again as it was read then."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path
from django.utils.translation import gettext

from companies.admin_base.activity import log_act
from shipments.activity import ANNOTATED_DOWNLOADED
from shipments.admin.read_only_admin import ReadOnlyAdmin
from shipments.errors import ParserBusy
from shipments.files.storage import file_store
from shipments.formats.format_files import spec_of
from shipments.intake.annotated.writing import MEDIA_TYPE
from shipments.intake.trial import annotated_copy
from shipments.manifests.manifest import FlightFields
from shipments.manifests.mapped.spec import FormatInUse
from shipments.models import FileKind, Manifest, ManifestFile
from shipments.models.manifests import FINDINGS_OF_MANIFEST
from shipments.trouble import reports_missing_files


class AnnotatedDownloads(ReadOnlyAdmin):
    """Adds the download to the admin of manifests."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(reports_missing_files(self.download_annotated))
        download = path("<uuid:manifest_id>/annotated.xlsx", view, name="shipments_manifest_annotated")
        return [download, *super().get_urls()]

    def download_annotated(self, request: HttpRequest, manifest_id: str) -> HttpResponseBase:
        """Download the workbook with each problem at its cell. It contains personal data, so the download is logged."""
        files = ManifestFile.objects.defer(*FINDINGS_OF_MANIFEST).select_related(
            "manifest__company", "manifest__flight", "manifest__format_version__format"
        )
        seen = Manifest.objects.visible_to(request.user)
        file = get_object_or_404(files, manifest__in=seen, manifest=manifest_id, kind=FileKind.MANIFEST)
        if not self.has_view_permission(request, file.manifest):
            raise PermissionDenied
        try:
            content = _annotated(file)
        except ParserBusy:
            messages.warning(request, gettext("Too many workbooks are being read at once; try again in a moment."))
            return redirect("admin:shipments_manifest_change", manifest_id)
        log_act(request, file.manifest, ANNOTATED_DOWNLOADED)
        return HttpResponse(
            content,
            content_type=MEDIA_TYPE,
            headers={
                "Content-Disposition": f'attachment; filename="{file.manifest.mawb}-annotated.xlsx"',
                "Content-Security-Policy": "sandbox; default-src 'none'",
                "Cache-Control": "no-store",
            },
        )


def _annotated(file: ManifestFile) -> bytes:
    """Read the stored workbook by the version of the format that read it first, or without any."""
    manifest = file.manifest
    version = manifest.format_version
    known = [] if version is None else [FormatInUse(version.pk, version.format.name, version.number, spec_of(version))]
    form = FlightFields(destination_airport=manifest.flight.destination_airport)
    with file_store().local_copy(str(file.file.name)) as local:
        return annotated_copy(manifest.company, local, form, known=known)
