"""The invoice of a manifest: checked by its first bytes, never parsed, attached with the upload or later."""

import structlog
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils.translation import gettext

from base.errors import ValidationFailed
from shipments.files.storage import store
from shipments.files.stored_files import discard_on_refusal
from shipments.models import FileKind, Manifest, ManifestFile

log = structlog.get_logger(__name__)

_PDF_MAGIC = b"%PDF-"


def is_pdf(file: "UploadedFile[bytes]") -> bool:
    """Return whether the file is a PDF, by its first bytes and not by its name."""
    head = file.read(len(_PDF_MAGIC))
    file.seek(0)
    return bytes(head) == _PDF_MAGIC


def attach_invoice(manifest: Manifest, upload: "UploadedFile[bytes]", *, actor: str) -> tuple[ManifestFile, str]:
    """Store `upload`, a PDF received by `BoundedUploadHandler`, as the invoice of `manifest`.

    Returns the invoice, and the digest of the one that it replaces; empty if there was none.
    The invoice it replaces is deleted after the commit. Raises `ValidationFailed` (`invoice_file`), and stores nothing,
    if the file is not a PDF or the manifest is anonymised: the file would then never be erased.
    """
    if not is_pdf(upload):
        raise _make_refusal(gettext("The invoice is not a PDF file."))
    stored = store(upload, FileKind.INVOICE)
    with discard_on_refusal([stored]), transaction.atomic():
        # Two operators may do this at once. The lock on the manifest's row puts them in order.
        locked = Manifest.objects.select_for_update(no_key=True).only("anonymised_at").get(pk=manifest.pk)
        if locked.anonymised_at is not None:
            raise _make_refusal(gettext("This manifest was anonymised: files can no longer be attached."))
        old = ManifestFile.objects.filter(manifest=locked, kind=FileKind.INVOICE).first()
        if old is not None:
            old.delete()
            # Robust: the invoice is replaced even if the old file cannot be deleted. `sweep_files` deletes it later.
            transaction.on_commit(lambda: default_storage.delete(str(old.file.name)), robust=True)
        stored.manifest = locked
        stored.save()
    log.info("invoice_attached", manifest_id=str(manifest.pk), is_replacement=old is not None, actor=actor)
    return stored, old.sha256 if old else ""


def _make_refusal(message: str) -> ValidationFailed:
    return ValidationFailed(message, details={"invoice_file": [message]})
