"""Receiving a bag as a whole: its parcels, and those of them that have not arrived."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

from django.db.models import QuerySet
from django.utils import timezone

from base.errors import Translatable, ValidationFailed
from companies.scope import Scope
from shipments.errors import BatchNotOpen
from shipments.inbound.differences import expected, missing
from shipments.inbound.receiving import Received, names_parcel, receive
from shipments.models import Guide, InboundBatch
from shipments.tracking.lookup import in_bag

MOST_OF_A_BAG = 1_000
_AT_ONCE = 200


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
    guides = list(_guides(batch, code)[: MOST_OF_A_BAG + 1])
    others = [] if guides else _other_mawbs(batch, code)
    problem = None
    if names_parcel(batch, code, scope):
        problem = Translatable("%(bag)s is the code of a parcel: send it as a scan.", bag=code)
    elif not guides and not others:
        problem = Translatable("No bag has the code %(bag)s.", bag=code)
    elif not guides:
        problem = Translatable("Bag %(bag)s is of another MAWB: %(mawbs)s.", bag=code, mawbs=", ".join(others))
    elif len(guides) > MOST_OF_A_BAG:
        problem = Translatable("Bag %(bag)s has more than %(most)s parcels: scan them.", bag=code, most=MOST_OF_A_BAG)
    if problem:
        raise ValidationFailed(details={"bag": [problem]})
    return Bag(guides, _missing(batch, guides))


def receive_bag(batch: InboundBatch, code: str, scope: Scope, *, actor: str) -> Bag:
    """Receive a bag's missing parcels with all their packages, and return it as it is then. Repeating it is safe.

    Raises as `open_bag` does.
    """
    bag, received = open_bag(batch, code, scope), []
    lacking = [guide for guide in bag.guides if guide.pk in bag.missing]
    for start in range(0, len(lacking), _AT_ONCE):
        scans = [
            {
                "scan_id": uuid4(),
                "code": guide.tracking_code,
                "scanned_at": timezone.now(),
                "packages": guide.packages_count,
            }
            for guide in lacking[start : start + _AT_ONCE]
        ]
        received += receive(batch.pk, scans, scope, actor=actor)
    guides = list(_guides(batch, code))
    return Bag(guides, _missing(batch, guides), received)


def _guides(batch: InboundBatch, code: str) -> QuerySet[Guide]:
    own = expected(batch).filter(in_bag(code.strip()), manifest__voided_at=None)
    return own.select_related("manifest").order_by("manifest_id", "id")


def _missing(batch: InboundBatch, guides: Sequence[Guide]) -> frozenset[int]:
    named = missing(batch).filter(pk__in=[guide.pk for guide in guides])
    return frozenset(named.values_list("pk", flat=True))


def _other_mawbs(batch: InboundBatch, code: str) -> Sequence[str]:
    others = Guide.objects.filter(in_bag(code.strip()), manifest__voided_at=None, manifest__country=batch.country)
    return list(others.order_by("manifest__mawb").values_list("manifest__mawb", flat=True).distinct()[:5])
