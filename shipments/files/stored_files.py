"""Keeping stored files and their rows consistent, and erasing the files of manifests.

The rows are deleted in the transaction and the files after it. A crash in between leaves files without a row, which
`sweep_files` deletes.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from uuid import UUID

import structlog
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.db import DatabaseError, InterfaceError, OperationalError, transaction
from django.utils import timezone

from shipments.errors import StorageUnavailable
from shipments.files.storage import store
from shipments.models import FileKind, Manifest, ManifestDraft, ManifestFile, UploadJob

log = structlog.get_logger(__name__)

_BATCH_MANIFESTS = 100


def forget_rows(manifest_id: UUID) -> list[str]:
    """Delete the rows of a manifest's files in the caller's transaction. Returns the names to delete after it.

    The names that the files had when they arrived go with them, from what is left of their uploads too.
    """
    files = ManifestFile.objects.filter(manifest_id=manifest_id)
    names = list(files.order_by("pk").values_list("file", flat=True))
    if names:
        files.delete()
        Manifest.objects.filter(pk=manifest_id).update(files_erased_at=timezone.now())
    for uploads in (UploadJob.objects, ManifestDraft.objects):  # one of JSON has no rows of files
        uploads.filter(manifest=manifest_id).update(received={})
    return names


def delete_stored(names: Sequence[str]) -> int:
    """Delete files from the storage. Returns how many failed; missing files count as deleted."""
    failed = 0
    for name in names:
        try:
            default_storage.delete(name)
        except (OSError, StorageUnavailable):
            failed += 1
            log.exception("stored_file_not_deleted", file=name)
    return failed


def older_files(before: datetime) -> int:
    return ManifestFile.objects.filter(created_at__lt=before).count()


def erase_older_files(before: datetime) -> Iterator[tuple[int, int]]:
    """Erase the files received before `before`. Yields (files, failed deletions) for each batch."""
    old = ManifestFile.objects.filter(created_at__lt=before).order_by("created_at")
    while manifests := sorted(set(old.values_list("manifest_id", flat=True)[:_BATCH_MANIFESTS])):
        with transaction.atomic():
            rows = Manifest.objects.filter(pk__in=manifests).order_by("pk").select_for_update(no_key=True)
            names = [name for pk in rows.values_list("pk", flat=True) for name in forget_rows(pk)]
        yield len(names), delete_stored(names)


@contextmanager
def discard_on_refusal(files: Iterable[ManifestFile]) -> Iterator[None]:
    """Delete `files` if the block that writes their rows fails without leaving any. The block may add to `files`.

    Files are kept if the database connection was lost: the commit may have succeeded or still succeed, and a row
    without its file cannot be repaired. `sweep_files` later deletes files that have no row.
    """
    try:
        yield
    except (OperationalError, InterfaceError):
        raise
    except BaseException:
        _discard_unnamed(files)
        raise


def _discard_unnamed(files: Iterable[ManifestFile]) -> None:
    """Delete the files without a row. The error does not show whether the rows were committed, so they are queried."""
    names = {str(file.file.name) for file in files}
    if not names:
        return
    try:
        named = set(ManifestFile.objects.filter(file__in=names).values_list("file", flat=True))
    except DatabaseError as error:
        log.warning("refused files stay until they are swept", exc_info=error)
        return
    delete_stored(sorted(names - named))


def columns_of(files: Sequence[ManifestFile]) -> dict[str, Any]:
    """Return stored files by the columns of a `StoredUpload`."""
    names = ("original_name", "size_bytes", "sha256")
    received = {str(file.kind): {name: getattr(file, name) for name in names} for file in files}
    return {**{f"{file.kind}_file": file.file.name for file in files}, "received": received}


@contextmanager
def store_upload(
    manifest_file: "UploadedFile[bytes]", invoice_file: "UploadedFile[bytes] | None"
) -> Iterator[list[ManifestFile]]:
    """Store the files of an upload, and delete them again as `discard_on_refusal` does."""
    files: list[ManifestFile] = []
    with discard_on_refusal(files):
        files.append(store(manifest_file, FileKind.MANIFEST))
        if invoice_file:
            files.append(store(invoice_file, FileKind.INVOICE))
        yield files
