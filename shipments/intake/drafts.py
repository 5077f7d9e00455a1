"""Manifests that operators upload for a client: stored for the preview, then ingested as the client's own upload.

The files are stored under the names that the manifest will have, so that the confirmation copies nothing. A file whose
row is missing is deleted by `sweep_files`, and so is a draft that nobody confirms.
"""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Q
from django.utils import timezone

from base.errors import DomainError
from companies.errors import CompanyIsCourier
from companies.models import Company
from shipments.files.storage import file_store
from shipments.files.stored_files import columns_of, delete_stored, stored_upload
from shipments.intake.ingest import Posting, ingest
from shipments.intake.posting import read_json_file
from shipments.intake.trial import Trial, annotated_copy, try_json, try_workbook
from shipments.intake.upload import require_upload_rights
from shipments.intake.workbook_reading import ReadWorkbook, read_workbook
from shipments.layouts.waiting import KEPT_WAITING
from shipments.manifests.flights import read_flight
from shipments.manifests.manifest import FlightFields
from shipments.models import Channel, FileKind, Layout, Manifest, ManifestDraft, ManifestFile
from shipments.models.uploads import StoredUpload


class DraftGoneError(Exception):
    """The draft was confirmed by another request, or deleted, in the meantime. Nothing was created."""


def try_manifest(company: Company, path: Path, flight: FlightFields, *, is_json: bool) -> Trial:
    """Read a manifest as the client's own upload would. It creates nothing.

    path: of the file. flight: the upload's flight fields; a JSON manifest has its own.
    """
    try:
        _require_rights(company, is_json=is_json)
        return try_json(company, path) if is_json else try_workbook(company, path, flight)
    except DomainError as refusal:
        return Trial(refusals=(refusal,))


def add_draft(
    operator: User,
    company: Company,
    manifest_file: "UploadedFile[bytes]",
    invoice_file: "UploadedFile[bytes] | None",
    flight: dict[str, str],
    *,
    is_json: bool,
    layout: Layout | None = None,
) -> ManifestDraft:
    """Store the files and their row. flight: form field -> text, as `read_flight` reads it. layout: of a sample."""
    with stored_upload(manifest_file, invoice_file) as files:
        return ManifestDraft.objects.create(
            operator=operator, company=company, is_json=is_json, flight=flight, layout=layout, **columns_of(files)
        )


def try_draft(draft: ManifestDraft) -> Trial:
    """Read a draft again, without creating anything. Raises `FileNotFoundError`."""
    with file_store().local_copy(str(draft.manifest_file.name)) as path:
        return try_manifest(draft.company, path, flight_of(draft), is_json=draft.is_json)


def annotated_draft(draft: ManifestDraft) -> bytes:
    """Return the workbook of a draft with each problem at its cell. Raises `ParserBusy` and `FileNotFoundError`."""
    with file_store().local_copy(str(draft.manifest_file.name)) as path:
        return annotated_copy(draft.company, path, flight_of(draft))


def flight_of(draft: StoredUpload) -> FlightFields:
    """Return the flight fields of the upload, which were checked when it was received."""
    return read_flight(draft.flight)[0]


def enter(draft: ManifestDraft) -> Manifest:
    """Create the manifest of a draft, as the client's own upload would, and name the operator in it.

    Raises what `upload.receive` or `posting.receive` raises for a client, `DraftGoneError`, `FileNotFoundError`.
    """
    company = draft.company
    _require_rights(company, is_json=draft.is_json)
    with file_store().local_copy(str(draft.manifest_file.name)) as path:
        read = _read(draft, path)
    posting = Posting(
        owner=company, posted_by=company, channel=Channel.ADMIN, entered_by=draft.operator, layout=read.layout
    )
    files = kept_files(draft, is_json=draft.is_json)
    ingested = ingest(read.parsed, posting, files=files, finish=lambda manifest: _finish(draft, manifest))
    if draft.is_json:  # as on the JSON endpoint, what was sent is not kept
        delete_stored([str(draft.manifest_file.name)])
    return ingested.manifest


def sweep_manifest_drafts(older_than: datetime, *, dry_run: bool) -> int:
    """Delete the drafts uploaded before `older_than`, and the files of those that became no manifest.

    Refused workbooks that wait for operators are kept for `KEPT_WAITING`.

    Returns the number of drafts. dry_run: only count them.
    """
    waited = Q(operator=None, manifest=None) & Q(created_at__gte=timezone.now() - KEPT_WAITING)
    old = ManifestDraft.objects.filter(created_at__lt=older_than).exclude(waited)
    if dry_run:
        return old.count()
    found = list(old.values_list("pk", "manifest_file", "invoice_file"))
    if not found:
        return 0
    swept = ManifestDraft.objects.filter(pk__in=[pk for pk, *_names in found]).delete()[0]
    names = [name for _pk, *both in found for name in both if name]
    # One that was confirmed at the same moment is a manifest by now.
    kept = set(ManifestFile.objects.filter(file__in=names).values_list("file", flat=True))
    delete_stored([name for name in names if name not in kept])
    return swept


def _require_rights(company: Company, *, is_json: bool) -> None:
    if company.is_courier:
        raise CompanyIsCourier
    if not is_json:
        require_upload_rights(company)


def _read(draft: ManifestDraft, path: Path) -> ReadWorkbook:
    if draft.is_json:
        return ReadWorkbook(read_json_file(draft.company, path))
    return read_workbook(draft.company, path, flight_of(draft), is_upload=False)


def _finish(draft: ManifestDraft, manifest: Manifest) -> None:
    """Mark the draft as confirmed, in the transaction that creates the manifest."""
    if not ManifestDraft.objects.filter(pk=draft.pk, manifest=None, ended_at=None).update(manifest=manifest):
        raise DraftGoneError


def kept_files(upload: StoredUpload, *, is_json: bool = False) -> Sequence[ManifestFile]:
    """Return the files that will be the manifest's. is_json: a JSON manifest itself is not kept."""
    names = {FileKind.INVOICE: str(upload.invoice_file.name or "")}
    if not is_json:
        names[FileKind.MANIFEST] = str(upload.manifest_file.name)
    return [ManifestFile(kind=kind, file=name, **upload.received[kind.value]) for kind, name in names.items() if name]
