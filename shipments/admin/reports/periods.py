"""Volumes, time in customs, delivery rate and exceptions, by client and month, or week.

Volumes and statuses come from the totals that each manifest keeps. The time in customs comes from the events of a
sample, because reading the events of a million guides takes longer than a page may: up to `MOST_MANIFESTS_OF_A_CELL`
manifests of each client and month, evenly chosen, and up to `MOST_GUIDES_OF_A_MANIFEST` guides of each.
"""

import math
import statistics
from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from itertools import groupby
from typing import TypeVar
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from base.db.moments import midnight
from shipments.models import Guide, GuideEvent, Manifest
from shipments.statuses import EXCEPTIONS, IN_CUSTOMS, GuideStatus, StatusKind

_T = TypeVar("_T")

MOST_MANIFESTS = 10_000
"""The most manifests of a report, the newest; their totals take some 100 ms to read."""
MOST_MANIFESTS_OF_A_CELL = 5
MOST_GUIDES_OF_A_MANIFEST = 25
MOST_SAMPLED_MANIFESTS = 40
"""The most manifests of the sample in all."""

_EXCEPTIONS = frozenset(EXCEPTIONS)
_FAILURES = frozenset(status for status in GuideStatus if status.kind is StatusKind.TERMINAL_EXCEPTION)
_OUT_OF_CUSTOMS = {
    GuideStatus.CUSTOMS_RELEASED,
    GuideStatus.OUT_FOR_DELIVERY,
    GuideStatus.DELIVERED,
    GuideStatus.DELIVERY_FAILED,
}


@dataclass(slots=True)
class Cell:
    """What a client sent in a month or a week, or all clients.

    delivered, exceptions, failed: guides whose status is so now: delivered, in an exception, or ended without delivery.
    customs_hours: the time in customs of each guide of the sample that has left it.
    """

    client: str
    begins_on: date
    manifests: int = 0
    guides: int = 0
    weight_kg: Decimal = Decimal(0)
    delivered: int = 0
    exceptions: int = 0
    failed: int = 0
    customs_hours: list[float] = field(default_factory=list)

    @property
    def delivered_percent(self) -> float | None:
        return 100 * self.delivered / self.guides if self.guides else None

    @property
    def median_hours(self) -> float | None:
        return statistics.median(self.customs_hours) if self.customs_hours else None

    @property
    def hours_of_95_percent(self) -> float | None:
        """The time within which 95 % of the sample left customs (nearest rank)."""
        if not self.customs_hours:
            return None
        return sorted(self.customs_hours)[math.ceil(0.95 * len(self.customs_hours)) - 1]

    def include(self, other: "Cell") -> None:
        """Count what `other` counts, too."""
        for name in ("manifests", "guides", "weight_kg", "delivered", "exceptions", "failed"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.customs_hours += other.customs_hours

    def add(self, guides: int, weight_kg: Decimal, guides_by_status: Mapping[str, int]) -> None:
        self.manifests += 1
        self.guides += guides
        self.weight_kg += weight_kg
        for status, count in guides_by_status.items():
            if status == GuideStatus.DELIVERED:
                self.delivered += count
            elif status in _EXCEPTIONS:
                self.exceptions += count
            elif status in _FAILURES:
                self.failed += count


@dataclass(frozen=True, slots=True)
class ClientReport:
    """cells: by period, newest first, then by client. periods: all clients together, oldest first, without gaps.

    is_cut: there are more than `MOST_MANIFESTS` manifests, and the oldest are missing.
    """

    cells: Sequence[Cell]
    periods: Sequence[Cell]
    is_cut: bool

    @property
    def clients(self) -> Sequence[Cell]:
        """Each client with what it sent in all periods, the largest first."""
        found: dict[str, Cell] = {}
        for cell in self.cells:
            found.setdefault(cell.client, Cell(cell.client, cell.begins_on)).include(cell)
        return sorted(found.values(), key=lambda cell: (-cell.guides, cell.client.casefold()))

    @property
    def total(self) -> Cell:
        total = Cell("", self.periods[0].begins_on)
        for period in self.periods:
            total.include(period)
        return total


Starts = Callable[[date, date], list[date]]


def weeks_of(first: date, last: date) -> list[date]:
    """Return the Mondays with which the weeks from `first` to `last` begin."""
    return [_monday(first) + timedelta(weeks=number) for number in range((last - _monday(first)).days // 7 + 1)]


def months_of(first: date, last: date) -> list[date]:
    """Return the first days of the months from `first` to `last`."""
    months = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
    return [date(month // 12, month % 12 + 1, 1) for month in months]


def last_weeks(weeks: int, today: date) -> tuple[date, date]:
    """Return the first and the last day of so many weeks, of which `today` is the end."""
    return _monday(today) - timedelta(weeks=weeks - 1), today


def report_between(
    manifests: QuerySet[Manifest], first: date, last: date, *, by: Starts = months_of, with_customs: bool = True
) -> ClientReport:
    """Report on those of `manifests` that were received from `first` to `last`, both included, and are not voided.

    Days begin at midnight of the current time zone. by: the periods. with_customs: measure the time in customs, too.
    """
    starts = by(first, last)
    together = {day: Cell("", day) for day in starts}
    begins = [midnight(day) for day in starts]
    found = list(
        manifests.filter(voided_at=None, created_at__gte=midnight(first))
        .filter(created_at__lt=midnight(last + timedelta(days=1)))
        .order_by("-created_at", "-id")
        .values_list(
            "pk",
            "company__name",
            "company__client_code",
            "created_at",
            "total_guides",
            "total_weight_kg",
            "guides_by_status",
        )[: MOST_MANIFESTS + 1]
    )
    cells: dict[tuple[date, str], Cell] = {}
    manifests_of: dict[tuple[date, str], list[UUID]] = defaultdict(list)
    for key, name, code, created_at, guides, weight_kg, by_status in found[:MOST_MANIFESTS]:
        place = starts[bisect(begins, created_at) - 1], f"{name} ({code})"
        manifests_of[place].append(key)
        if place not in cells:
            cells[place] = Cell(client=place[1], begins_on=place[0])
        for cell in (cells[place], together[place[0]]):
            cell.add(guides, weight_kg, by_status)
    if with_customs:
        _add_customs(cells, together, manifests_of)
    ordered = sorted(cells.values(), key=lambda cell: (-cell.begins_on.toordinal(), cell.client.casefold()))
    return ClientReport(ordered, list(together.values()), len(found) > MOST_MANIFESTS)


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _add_customs(
    cells: dict[tuple[date, str], Cell], together: dict[date, Cell], manifests_of: dict[tuple[date, str], list[UUID]]
) -> None:
    each = max(1, min(MOST_MANIFESTS_OF_A_CELL, MOST_SAMPLED_MANIFESTS // max(1, len(cells))))
    sampled = [(cell, key) for cell, keys in manifests_of.items() for key in _evenly(keys, each)]
    sampled = _evenly(sampled, MOST_SAMPLED_MANIFESTS)
    cell_of = {guide: sampled[place][0] for guide, place in _first_guides([key for _cell, key in sampled])}
    for guide, hours in _hours_in_customs(cell_of):
        cells[cell_of[guide]].customs_hours.append(hours)
        together[cell_of[guide][0]].customs_hours.append(hours)


def _first_guides(manifests: Sequence[UUID]) -> list[tuple[int, int]]:
    """Return the first guides of each manifest, each with the manifest's position, in one query.

    The ORM's union of limited querysets does not exist on SQLite, and a query for each manifest takes 2 ms.
    """
    if not manifests:
        return []
    each = (
        f"SELECT * FROM (SELECT id, {place} FROM {Guide._meta.db_table} WHERE manifest_id = %s"  # noqa: S608  # our own
        f" ORDER BY hawb LIMIT {MOST_GUIDES_OF_A_MANIFEST}) AS first_{place}"
        for place in range(len(manifests))
    )
    keys = [Manifest._meta.pk.get_db_prep_value(key, connection) for key in manifests]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(each), keys)
        return list(cursor.fetchall())


def _evenly(items: Sequence[_T], most: int) -> list[_T]:
    return [items[number * len(items) // most] for number in range(most)] if len(items) > most else list(items)


def _hours_in_customs(guides: Iterable[int]) -> Iterable[tuple[int, float]]:
    """Yield the guides that have left customs, each with the hours from its first customs status to the first status
    after it that means that customs released it.
    """
    events = (
        GuideEvent.objects.valid()
        .filter(guide__in=list(guides), status__in=[*IN_CUSTOMS, *_OUT_OF_CUSTOMS])
        .order_by("guide", "occurred_at", "id")
        .values_list("guide", "status", "occurred_at")
    )
    for guide, timeline in groupby(events, key=lambda event: event[0]):
        entered_at = None
        for _guide, status, occurred_at in timeline:
            if entered_at is None:
                entered_at = occurred_at if status in IN_CUSTOMS else None
            elif status in _OUT_OF_CUSTOMS:
                yield guide, (occurred_at - entered_at).total_seconds() / 3600
                break
