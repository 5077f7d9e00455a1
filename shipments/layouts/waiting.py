"""Workbooks that were refused and that a person's answer about their layout would cure: they wait for the operators."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta

import structlog
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils import timezone

from base.errors import Translatable
from companies.models import Company
from shipments.errors import (
    CuredByAnswer,
    HawbInDoubt,
    NoParserForFormat,
    StorageUnavailable,
    WorkbookFormatChanged,
)
from shipments.files.stored_files import columns_of, delete_stored, stored_upload
from shipments.models import Layout, ManifestDraft

log = structlog.get_logger(__name__)

MOST_WAITING = 20
"""Refused workbooks of a company that wait; the oldest goes."""
KEPT_WAITING = timedelta(days=7)

_CODES: Mapping[type[CuredByAnswer], str] = {
    HawbInDoubt: "hawb_in_doubt",
    WorkbookFormatChanged: "workbook_format_changed",
    NoParserForFormat: "no_parser_for_format",
}


def say_kept(refusal: CuredByAnswer) -> None:
    """Put it into the message of a refusal that the workbook waits."""
    if isinstance(refusal, HawbInDoubt):
        refusal.message = Translatable(
            "Nothing was created: it cannot be told which column is the HAWB; see questions. The courier has the "
            "workbook and can create it. Or answer for its layout, or name the column HAWB, and send it again."
        )
    elif isinstance(refusal, WorkbookFormatChanged):
        refusal.message = Translatable(
            "Nothing was created: the workbook's columns are not those agreed on for this layout; see missing, "
            "repeated and new. The courier has the workbook and can create it. Or send the columns as before, or "
            "answer for the new ones, and send it again."
        )
    else:
        refusal.message = Translatable(
            "Nothing was created: workbooks of this layout are not read for this destination yet. The courier has "
            "the workbook and can create it once it has confirmed the layout. Or send the manifest as JSON."
        )


@contextmanager
def kept_if_refused(
    company: Company,
    manifest_file: "UploadedFile[bytes]",
    invoice_file: "UploadedFile[bytes] | None",
    flight: Mapping[str, str],
) -> Iterator[None]:
    """Keep an upload that the block refuses, if an answer would cure it. flight: form field -> text."""
    try:
        yield
    except CuredByAnswer as refusal:
        if refusal.layout is not None:
            keep_upload(company, manifest_file, invoice_file, flight, refusal)
        raise


def keep_upload(
    company: Company,
    manifest_file: "UploadedFile[bytes]",
    invoice_file: "UploadedFile[bytes] | None",
    flight: Mapping[str, str],
    refusal: CuredByAnswer,
) -> None:
    """Store a refused upload for the operators. Without the storage it is not kept."""
    try:
        with stored_upload(manifest_file, invoice_file) as files:
            keep(company, columns_of(files), flight, refusal)
        say_kept(refusal)
    except StorageUnavailable:
        log.warning("refused_workbook_not_kept", company=company.pk)


def keep(company: Company, stored: Mapping[str, object], flight: Mapping[str, str], refusal: CuredByAnswer) -> None:
    """Let a refused workbook wait, whose files are stored. stored: as `columns_of` gives it.

    The same file waits once. Beyond `MOST_WAITING` of a company the oldest goes.
    """
    waiting = ManifestDraft.objects.filter(company=company, operator=None, manifest=None, ended_at=None)
    with transaction.atomic():
        draft = ManifestDraft.objects.create(
            company=company,
            layout=refusal.layout,
            refusal=_CODES[type(refusal)],
            flight=dict(flight),
            **stored,
        )
        others = list(waiting.exclude(pk=draft.pk).order_by("-created_at"))
        same = [each for each in others if _digest(each) == _digest(draft)]
        _delete([*same, *[each for each in others if each not in same][MOST_WAITING - 1 :]])


def _digest(draft: ManifestDraft) -> object:
    return draft.received.get("manifest", {}).get("sha256")


def _delete(drafts: Sequence[ManifestDraft]) -> None:
    if not drafts:
        return
    ManifestDraft.objects.filter(pk__in=[draft.pk for draft in drafts], manifest=None).delete()
    names = [str(file.name) for draft in drafts for file in (draft.manifest_file, draft.invoice_file) if file]
    transaction.on_commit(lambda: delete_stored(names), robust=True)


def take_over(draft: ManifestDraft, operator: User) -> bool:
    """Make a waiting workbook a draft of the operator's own, to be published with all checks anew.

    Returns whether it still waited.
    """
    waiting = ManifestDraft.objects.filter(pk=draft.pk, operator=None, manifest=None, ended_at=None)
    return bool(waiting.update(operator=operator, created_at=timezone.now()))


def waiting_of(layout: Layout) -> ManifestDraft | None:
    """The newest workbook that waits for answers about a layout."""
    waiting = layout.drafts.filter(operator=None, manifest=None, ended_at=None)
    return waiting.order_by("-created_at").first()
