"""Workbooks that were refused and that a person's answer about their layout would cure: they wait for the operators."""

from collections.abc import Mapping
from datetime import timedelta

import structlog
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils import timezone

from base.errors import Translatable
from companies.models import Company
from shipments.errors import CuredByAnswer, HawbInDoubt, StorageUnavailable, WorkbookFormatChanged
from shipments.files.stored_files import columns_of, delete_stored, store_upload
from shipments.models import FileKind, ManifestDraft

log = structlog.get_logger(__name__)

MOST_WAITING = 20
"""Refused workbooks of a company that wait; the oldest goes."""
KEPT_WAITING = timedelta(days=7)


def say_kept(refusal: CuredByAnswer) -> None:
    """Put it into the message of a refusal that the workbook waits."""
    if isinstance(refusal, HawbInDoubt):
        refusal.message = Translatable(
            "Nothing was created: we cannot tell which column is the HAWB; see questions. The courier has the "
            "workbook and can create the manifest. Or answer the questions about its layout, or rename the right "
            "column to HAWB, and send the workbook again."
        )
    elif isinstance(refusal, WorkbookFormatChanged):
        refusal.message = Translatable(
            "Nothing was created: the workbook's columns are not those agreed on for this layout; see missing, "
            "repeated and new. The courier has the workbook and can create the manifest. Or send the columns as "
            "before, or say what the new ones are, and send the workbook again."
        )
    else:
        refusal.message = Translatable(
            "Nothing was created: workbooks of this layout are not read for this destination yet. The courier has the"
            " workbook and can create the manifest once it has confirmed the layout. Or send the manifest as JSON."
        )


def keep_refused(
    company: Company,
    manifest_file: "UploadedFile[bytes]",
    invoice_file: "UploadedFile[bytes] | None",
    flight: Mapping[str, str],
    refusal: CuredByAnswer,
) -> None:
    """Let a refused upload wait if an answer would cure it, and say so in the refusal. flight: form field -> text.

    Without the storage it is not kept.
    """
    if refusal.layout is None:
        return
    try:
        with store_upload(manifest_file, invoice_file) as files:
            keep(company, columns_of(files), flight, refusal)
        say_kept(refusal)
    except StorageUnavailable:
        log.warning("refused_workbook_not_kept", company=company.pk)


def keep(company: Company, stored: Mapping[str, object], flight: Mapping[str, str], refusal: CuredByAnswer) -> None:
    """Let a refused workbook wait, whose files are stored. stored: as `columns_of` gives it.

    The same file waits once. Beyond `MOST_WAITING` of a company the oldest goes.
    """
    waiting = ManifestDraft.objects.waiting().filter(company=company)
    with transaction.atomic():
        draft = ManifestDraft.objects.create(
            company=company,
            layout=refusal.layout,
            refusal=refusal.code,
            flight=dict(flight),
            **stored,
        )
        others = list(waiting.exclude(pk=draft.pk).order_by("-created_at"))
        kind, digest = FileKind.MANIFEST.value, draft.received[FileKind.MANIFEST.value]["sha256"]
        same = [each for each in others if each.received[kind]["sha256"] == digest]
        gone = [*same, *[each for each in others if each not in same][MOST_WAITING - 1 :]]
        ManifestDraft.objects.filter(pk__in=[each.pk for each in gone], manifest=None).delete()
        names = [str(file.name) for each in gone for file in (each.manifest_file, each.invoice_file) if file]
        transaction.on_commit(lambda: delete_stored(names), robust=True)


def take_over(draft: ManifestDraft, operator: User) -> bool:
    """Make a waiting workbook a draft of the operator's own, to be published with all checks anew.

    Returns whether it still waited.
    """
    waiting = ManifestDraft.objects.waiting().filter(pk=draft.pk)
    return bool(waiting.update(operator=operator, created_at=timezone.now()))
