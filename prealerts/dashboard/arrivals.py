"""The MAWBs that arrive today and tomorrow, and those that are late."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from base.db.moments import in_words
from companies.countries import SERVED
from companies.country_names import country_name
from prealerts.dashboard.figures import COUNTED, Figure, list_of, up_to
from shipments.admin import filters
from shipments.admin.badges import Part, parts
from shipments.admin.columns import at_destination
from shipments.admin.filters import local_day
from shipments.inbound.differences import arrived_of
from shipments.models import Manifest
from shipments.statuses import GuideStatus

LISTED = 8
"""The number of arrivals listed per day; the day's links lead to the rest."""


COLUMNS = (
    "id", "mawb", "country", "eta", "company__client_code", "total_guides", "total_weight_kg", "guides_by_status",
)  # fmt: skip
"""The columns of a manifest that make an `Arrival`."""


class Arrival(NamedTuple):
    """A MAWB in transit. eta: local time at the destination."""

    id: UUID
    mawb: str
    country: str
    eta: datetime
    client_code: str
    guides: int
    weight_kg: Decimal
    guides_by_status: Mapping[str, int]
    arrived: int = 0
    """Of a late one: how many guides inbound batches have matched."""

    @property
    def parts(self) -> Sequence[Part]:
        return parts(self.guides_by_status)

    @property
    def unmoved(self) -> int:
        """The number of its guides that are only registered."""
        return self.guides_by_status.get(GuideStatus.REGISTERED.value, 0)

    @property
    def when(self) -> str:
        return in_words(self.eta)

    @property
    def figure(self) -> Figure:
        return Figure(self.guides)


class Day(NamedTuple):
    """What arrives on one day; `arrivals` holds the first ones. destinations: country, number of MAWBs, their list."""

    title: str | Promise
    mawbs: Figure
    guides: Figure
    weight_kg: Decimal
    destinations: Sequence[Mapping[str, Any]]
    arrivals: Sequence[Arrival]

    @property
    def unlisted(self) -> int:
        return self.mawbs.count - len(self.arrivals)

    @property
    def legend(self) -> Sequence[Part]:
        return parts(sum((Counter(arrival.guides_by_status) for arrival in self.arrivals), Counter()))


def arriving(manifests: QuerySet[Manifest], now: datetime) -> Iterator[Day]:
    """What of `manifests` arrives today and tomorrow. Days are those of the destination's capital: a day ends two hours
    later in Lima than in Santiago.
    """
    for title, days_ahead in ((_("Arriving today"), 0), (_("Arriving tomorrow"), 1)):
        yield _day(manifests, title, now, days_ahead)


def _day(manifests: QuerySet[Manifest], title: str | Promise, now: datetime, days_ahead: int) -> Day:
    there_and_then = filters.arrives_between(now, days_ahead, days_ahead + 1)
    expected = manifests.filter(there_and_then, voided_at=None).order_by("eta", "id")
    found = [Arrival(*row) for row in expected.values_list(*COLUMNS)[: COUNTED + 1]]
    counts = Counter(arrival.country for arrival in found)
    destinations = []
    for country in SERVED:
        if counts[country]:
            start, end = local_day(country, now, days_ahead)
            link = list_of("manifest", country__exact=country, eta__gte=start, eta__lt=end, voided_at__isnull=True)
            destinations.append({"country": country_name(country), "mawbs": counts[country], "link": link})
    return Day(
        title=title,
        mawbs=up_to(len(found)),
        guides=Figure(sum(arrival.guides for arrival in found)),
        weight_kg=sum((arrival.weight_kg for arrival in found), Decimal(0)),
        destinations=destinations,
        arrivals=[arrival._replace(eta=at_destination(arrival.eta, arrival.country)) for arrival in found[:LISTED]],
    )


WITHIN = timedelta(days=30)
"""An older one is no longer today's work; the list of manifests has it."""


def late(manifests: QuerySet[Manifest], now: datetime) -> Mapping[str, Any]:
    """Find those of `manifests` that should have arrived in the last 30 days and have guides that are only registered.

    By the status of the manifest and the index on the arrival, without looking at guides.
    """
    first, unmoved = now - WITHIN, GuideStatus.REGISTERED.value
    passed = manifests.filter(eta__gte=first, eta__lt=now, voided_at=None, status=unmoved)
    found = [Arrival(*row) for row in passed.order_by("-eta", "-id").values_list(*COLUMNS)[: COUNTED + 1]]
    arrived = arrived_of([each.id for each in found[:LISTED]])
    listed = [
        each._replace(eta=at_destination(each.eta, each.country), arrived=arrived.get(each.id, 0))
        for each in found[:LISTED]
    ]
    link = list_of("manifest", status=unmoved, eta__gte=first, eta__lt=now)
    not_moved = Figure(sum(each.unmoved for each in found))
    return {"mawbs": up_to(len(found)), "unmoved": not_moved, "listed": listed, "link": link}
