"""The API's responses for manifests, guides and events.

These are plain functions from rows to dicts. DRF's serializers copy every field of every object, which took most of the
time for 50,000 guides and for frequent reads.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, TypeVar, cast

from base.db.moments import aware, iso_text
from shipments.intake.idempotency import rebuild_result
from shipments.intake.ingest import Ingested
from shipments.layouts.answering import describe_layout
from shipments.manifests.field_kinds import DecimalNumber
from shipments.manifests.guide_fields import ANSWERED_FIELDS
from shipments.models import Layout, ListedManifest, Manifest, UploadJob
from shipments.statuses import GuideStatus, mawb_status
from shipments.tracking.corrections import DOCUMENT_REASONS, VALUE_REASONS, may_correct
from shipments.v1.answer_types import (
    AnsweredFindings,
    AnsweredGuideEvent,
    AnsweredLayout,
    AskedColumn,
    ChangedGuide,
    ChangedGuides,
    Column,
    Created,
    GuideList,
    GuideSummary,
    Job,
    JsonResult,
    KeptColumn,
    LayoutColumn,
    LeftOutRow,
    MawbDetail,
    MawbHead,
    MawbList,
    Noticed,
    Question,
    Retention,
    Rows,
    Totals,
    UploadResult,
)
from shipments.v1.reading import EventRecord, GuideRecord
from shipments.wording.rendering import reason_in_words
from shipments.wording.stored import render_notice, render_warning

_CODES = {status.value: status.code for status in GuideStatus}
Answer = TypeVar("Answer")


def mawb_head(manifest: Manifest | ListedManifest) -> MawbHead:
    return {
        "manifest_id": str(manifest.id),
        "mawb": manifest.mawb,
        "status": mawb_status(manifest.guides_by_status),
        "eta": manifest.eta_text,
        "total_guides": manifest.total_guides,
        "total_weight_kg": float(manifest.total_weight_kg),
        "total_pieces": manifest.total_pieces,
        "total_fob_usd": float(manifest.total_fob_usd),
        "guides_by_status": manifest.guides_by_status,
        "updated_at": iso_text(manifest.updated_at),
    }


def mawb_list(rows: Iterable[Mapping[str, Any]], next_cursor: str | None) -> MawbList:
    """Return a page of the caller's MAWBs. rows: the fields of `ListedManifest`."""
    manifests = (ListedManifest(**row) for row in rows)
    return {
        "mawbs": [{**mawb_head(manifest), "created_at": iso_text(manifest.created_at)} for manifest in manifests],
        "next_cursor": next_cursor,
    }


def guide_list(guides: Iterable[tuple[str, str, str]], next_cursor: str | None) -> GuideList:
    """Return a page of a MAWB's guides. guides: (hawb, tracking_code, status) of each."""
    return {"guides": _guides(guides), "next_cursor": next_cursor}


def _guides(guides: Iterable[tuple[str, str, str]]) -> list[GuideSummary]:
    return [
        {"hawb": hawb, "tracking_code": tracking_code, "status": status, "status_code": _CODES[status]}
        for hawb, tracking_code, status in guides
    ]


def mawb_detail(manifest: Manifest, guides: Iterable[tuple[str, str, str]]) -> MawbDetail:
    """Return a MAWB with its guides. guides: (hawb, tracking_code, status) of each."""
    return {
        **mawb_head(manifest),
        "warnings_count": manifest.warnings_count,
        "notices_count": manifest.notices_count,
        "rut_invalid_count": manifest.rut_invalid_count,
        "guides": _guides(guides),
    }


def guide_detail(guide: GuideRecord, timeline: Iterable[EventRecord]) -> dict[str, object]:
    """Return one guide with its timeline, oldest first, as an `AnsweredGuide`."""
    reasons = json.loads(guide.review_reasons) if guide.needs_review else []
    mendable = mendable_reasons(guide.status, reasons, is_waiting=guide.needs_review and not guide.is_anonymised)
    lifted_at = aware(guide.retention_lifted_at) if guide.retention_lifted_at else None
    return {
        "hawb": guide.hawb,
        "tracking_code": guide.tracking_code,
        "mawb": guide.mawb,
        "status": guide.status,
        "status_code": _CODES[guide.status],
        **{
            name: float(value) if is_amount and value is not None else value
            for (name, is_amount), value in zip(_ANSWERED, guide.fields, strict=True)
        },
        "retention": retention_answer(bool(guide.retention_required), guide.retention_reason, lifted_at),
        "needs_correction": bool(mendable),
        "review": [{"field": field, "error_code": code, "message": reason_in_words(code)} for field, code in mendable],
        "updated_at": iso_text(aware(guide.updated_at)),
        "events": [_timeline_entry(event) for event in timeline],
    }


def mendable_reasons(status: str, reasons: Iterable[str], *, is_waiting: bool) -> list[tuple[str, str]]:
    """Return (field, reason) of those reasons for a review that the sender can resolve by a correction of the field.

    is_waiting: whether the guide waits for a review, and its data is there.
    """
    if not is_waiting:
        return []
    found = [(_MENDED_BY[reason], reason) for reason in reasons if reason in _MENDED_BY]
    return [(field, reason) for field, reason in found if may_correct("sender", field, GuideStatus(status))]


_MENDED_BY = {
    **dict.fromkeys(sorted(DOCUMENT_REASONS), "consignee_document"),
    "invalid_document_type": "consignee_document_type",
    **dict.fromkeys(sorted(VALUE_REASONS), "fob_usd"),
}
"""Reason for a review -> the field whose correction resolves it."""


def change_list(rows: Iterable[Mapping[str, Any]], next_cursor: str | None) -> ChangedGuides:
    """Return a page of guides of any MAWBs. rows: the columns of `GuideChanges`."""
    return {"guides": [_guide_change(row) for row in rows], "next_cursor": next_cursor}


def _guide_change(row: Mapping[str, Any]) -> ChangedGuide:
    is_waiting = row["needs_review"] and row["anonymised_at"] is None
    return {
        "hawb": row["hawb"],
        "tracking_code": row["tracking_code"],
        "mawb": row["manifest__mawb"],
        "status": row["status"],
        "status_code": _CODES[row["status"]],
        "sequence": row["sequence"],
        "updated_at": iso_text(row["updated_at"]),
        "needs_correction": bool(mendable_reasons(row["status"], row["review_reasons"], is_waiting=is_waiting)),
    }


def retention_answer(is_required: bool, reason: str, lifted_at: datetime | None) -> Retention | None:  # noqa: FBT001  # columns
    """Return a retention; None if customs never retained the guide."""
    if not is_required and lifted_at is None:
        return None
    return {
        "required": is_required,
        "reason": reason_in_words(reason),
        "lifted_at": iso_text(lifted_at) if lifted_at else None,
    }


def _timeline_entry(event: EventRecord) -> AnsweredGuideEvent:
    answered: AnsweredGuideEvent = {
        "status": event.status,
        "status_code": _CODES[event.status],
        "timestamp": iso_text(event.occurred_at),
        "source": event.source,
    }
    if event.sequence:
        answered["sequence"] = event.sequence
    if event.client_note:
        answered["reason"] = event.client_note
    return answered


def upload_result(ingested: Ingested) -> UploadResult:
    manifest = ingested.manifest
    return {**_creation(ingested), **findings(manifest), "country": manifest.country}  # type: ignore[typeddict-item]  # a workbook always has rows


def job_answer(job: UploadJob) -> Job:
    """Return an upload job, with its result built from its manifest's rows."""
    return {
        "job_id": str(job.pk),
        "status": job.state,
        "created_at": iso_text(job.created_at),
        "started_at": iso_text(job.started_at) if job.started_at else None,
        "finished_at": iso_text(job.finished_at) if job.finished_at else None,
        "result": upload_result(rebuild_result(job.manifest)) if job.manifest else None,
        "error": job.error,
    }


def json_result(ingested: Ingested) -> JsonResult:
    manifest = ingested.manifest
    return {
        **_creation(ingested),
        **_warnings_and_notices(manifest),
        "totals": _totals(manifest),
        "country": manifest.country,
    }


def findings(manifest: Manifest) -> AnsweredFindings:
    """Return a manifest's findings and how its workbook was read. For JSON, columns are empty and rows are null."""
    account = manifest.row_account
    left_out = [in_order(LeftOutRow, row) for row in account["left_out_rows"]] if account else []
    return {
        **_warnings_and_notices(manifest),
        "columns": [in_order(Column, column) for column in manifest.columns or []],
        "kept": [in_order(KeptColumn, column) for column in manifest.kept_columns],
        "questions": list(map(to_question, manifest.questions)),
        "totals": _totals(manifest),
        "rows": None if account is None else in_order(Rows, {**account, "left_out_rows": left_out}),
    }


def to_question(stored: Mapping[str, Any]) -> Question:
    """Return a question as it was stored, with its keys in the documented order."""
    asked = [in_order(AskedColumn, column) for column in stored["columns"]]
    return in_order(Question, {**stored, "columns": asked})


def layout_answer(layout: Layout) -> AnsweredLayout:
    """Return a layout as `layouts.describe_layout` gives it, with its keys in the documented order."""
    row = describe_layout(layout)
    names = ("confirmed_at", "first_seen_at", "last_seen_at")
    times = {name: iso_text(row[name]) if row[name] else None for name in names}
    return in_order(
        AnsweredLayout,
        {
            **row,
            **times,
            "columns": [in_order(LayoutColumn, column) for column in row["columns"]],
            "questions": list(map(to_question, row["questions"])),
        },
    )


def in_order(kind: type[Answer], stored: Mapping[str, Any]) -> Answer:
    """Return the stored object with its keys in the documented order. PostgreSQL does not keep the order of jsonb."""
    return cast("Answer", {name: stored[name] for name in kind.__annotations__ if name in stored})


def _warnings_and_notices(manifest: Manifest) -> Noticed:
    return {
        "rut_invalid_count": manifest.rut_invalid_count,
        "warnings": [render_warning(warning) for warning in manifest.warnings],
        "notices": [render_notice(notice) for notice in manifest.notices],
    }


def _totals(manifest: Manifest) -> Totals:
    return {
        "guides": manifest.total_guides,
        "weight_kg": float(manifest.total_weight_kg),
        "pieces": manifest.total_pieces,
        "fob_usd": float(manifest.total_fob_usd),
    }


def _creation(ingested: Ingested) -> Created:
    manifest = ingested.manifest
    return {
        "success": True,
        "manifest_id": str(manifest.id),
        "flight_id": str(manifest.flight_id),
        "mawb": manifest.mawb,
        "eta": manifest.eta_text,
        "guides_created": manifest.total_guides,
        "guides": [{"hawb": hawb, "tracking_code": code} for hawb, code in ingested.codes],
    }


_ANSWERED = tuple((field.name, isinstance(field.kind, DecimalNumber)) for field in ANSWERED_FIELDS)
"""Each field, and whether it is an amount, which JSON has as a number."""
