"""Opening a batch, scanning into it, receiving a bag as a whole, closing. Locks: the batch, manifests, guides.

Scans and closing lock the batch's row, so no scan slips past a close.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID, uuid4

import structlog
from django.db import transaction
from django.utils import timezone

from base.errors import Translatable, ValidationFailed
from companies.errors import ForbiddenCountry
from companies.scope import Scope
from shipments.errors import BatchNotOpen, CountryMismatch
from shipments.inbound.differences import count_differences, differences_in, expected, missing
from shipments.manifests import waybills
from shipments.models import Guide, InboundBatch, InboundScan, Manifest, ScanOutcome
from shipments.models.inbound import BatchState
from shipments.statuses import GuideStatus, Source
from shipments.tracking.advancing import advance_each, retry
from shipments.tracking.lookup import Found, guides_by_code, in_bag, look_up
from shipments.tracking.moves import Move, ReportedEvent

log = structlog.get_logger(__name__)


MOST_OF_A_BAG = 1_000
_SCANS_AT_ONCE = 200


class Hold(StrEnum):
    """Why a parcel must not leave the warehouse, the gravest first. The values are public."""

    RETENTION = "retention"
    CUSTOMS = "customs"
    ON_HOLD = "on_hold"


@dataclass(slots=True)
class Received:
    """What a scan was. scan: as kept. guide: None where there is none, or it may not be seen.

    first: the outcome of the same scan when it was sent first; empty if it was not. move: what the batch's event did to
    the guide; None if it reports none. hold: why the parcel must not leave, as it was found or as the event left it.
    """

    scan: InboundScan
    guide: Found | None = None
    first: str = ""
    move: Move | None = None
    hold: Hold | None = None


# --- opening ----------------------------------------------------------------------------------------------------


def open_batch(fields: Mapping[str, Any], mawbs: Sequence[str], scope: Scope, *, actor: str) -> InboundBatch:
    """Open a batch for all manifests of `mawbs`, whoever owns them.

    fields: `facility`, `country` (within the scope), `on_scan`, `note`. mawbs: in any spelling.

    Raises `ForbiddenCountry` for a MAWB of countries outside the scope, `ValidationFailed` for an unknown one, and
    `CountryMismatch` for one of another country than the batch's.
    """
    numbers = {sent: waybills.read_sought_mawb(sent) for sent in mawbs}
    named = Manifest.objects.filter(mawb__in=[number for number in numbers.values() if number], voided_at=None)
    found: dict[str | None, list[tuple[UUID, str]]] = {}
    for key, mawb, country in named.order_by("id").values_list("id", "mawb", "country"):
        found.setdefault(mawb, []).append((key, country))
    countries = {sent: {country for _key, country in found.get(number, [])} for sent, number in numbers.items()}
    for own in countries.values():
        if own and not any(scope.covers([country]) for country in own):
            raise ForbiddenCountry(country=min(own))
    if unknown := [sent for sent, own in countries.items() if not own]:
        raise ValidationFailed(
            details={"mawbs": [Translatable("%(mawb)s is not known.", mawb=sent) for sent in unknown]}
        )
    others = [
        {"id": sent, "country": min(country for country in own if scope.covers([country]))}
        for sent, own in countries.items()
        if fields["country"] not in own
    ]
    if others:
        raise CountryMismatch(mismatched=others)
    with transaction.atomic():
        batch = InboundBatch.objects.create(**fields, opened_by=actor)
        own_manifests = [key for rows in found.values() for key, country in rows if country == fields["country"]]
        batch.manifests.set(Manifest.objects.filter(pk__in=own_manifests))
    log.info("inbound_batch_opened", batch=batch.pk, mawbs=len(numbers), actor=actor)
    return batch


# --- scanning ---------------------------------------------------------------------------------------------------


def receive(batch_id: int, scans: Sequence[Mapping[str, Any]], scope: Scope, *, actor: str) -> list[Received]:
    """Record scans, in one transaction, and return what each was, in their order.

    scans: `scan_id`, `code`, `scanned_at`, and as far as they are known `packages`, `is_damaged` and `note`.

    Raises `BatchNotOpen`, or Django's `OperationalError` if a lock is not free in time; nothing is recorded then.
    """
    return retry(lambda: _receive(batch_id, scans, scope, actor))


def _receive(batch_id: int, scans: Sequence[Mapping[str, Any]], scope: Scope, actor: str) -> list[Received]:
    batch = InboundBatch.objects.select_for_update(no_key=True).get(pk=batch_id)
    if not batch.is_open:
        raise BatchNotOpen
    known = _find_known(batch, [scan["scan_id"] for scan in scans], scope)
    codes = _Codes(batch, {scan["code"] for scan in scans}, scope)
    received: list[Received] = []
    for sent in scans:
        scan = InboundScan(batch=batch, actor=actor, **sent)
        if scan.scan_id in known:
            first, guide = known[scan.scan_id]
            received.append(Received(scan, guide, first=first))
            continue
        guide, scan.outcome = codes.judge(scan.code)
        if codes.names_anonymised(scan.code):
            scan.note = ""  # it may name the anonymised person
        scan.guide_id = guide.id if guide else None
        known[scan.scan_id] = scan.outcome, guide
        received.append(Received(scan, guide))
    InboundScan.objects.bulk_create(each.scan for each in received if not each.first)
    guides = {each.guide.id for each in received if each.guide}
    before = holds_of(guides)
    if batch.on_scan:
        for each in received:
            if each.guide and each.scan.outcome == ScanOutcome.MATCHED and each.guide.id in codes.first_matches:
                reported = ReportedEvent(GuideStatus(batch.on_scan), Source.COURIER_SCAN, each.scan.scanned_at)
                each.move = Move(each.guide.id, each.guide.manifest_id, reported)
        advance_each([each.move for each in received if each.move], actor=actor)
    after = holds_of(guides) if batch.on_scan else before
    for each in received:
        if each.guide:  # as it was found, too: the batch's own event releases nothing
            found = before.get(each.guide.id), after.get(each.guide.id)
            each.hold = next((hold for hold in Hold if hold in found), None)
    return received


def _find_known(batch: InboundBatch, scan_ids: Sequence[UUID], scope: Scope) -> dict[UUID, tuple[str, Found | None]]:
    """Return what the batch has of these scans: scan_id -> outcome, and the guide unless it lies outside the scope."""
    rows = list(batch.scans.filter(scan_id__in=scan_ids).values_list("scan_id", "outcome", "guide_id"))
    guides = {
        guide.id: guide
        for guide in look_up(Guide.objects.filter(pk__in={key for _scan, _outcome, key in rows if key}))
        if scope.covers([guide.country])
    }
    return {scan_id: (outcome, guides.get(key)) for scan_id, outcome, key in rows}


class _Codes:
    """What scanned codes mean: a tracking code, else a HAWB among the expected, else a HAWB in the country.

    first_matches: the ids of the guides that no other batch has matched.
    """

    def __init__(self, batch: InboundBatch, codes: Collection[str], scope: Scope) -> None:
        self._scope = scope
        self._expected = set(batch.manifests.values_list("pk", flat=True))
        wanted = {code.strip().upper() for code in codes}
        standing = Guide.objects.filter(manifest__voided_at=None)
        self._guides: dict[str, Sequence[Found]] = {
            code: [guide] for code, guide in guides_by_code(standing, wanted).items()
        }
        rest = wanted - self._guides.keys()
        in_country = standing.filter(hawb__in=rest, manifest__country=batch.country) if rest else Guide.objects.none()
        by_hawb: dict[str, list[Found]] = defaultdict(list)
        for guide in look_up(in_country):
            by_hawb[guide.hawb].append(guide)
        for hawb, found in by_hawb.items():
            self._guides[hawb] = [guide for guide in found if guide.manifest_id in self._expected] or found
        ids = {guide.id for found in self._guides.values() for guide in found}
        matched = InboundScan.objects.filter(guide__in=ids, outcome=ScanOutcome.MATCHED)
        self._matched = set(matched.filter(batch=batch).values_list("guide", flat=True))
        self.first_matches = ids - set(matched.exclude(batch=batch).values_list("guide", flat=True))
        gone = Guide.objects.exclude(anonymised_at=None)  # of voided manifests and of other countries too
        self._anonymised: set[str] = set()
        for column in ("tracking_code", "hawb"):
            self._anonymised.update(gone.filter(**{f"{column}__in": wanted}).values_list(column, flat=True))

    def names_guide(self, code: str) -> bool:
        return bool(self._guides.get(code.strip().upper()))

    def names_anonymised(self, code: str) -> bool:
        return code.strip().upper() in self._anonymised

    def judge(self, code: str) -> tuple[Found | None, ScanOutcome]:
        """Return the guide of a scanned code, if there is one, and what the scan was; a match counts from then on."""
        found = self._guides.get(code.strip().upper(), ())
        if not found:
            return None, ScanOutcome.SURPLUS
        if len(found) > 1:
            return None, ScanOutcome.AMBIGUOUS
        guide = found[0]
        if not self._scope.covers([guide.country]):
            return None, ScanOutcome.FORBIDDEN_COUNTRY
        if guide.manifest_id not in self._expected:
            return guide, ScanOutcome.ELSEWHERE
        if guide.id in self._matched:
            return guide, ScanOutcome.MORE_PACKAGES
        self._matched.add(guide.id)
        return guide, ScanOutcome.MATCHED


def find_bags(batch: InboundBatch, codes: Collection[str], scope: Scope) -> set[str]:
    """Return those of scanned codes that name a bag in the batch's country, and no parcel."""
    known = _Codes(batch, codes, scope)
    rest = {code for code in codes if not known.names_guide(code)}
    standing = Guide.objects.filter(manifest__voided_at=None, manifest__country=batch.country)
    return {code for code in rest if code.strip() and standing.filter(in_bag(code.strip())).exists()}


# --- holds -----------------------------------------------------------------------------------------------------


def hold_of(status: str, *, is_retained: bool) -> Hold | None:
    """Return why a guide is held, or None. A retention comes first, then customs, then the status `on_hold`."""
    if is_retained:
        return Hold.RETENTION
    if status.startswith("customs_") and status != GuideStatus.CUSTOMS_RELEASED:
        return Hold.CUSTOMS
    return Hold.ON_HOLD if status == GuideStatus.ON_HOLD else None


def holds_of(guides: Collection[int]) -> Mapping[int, Hold | None]:
    rows = Guide.objects.filter(pk__in=guides).values_list("pk", "status", "retention_required")
    return {key: hold_of(status, is_retained=is_retained) for key, status, is_retained in rows}


# --- bags ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bag:
    """A bag's parcels among the expected of a batch. missing: the ids of those that no batch has matched and that are
    not final. received: what the scans were that received them.
    """

    guides: Sequence[Guide]
    missing: frozenset[int]
    received: Sequence[Received] = ()


def open_bag(batch: InboundBatch, code: str, scope: Scope) -> Bag:
    """Return the parcels of a bag, by its code as it was sent or in capitals.

    Raises `BatchNotOpen`, and `ValidationFailed` where the code is a parcel's or no bag's, the bag is of another MAWB,
    or it has more than `MOST_OF_A_BAG` parcels.
    """
    if not batch.is_open:
        raise BatchNotOpen
    bag = _read_bag(batch, code)
    others: Sequence[str] = ()
    if not bag.guides:
        named = Guide.objects.filter(in_bag(code.strip()), manifest__voided_at=None, manifest__country=batch.country)
        others = list(named.order_by("manifest__mawb").values_list("manifest__mawb", flat=True).distinct()[:5])
    problem = None
    if _Codes(batch, {code}, scope).names_guide(code):
        problem = Translatable("%(bag)s is the code of a parcel: send it as a scan.", bag=code)
    elif not bag.guides and not others:
        problem = Translatable("No bag has the code %(bag)s.", bag=code)
    elif not bag.guides:
        problem = Translatable("Bag %(bag)s is of another MAWB: %(mawbs)s.", bag=code, mawbs=", ".join(others))
    elif len(bag.guides) > MOST_OF_A_BAG:
        problem = Translatable("Bag %(bag)s has more than %(most)s parcels: scan them.", bag=code, most=MOST_OF_A_BAG)
    if problem:
        raise ValidationFailed(details={"bag": [problem]})
    return bag


def receive_bag(batch: InboundBatch, code: str, scope: Scope, *, actor: str) -> Bag:
    """Receive a bag's missing parcels with all their packages, and return it as it is then. Repeating it is safe.

    Raises as `open_bag` does.
    """
    bag, received = open_bag(batch, code, scope), []
    lacking = [guide for guide in bag.guides if guide.pk in bag.missing]
    for start in range(0, len(lacking), _SCANS_AT_ONCE):
        scans = [
            {
                "scan_id": uuid4(),
                "code": guide.tracking_code,
                "scanned_at": timezone.now(),
                "packages": guide.packages_count,
            }
            for guide in lacking[start : start + _SCANS_AT_ONCE]
        ]
        received += receive(batch.pk, scans, scope, actor=actor)
    return _read_bag(batch, code, received)


def _read_bag(batch: InboundBatch, code: str, received: Sequence[Received] = ()) -> Bag:
    own = expected(batch).filter(in_bag(code.strip()), manifest__voided_at=None).select_related("manifest")
    guides = list(own.order_by("manifest_id", "id")[: MOST_OF_A_BAG + 1])
    lacking = missing(batch).filter(pk__in=[guide.pk for guide in guides])
    return Bag(guides, frozenset(lacking.values_list("pk", flat=True)), received)


# --- closing ----------------------------------------------------------------------------------------------------


def close(batch_id: int, *, actor: str) -> InboundBatch:
    """Close a batch, with its counts of this moment; one that is closed stays as it is. Returns it."""
    with transaction.atomic():
        batch = InboundBatch.objects.select_for_update(no_key=True).get(pk=batch_id)
        if batch.is_open:
            batch.counts = count_differences(batch)
            batch.differences = differences_in(batch.counts)
            batch.state, batch.closed_by, batch.closed_at = BatchState.CLOSED, actor, timezone.now()
            batch.save(update_fields=["counts", "differences", "state", "closed_by", "closed_at"])
            log.info("inbound_batch_closed", batch=batch.pk, differences=batch.differences, actor=actor)
    return batch
