"""Whose guide an event speaks of. It is never guessed: no guide or several, and the event is parked."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from django.db.models import QuerySet

from shipments.models import Carrier, CarrierEvent, CarrierNumber, Guide, Manifest
from shipments.models.carriers import NUMBER_LENGTH
from shipments.statuses import FINAL

NO_GUIDE, AMBIGUOUS, MAWB_ONLY = "no_guide", "ambiguous", "mawb_only"


class Found(NamedTuple):
    id: int
    manifest_id: UUID


def find_guides(carrier: Carrier, events: Sequence[CarrierEvent], *, learns: bool = True) -> list[Found | str]:
    """Return the guide of each event, or why there is none. Numbers that come beside another reference are learned.

    In this order: tracking code; the carrier's number; HAWB with MAWB; HAWB alone, if exactly one guide that is not
    final has it. Guides outside the carrier's countries, and of voided manifests, are not found.
    """
    guides = Guide.objects.filter(manifest__country__in=carrier.countries, manifest__voided_at=None).order_by()
    index = _Index(carrier, guides, events)
    found = [index.find(event) for event in events]
    learned = _learn(carrier, events, found, index.numbers) if learns else {}
    for position, event in enumerate(events):
        if isinstance(found[position], str) and event.number in learned:
            found[position] = learned[event.number]
    return found


class _Index:
    """The guides that some events may speak of.

    codes, numbers: by tracking code and by the carrier's number. houses: by MAWB and HAWB. open_hawbs: those that are
    not final, by HAWB.
    """

    def __init__(self, carrier: Carrier, guides: QuerySet[Guide], events: Sequence[CarrierEvent]) -> None:
        codes, numbers, hawbs = (
            {getattr(event, name) for event in events} - {""} for name in ("tracking_code", "number", "hawb")
        )
        by_code = guides.filter(tracking_code__in=codes).values_list("tracking_code", "id", "manifest_id")
        self.codes = {code: Found(guide_id, manifest_id) for code, guide_id, manifest_id in by_code}
        known = CarrierNumber.objects.filter(carrier=carrier, number__in=numbers, guide__in=guides)
        by_number = known.values_list("number", "guide_id", "guide__manifest_id")
        self.numbers = {number: Found(guide_id, manifest_id) for number, guide_id, manifest_id in by_number}
        self.houses: dict[tuple[str, str], list[Found]] = defaultdict(list)
        self.open_hawbs: dict[str, list[Found]] = defaultdict(list)
        columns = ("hawb", "manifest__mawb", "status", "id", "manifest_id")
        for hawb, mawb, status, guide_id, manifest_id in guides.filter(hawb__in=hawbs).values_list(*columns):
            self.houses[mawb, hawb].append(Found(guide_id, manifest_id))
            if status not in FINAL:
                self.open_hawbs[hawb].append(Found(guide_id, manifest_id))

    def find(self, event: CarrierEvent) -> Found | str:
        if found := self.codes.get(event.tracking_code) or self.numbers.get(event.number):
            return found
        if not event.hawb:
            return MAWB_ONLY if event.mawb and not (event.tracking_code or event.number) else NO_GUIDE
        candidates = self.houses.get((event.mawb, event.hawb)) if event.mawb else self.open_hawbs.get(event.hawb)
        if not candidates:
            return NO_GUIDE
        return candidates[0] if len(candidates) == 1 else AMBIGUOUS


def _learn(
    carrier: Carrier, events: Sequence[CarrierEvent], found: Sequence[Found | str], known: Mapping[str, Found]
) -> Mapping[str, Found]:
    """Store the numbers that came beside another reference. Returns them; a number that is known is not changed."""
    new: dict[str, Found] = {}
    for event, guide in zip(events, found, strict=True):
        if event.number and event.number not in known and isinstance(guide, Found):
            new.setdefault(event.number, guide)
    learn_numbers(carrier, {number: guide.id for number, guide in new.items()})
    return new


def learn_numbers(carrier: Carrier, numbers: Mapping[str, int]) -> None:
    """Store a carrier's numbers, each with the id of its guide. One that the carrier has for another guide stays."""
    CarrierNumber.objects.bulk_create(
        [CarrierNumber(carrier=carrier, number=number, guide_id=guide_id) for number, guide_id in numbers.items()],
        batch_size=1_000,
        ignore_conflicts=True,
    )


def learn_from(manifest: Manifest) -> None:
    """Learn the numbers in the `extra_data` of a new manifest's guides, for the active carriers of its country."""
    for carrier in Carrier.objects.filter(is_active=True).exclude(number_key=""):
        if manifest.country in carrier.countries:
            guides = manifest.guides.filter(extra_data__has_key=carrier.number_key).values_list("id", "extra_data")
            sent = ((str(extra[carrier.number_key]).strip(), guide_id) for guide_id, extra in guides)
            learn_numbers(carrier, {number: key for number, key in sent if 0 < len(number) <= NUMBER_LENGTH})
