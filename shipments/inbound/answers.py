"""The operators' API's responses about inbound batches."""

from collections.abc import Sequence
from typing import Annotated, Literal, NotRequired, TypedDict

from base.db.moments import iso_text
from base.http.json_types import Count, Keywords, Moment, PositiveCount, Uuid, known_words
from companies.scope import Scope
from shipments.inbound import differences
from shipments.inbound.receiving import Bag, Hold, Received, hold_of
from shipments.models import BatchState, Guide, InboundBatch, InboundScan, ScanOutcome
from shipments.statuses import GuideStatus
from shipments.v1.answers import in_order
from webhooks.v1.answers import NextCursor

MOST_LISTED = 1_000
REPEATED = "repeated"


class BatchCounts(TypedDict):
    """The counts of a batch; of a closed one, those of its end."""

    expected: Annotated[Count, "The guides of its MAWBs."]
    matched: Annotated[Count, "Those scanned in this batch."]
    missing: Annotated[Count, "Those that no batch has matched and that are not final."]
    surplus: Annotated[Count, "Scans of what nobody announced."]
    elsewhere: Annotated[Count, "Scans of guides of other MAWBs."]
    damaged: Annotated[Count, "Scans that say so."]
    packages_short: Annotated[Count, "Guides with fewer packages than announced."]
    packages_over: Annotated[Count, "Guides with more."]


class BatchSummary(TypedDict):
    """An inbound batch."""

    id: Annotated[str, Keywords(pattern="^ib_[0-9]+$")]
    state: Annotated[str, Keywords(enum=[*BatchState.values])]
    facility: str
    country: str
    mawbs: list[str]
    on_scan: Annotated[str | None, "The status that a guide's first match reports."]
    note: str
    opened_by: str
    created_at: Annotated[Moment, "UTC."]
    closed_by: str | None
    closed_at: Annotated[Moment | None, "UTC."]
    counts: BatchCounts


class MissingGuide(TypedDict):
    """A guide that was announced and has not arrived."""

    tracking_code: str
    hawb: str
    mawb: str
    status: Annotated[str, known_words(GuideStatus)]


class SurplusScan(TypedDict):
    """A scan of what was not expected. `mawb`: of a guide of another MAWB."""

    scan_id: Uuid
    code: str
    scanned_at: Moment
    mawb: NotRequired[str]


class PackagesDiffer(TypedDict):
    """A guide whose packages differ from those announced; scanned in all batches."""

    tracking_code: str
    expected: PositiveCount
    scanned: PositiveCount


class BatchAnswer(BatchSummary):
    """A batch with its differences, as things stand. Each list has at most 1,000; the counts are whole."""

    success: Literal[True]
    missing: list[MissingGuide]
    surplus: list[SurplusScan]
    packages_short: list[PackagesDiffer]
    packages_over: list[PackagesDiffer]


class BatchList(TypedDict):
    """A page of batches, newest first."""

    inbound_batches: list[BatchSummary]
    next_cursor: NextCursor


class ScanResult(TypedDict):
    """What a scan was."""

    scan_id: Uuid
    outcome: Annotated[str, Keywords(enum=[*ScanOutcome.values, REPEATED])]
    hold: Annotated[
        str | None,
        Keywords(enum=[*Hold, None]),
        "Why the parcel must not leave: a retention, else customs has not released it, else `on_hold`.",
    ]
    first_outcome: NotRequired[Annotated[str, "With `repeated`: what it was when it was sent first."]]
    tracking_code: NotRequired[str]
    hawb: NotRequired[str]
    mawb: NotRequired[str]
    event: NotRequired[Annotated[str, "What the batch's status did to the guide, as in a bulk move."]]
    error: NotRequired[Annotated[str, "With a refused event: why. The parcel is still matched."]]
    message: NotRequired[str]


class ScanResults(TypedDict):
    """A result for each scan, in the order sent."""

    success: Literal[True]
    results: list[ScanResult]


class BagParcel(TypedDict):
    """A parcel of a bag."""

    tracking_code: str
    hawb: str
    mawb: str
    status: Annotated[str, known_words(GuideStatus)]
    packages: Annotated[PositiveCount, "As announced."]
    is_received: Annotated[bool, "Whether this call, or a scan of any batch, has received it."]
    hold: Annotated[str | None, Keywords(enum=[*Hold, None]), "As of a scan."]


class BagAnswer(TypedDict):
    """A bag's parcels among those that the batch expects."""

    success: Literal[True]
    bag: str
    dry_run: bool
    received: Annotated[Count, "How many this call received."]
    parcels: list[BagParcel]
    missing: Annotated[list[MissingGuide], "Those that have not been received and are not final."]


class ScanRecord(TypedDict):
    """A scan as it was kept."""

    scan_id: Uuid
    code: str
    outcome: Annotated[str, Keywords(enum=[*ScanOutcome.values])]
    tracking_code: str | None
    packages: PositiveCount
    is_damaged: bool
    note: str
    scanned_at: Moment
    actor: str


class ScanList(TypedDict):
    """A page of scans, in the order of scanning."""

    scans: list[ScanRecord]
    next_cursor: NextCursor


def batch_summary(batch: InboundBatch) -> BatchSummary:
    return {
        "id": batch.public_id,
        "state": batch.state,
        "facility": batch.facility,
        "country": batch.country,
        "mawbs": sorted({manifest.mawb for manifest in batch.manifests.all()}),
        "on_scan": batch.on_scan,
        "note": batch.note,
        "opened_by": batch.opened_by,
        "created_at": iso_text(batch.created_at),
        "closed_by": batch.closed_by or None,
        "closed_at": iso_text(batch.closed_at) if batch.closed_at else None,
        "counts": in_order(BatchCounts, differences.counts_of(batch)),
    }


def batch_answer(batch: InboundBatch, scope: Scope) -> BatchAnswer:
    """Return a batch with its differences. scope: of the operator, who is told of no guide outside it."""
    lacking = differences.missing(batch).select_related("manifest")[:MOST_LISTED]
    return {
        "success": True,
        **batch_summary(batch),
        "missing": [
            _missing_guide(guide) for guide in lacking.only("tracking_code", "hawb", "status", "manifest__mawb")
        ],
        "surplus": [_surplus(scan, scope) for scan in differences.surplus(batch)[:MOST_LISTED]],
        "packages_short": [_packages(guide) for guide in differences.short(batch)[:MOST_LISTED]],
        "packages_over": [_packages(guide) for guide in differences.over(batch)[:MOST_LISTED]],
    }


def _missing_guide(guide: Guide) -> MissingGuide:
    return {
        "tracking_code": guide.tracking_code,
        "hawb": guide.hawb,
        "mawb": guide.manifest.mawb,
        "status": guide.status,
    }


def _surplus(scan: InboundScan, scope: Scope) -> SurplusScan:
    shown: SurplusScan = {"scan_id": str(scan.scan_id), "code": scan.code, "scanned_at": iso_text(scan.scanned_at)}
    if guide := differences.get_visible_guide(scan, scope):
        shown["mawb"] = guide.manifest.mawb
    return shown


def _packages(guide: Guide) -> PackagesDiffer:
    scanned: int = guide.scanned  # type: ignore[attr-defined]  # annotated
    return {"tracking_code": guide.tracking_code, "expected": guide.packages_count, "scanned": scanned}


def scan_results(received: Sequence[Received]) -> ScanResults:
    return {"success": True, "results": [_to_scan_result(each) for each in received]}


def _to_scan_result(received: Received) -> ScanResult:
    result: ScanResult = {
        "scan_id": str(received.scan.scan_id),
        "outcome": REPEATED if received.first else received.scan.outcome,
        "hold": received.hold,
    }
    if received.first:
        result["first_outcome"] = received.first
    if guide := received.guide:
        result |= {"tracking_code": guide.tracking_code, "hawb": guide.hawb, "mawb": guide.mawb}
    if move := received.move:
        result["event"] = move.outcome.value
        if move.refusal:
            result |= {"error": move.refusal.code, "message": move.refusal.message}
    return result


def bag_answer(code: str, bag: Bag, *, is_dry: bool) -> BagAnswer:
    arrived = differences.matched_of(guide.pk for guide in bag.guides)
    held = {each.guide.id: each.hold for each in bag.received if each.guide}
    return {
        "success": True,
        "bag": code,
        "dry_run": is_dry,
        "received": len(bag.received),
        "parcels": [
            {
                "tracking_code": guide.tracking_code,
                "hawb": guide.hawb,
                "mawb": guide.manifest.mawb,
                "status": guide.status,
                "packages": guide.packages_count,
                "is_received": guide.pk in arrived,
                "hold": held.get(guide.pk) or hold_of(guide.status, is_retained=guide.retention_required),
            }
            for guide in bag.guides
        ],
        "missing": [_missing_guide(guide) for guide in bag.guides if guide.pk in bag.missing],
    }


def scan_record(scan: InboundScan, scope: Scope) -> ScanRecord:
    """Return a scan as it was kept. scope: of the operator."""
    guide = differences.get_visible_guide(scan, scope)
    return {
        "scan_id": str(scan.scan_id),
        "code": scan.code,
        "outcome": scan.outcome,
        "tracking_code": guide.tracking_code if guide else None,
        "packages": scan.packages,
        "is_damaged": scan.is_damaged,
        "note": scan.note,
        "scanned_at": iso_text(scan.scanned_at),
        "actor": scan.actor,
    }
