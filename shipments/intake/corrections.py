"""A guide's sender corrects it: the row, the manifest's totals, the review and the retention, in one transaction."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import structlog
from django.db import transaction
from django.utils import timezone, translation

from base.errors import Translatable
from companies.models import Company
from shipments.errors import GuideUnderWay, NotFound, ValidationFailed
from shipments.intake.guide_writing import products_as_stored
from shipments.manifests.consignee_words import SEARCHED_FIELDS, consignee_words
from shipments.manifests.countries import rules_for
from shipments.manifests.countries.judgement import LIMIT_REASONS
from shipments.manifests.countries.rules import Finding
from shipments.manifests.guide_fields import GUIDE_FIELDS, WORDS_COLUMN
from shipments.manifests.payload.corrections import (
    CORRECTABLE,
    DELIVERY_FIELDS,
    Correction,
    judge_correction,
    read_correction,
)
from shipments.models import Guide, GuideCorrection, GuideQuerySet, GuideTaking, Manifest
from shipments.statuses import GuideStatus
from shipments.tracking.announcements import announce_correction
from shipments.tracking.changes import CHANGED, raise_version, stamp_guides
from shipments.tracking.review import DOCUMENT_REASONS, VALUE_REASONS, mend_asked, refusal_of, settle_review

log = structlog.get_logger(__name__)

_NAMES = frozenset(field.name for field in CORRECTABLE)
_ORDER = [field.name for field in GUIDE_FIELDS]
_LAST_MILE = frozenset({GuideStatus.OUT_FOR_DELIVERY, GuideStatus.DELIVERY_FAILED, GuideStatus.RETURNING_TO_SENDER})
_TOTALS = {"total_weight_kg": "weight_kg", "total_pieces": "packages_count", "total_fob_usd": "fob_usd"}
_REVIEW = ("needs_review", "review_reasons", "reviewed_at", "reviewed_by")
_RETENTION = (
    "retention_required", "retention_reason", "retention_lifted_at", "retention_lifted_by", "retention_lifted_reason",
)  # fmt: skip


class Corrected(NamedTuple):
    """What a correction changed. fields: names, in the order of the field table; empty if everything was so already."""

    guide: Guide
    fields: Sequence[str]
    warnings: Sequence[Finding]


def may_correct(status: GuideStatus, field: str) -> bool:
    if field in DELIVERY_FIELDS:
        return not status.is_terminal and status not in _LAST_MILE
    return status is GuideStatus.REGISTERED


def correct(guides: GuideQuerySet, sent: Mapping[str, object], *, actor: str, password_hint: str) -> Corrected:
    """Correct the one guide among `guides` that its sender named.

    sent: field -> value, as in the JSON manifest. actor: who corrects it, at most 150 characters.

    Raises, in this order, and changes nothing: `ValidationFailed` for keys and values; `NotFound`, also for a guide
    whose data was erased; `ValidationFailed`, `InvalidDocumentType` or `InvalidDocument` by the rules of its country;
    `GuideUnderWay` (extras `status`, `fields`) if fields come too late.
    """
    correction = _read(sent)
    place = guides.values_list("pk", "manifest_id").first()
    if place is None:
        raise NotFound(NO_GUIDE)
    with transaction.atomic():
        manifests = Manifest.objects.select_for_update(no_key=True).without_findings()
        manifest = manifests.get(pk=place[1])
        guide = Guide.objects.select_for_update(no_key=True).filter(pk=place[0], anonymised_at=None).first()
        if guide is None or manifest.voided_at is not None:
            raise NotFound(NO_GUIDE if manifest.voided_at else _ERASED)
        stored = {name: getattr(guide, name) for name in _ORDER}
        judge_correction(correction, stored, rules_for(manifest.country, manifest.arrival_day))
        _refuse_problems(correction)
        changes = _changes(guide, correction)
        _refuse_late(guide, sent, changes)
        if changes:
            _write(manifest, guide, correction, changes, actor=actor, password_hint=password_hint)
    fields = [name for name in _ORDER if name in changes]
    if fields:
        log.info("guide_corrected", tracking_code=guide.tracking_code, fields=fields, actor=actor)
    return Corrected(guide, fields, correction.findings.warnings)


NO_GUIDE: str = Translatable("None of your guides has this tracking code.")
_ERASED: str = Translatable("The personal data of this guide was erased: it can no longer be corrected.")


def _read(sent: Mapping[str, object]) -> Correction:
    if not sent:
        raise ValidationFailed("Send at least one field to correct.")
    if unknown := sorted(sent.keys() - _NAMES):
        raise ValidationFailed(details={name: [Translatable("This field cannot be corrected.")] for name in unknown})
    correction = read_correction(sent)
    _refuse_problems(correction)
    return correction


def _refuse_problems(correction: Correction) -> None:
    if correction.findings.problems:
        with translation.override("en"):  # refusals are in English, as everywhere in the API
            raise refusal_of(correction.findings.problems)


def _changes(guide: Guide, correction: Correction) -> dict[str, Any]:
    values = dict(correction.values)
    if "products" in values:
        values["products"] = products_as_stored(values["products"])
    return {name: value for name, value in values.items() if value != getattr(guide, name)}


def _refuse_late(guide: Guide, sent: Mapping[str, object], changes: Mapping[str, object]) -> None:
    status = GuideStatus(guide.status)
    late = [name for name in _ORDER if name in sent and name in changes and not may_correct(status, name)]
    if late:
        raise GuideUnderWay(status=status.value, fields=late)


def _write(
    manifest: Manifest,
    guide: Guide,
    correction: Correction,
    changes: Mapping[str, Any],
    *,
    actor: str,
    password_hint: str,
) -> None:
    now = timezone.now()
    for total, name in _TOTALS.items():
        if name in changes:
            difference = (changes[name] or Decimal(0)) - (getattr(guide, name) or Decimal(0))
            setattr(manifest, total, getattr(manifest, total) + difference)
    is_same_value = changes.get("fob_usd", guide.fob_usd) == guide.fob_usd
    for name, value in changes.items():
        setattr(guide, name, value)
    mend_asked(guide, changes)
    guide.consignee_words = consignee_words({name: getattr(guide, name) for name in SEARCHED_FIELDS})
    _retain(guide, correction.retention_reason, is_same_value=is_same_value)
    if _settle_review(guide, correction):
        guide.reviewed_at, guide.reviewed_by = now, actor
        GuideTaking.objects.filter(pk=guide.pk).delete()
    guide.save(update_fields=[*changes, WORDS_COLUMN, "extra_data", *_REVIEW, *_RETENTION])
    fields = [name for name in _ORDER if name in changes]
    GuideCorrection.objects.create(
        guide=guide, fields=fields, password_hint=password_hint, actor=actor, corrected_at=now
    )
    raise_version(manifest, stamp_guides([guide], now))
    manifest.save(update_fields=[*CHANGED, *_TOTALS])
    announce_correction(manifest, guide, fields)


def _settle_review(guide: Guide, correction: Correction) -> bool:
    """Take away the reasons that the correction mends; return whether that ends the review."""
    was_waiting = guide.needs_review
    if correction.identification:
        settle_review(guide, DOCUMENT_REASONS, correction.identification.review_reasons)
    if "fob_usd" in correction.values:
        settle_review(guide, VALUE_REASONS)
    if (found := correction.limit_reasons) is not None:
        new = [reason for reason in found if reason not in guide.review_reasons]
        settle_review(guide, LIMIT_REASONS.difference(found), new)
    return was_waiting and not guide.needs_review


def _retain(guide: Guide, reason: str | None, *, is_same_value: bool) -> None:
    """Let a retention arise or fall away as it would at ingest. reason: None if it was not judged."""
    if reason is None or bool(reason) == guide.retention_required:
        return
    if reason and guide.retention_lifted_at and is_same_value:
        return  # an operator knows this value
    if not reason and guide.retention_lifted_at:
        return  # what was lifted stays on record
    guide.retention_required, guide.retention_reason = bool(reason), reason
    guide.retention_lifted_at, guide.retention_lifted_by, guide.retention_lifted_reason = None, "", ""


def of_sender(guides: GuideQuerySet, poster: Company) -> GuideQuerySet:
    """Return those of `guides` that `poster` may change: a courier, what it posted itself."""
    return guides.filter(manifest__posted_by=poster) if poster.is_courier else guides
