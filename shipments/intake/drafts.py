"""Manifests that operators upload for a client: stored for the preview, then ingested as the client's own upload.

`post_stored` creates the manifest of any stored upload, and so of a job too.

The files are stored under the names that the manifest will have, so that the confirmation copies nothing. A file whose
row is missing is deleted by `sweep_files`, and so is a draft that nobody confirms.
"""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Q
from django.utils import timezone

from base.errors import DomainError
from companies.models import Company
from shipments.files.storage import file_store
from shipments.files.stored_files import columns_of, delete_stored, store_upload
from shipments.intake.ingest import Posting, ingest
from shipments.intake.posting import body_of_file, read_json
from shipments.intake.trial import Trial, try_json, try_workbook
from shipments.intake.upload import require_upload_rights
from shipments.intake.workbook_reading import ReadWorkbook, read_workbook
from shipments.layouts.waiting import KEPT_WAITING
from shipments.manifests.manifest import FlightFields
from shipments.models import Channel, Layout, Manifest, ManifestDraft, ManifestFile
from shipments.models.uploads import StoredUpload


class DraftGoneError(Exception):
    """The draft was confirmed by another request, or deleted, in the meantime. Nothing was created."""


def try_manifest(company: Company, path: Path, flight: FlightFields, *, is_json: bool) -> Trial:
    """Read a manifest as the client's own upload would. It creates nothing.

    path: of the file. flight: the upload's flight fields; a JSON manifest has its own.
    """
    try:
        require_upload_rights(company, is_json=is_json)
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
    with store_upload(manifest_file, invoice_file) as files:
        return ManifestDraft.objects.create(
            operator=operator, company=company, is_json=is_json, flight=flight, layout=layout, **columns_of(files)
        )


def post_stored(
    upload: StoredUpload,
    posting: Posting,
    finish: Callable[[Manifest], None],
    *,
    check: Callable[[str], None] = lambda _mawb: None,
    **reading: Any,  # noqa: ANN401  # options
) -> Manifest:
    """Read a stored upload, create its manifest, and return it. The files are the manifest's from then on.

    finish: as in `ingest`. check: called with the MAWB before anything is written. reading: as in `read_workbook`.

    Raises what `receive_upload` or `receive_json` raises, what `check` and `finish` do, and `FileNotFoundError`.
    """
    company, name = upload.company, str(upload.manifest_file.name)
    with file_store().local_copy(name) as path:
        if upload.is_json:
            read = ReadWorkbook(read_json(company, body_of_file(company, path)))
        else:
            read = read_workbook(company, path, upload.flight_fields(), **reading)
    check(read.parsed.mawb)
    posting = replace(posting, layout=read.layout)
    manifest = ingest(read.parsed, posting, files=nullcontext(upload.files()), finish=finish).manifest
    if upload.is_json:  # as on the JSON endpoint, what was sent is not kept
        delete_stored([name])
    return manifest


def enter(draft: ManifestDraft) -> Manifest:
    """Create the manifest of a draft, as the client's own upload would, and name the operator in it.

    Raises as `post_stored`, and `DraftGoneError`.
    """

    def finish(manifest: Manifest) -> None:
        if not ManifestDraft.objects.unconfirmed().filter(pk=draft.pk).update(manifest=manifest):
            raise DraftGoneError

    company = draft.company
    require_upload_rights(company, is_json=draft.is_json)
    posting = Posting(owner=company, posted_by=company, channel=Channel.ADMIN, entered_by=draft.operator)
    return post_stored(draft, posting, finish, is_upload=False)


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
