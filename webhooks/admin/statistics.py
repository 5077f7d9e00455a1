"""Success and latency of deliveries over the last 24 hours, by hour.

Latency is given as percentiles, because one call that hangs for ten seconds would distort an average of a thousand. The
database counts durations in a few classes, in one pass over the index, the same way on PostgreSQL and SQLite.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Case, Count, IntegerField, Value, When
from django.db.models.functions import TruncHour
from django.utils import timezone
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from webhooks.models import ATTEMPTED, UNSENT, Delivery, State, Subscription

BOUNDS_MS = (10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000, 7500, 10_000)
_BEYOND_MS = 15_000
_BOUND = Case(
    *(When(duration_ms__lte=bound, then=Value(bound)) for bound in BOUNDS_MS),
    default=Value(_BEYOND_MS),
    output_field=IntegerField(),
)


@dataclass(slots=True)
class Hour:
    """One hour: its start (aware) and what ended in it. failed: includes failures that are retried. waiting: what was
    made in this hour and is still to be sent, or sent again. durations: of every answer, whatever its status.
    """

    began_at: datetime
    delivered: int = 0
    failed: int = 0
    waiting: int = 0
    durations: Counter[int] = field(default_factory=Counter)

    def within_ms(self, share: float) -> int | None:
        """Return the milliseconds within which this share of responses arrived, rounded up to a class; None without
        any."""
        return _within_ms(self.durations, share)


@dataclass(frozen=True, slots=True)
class Day:
    """The last 24 hours of one subscription, oldest first."""

    hours: Sequence[Hour]

    @property
    def delivered(self) -> int:
        return sum(hour.delivered for hour in self.hours)

    @property
    def attempted(self) -> int:
        return sum(hour.delivered + hour.failed for hour in self.hours)

    @property
    def success_percent(self) -> float | None:
        """Percentage of attempted deliveries; None if there were none."""
        return 100 * self.delivered / self.attempted if self.attempted else None

    def within_ms(self, share: float) -> int | None:
        """Like `Hour.within_ms`, for the whole day."""
        return _within_ms(sum((hour.durations for hour in self.hours), Counter()), share)


def last_day(subscription: Subscription) -> Day:
    """Return the outcomes of the last 24 hours; the first and the last hour are partial."""
    day_ago = timezone.now() - timedelta(days=1)
    first = day_ago.replace(minute=0, second=0, microsecond=0)
    hours = {began_at: Hour(began_at) for began_at in (first + timedelta(hours=n) for n in range(25))}
    counted = (
        Delivery.objects.filter(subscription=subscription, state__in=ATTEMPTED, finished_at__gte=day_ago)
        .annotate(hour=TruncHour("finished_at", tzinfo=timezone.get_default_timezone()), bound=_BOUND)
        .values_list("hour", "state", "bound")
        .annotate(rows=Count("pk"), answers=Count("http_status"))
        .order_by()
    )
    again = _to_be_attempted_again(subscription, day_ago)
    for began_at, state, bound_ms, rows, answers in [*counted, *again]:
        hour = hours.setdefault(began_at, Hour(began_at))
        if state == State.DELIVERED:
            hour.delivered += rows
        else:
            hour.failed += rows
        if answered := rows if state == State.DELIVERED else answers:
            hour.durations[bound_ms] += answered
    for began_at, rows in _still_waiting(subscription, day_ago):
        hours.setdefault(began_at, Hour(began_at)).waiting += rows
    return Day(list(hours.values()))


def _to_be_attempted_again(
    subscription: Subscription, since: datetime
) -> Iterable[tuple[datetime, str, int, int, int]]:
    """Count unfinished deliveries of version 2 by the hour in which their last attempt failed, as the finished ones."""
    waiting = Delivery.objects.filter(subscription=subscription, state=State.WAITING, attempted_at__gte=since)
    hour = TruncHour("attempted_at", tzinfo=timezone.get_default_timezone())
    classes = waiting.annotate(hour=hour, bound=_BOUND).values_list("hour", "state", "bound")
    return classes.annotate(rows=Count("pk"), answers=Count("http_status")).order_by()


def _still_waiting(subscription: Subscription, since: datetime) -> Iterable[tuple[datetime, int]]:
    """Count deliveries that wait for a dispatcher or for another attempt, by the hour in which they were made."""
    waiting = Delivery.objects.filter(subscription=subscription, state__in=UNSENT, created_at__gte=since)
    hour = TruncHour("created_at", tzinfo=timezone.get_default_timezone())
    return waiting.annotate(hour=hour).values_list("hour").annotate(rows=Count("pk")).order_by()


def _within_ms(durations: Counter[int], share: float) -> int | None:
    needed = share * durations.total()
    seen = 0
    for bound, rows in sorted(durations.items()):
        seen += rows
        if seen >= needed:
            return bound
    return None


_GREY = "#9ca3af"
_GREEN, _RED, _AMBER = "var(--color-green-500)", "var(--color-red-500)", "var(--color-orange-400)"
_STRONG, _WEAK = "var(--color-primary-600)", "var(--color-primary-300)"


def outcomes(day: Day) -> dict[str, str]:
    """Deliveries that succeeded, failed and wait, stacked, by hour."""
    bars = [
        {"label": _("Delivered"), "data": [hour.delivered for hour in day.hours], "backgroundColor": _GREEN},
        {"label": _("Failed"), "data": [hour.failed for hour in day.hours], "backgroundColor": _RED},
        {"label": _("Waiting"), "data": [hour.waiting for hour in day.hours], "backgroundColor": _AMBER},
    ]
    return _chart(day, [bar | {"borderRadius": 3, "borderSkipped": False} for bar in bars], is_stacked=True)


def latencies(day: Day) -> dict[str, str]:
    """The median and 95th percentile of response times in milliseconds, by hour."""
    lines = [
        {"label": _("median"), "data": [hour.within_ms(0.5) for hour in day.hours], "borderColor": _STRONG},
        {"label": _("95th percentile"), "data": [hour.within_ms(0.95) for hour in day.hours], "borderColor": _WEAK},
    ]
    style = {"borderWidth": 2, "pointRadius": 2, "stepped": False, "spanGaps": False}
    return _chart(day, [line | style for line in lines], suffix=" ms")


def _chart(day: Day, datasets: list[dict[str, Any]], *, is_stacked: bool = False, suffix: str = "") -> dict[str, str]:
    ticks = {"color": _GREY, "maxRotation": 0}
    options = {
        "animation": False,
        "maintainAspectRatio": False,
        "interaction": {"mode": "index", "intersect": False},
        "plugins": {"legend": {"align": "end", "labels": {"color": _GREY, "boxWidth": 8, "boxHeight": 8}}},
        "scales": {
            "x": {"stacked": is_stacked, "grid": {"display": False}, "ticks": ticks | {"maxTicksLimit": 9}},
            "y": {
                "stacked": is_stacked,
                "beginAtZero": True,
                "ticks": ticks | {"precision": 0, "maxTicksLimit": 5},
                "title": {"display": bool(suffix), "text": suffix.strip(), "color": _GREY},
            },
        },
    }
    labels = [localtime(hour.began_at).strftime("%H:00") for hour in day.hours]
    return {"data": json.dumps({"labels": labels, "datasets": datasets}), "options": json.dumps(options)}
