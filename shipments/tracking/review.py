"""Review: operators check the guides whose data has problems, correct the consignee's data, and lift retentions."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from companies.errors import ValidationFailed
from shipments.errors import GuideNotUnderRetention, InvalidDocument, InvalidDocumentType
from shipments.manifests.cells import text_of
from shipments.manifests.consignee_words import SEARCHED_FIELDS, consignee_words
from shipments.manifests.countries import rules_for
from shipments.manifests.countries.judgement import LIMIT_REASONS, exceeded_limits, limit_reasons
from shipments.manifests.countries.rules import CountryRules, Finding, Identification
from shipments.manifests.field_kinds import Country, DecimalNumber
from shipments.manifests.guide_fields import CONSIGNEE_FIELDS, LONGEST, MENDABLE_FIELDS, WORDS_COLUMN
from shipments.manifests.manifest import InvalidValue
from shipments.manifests.sheets.row_reader import ASKED
from shipments.models import Guide, GuideTaking
from shipments.tracking.batches import required_reason
from shipments.tracking.changes import locked_manifests, write_change
from shipments.wording.rendering import in_words

log = structlog.get_logger(__name__)

_IDENTITY_FIELDS = {"consignee_document_type", "consignee_document"}
DOCUMENT_REASONS = frozenset(
    {"rut_invalid_format", "rut_placeholder", "document_missing", "invalid_document", "invalid_document_type"}
)
"""The reasons for review that a valid document resolves."""
VALUE_REASONS = frozenset({"invalid_category"})
"""Those that a new value resolves, since the express category follows from it."""


@dataclass(frozen=True, slots=True)
class Correction:
    """What a correction changed: field -> value, only for fields that differ. Personal data: never log it.

    ends_review: the guide no longer needs review.
    """

    before: Mapping[str, Any]
    after: Mapping[str, Any]
    ends_review: bool


def mark_reviewed(guides: QuerySet[Guide], *, actor: str) -> Sequence[Guide]:
    """Mark those of `guides` that need review as reviewed, and return them. Their reasons are kept.

    Nobody has them any more.
    """
    waiting = Q(needs_review=True)
    changed = _change_review(guides, waiting, needs_review=False, reviewed_at=timezone.now(), reviewed_by=actor)
    log.info("guides_reviewed", guides=len(changed), actor=actor)
    return changed


def reopen_review(guides: QuerySet[Guide], *, actor: str) -> Sequence[Guide]:
    """Return those of `guides` that were reviewed to the work list, and return them."""
    reviewed = Q(needs_review=False, reviewed_at__isnull=False)
    changed = _change_review(guides, reviewed, needs_review=True, reviewed_at=None, reviewed_by="")
    log.info("reviews_reopened", guides=len(changed), actor=actor)
    return changed


def _change_review(guides: QuerySet[Guide], wanted: Q, **values: Any) -> Sequence[Guide]:  # noqa: ANN401  # of columns
    """Write `values` to the guides that are `wanted`, with them and their manifests locked, and return these guides."""
    with transaction.atomic():
        named = Guide.objects.filter(wanted, pk__in=guides.order_by().values("pk"))
        manifests = locked_manifests(named.order_by().values_list("manifest_id", flat=True))
        rows = named.filter(manifest__in=manifests).order_by("pk")
        changed = list(rows.select_for_update(of=("self",), no_key=True))
        ids = [guide.pk for guide in changed]
        Guide.objects.filter(pk__in=ids).update(**values)
        GuideTaking.objects.filter(pk__in=ids).delete()
        now, of_manifest = timezone.now(), attrgetter("manifest_id")
        for manifest_id, own in groupby(sorted(changed, key=of_manifest), key=of_manifest):
            write_change(manifests[manifest_id], list(own), now)
    return changed


def correct_consignee(guide: Guide, changes: Mapping[str, Any], *, actor: str) -> Correction:
    """Correct a consignee's data, or the sender, the charges, the bag and where the goods were made.

    changes: fields of `MENDABLE_FIELDS` -> new values, texts or decimals; empty or None empties one. A changed
    document or document type is validated by the rules of the guide's country and stored in its normal form. An empty
    type is derived from the document. A valid document ends a review that has no other reason; a well-known placeholder
    starts one.

    Raises `ValidationFailed`, and changes nothing, for invalid fields or if the guide has been anonymised meanwhile;
    `InvalidDocument` or `InvalidDocumentType`, which are its kinds, where the country's rules refuse the document.
    """
    values = _cleaned(changes)
    with transaction.atomic():
        manifest = locked_manifests([guide.manifest_id])[guide.manifest_id]
        locked = Guide.objects.with_manifest().select_for_update(of=("self",), no_key=True).get(pk=guide.pk)
        if locked.anonymised_at is not None:
            raise ValidationFailed(gettext("This guide was anonymised: its consignee's data was erased."))
        correction, now = _correct(locked, values), timezone.now()
        if correction.ends_review:
            locked.reviewed_at, locked.reviewed_by = now, actor
            GuideTaking.objects.filter(pk=locked.pk).delete()
        mend_asked(locked, correction.after)
        locked.consignee_words = consignee_words({name: getattr(locked, name) for name in SEARCHED_FIELDS})
        reviewed = ["needs_review", "review_reasons", "reviewed_at", "reviewed_by"]
        locked.save(update_fields=[*correction.after, WORDS_COLUMN, "extra_data", *reviewed])
        if correction.after or correction.ends_review:
            write_change(manifest, [locked], now)
    log.info("consignee_corrected", tracking_code=locked.tracking_code, fields=sorted(correction.after), actor=actor)
    return correction


def _cleaned(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values in storable form: texts on one line, without control characters, within their lengths."""
    values: dict[str, Any] = {}
    details = {}
    for name, value in changes.items():
        field = MENDABLE_FIELDS[name]
        sent = text_of(value) if isinstance(value, str) else value
        if not isinstance(field.kind, Country | DecimalNumber):
            values[name] = sent
            if len(sent) > LONGEST[name]:
                details[name] = [gettext("Enter at most %d characters.") % LONGEST[name]]
            continue
        try:
            values[name] = field.unknown if sent in {"", None} else field.kind.read(sent)
        except InvalidValue as problem:
            details[name] = [in_words(problem.reason.sentence, problem.reason.params)]
    if details:
        raise ValidationFailed(details=details)
    return values


def _correct(guide: Guide, values: Mapping[str, Any]) -> Correction:
    """Set the changed values on `guide`, without saving, and update its review."""
    wanted = {field: getattr(guide, field) for field in MENDABLE_FIELDS} | dict(values)
    was_waiting = guide.needs_review
    if any(wanted[field] != getattr(guide, field) for field in _IDENTITY_FIELDS):
        rules = rules_for(guide.manifest.country, guide.manifest.arrival_day)
        identity = _identify(rules, wanted)
        wanted |= {"consignee_document_type": identity.document_type, "consignee_document": identity.document}
        settle_review(guide, DOCUMENT_REASONS, identity.review_reasons)
        measures = {field: getattr(guide, field) for field in ("fob_usd", "weight_kg", "packages_count", "category")}
        _retention, exceeded = exceeded_limits(rules, {**measures, **wanted})
        settle_review(guide, LIMIT_REASONS.difference(limit_reasons(exceeded)))
    before = {field: getattr(guide, field) for field in MENDABLE_FIELDS if getattr(guide, field) != wanted[field]}
    for field in before:
        setattr(guide, field, wanted[field])
    return Correction(before, {field: wanted[field] for field in before}, was_waiting and not guide.needs_review)


def mend_asked(guide: Guide, corrected: Mapping[str, Any]) -> None:
    """Put what was corrected of the consignee in place of what a column in doubt said of it, without saving.

    Such a value is kept in the extra data until somebody says which field it is. corrected: field -> new value.
    """
    asked = {key: key.removeprefix(ASKED).rpartition("_")[0] for key in guide.extra_data if key.startswith(ASKED)}
    mended = {key: corrected[name] for key, name in asked.items() if name in CONSIGNEE_FIELDS and name in corrected}
    guide.extra_data = {**guide.extra_data, **mended}


def settle_review(guide: Guide, resolved: Collection[str], found: Sequence[str] = ()) -> None:
    """Replace the reasons in `resolved` by those that were found instead, without saving."""
    others = [reason for reason in guide.review_reasons if reason not in resolved]
    guide.review_reasons = [*others, *found]
    guide.needs_review = bool(found) or (guide.needs_review and bool(others))


def _identify(rules: CountryRules, wanted: Mapping[str, Any]) -> Identification:
    identity = rules.identify(wanted["consignee_document_type"], wanted["consignee_document"])
    if identity.problems:
        raise refusal_of(identity.problems)
    return identity


def refusal_of(problems: Iterable[Finding]) -> ValidationFailed:
    """Return the refusal of a guide's values: of the consignee's document or its type, if nothing else is wrong."""
    details: dict[str, list[str]] = {}
    for problem in problems:
        details.setdefault(problem.field, []).append(in_words(problem.reason.sentence, problem.reason.params))
    if details.keys() - _IDENTITY_FIELDS:
        return ValidationFailed(details=details)
    return (InvalidDocumentType if "consignee_document_type" in details else InvalidDocument)(details=details)


def lift_retention(guide: Guide, *, reason: str, actor: str) -> Guide:
    """Lift the retention of a guide and return the updated guide. No customs event is recorded.

    reason: 1 to 255 characters; not stored if the guide is anonymised. actor: who lifts it, at most 150 characters.
    Raises `ValidationFailed` for the reason, or `GuideNotUnderRetention`.
    """
    reason = required_reason(reason)
    with transaction.atomic():
        manifest = locked_manifests([guide.manifest_id])[guide.manifest_id]
        locked = Guide.objects.select_for_update(no_key=True).get(pk=guide.pk)
        if not locked.retention_required:
            raise GuideNotUnderRetention(gettext("The guide is not under retention."))
        locked.retention_required = False
        locked.retention_lifted_at = timezone.now()
        locked.retention_lifted_by = actor
        locked.retention_lifted_reason = "" if locked.anonymised_at else reason  # it may name the anonymised person
        locked.save(
            update_fields=[
                "retention_required",
                "retention_lifted_at",
                "retention_lifted_by",
                "retention_lifted_reason",
            ]
        )
        write_change(manifest, [locked], locked.retention_lifted_at)
    log.info("retention_lifted", tracking_code=locked.tracking_code, actor=actor)
    return locked
