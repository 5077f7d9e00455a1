"""Writing a parsed manifest and its first events in one transaction. Only `ingest` and `tracking` write guides."""

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction
from django.db.models import Count
from django.db.models.expressions import RawSQL

from base.errors import Translatable, ValidationFailed
from companies.errors import TrackingPrefixMissing
from companies.models import Company
from shipments.carriers.guides import record_claims
from shipments.errors import HawbInDoubt, MawbAlreadyExists
from shipments.instruments import EVENTS_RECORDED, GUIDES_CREATED
from shipments.intake.guide_writing import Registrations, write_guides
from shipments.layouts.reading import add_figures
from shipments.manifests.findings import MAX_REPORTED, REFUSING, Refusing
from shipments.manifests.flights import arrival_day
from shipments.manifests.manifest import FlightFields, Notice, ParsedManifest, Reason
from shipments.models import Channel, Flight, Layout, Manifest, ManifestFile
from shipments.models.manifests import violates
from shipments.statuses import GuideStatus, Source, mawb_status
from shipments.tracking import tracking_codes
from shipments.tracking.announcements import announce_ingest
from shipments.tracking.moves import Outcome
from shipments.wording.stored import stored

_ATTEMPTS = 3
_LEFT_OUT_IF_EMPTY = {"unit", "currency", "decimals"}
_NO_FILES: AbstractContextManager[Sequence[ManifestFile]] = nullcontext(())
SANDBOX_GUIDES = 2_000
"""The most guides of a manifest in a sandbox."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Posting:
    """For whom a manifest is, who sent it, and how.

    posted_by: the owner, or the courier that posts for it. entered_by: the operator who uploaded it for the owner, if
    one did.
    """

    owner: Company
    posted_by: Company
    channel: Channel
    entered_by: User | None = None
    layout: Layout | None = None


@dataclass(frozen=True, slots=True)
class Ingested:
    """The result: the manifest, and the (hawb, tracking code) of each guide in the manifest's order.

    is_replay: whether an earlier request with the same `Idempotency-Key` created it.
    """

    manifest: Manifest
    codes: Sequence[tuple[str, str]]
    is_replay: bool = False


def ingest(
    parsed: ParsedManifest,
    posting: Posting,
    *,
    files: AbstractContextManager[Sequence[ManifestFile]] = _NO_FILES,
    finish: Callable[[Manifest], None] | None = None,
) -> Ingested:
    """Judge `parsed` and write its flight, manifest, file rows, guides and `registered` events, or nothing at all.

    files: entered once nothing speaks against the manifest. finish: called with the manifest in the same transaction,
    as its last statement.

    Raises as `judge`. The unique constraint resolves races: exactly one of several identical calls succeeds.
    """
    try:
        parsed = judge(posting.owner, parsed, is_json=posting.channel == Channel.JSON)
    except HawbInDoubt as doubt:
        doubt.layout = posting.layout
        raise
    with files as stored:
        return _create(parsed, posting, stored, finish)


def _create(
    parsed: ParsedManifest,
    posting: Posting,
    files: Sequence[ManifestFile],
    finish: Callable[[Manifest], None] | None,
) -> Ingested:
    prefix = posting.owner.tracking_prefix_or_refuse()
    for attempt in range(1, _ATTEMPTS + 1):
        issued = tracking_codes.issue(prefix, len(parsed.guides))
        codes = [(row.hawb, code) for row, code in zip(parsed.guides, issued, strict=True)]
        try:
            with transaction.atomic():
                manifest = write_manifest(parsed, posting, [code for _hawb, code in codes], files)
                announce_ingest(manifest)
                if finish is not None:
                    finish(manifest)
            return Ingested(manifest, codes)
        except IntegrityError as exc:
            # Otherwise the existing manifest has been voided since, or two random codes collided (a chance of one in
            # 10^14). Try again with new codes.
            if violates(exc, "manifest_once_per_company"):
                refuse_known(posting.owner, parsed.mawb)
            elif not violates(exc, "guide_tracking_code_once"):
                raise
            if attempt == _ATTEMPTS:
                raise
    raise AssertionError("the last attempt returns or raises")


def judge(owner: Company, parsed: ParsedManifest, refusing: Refusing = REFUSING, *, is_json: bool) -> ParsedManifest:
    """Check what an upload checks last: the company's tracking prefix, that it does not have the MAWB, and the HAWBs.

    refusing: a trial checks all. Returns the manifest as it is created. Raises, in this order: `ValidationFailed` for
    more guides than a sandbox takes, `TrackingPrefixMissing`, `MawbAlreadyExists` with the id of the existing manifest,
    `HawbInDoubt`.
    """
    require_sandbox_size(len(parsed.guides), is_json=is_json)
    try:
        owner.tracking_prefix_or_refuse()
    except TrackingPrefixMissing as refusal:
        refusing.refuse(refusal)
    if parsed.mawb:
        refuse_known(owner, parsed.mawb)
    if any(question.field == "hawb" for question in parsed.questions):
        doubt = HawbInDoubt(questions=[asdict(question) for question in parsed.questions])
        doubt.mawb = parsed.mawb
        raise doubt
    return note_hawbs_elsewhere(owner, parsed)


def require_sandbox_size(guides: int, *, is_json: bool) -> None:
    """Raise `ValidationFailed` for more guides than a sandbox takes."""
    if settings.SANDBOX and guides > SANDBOX_GUIDES:
        field = "guides" if is_json else "manifest_file"
        problem = Translatable("The sandbox takes at most %(most)s guides in one manifest.", most=f"{SANDBOX_GUIDES:,}")
        raise ValidationFailed(details={field: [problem]})


def _count(manifest: Manifest) -> None:
    GUIDES_CREATED.labels(manifest.channel, manifest.country).inc(manifest.total_guides)
    EVENTS_RECORDED.labels(Source.PRE_ALERT.value, Outcome.ADVANCED.value).inc(manifest.total_guides)


def refuse_known(owner: Company, mawb: str) -> None:
    """Raise `MawbAlreadyExists` if `owner` has this MAWB. This saves work that the constraint would reject."""
    known = Manifest.objects.of(owner).filter(mawb=mawb).values_list("id", flat=True).first()
    if known is not None:
        refusal = MawbAlreadyExists(
            Translatable(
                "The MAWB %(mawb)s has already been registered. GET mawbs/%(mawb)s/findings returns its warnings and "
                "notices.",
                mawb=mawb,
            ),
            manifest_id=str(known),
        )
        refusal.mawb = mawb
        raise refusal


def note_hawbs_elsewhere(owner: Company, parsed: ParsedManifest) -> ParsedManifest:
    """Return the manifest with a notice if another one of `owner` that still stands has some of its HAWBs.

    Of several such manifests the notice names the one with most of them.
    """
    each = "json_each.value FROM json_each(%s)" if connection.vendor == "sqlite" else "jsonb_array_elements_text(%s)"
    hawbs = RawSQL(f"SELECT {each}", [json.dumps([row.hawb for row in parsed.guides])])  # noqa: S611  # two constants
    others = Manifest.objects.of(owner).exclude(mawb=parsed.mawb).filter(guides__hawb__in=hawbs)
    found = others.values_list("mawb").annotate(count=Count("guides")).order_by("-count", "mawb").first()
    if found is None:
        return parsed
    notice = Notice("hawb_elsewhere", Reason("hawb_elsewhere", {"count": found[1], "mawb": found[0]}))
    notices = (notice, *parsed.notices)[:MAX_REPORTED]
    return replace(parsed, notices=notices, notices_count=parsed.notices_count + 1)


def write_manifest(
    parsed: ParsedManifest,
    posting: Posting,
    codes: Sequence[str],
    files: Sequence[ManifestFile] = (),
    registrations: Registrations | None = None,
) -> Manifest:
    """Write what `ingest` does, in the caller's transaction, without announcing it.

    codes: a tracking code for each guide, in order. registrations: as in `write_guides`.
    Raises `IntegrityError` if the company has the MAWB, or a guide one of the codes.
    """
    eta = parsed.flight.scheduled_arrival
    offset = eta.utcoffset() if eta else None
    counts = {GuideStatus.REGISTERED.value: len(parsed.guides)}
    manifest = Manifest.objects.create(
        company=posting.owner,
        posted_by=posting.posted_by,
        channel=posting.channel,
        mawb=parsed.mawb,
        country=parsed.country,
        transport_mode=parsed.transport_mode,
        flight=_flight(parsed.flight, posting.owner),
        eta=eta,
        eta_offset_minutes=None if offset is None else round(offset.total_seconds() / 60),
        arrival_day=parsed.arrival_day or arrival_day(parsed.country, parsed.flight),
        guides_by_status=counts,
        status=mawb_status(counts),
        entered_by=posting.entered_by,
        layout=posting.layout,
        **to_columns(parsed),
    )
    for file in files:
        file.manifest = manifest
    ManifestFile.objects.bulk_create(files)
    write_guides(manifest, zip(parsed.guides, codes, strict=True), registrations)
    if any(row.extra_data for row in parsed.guides):
        record_claims(manifest)
    # Robust: a metric that fails must not report a committed manifest as refused.
    transaction.on_commit(lambda: _count(manifest), robust=True)
    if layout := posting.layout:
        transaction.on_commit(lambda: add_figures(layout, parsed), robust=True)
    return manifest


def to_columns(parsed: ParsedManifest) -> dict[str, Any]:
    """Return the totals, findings and column mapping of a manifest, by the columns of `Manifest`."""
    guides = parsed.guides
    columns = {
        "total_guides": len(guides),
        "total_weight_kg": _sum(row.weight_kg for row in guides),
        "total_pieces": sum(row.packages_count for row in guides),
        "total_fob_usd": _sum(row.fob_usd for row in guides),
        "rut_invalid_count": parsed.rut_invalid_count,
        "warnings": [stored(warning) for warning in parsed.warnings],
        "notices": [stored(notice) for notice in parsed.notices],
        "warnings_count": parsed.warnings_count,
        "notices_count": parsed.notices_count,
    }
    if parsed.rows is None:  # a JSON manifest
        return columns
    account = asdict(parsed.rows)
    left_out_rows = account.pop("named")
    return {
        **columns,
        "columns": [
            {name: value for name, value in asdict(column).items() if value or name not in _LEFT_OUT_IF_EMPTY}
            for column in parsed.columns
        ],
        "kept_columns": list(map(asdict, parsed.kept)),
        "questions": list(map(asdict, parsed.questions)),
        "row_account": {**account, "left_out_rows": left_out_rows},
    }


def _flight(fields: FlightFields, owner: Company) -> Flight:
    """Return the company's flight with this number and departure if both are known, else a new flight."""
    described = asdict(fields)
    if fields.flight_number and fields.scheduled_departure:
        named = {name: described.pop(name) for name in ("flight_number", "scheduled_departure")}
        return Flight.objects.get_or_create(company=owner, **named, defaults=described)[0]
    return Flight.objects.create(company=owner, **described)


def _sum(numbers: Iterable[Decimal | None]) -> Decimal:
    """Return the sum of the known numbers; 0 if there are none."""
    return sum((number for number in numbers if number is not None), start=Decimal(0))
