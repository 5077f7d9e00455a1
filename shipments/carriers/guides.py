"""Whose guide an event speaks of. It is never guessed: no guide or several, and the event is parked.

What a client writes is a claim. What a carrier sends beside HAWB and MAWB or a tracking code is knowledge, and so is
what an operator says: knowledge binds the carrier's number to the guide. From top to bottom:

| the event names                           | it speaks of                                    | its number         |
|-------------------------------------------|-------------------------------------------------|--------------------|
| a tracking code, or HAWB and MAWB         | the guide that has it, or nobody's              | is bound, if open  |
| a number, not after the end of a guide    | that guide: this is its history                 |                    |
| ... that it was bound to                  |                                                 |                    |
| a number that is bound to an open guide   | that guide                                      |                    |
| a number that one open guide claims       | this guide                                      | is bound           |
| a HAWB that one open guide has            | this guide                                      |                    |

A HAWB or a MAWB alone beside a number must be the guide's own. A guide whose end is not before the event counts beside
an open one, for the event may be its history. Guides outside the carrier's countries, and of voided manifests, are not
found. Nothing here is ever told to a client: it would tell one of another's parcels.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from shipments.manifests.waybills import carrier_number
from shipments.models import Carrier, CarrierClaim, CarrierEvent, CarrierNumber, Guide, GuideEvent, Manifest
from shipments.models.carriers import AMBIGUOUS, GIVEN_UP, MAWB_ONLY, NO_GUIDE
from shipments.statuses import FINAL, GuideStatus
from shipments.tracking.advancing import retry

_CLAIMED_IN_A_MANIFEST = 2
"""Claims to one number that a manifest makes: with the second the number tells nothing, and more would add nothing."""
_AT_ONCE = 1_000


class GuideKey(NamedTuple):
    id: int
    manifest_id: UUID


class Candidate(NamedTuple):
    """A guide that an event may speak of.

    ended_at, end_known_at: when its last event happened and was recorded; None while it is open. is_found: it is in the
    carrier's countries, and its manifest not voided.
    """

    id: int
    manifest_id: UUID
    company_id: int
    tracking_code: str
    hawb: str
    mawb: str
    status: str
    is_found: bool
    ended_at: datetime | None = None
    end_known_at: datetime | None = None

    @property
    def is_open(self) -> bool:
        return self.status not in FINAL

    def has_history(self, at: datetime) -> bool:
        """Return whether the guide is at its end, and what happened at a time may have happened to it before."""
        return not self.is_open and self.ended_at is not None and at <= self.ended_at

    def is_possible(self, at: datetime) -> bool:
        """Return whether an event of a time may be about it. A cancelled guide never travelled: its client says so."""
        return self.is_open or (self.status != GuideStatus.CANCELLED and self.has_history(at))

    def agrees(self, event: CarrierEvent) -> bool:
        return event.hawb in {"", self.hawb} and event.mawb in {"", self.mawb}


class Decision(NamedTuple):
    """guides: those that the event may speak of. reason: why it is parked; empty if it speaks of the only one.

    binds: the event's number is bound to it, because only one guide claims it.
    """

    guides: Sequence[Candidate]
    reason: str = ""
    binds: bool = False


def decide(event: CarrierEvent, known: "Known") -> Decision:
    """Decide whose an event is, by the table above."""
    at = event.occurred_at or timezone.now()
    if event.tracking_code or (event.hawb and event.mawb):
        named = known.find_named(event)
        return Decision(named, "" if len(named) == 1 else AMBIGUOUS if named else NO_GUIDE)
    by_hawb = [guide for guide in known.by_hawb.get(event.hawb, []) if guide.is_possible(at)]
    if owner := known.owner(event.number, at):
        return Decision([owner]) if owner.agrees(event) else Decision([owner, *by_hawb], AMBIGUOUS)
    claiming = [guide for guide in known.claiming(event.number) if guide.is_possible(at)]
    guides = list(dict.fromkeys([*claiming, *by_hawb]))
    if not any(guide.is_open for guide in guides):
        lacking = GIVEN_UP if known.is_given_up(event.number) else NO_GUIDE
        return Decision(guides, MAWB_ONLY if event.mawb and not event.number else lacking)
    refuting = known.refuting(event.number, guides[0])
    if len(guides) > 1 or refuting or not guides[0].agrees(event):
        return Decision([*guides, *refuting], AMBIGUOUS)
    return Decision(guides, binds=bool(claiming))


def find_guides(carrier: Carrier, events: Sequence[CarrierEvent], *, binds: bool = True) -> list[GuideKey | str]:
    """Return the guide of each event, or why there is none. Numbers are bound, unless it is only a preview."""
    verdicts = retry(lambda: _decide_and_bind(carrier, events)) if binds else judge(carrier, events)
    return [verdict.reason or GuideKey(verdict.guides[0].id, verdict.guides[0].manifest_id) for verdict in verdicts]


def judge(carrier: Carrier, events: Sequence[CarrierEvent]) -> list[Decision]:
    """Return what would be decided about the events now. Nothing is written."""
    known = Known(carrier, events)
    numbers = CarrierNumber.objects.filter(carrier=carrier, number__in={event.number for event in events} - {""})
    known.add_numbers({number.number: number for number in numbers})
    return [decide(event, known) for event in events]


def _decide_and_bind(carrier: Carrier, events: Sequence[CarrierEvent]) -> list[Decision]:
    """Decide while the numbers are locked: what the events themselves tell of them first, whatever their order."""
    known = Known(carrier, events)
    told = {}
    for event in events:
        named = known.find_named(event)
        if event.number and len(named) == 1 and named[0].is_open:
            told[event.number] = named[0].id
    numbers = lock_numbers(carrier, {event.number for event in events} - {""}, told)
    bind(numbers, told, is_known=True)
    known.add_numbers(numbers)
    verdicts = [decide(event, known) for event in events]
    pairs = zip(events, verdicts, strict=True)
    bind(numbers, {event.number: verdict.guides[0].id for event, verdict in pairs if verdict.binds}, is_known=False)
    return verdicts


_COLUMNS = (
    "id", "manifest_id", "manifest__company_id", "tracking_code", "hawb", "manifest__mawb", "status",
    "manifest__country", "manifest__voided_at",
)  # fmt: skip


class Known:
    """The guides that some events of a carrier may speak of, and what is known of the carrier's numbers."""

    def __init__(self, carrier: Carrier, events: Sequence[CarrierEvent]) -> None:
        self._countries = carrier.countries
        self._guides: dict[int, Candidate] = {}
        self._numbers: Mapping[str, CarrierNumber] = {}
        self._claims: dict[int, list[CarrierClaim]] = defaultdict(list)
        self._read(Guide.objects.filter(tracking_code__in={event.tracking_code for event in events} - {""}))
        self._read(Guide.objects.filter(hawb__in={event.hawb for event in events} - {""}))
        self._by_code = {guide.tracking_code: guide for guide in self._guides.values() if guide.is_found}
        self.by_hawb: dict[str, list[Candidate]] = defaultdict(list)
        for guide in self._by_code.values():
            self.by_hawb[guide.hawb].append(guide)

    def add_numbers(self, numbers: Mapping[str, CarrierNumber]) -> None:
        """Add what is known of numbers: to whom each is bound, and who claims it."""
        self._numbers = numbers
        concerned = {number.guide_id for number in numbers.values() if number.guide_id}
        for claim in CarrierClaim.objects.filter(number__in=[number.pk for number in numbers.values()]).order_by("id"):
            self._claims[claim.number_id].append(claim)
            concerned.add(claim.guide_id)
        self._read(Guide.objects.filter(pk__in=concerned - self._guides.keys()))

    def find_named(self, event: CarrierEvent) -> Sequence[Candidate]:
        """Return the guide with the event's tracking code, else those with its HAWB and MAWB."""
        if guide := self._by_code.get(event.tracking_code):
            return [guide]
        return [guide for guide in self.by_hawb.get(event.hawb, []) if guide.mawb == event.mawb]

    def owner(self, number: str, at: datetime) -> Candidate | None:
        """Return the guide that a number is bound to, or was at a time that is not after its end.

        Not one that its client has cancelled, if only a claim had bound the number and others claim it, too.
        """
        row = self._numbers.get(number)
        if row is None:
            return None
        claims = self._claims[row.pk]
        holders = [self._guides[claim.guide_id] for claim in claims if claim.was_bound]
        bound = self._guides.get(row.guide_id or 0)
        if bound and (row.is_known or bound.status != GuideStatus.CANCELLED or len(claims) <= 1):
            holders.append(bound)
        former = [guide for guide in holders if guide.is_found and guide.has_history(at)]
        if former:
            return min(former, key=lambda guide: guide.ended_at or at)
        return bound if bound and bound.is_found and bound.is_open else None

    def is_given_up(self, number: str) -> bool:
        """Return whether a number was bound to a guide; called where that guide is at its end or not found."""
        return number in self._numbers and self._numbers[number].guide_id is not None

    def claiming(self, number: str) -> Sequence[Candidate]:
        """Return the guides that claim a number, open or not."""
        if number not in self._numbers:
            return []
        guides = (self._guides[claim.guide_id] for claim in self._claims[self._numbers[number].pk])
        return [guide for guide in guides if guide.is_found]

    def refuting(self, number: str, guide: Candidate) -> Sequence[Candidate]:
        """Return the guide of another client, if one was known to have the number when this guide claimed it."""
        row = self._numbers.get(number)
        bound = self._guides.get(row.guide_id or 0) if row and row.is_known else None
        if row is None or bound is None or bound.company_id == guide.company_id:
            return []
        made = [claim.created_at for claim in self._claims[row.pk] if claim.guide_id == guide.id]
        return [bound] if any(bound.end_known_at is None or at <= bound.end_known_at for at in made) else []

    def _read(self, guides: QuerySet[Guide]) -> None:
        rows = list(guides.order_by().values_list(*_COLUMNS))
        final = [key for key, *_names, status, _country, _voided_at in rows if status in FINAL]
        last = GuideEvent.objects.filter(guide__in=final, sequence=F("guide__sequence")).order_by()
        ends = {key: ended for key, *ended in last.values_list("guide_id", "occurred_at", "recorded_at")}
        for key, *names, country, voided_at in rows:
            ended_at, end_known_at = ends.get(key, (None, None))
            is_found = country in self._countries and voided_at is None
            self._guides[key] = Candidate._make([key, *names, is_found, ended_at, end_known_at])


# --- carriers' own numbers: who claims one, and to which guide it is bound -----------------------------------------


def number_keys(country: str) -> list[str]:
    """Return the keys of `extra_data` under which clients send the numbers of the active carriers of a country."""
    return list(dict.fromkeys(carrier.number_key for carrier in _find_keyed_carriers(country)))


def record_claims(manifest: Manifest) -> None:
    """Record which numbers the guides of a new manifest claim, for the active carriers of its country."""
    for carrier in _find_keyed_carriers(manifest.country):
        guides = manifest.guides.filter(extra_data__has_key=carrier.number_key).order_by("pk")
        by_number: dict[str, list[int]] = defaultdict(list)
        for key, extra in guides.values_list("pk", "extra_data"):
            if number := carrier_number(extra, carrier.number_key):
                by_number[number].append(key)
        numbers = sorted(by_number)  # in one order, so that two manifests do not wait for each other
        for some in (numbers[start : start + _AT_ONCE] for start in range(0, len(numbers), _AT_ONCE)):
            rows = _get_or_create(carrier, some)
            CarrierClaim.objects.bulk_create(
                CarrierClaim(number=rows[number], guide_id=key, company_id=manifest.company_id)
                for number in some
                for key in by_number[number][:_CLAIMED_IN_A_MANIFEST]
            )


def _find_keyed_carriers(country: str) -> list[Carrier]:
    keyed = Carrier.objects.filter(is_active=True).exclude(number_key="").order_by("pk")
    return [carrier for carrier in keyed if country in carrier.countries]


def bind_by_hand(carrier: Carrier, number: str, guide: Guide) -> None:
    """Bind a number to the guide that an operator names, whatever it was bound to. One at its end stays as it is."""
    if guide.status not in FINAL:
        with transaction.atomic():
            bind(lock_numbers(carrier, {number}, {number}), {number: guide.pk}, is_known=True)


def lock_numbers(carrier: Carrier, numbers: Collection[str], created: Collection[str]) -> Mapping[str, CarrierNumber]:
    """Lock those of `numbers` that there are, and return them; those in `created` are created. In a transaction.

    The order is always the same. A claim may be added meanwhile, as if it came a moment later.
    """
    _get_or_create(carrier, created)
    rows = CarrierNumber.objects.filter(carrier=carrier, number__in=numbers).order_by("number")
    return {row.number: row for row in rows.select_for_update(no_key=True)}


def bind(numbers: Mapping[str, CarrierNumber], guides: Mapping[str, int], *, is_known: bool) -> None:
    """Bind locked numbers to guides, by id. The former guide keeps its history if it has ended, and else nothing.

    One that was cancelled has no history, unless the carrier itself said that it had the number.
    """
    new = {numbers[number]: key for number, key in guides.items()}
    new = {row: key for row, key in new.items() if row.guide_id != key or (is_known and not row.is_known)}
    former = {row.guide_id for row, key in new.items() if row.guide_id and row.guide_id != key}
    ended = Guide.objects.filter(pk__in=former, status__in=FINAL, manifest__voided_at=None).order_by()
    companies = dict(ended.values_list("pk", "manifest__company_id"))
    cancelled = set(ended.filter(status=GuideStatus.CANCELLED).values_list("pk", flat=True)) if companies else set()
    CarrierClaim.objects.bulk_create(
        [
            CarrierClaim(number=row, guide_id=row.guide_id, company_id=companies[row.guide_id], was_bound=True)
            for row, key in new.items()
            if row.guide_id != key and row.guide_id in companies and (row.is_known or row.guide_id not in cancelled)
        ],
        update_conflicts=True,
        unique_fields=["number", "guide"],
        update_fields=["was_bound"],
    )
    for row, key in new.items():
        row.guide_id, row.is_known, row.bound_at = key, is_known, timezone.now()
    CarrierNumber.objects.bulk_update(new, ["guide", "is_known", "bound_at"], batch_size=500)


def _get_or_create(carrier: Carrier, numbers: Collection[str]) -> Mapping[str, CarrierNumber]:
    """Return the rows of all of `numbers`. Missing ones are created, in one order, so that nobody deadlocks."""
    rows = CarrierNumber.objects.filter(carrier=carrier, number__in=numbers)
    if missing := sorted(set(numbers) - set(rows.values_list("number", flat=True))):
        new = [CarrierNumber(carrier=carrier, number=number) for number in missing]
        CarrierNumber.objects.bulk_create(new, ignore_conflicts=True)
    return {row.number: row for row in rows.all()}
