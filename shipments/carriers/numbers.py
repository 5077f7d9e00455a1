"""Carriers' own numbers: who claims one, and to which guide it is bound. `guides` decides by them whose an event is."""

from collections import defaultdict
from collections.abc import Collection, Mapping

from django.db import transaction
from django.utils import timezone

from shipments.manifests.waybills import carrier_number
from shipments.models import Carrier, CarrierClaim, CarrierNumber, Guide, Manifest
from shipments.statuses import FINAL, GuideStatus

_CLAIMED_IN_A_MANIFEST = 2
"""Claims to one number that a manifest makes: with the second the number tells nothing, and more would add nothing."""
_AT_ONCE = 1_000


def number_keys(country: str) -> list[str]:
    """Return the keys of `extra_data` under which clients send the numbers of the active carriers of a country."""
    return list(dict.fromkeys(carrier.number_key for carrier in _keyed(country)))


def record_claims(manifest: Manifest) -> None:
    """Record which numbers the guides of a new manifest claim, for the active carriers of its country."""
    for carrier in _keyed(manifest.country):
        guides = manifest.guides.filter(extra_data__has_key=carrier.number_key).order_by("pk")
        by_number: dict[str, list[int]] = defaultdict(list)
        for key, extra in guides.values_list("pk", "extra_data"):
            if number := carrier_number(extra, carrier.number_key):
                by_number[number].append(key)
        numbers = sorted(by_number)  # in one order, so that two manifests do not wait for each other
        for some in (numbers[start : start + _AT_ONCE] for start in range(0, len(numbers), _AT_ONCE)):
            made = _made(carrier, some)
            CarrierClaim.objects.bulk_create(
                CarrierClaim(number=made[number], guide_id=key, company_id=manifest.company_id)
                for number in some
                for key in by_number[number][:_CLAIMED_IN_A_MANIFEST]
            )


def _keyed(country: str) -> list[Carrier]:
    keyed = Carrier.objects.filter(is_active=True).exclude(number_key="").order_by("pk")
    return [carrier for carrier in keyed if country in carrier.countries]


def bind_by_hand(carrier: Carrier, number: str, guide: Guide) -> None:
    """Bind a number to the guide that an operator names, whatever it was bound to. One at its end stays as it is."""
    if guide.status not in FINAL:
        with transaction.atomic():
            bind(lock_numbers(carrier, {number}, {number}), {number: guide.pk}, is_known=True)


def lock_numbers(carrier: Carrier, numbers: Collection[str], made: Collection[str]) -> Mapping[str, CarrierNumber]:
    """Lock those of `numbers` that there are, and return them; those in `made` are made. In a transaction.

    The order is always the same. A claim may be added meanwhile, as if it came a moment later.
    """
    _made(carrier, made)
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


def _made(carrier: Carrier, numbers: Collection[str]) -> Mapping[str, CarrierNumber]:
    """Return the rows of all of `numbers`; those that are missing are made, in one order, so that nobody deadlocks."""
    rows = CarrierNumber.objects.filter(carrier=carrier, number__in=numbers)
    missing = set(numbers) - set(rows.values_list("number", flat=True))
    if missing:
        CarrierNumber.objects.bulk_create(
            [CarrierNumber(carrier=carrier, number=number) for number in sorted(missing)], ignore_conflicts=True
        )
    return {row.number: row for row in rows.all()}
