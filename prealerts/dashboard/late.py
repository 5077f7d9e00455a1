"""MAWBs whose arrival has passed while guides have not moved."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet

from companies.countries import SERVED
from prealerts.dashboard.arrivals import COLUMNS, LISTED, Arrival
from prealerts.dashboard.figures import COUNTED, Figure, list_of, up_to
from shipments.models import Manifest
from shipments.statuses import GuideStatus

WITHIN = timedelta(days=30)
"""An older one is no longer today's work; the list of manifests has it."""


@dataclass(frozen=True, slots=True)
class Late:
    """The late MAWBs, the latest arrivals first; `listed` holds the first ones, `link` leads to all."""

    mawbs: Figure
    listed: Sequence[Arrival]
    link: str


def late(manifests: QuerySet[Manifest], now: datetime) -> Late:
    """Find those of `manifests` that should have arrived in the last 30 days and have guides that are only registered.

    By the status of the manifest and the index on the arrival, without looking at guides.
    """
    first, unmoved = now - WITHIN, GuideStatus.REGISTERED.value
    passed = manifests.filter(eta__gte=first, eta__lt=now, voided_at=None, status=unmoved)
    found = [Arrival(*row) for row in passed.order_by("-eta", "-id").values_list(*COLUMNS)[: COUNTED + 1]]
    listed = [each._replace(eta=each.eta.astimezone(SERVED[each.country].clock)) for each in found[:LISTED]]
    return Late(up_to(len(found)), listed, list_of("manifest", status=unmoved, eta__gte=first, eta__lt=now))
