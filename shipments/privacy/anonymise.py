"""Anonymising guides: personal fields and texts are blanked; the guide, its events and the totals are kept.

Each batch is one transaction. It locks the manifest's row, then the guides' rows by id, as every writer does. Finished
guides are marked with `anonymised_at`, and so are manifests once all their guides are. The next run therefore
completes a run that was interrupted.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import structlog
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import Q, QuerySet
from django.utils import timezone

from base.admin.activity import decode_params, with_params
from shipments.carriers.forgetting import forget_guides
from shipments.files.stored_files import delete_stored, forget_rows
from shipments.manifests.guide_fields import PERSONAL_VALUES
from shipments.models import Guide, GuideEvent, InboundBatch, InboundScan, Manifest, ManifestFile, Note
from shipments.tracking.advancing import retry
from shipments.tracking.changes import CHANGED, raise_version, stamp_guides
from webhooks.models.delivery import forget_texts

log = structlog.get_logger(__name__)

BATCH_GUIDES = 500
"""The number of guides anonymised in one transaction. The manifest's row is locked for a fraction of a second."""
READ_MANIFESTS = 200


_NOTES: Mapping[str, object] = {
    "needs_review": False,  # nothing is left to review
    "review_reasons": [],  # describe what was wrong with the document
    "retention_reason": "",  # reveals that the value was above a limit
    "retention_lifted_reason": "",  # free text
}
"""Notes about the guide. Who reviewed it or lifted its retention, and when, is kept: it concerns operators."""

BLANK: Mapping[str, object] = {**PERSONAL_VALUES, **_NOTES}
"""Column -> its value in an anonymised guide."""


Tally = Counter[str]
"""What was erased, or would be: `guides`, `manifests`, `files`, `headings`, `reasons` of events, `log_entries`,
`deliveries`, what `carriers` said, `imports` of events and saved `views`; and `undeleted`, files
without a row that could not be deleted from the storage.
"""


def anonymise_older(before: datetime, *, dry_run: bool = False) -> Tally:
    """Anonymise every guide of the manifests received before `before`, including voided ones, and erase their files.

    dry_run: only count guides, manifests, files and reasons.
    """
    due = Manifest.objects.filter(anonymised_at=None, created_at__lt=before).order_by("created_at", "id")
    if dry_run:
        return _count(due, Guide.objects.filter(manifest__in=due, anonymised_at=None))
    tally = Tally()
    while found := list(due.values_list("id", flat=True)[:READ_MANIFESTS]):
        for manifest_id in found:
            is_finished = False
            while not is_finished:
                erased, is_finished = _anonymise_batch(manifest_id)
                tally += erased
            tally["manifests"] += 1
    return tally


InBatch = Callable[[Tally, Sequence[str]], None]
"""Called in the transaction of each batch, with what it erased and the names of the files to delete after it."""


def anonymise_guides(
    guides: Iterable[tuple[UUID, int]], *, is_theirs: Callable[[Guide], bool], in_batch: InBatch | None = None
) -> Tally:
    """Anonymise a person's guides, and erase the files of the manifests that named the person.

    guides: (manifest id, guide id). is_theirs: whether a guide is still the person's, with `consignee_document`.
    """
    found: dict[UUID, list[int]] = defaultdict(list)
    for manifest_id, guide_id in guides:
        found[manifest_id].append(guide_id)
    tally = Tally(manifests=len(found))
    for manifest_id, guide_ids in found.items():
        for start in range(0, len(guide_ids), BATCH_GUIDES):
            tally += _anonymise_batch(manifest_id, guide_ids[start : start + BATCH_GUIDES], is_theirs, in_batch)[0]
    return tally


def count_guides(guides: Iterable[tuple[UUID, int]]) -> Tally:
    """Count what `anonymise_guides` would erase."""
    pairs = list(guides)
    manifests = Manifest.objects.filter(pk__in={manifest_id for manifest_id, _guide_id in pairs})
    return _count(manifests, Guide.objects.filter(pk__in=[guide_id for _manifest_id, guide_id in pairs]))


def _count(manifests: QuerySet[Manifest], guides: QuerySet[Guide]) -> Tally:
    return Tally(
        guides=guides.count(),
        manifests=manifests.count(),
        files=ManifestFile.objects.filter(manifest__in=manifests).count(),
        reasons=_with_notes().filter(guide__in=guides).count(),
    )


# --- one batch --------------------------------------------------------------------------------------------------


def _anonymise_batch(
    manifest_id: UUID,
    guide_ids: Sequence[int] | None = None,
    is_theirs: Callable[[Guide], bool] | None = None,
    in_batch: InBatch | None = None,
) -> tuple[Tally, bool]:
    """Run one batch, and return whether all guides are done. Files go after the commit.

    Without `guide_ids`: the manifest's next guides.
    """
    tally, names, is_finished = retry(lambda: _write_batch(manifest_id, guide_ids, is_theirs, in_batch))
    tally["undeleted"] = delete_stored(names)
    log.info("guides_anonymised", manifest_id=str(manifest_id), guides=tally["guides"], files=tally["files"])
    return tally, is_finished


def _write_batch(
    manifest_id: UUID,
    guide_ids: Sequence[int] | None,
    is_theirs: Callable[[Guide], bool] | None,
    in_batch: InBatch | None,
) -> tuple[Tally, list[str], bool]:
    """Write one batch. Returns the names of the files to delete after the commit, and whether all guides are done."""
    manifest = Manifest.objects.select_for_update(no_key=True).get(pk=manifest_id)
    kept = Guide.objects.filter(manifest_id=manifest_id, anonymised_at=None)
    wanted = kept if guide_ids is None else kept.filter(pk__in=guide_ids)
    guides = list(
        wanted.only("hawb", "tracking_code", "fob_usd", "consignee_document", "updated_at")
        .order_by("pk")
        .select_for_update(no_key=True)[:BATCH_GUIDES]
    )
    if is_theirs:
        guides = [guide for guide in guides if is_theirs(guide)]  # corrected meanwhile
    now = timezone.now()
    tally = _blank(guides, now)
    raise_version(manifest, stamp_guides(guides, now))
    tally["deliveries"] = forget_texts(manifest.company_id, [guide.tracking_code for guide in guides])
    names: list[str] = []
    is_finished = not kept.exists()
    if guides or is_finished:
        names = forget_rows(manifest_id)
        tally["files"] = len(names)
        tally["deliveries"] += _write_manifest(manifest, guides, is_finished=is_finished, now=now)
    if in_batch:
        in_batch(tally, names)
    return tally, names, is_finished


def _blank(guides: Sequence[Guide], now: datetime) -> Tally:
    ids = [guide.pk for guide in guides]
    if not ids:
        return Tally()
    reasons = _with_notes().filter(guide_id__in=ids).update(internal_note="", client_note="", withdrawn_reason="")
    reasons += Note.objects.filter(guide_id__in=ids).exclude(text="").update(text="")
    reasons += InboundScan.objects.filter(guide_id__in=ids).exclude(note="").update(note="")
    values: Any = {**BLANK, "anonymised_at": now}
    return Tally(
        guides=Guide.objects.filter(pk__in=ids).update(**values),
        reasons=reasons,
        log_entries=forget_values(ids),
        carriers=forget_guides(ids),
    )


def _with_notes() -> QuerySet[GuideEvent]:
    return GuideEvent.objects.filter(~Q(internal_note="") | Q(client_note__gt="") | Q(withdrawn_reason__gt=""))


def _write_manifest(manifest: Manifest, guides: Sequence[Guide], *, is_finished: bool, now: datetime) -> int:
    """Erase the personal data of the manifest itself. Returns the number of its deliveries that were changed.

    The totals are kept. The erased value of its guides is kept as a sum, so that a recount gives the same total.
    """
    manifest.anonymised_fob_usd += sum((guide.fob_usd for guide in guides if guide.fob_usd), start=Decimal(0))
    hawbs = {guide.hawb for guide in guides}
    for remarks in (manifest.warnings, manifest.notices):
        for remark in remarks:
            if is_finished or remark.get("hawb") in hawbs:
                remark["params"] = {}  # its sentence without parameters remains
    changed = ["anonymised_fob_usd", "warnings", "notices", *CHANGED]
    deliveries = 0
    if is_finished:
        _forget_quotes(manifest)
        changed += ["columns", "kept_columns", "questions", "row_account"]
        Note.objects.filter(manifest=manifest).exclude(text="").update(text="")
        InboundBatch.objects.filter(manifests=manifest).exclude(note="").update(note="")
        manifest.anonymised_at, manifest.void_reason = now, ""
        changed += ["anonymised_at", "void_reason"]
        deliveries = forget_texts(manifest.company_id, [manifest.mawb])
    manifest.save(update_fields=changed)
    return deliveries


def _forget_quotes(manifest: Manifest) -> None:
    """Empty what the manifest quotes from its workbook: headings, samples, and HAWB cells of rows without a guide."""
    asked = [column for question in manifest.questions for column in question["columns"]]
    for column in (*(manifest.columns or []), *manifest.kept_columns, *asked):
        column["heading"] = ""
    for column in manifest.kept_columns:
        column["key"] = ""
    for column in asked:
        column["samples"] = []
    for row in (manifest.row_account or {}).get("left_out_rows", []):
        row["hawb"] = row["sheet"] = ""


def entries_of(guide_ids: Collection[int]) -> QuerySet[LogEntry]:
    content_type = ContentType.objects.get_for_model(Guide)
    return LogEntry.objects.filter(content_type=content_type, object_id__in=[str(each) for each in guide_ids])


def forget_values(guide_ids: Collection[int]) -> int:
    """Reduce entries that quote corrected values to the names of the fields. Returns the number changed."""
    changed = []
    for entry in entries_of(guide_ids).filter(change_message__contains='"changes": {').order_by("pk"):
        params = decode_params(entry.change_message)
        if params is not None:
            entry.change_message = with_params(entry.change_message, {"changes": dict.fromkeys(params["changes"])})
            changed.append(entry)
    LogEntry.objects.bulk_update(changed, ["change_message"], batch_size=100)
    return len(changed)
