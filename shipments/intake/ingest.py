"""Writing a parsed manifest and its first events in one transaction. Only `ingest` and `tracking` write guides.

Guides must be written fast. PostgreSQL uses COPY: for 5,000 guides the ORM's bulk insert took eight times as long, most
of it spent preparing the values of each row again. Other databases use the ORM with the same values. On both, one
statement derives the first events from the guides.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from itertools import islice, starmap
from json.encoder import encode_basestring_ascii as _quoted
from operator import attrgetter
from typing import Any, NamedTuple

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
from shipments.layouts.reading import add_figures
from shipments.manifests.consignee_words import SEARCHED_FIELDS, consignee_words
from shipments.manifests.findings import MAX_REPORTED, REFUSING, Refusing
from shipments.manifests.flights import arrival_day
from shipments.manifests.guide_fields import GUIDE_FIELDS, WORDS_COLUMN
from shipments.manifests.manifest import FlightFields, GuideRow, Notice, ParsedManifest, Product, Reason
from shipments.models import Channel, Flight, Guide, GuideEvent, Layout, Manifest, ManifestFile
from shipments.models.manifests import violates
from shipments.statuses import GuideStatus, Source
from shipments.tracking import tracking_codes
from shipments.tracking.announcements import announce_ingest
from shipments.tracking.changes import FIRST
from shipments.tracking.moves import Outcome, ReportedEvent
from shipments.wording.stored import to_entry

_ATTEMPTS = 3
_LEFT_OUT_IF_EMPTY = {"unit", "currency", "decimals"}
_NO_FILES: AbstractContextManager[Sequence[ManifestFile]] = nullcontext(())
SANDBOX_GUIDES = 2_000
"""The most guides of a manifest in a sandbox."""

BATCH_ROWS = 1_000
"""The number of guides written by one ORM statement: 50,000 model instances at once would need too much memory."""

_FROM_ROW = tuple(field.name for field in GUIDE_FIELDS if field.name not in {"products", "extra_data"})
_OF_GUIDE = (
    "tracking_code", *_FROM_ROW, "needs_review", "retention_required", "retention_reason", WORDS_COLUMN,
)  # fmt: skip
_JSON = ("products", "extra_data", "review_reasons")
_OF_MANIFEST = ("manifest_id", "company_id", "status", "created_at", "updated_at", "sequence")
_COLUMNS = (*_OF_GUIDE, *_JSON, *_OF_MANIFEST)
_read_from = attrgetter(*_FROM_ROW)
_read_searched = attrgetter(*SEARCHED_FIELDS)

_FIRST_EVENTS = """
    INSERT INTO {events} (guide_id, status, occurred_at, recorded_at, source, internal_note, actor, sequence)
    SELECT id, status, created_at, created_at, %s, '', '', sequence FROM {guides} WHERE manifest_id = %s ORDER BY id
"""


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


class Registrations(NamedTuple):
    """How guides were registered elsewhere before. by_code: tracking code -> event; without a time if it is unknown."""

    by_code: Mapping[str, ReportedEvent]
    actor: str


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
        guides_by_status={GuideStatus.REGISTERED.value: len(parsed.guides)},
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

    def count() -> None:
        GUIDES_CREATED.labels(manifest.channel, manifest.country).inc(manifest.total_guides)
        EVENTS_RECORDED.labels(Source.PRE_ALERT.value, Outcome.ADVANCED.value).inc(manifest.total_guides)

    # Robust: a metric that fails must not report a committed manifest as refused.
    transaction.on_commit(count, robust=True)
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
        "warnings": [to_entry(warning) for warning in parsed.warnings],
        "notices": [to_entry(notice) for notice in parsed.notices],
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


# --- guides ----------------------------------------------------------------------------------------------------------


def write_guides(
    manifest: Manifest, rows: Iterable[tuple[GuideRow, str]], registrations: Registrations | None = None
) -> None:
    """Write each (row, tracking code) as a guide of `manifest`, with its `registered` event, all at its time.

    registrations: of guides that were registered elsewhere before. Must run in the caller's transaction. Raises
    `IntegrityError` if a HAWB or a tracking code already exists.
    """
    now = manifest.created_at
    values = (_values(row, code) for row, code in rows)
    of_manifest = (manifest.pk, manifest.company_id, GuideStatus.REGISTERED.value, now, now, FIRST)
    if connection.vendor == "postgresql":
        _copy(values, of_manifest)
    else:
        while Guide.objects.bulk_create(_guide(each, of_manifest) for each in islice(values, BATCH_ROWS)):
            pass
    if registrations:
        guides = manifest.guides.order_by("pk").values_list("pk", "tracking_code")
        GuideEvent.objects.bulk_create(
            (
                GuideEvent(
                    guide_id=pk, status=GuideStatus.REGISTERED.value, occurred_at=reported.occurred_at or now,
                    recorded_at=now, source=reported.source, client_note=reported.client_note,
                    actor=registrations.actor, sequence=FIRST,
                )
                for pk, code in guides
                for reported in [registrations.by_code[code]]
            ),
            batch_size=BATCH_ROWS,
        )  # fmt: skip
        return
    manifest_id = Manifest._meta.pk.get_db_prep_value(manifest.pk, connection)
    with connection.cursor() as cursor:
        tables = {"events": GuideEvent._meta.db_table, "guides": Guide._meta.db_table}
        cursor.execute(_FIRST_EVENTS.format(**tables), [Source.PRE_ALERT.value, manifest_id])


def _copy(values: Iterator[tuple[object, ...]], of_manifest: tuple[object, ...]) -> None:
    statement = f"COPY {Guide._meta.db_table} ({', '.join(_COLUMNS)}) FROM STDIN"
    # As text, which is what COPY takes: the driver would convert the same UUID and time again for each row.
    constants = tuple(map(str, of_manifest))
    # Django's cursor passes copy() through without wrapping the driver's errors.
    with connection.wrap_database_errors, connection.cursor() as cursor, cursor.copy(statement) as copy:
        for each in values:
            copy.write_row(each + constants)


def _guide(values: tuple[Any, ...], of_manifest: tuple[object, ...]) -> Guide:
    decoded = map(json.loads, values[len(_OF_GUIDE) :])
    return Guide(**dict(zip(_COLUMNS, (*values[: len(_OF_GUIDE)], *decoded, *of_manifest), strict=True)))


def _values(row: GuideRow, tracking_code: str) -> tuple[object, ...]:
    """Return the values of `_OF_GUIDE`, then those of `_JSON` as text."""
    reasons, products, extra_data = row.review_reasons, row.products, row.extra_data
    return (
        tracking_code, *_read_from(row), bool(reasons), bool(row.retention_reason), row.retention_reason,
        consignee_words(dict(zip(SEARCHED_FIELDS, _read_searched(row), strict=True))),
        f"[{', '.join(map(Product.to_json, products))}]" if products else "[]",
        f"{{{', '.join(starmap(_member, extra_data.items()))}}}" if extra_data else "{}",
        json.dumps(reasons) if reasons else "[]",
    )  # fmt: skip


def _member(key: str, value: object) -> str:
    """Return a member of an object as JSON. An encoder of whole objects is made anew for each, which takes longer."""
    return f"{_quoted(key)}: {_quoted(value) if type(value) is str else json.dumps(value)}"
