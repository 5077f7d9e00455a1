"""A guide is corrected, by its sender or by an operator: the row, its manifest's totals, the review and the retention.

Who may correct which field until when is in the field table. An operator's correction is of what stands on the form: it
may empty a field, it announces nothing, and a limit that it shows to be exceeded was there to be seen.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, NamedTuple

import structlog
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from base.errors import NotFound, Translatable, ValidationFailed
from shipments.errors import GuideAlreadyTerminal, GuideUnderWay, InvalidDocument, InvalidDocumentType
from shipments.manifests.cells import text_of
from shipments.manifests.consignee_words import SEARCHED_FIELDS, consignee_words
from shipments.manifests.countries import rules_for
from shipments.manifests.countries.judgement import LIMIT_REASONS
from shipments.manifests.countries.rules import Finding
from shipments.manifests.guide_fields import CONSIGNEE_FIELDS, CORRECTABLE, FIELD_NAMES, WORDS_COLUMN, Corrector
from shipments.manifests.payload.corrections import IDENTITY, Judgement, judge_correction, read_correction
from shipments.manifests.payload.fields import RowFindings
from shipments.manifests.sheets.row_reader import ASKED
from shipments.models import Guide, GuideCorrection, Manifest
from shipments.statuses import GuideStatus
from shipments.tracking.announcements import announce_correction
from shipments.tracking.changes import CHANGED, raise_version, stamp_guides
from shipments.tracking.moves import refusal
from shipments.tracking.review import REVIEW, end_review, settle_review
from shipments.wording.rendering import in_words

log = structlog.get_logger(__name__)

DOCUMENT_REASONS = frozenset(
    {"rut_invalid_format", "rut_placeholder", "document_missing", "invalid_document", "invalid_document_type"}
)
"""The reasons for review that a valid document resolves."""
VALUE_REASONS = frozenset({"invalid_category"})
"""Those that a new value resolves, since the express category follows from it."""

_LAST_MILE = frozenset({GuideStatus.OUT_FOR_DELIVERY, GuideStatus.DELIVERY_FAILED, GuideStatus.RETURNING_TO_SENDER})
_TOTALS = {"total_weight_kg": "weight_kg", "total_pieces": "packages_count", "total_fob_usd": "fob_usd"}
_RETENTION = (
    "retention_required", "retention_reason", "retention_lifted_at", "retention_lifted_by", "retention_lifted_reason",
)  # fmt: skip


class By(NamedTuple):
    """Who corrects, by whose rights. actor: at most 150 characters. password_hint: how the API password begins."""

    rights: Corrector
    actor: str
    password_hint: str = ""


class Correction(NamedTuple):
    """What was corrected: field -> value, of fields that differ, in the table's order. Personal data: never log it.

    ends_review: the guide no longer needs review.
    """

    guide: Guide
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    warnings: Sequence[Finding]
    ends_review: bool


def may_correct(rights: Corrector, name: str, status: GuideStatus) -> bool:
    field = CORRECTABLE[rights][name]
    until = field.sender_until if rights == "sender" else field.operator_until
    if until == "customs":
        return status is GuideStatus.REGISTERED
    return not status.is_terminal and (until == "end" or status not in _LAST_MILE)


def correct(guides: QuerySet[Guide], changes: Mapping[str, object], by: By) -> Correction:
    """Correct the one guide among `guides` that is meant.

    changes: field -> value, as in the JSON manifest; texts and decimals of an operator's form.

    Raises, in this order, and changes nothing: `ValidationFailed` for keys and values; `NotFound`, to an operator
    `ValidationFailed`, for a guide that was voided or erased; `GuideAlreadyTerminal`, to an operator;
    `ValidationFailed`, `InvalidDocumentType` or `InvalidDocument` by the rules of its country; `GuideUnderWay` (extras
    `status`, `fields`) if fields come too late. Texts are in the active language.
    """
    values, findings = _read(changes, by.rights)
    place = guides.values_list("pk", "manifest_id").first()
    if place is None:
        raise NotFound(NO_GUIDE)
    with transaction.atomic():
        manifest = Manifest.objects.select_for_update(no_key=True).without_findings().get(pk=place[1])
        guide = Guide.objects.select_for_update(no_key=True).get(pk=place[0])
        _require_open(manifest, guide, by.rights)
        stored = {name: getattr(guide, name) for name in FIELD_NAMES}
        if by.rights == "operator":  # what the form shows unchanged is not judged again, and the type it shows counts
            values = {name: value for name, value in values.items() if value != stored[name]}
            if IDENTITY & values.keys():
                values = {**{name: stored[name] for name in IDENTITY}, **values}
        judgement = judge_correction(values, findings, stored, rules_for(manifest.country, manifest.arrival_day))
        _refuse(findings)
        if "products" in values:
            values["products"] = [json.loads(each.to_json()) for each in values["products"]]
        after = {name: values[name] for name in FIELD_NAMES if name in values and values[name] != stored[name]}
        status = GuideStatus(guide.status)
        late = [name for name in after if name in changes and not may_correct(by.rights, name, status)]
        if late:
            raise GuideUnderWay(status=status.value, fields=late)
        ends_review = False
        if after:
            ends_review = _settle_review(guide, values, judgement, by)
            _write(manifest, guide, after, judgement, by)
    if after:
        log.info("guide_corrected", tracking_code=guide.tracking_code, fields=[*after], actor=by.actor)
    return Correction(guide, {name: stored[name] for name in after}, after, findings.warnings, ends_review)


NO_GUIDE: str = Translatable("None of your guides has this tracking code.")
_ERASED: str = Translatable("The personal data of this guide was erased: it can no longer be corrected.")


def _read(changes: Mapping[str, object], rights: Corrector) -> tuple[dict[str, Any], RowFindings]:
    fields = CORRECTABLE[rights]
    if unknown := sorted(changes.keys() - fields.keys()):
        raise ValidationFailed(details={name: [Translatable("This field cannot be corrected.")] for name in unknown})
    if rights == "operator":  # a form's texts go on one line, and any of them may be emptied
        fields = {name: replace(field, required=False) for name, field in fields.items()}
        changes = {name: text_of(value) if isinstance(value, str) else value for name, value in changes.items()}
    values, findings = read_correction(changes, fields.values())
    _refuse(findings)
    return values, findings


def _refuse(findings: RowFindings) -> None:
    """Raise the refusal of a guide's values: of the consignee's document or its type, if nothing else is wrong."""
    details: dict[str, list[str]] = {}
    for problem in findings.problems:
        details.setdefault(problem.field, []).append(in_words(problem.reason.sentence, problem.reason.params))
    if details.keys() - IDENTITY:
        raise ValidationFailed(details=details)
    if details:
        raise (InvalidDocumentType if "consignee_document_type" in details else InvalidDocument)(details=details)


def _require_open(manifest: Manifest, guide: Guide, rights: Corrector) -> None:
    """Raise if nothing of the guide can be corrected any more, whatever the field."""
    if rights == "sender" and (manifest.voided_at or guide.anonymised_at):
        raise NotFound(NO_GUIDE if manifest.voided_at else _ERASED)
    status = GuideStatus(guide.status)
    if rights == "operator" and status.is_terminal:
        raise refusal(GuideAlreadyTerminal, "The guide is %(status)s, which is final.", status=status)
    if guide.anonymised_at:
        raise ValidationFailed(gettext("This guide was anonymised: its consignee's data was erased."))


def _settle_review(guide: Guide, values: Mapping[str, Any], judgement: Judgement, by: By) -> bool:
    """Take away the reasons that a correction mends, without saving; return whether that ends the review."""
    was_waiting = guide.needs_review
    if judgement.identification:
        settle_review(guide, DOCUMENT_REASONS, judgement.identification.review_reasons)
    if "fob_usd" in values:
        settle_review(guide, VALUE_REASONS)
    if (found := judgement.limit_reasons) is not None:
        new = [reason for reason in found if by.rights == "sender" and reason not in guide.review_reasons]
        settle_review(guide, LIMIT_REASONS.difference(found), new)
    return was_waiting and end_review(guide, by.actor)


def _write(manifest: Manifest, guide: Guide, after: Mapping[str, Any], judgement: Judgement, by: By) -> None:
    now = timezone.now()
    for total, name in _TOTALS.items():
        if name in after:
            difference = (after[name] or Decimal(0)) - (getattr(guide, name) or Decimal(0))
            setattr(manifest, total, getattr(manifest, total) + difference)
    for name, value in after.items():
        setattr(guide, name, value)
    # What a column in doubt says of the consignee is kept in the extra data until somebody says which field it is.
    asked = {key: key.removeprefix(ASKED).rpartition("_")[0] for key in guide.extra_data if key.startswith(ASKED)}
    mended = {key: after[name] for key, name in asked.items() if name in CONSIGNEE_FIELDS and name in after}
    guide.extra_data = {**guide.extra_data, **mended}
    guide.consignee_words = consignee_words({name: getattr(guide, name) for name in SEARCHED_FIELDS})
    if by.rights == "sender":
        _retain(guide, judgement.retention_reason, is_same_value="fob_usd" not in after)
    guide.save(update_fields=[*after, WORDS_COLUMN, "extra_data", *REVIEW, *_RETENTION])
    raise_version(manifest, stamp_guides([guide], now))
    manifest.save(update_fields=[*CHANGED, *_TOTALS])
    if by.rights == "sender":
        fields = [*after]
        GuideCorrection.objects.create(
            guide=guide, fields=fields, password_hint=by.password_hint, actor=by.actor, corrected_at=now
        )
        announce_correction(manifest, guide, fields)


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
