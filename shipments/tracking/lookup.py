"""Guides by what files and programs call them: a tracking code, or a MAWB and a HAWB."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple, TypeVar
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from companies.models import Company
from shipments.models import Guide
from shipments.tracking.tracking_codes import LENGTH_BEHIND_PREFIX

_Item = TypeVar("_Item", str, tuple[str, str])

LOOKED_UP = 500
"""The number of guides looked up by one statement."""


class Found(NamedTuple):
    """The columns of a guide that reporting an event of it needs."""

    id: int
    manifest_id: UUID
    tracking_code: str
    hawb: str
    mawb: str
    country: str
    destination_airport: str


_COLUMNS = (
    "id",
    "manifest_id",
    "tracking_code",
    "hawb",
    "manifest__mawb",
    "manifest__country",
    "manifest__flight__destination_airport",
)


def guides_by_code(guides: QuerySet[Guide], codes: Iterable[str]) -> Mapping[str, Found]:
    return {
        guide.tracking_code: guide
        for some in _in_parts(codes)
        for guide in look_up(guides.filter(tracking_code__in=some))
    }


def guides_by_house(
    guides: QuerySet[Guide], houses: Iterable[tuple[str, str]]
) -> Mapping[tuple[str, str], list[Found]]:
    """Return (MAWB, HAWB) -> guides. There is more than one guide when several companies sent the same MAWB."""
    found: dict[tuple[str, str], list[Found]] = defaultdict(list)
    for some in _in_parts(houses):
        mawbs, hawbs = {mawb for mawb, _hawb in some}, {hawb for _mawb, hawb in some}
        named = guides.filter(manifest__mawb__in=mawbs, manifest__voided_at=None, hawb__in=hawbs)
        for guide in look_up(named):
            found[guide.mawb, guide.hawb].append(guide)
    return found


def prefixes_of(guides: QuerySet[Guide], codes: Iterable[str]) -> set[str]:
    """Return the tracking prefixes of companies with some of `guides` that the codes have, if we issued them."""
    wanted = {code[:-LENGTH_BEHIND_PREFIX] for code in codes} - {""}
    if not wanted:
        return set()
    has_some = Exists(guides.filter(company=OuterRef("pk")))
    companies = Company.objects.filter(has_some, tracking_prefix__in=wanted).order_by()
    return set(companies.values_list("tracking_prefix", flat=True))


def in_bag(code: str) -> Q:
    """Match guides that travel in a bag, by its code as it was sent or in capitals."""
    return Q(bag__in=[code, code.upper()])


def look_up(guides: QuerySet[Guide]) -> Iterable[Found]:
    return (Found(*row) for row in guides.order_by().values_list(*_COLUMNS))


def _in_parts(items: Iterable[_Item]) -> Iterator[list[_Item]]:
    """Yield the items in sorted batches, so that neighbours are looked up together."""
    rest = iter(sorted(items))
    while part := list(islice(rest, LOOKED_UP)):
        yield part
