"""Writing a parsed manifest and its first events in one transaction. Only `ingest` and `tracking` write guides."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from companies.errors import TrackingPrefixMissing, Translatable
from companies.models import Company
from shipments.carriers.guides import learn_from
from shipments.errors import MawbAlreadyExists, ValidationFailed
from shipments.instruments import EVENTS_RECORDED, GUIDES_CREATED
from shipments.intake.guide_writing import write_guides
from shipments.manifests.findings import Refusing
from shipments.manifests.manifest import FlightFields, ParsedManifest
from shipments.manifests.mapped.spec import FormatInUse
from shipments.models import Channel, Flight, Manifest, ManifestFile
from shipments.models.manifests import violated
from shipments.statuses import GuideStatus, Source, mawb_status
from shipments.tracking import tracking_codes
from shipments.tracking.announcements import announce_ingest
from shipments.tracking.moves import Outcome
from shipments.wording.stored import stored

_ATTEMPTS = 3
_LEFT_OUT_IF_EMPTY = {"unit", "currency", "decimals"}
SANDBOX_GUIDES = 2_000
"""The most guides of a manifest in a sandbox."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Posting:
    """For whom a manifest is, who sent it, and how.

    posted_by: the owner, or the courier that posts for it. form: the company's own workbook format that read the
    manifest. entered_by: the operator who uploaded it for the owner, if one did.
    """

    owner: Company
    posted_by: Company
    channel: Channel
    form: FormatInUse | None = None
    entered_by: User | None = None


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
    files: Sequence[ManifestFile] = (),
    finish: Callable[[Manifest], None] | None = None,
) -> Ingested:
    """Write the flight, manifest, file rows, guides and `registered` events of `parsed`, or nothing at all.

    finish: called with the manifest in the same transaction, as its last statement.

    Raises `TrackingPrefixMissing`, then `MawbAlreadyExists` with the id of the existing manifest. The unique constraint
    resolves races: exactly one of several identical calls succeeds.
    """
    require_sandbox_size(len(parsed.guides), is_json=posting.channel == Channel.JSON)
    prefix = posting.owner.tracking_prefix_or_refuse()
    for attempt in range(1, _ATTEMPTS + 1):
        issued = tracking_codes.issue(prefix, len(parsed.guides))
        codes = [(row.hawb, code) for row, code in zip(parsed.guides, issued, strict=True)]
        try:
            with transaction.atomic():
                manifest = _write(parsed, posting, codes, files)
                if finish is not None:
                    finish(manifest)
            return Ingested(manifest, codes)
        except IntegrityError as exc:
            # Otherwise the existing manifest has been voided since, or two random codes collided (a chance of one in
            # 10^14). Try again with new codes.
            if violated(exc, "manifest_once_per_company"):
                refuse_known(posting.owner, parsed.mawb)
            elif not violated(exc, "guide_tracking_code_once"):
                raise
            if attempt == _ATTEMPTS:
                raise
    raise AssertionError("the last attempt returns or raises")


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


def require_new(owner: Company, mawb: str, refusing: Refusing) -> None:
    """Check what depends on the company alone: its tracking prefix, and that it does not have the MAWB.

    mawb: empty if it is not known. refusing: a trial checks both. Raises `MawbAlreadyExists`.
    """
    try:
        owner.tracking_prefix_or_refuse()
    except TrackingPrefixMissing as refusal:
        refusing.refuse(refusal)
    if mawb:
        refuse_known(owner, mawb)


def _write(
    parsed: ParsedManifest, posting: Posting, codes: Sequence[tuple[str, str]], files: Sequence[ManifestFile]
) -> Manifest:
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
        guides_by_status=counts,
        status=mawb_status(counts),
        format_version_id=posting.form.reference if posting.form else None,
        entered_by=posting.entered_by,
        **kept(parsed),
    )
    for file in files:
        file.manifest = manifest
    ManifestFile.objects.bulk_create(files)
    write_guides(manifest, zip(parsed.guides, (code for _hawb, code in codes), strict=True))
    if any(row.extra_data for row in parsed.guides):
        learn_from(manifest)
    announce_ingest(manifest)
    # Robust: a metric that fails must not report a committed manifest as refused.
    transaction.on_commit(lambda: _count(manifest), robust=True)
    return manifest


def kept(parsed: ParsedManifest) -> dict[str, Any]:
    """Return the totals, findings and column mapping of a manifest, by the columns of `Manifest`."""
    guides = parsed.guides
    return {
        "total_guides": len(guides),
        "total_weight_kg": _sum(row.weight_kg for row in guides),
        "total_pieces": sum(row.packages_count for row in guides),
        "total_fob_usd": _sum(row.fob_usd for row in guides),
        "rut_invalid_count": parsed.rut_invalid_count,
        "warnings": [stored(warning) for warning in parsed.warnings],
        "notices": [stored(notice) for notice in parsed.notices],
        "warnings_count": parsed.warnings_count,
        "notices_count": parsed.notices_count,
        **_understood(parsed),
    }


def _understood(parsed: ParsedManifest) -> dict[str, Any]:
    """Return how a workbook was read, in the API's form; empty for a JSON manifest."""
    if parsed.rows is None:
        return {}
    account = asdict(parsed.rows)
    left_out_rows = account.pop("named")
    return {
        "columns": [
            {name: value for name, value in asdict(column).items() if value or name not in _LEFT_OUT_IF_EMPTY}
            for column in parsed.columns
        ],
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
