"""Success and latency of deliveries over the last 24 hours, by hour.

Latency is given as percentiles, because one call that hangs for ten seconds would distort an average of a thousand. The
database counts durations in a few classes, in one pass over the index, the same way on PostgreSQL and SQLite.
"""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Case, Count, IntegerField, Value, When
from django.db.models.functions import TruncHour
from django.utils import timezone
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from base.admin.confirmed_action import Grouped
from webhooks.models import ATTEMPTED, UNSENT, Delivery, DeliveryQuerySet, State, Subscription

BOUNDS_MS = (10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000, 7500, 10_000)
_BEYOND_MS = 15_000
_BOUND = Case(
    *(When(duration_ms__lte=bound, then=Value(bound)) for bound in BOUNDS_MS),
    default=Value(_BEYOND_MS),
    output_field=IntegerField(),
)


@dataclass(slots=True)
class Outcomes:
    """What ended in some time. failed: includes failures that are retried. waiting: what was made then and is still to
    be sent, or sent again. durations: of every answer, whatever its status.
    """

    delivered: int = 0
    failed: int = 0
    waiting: int = 0
    durations: Counter[int] = field(default_factory=Counter)

    @property
    def attempted(self) -> int:
        return self.delivered + self.failed

    @property
    def success_percent(self) -> float | None:
        """Percentage of attempted deliveries; None if there were none."""
        return 100 * self.delivered / self.attempted if self.attempted else None

    def within_ms(self, share: float) -> int | None:
        """Return the milliseconds within which this share of responses arrived, rounded up to a class; None without
        any."""
        needed, seen = share * self.durations.total(), 0
        for bound, rows in sorted(self.durations.items()):
            seen += rows
            if seen >= needed:
                return bound
        return None

    def count(self, state: str, bound_ms: int, rows: int, answers: int) -> None:
        if state == State.DELIVERED:
            self.delivered, answers = self.delivered + rows, rows
        else:
            self.failed += rows
        if answers:
            self.durations[bound_ms] += answers


@dataclass(slots=True)
class Day(Outcomes):
    """The last 24 hours of one subscription. hours: their beginnings (aware) and outcomes, oldest first."""

    hours: dict[datetime, Outcomes] = field(default_factory=dict)


def last_day(subscription: Subscription) -> Day:
    """Return the outcomes of the last 24 hours; the first and the last hour are partial."""
    day_ago = timezone.now() - timedelta(days=1)
    first = day_ago.replace(minute=0, second=0, microsecond=0)
    day = Day(hours={first + timedelta(hours=n): Outcomes() for n in range(25)})
    mine = Delivery.objects.filter(subscription=subscription)
    ended = _by_hour(mine.filter(state__in=ATTEMPTED, finished_at__gte=day_ago), "finished_at")
    # Unfinished deliveries of version 2, by the hour in which their last attempt failed.
    again = _by_hour(mine.filter(state=State.WAITING, attempted_at__gte=day_ago), "attempted_at")
    for began_at, state, bound_ms, rows, answers in [*ended, *again]:
        for outcomes in (day, day.hours.setdefault(began_at, Outcomes())):
            outcomes.count(state, bound_ms, rows, answers)
    for began_at, _state, _bound, rows, _answers in _by_hour(
        mine.filter(state__in=UNSENT, created_at__gte=day_ago), "created_at"
    ):
        day.hours.setdefault(began_at, Outcomes()).waiting += rows
    return day


def _by_hour(deliveries: DeliveryQuerySet, moment: str) -> Iterable[tuple[datetime, str, int, int, int]]:
    """Count deliveries, and their answers, by hour, state and class of duration."""
    hour = TruncHour(moment, tzinfo=timezone.get_default_timezone())
    classes = deliveries.annotate(hour=hour, bound=_BOUND).values_list("hour", "state", "bound")
    return classes.annotate(rows=Count("pk"), answers=Count("http_status")).order_by()


def milliseconds(number: float | None) -> str:
    return "" if number is None else f"{Grouped(round(number))} ms"


_GREY = "#9ca3af"
_GREEN, _RED, _AMBER = "var(--color-green-500)", "var(--color-red-500)", "var(--color-orange-400)"
_STRONG, _WEAK = "var(--color-primary-600)", "var(--color-primary-300)"


def outcomes(day: Day) -> dict[str, str]:
    """Deliveries that succeeded, failed and wait, stacked, by hour."""
    bars = [
        {"label": _("Delivered"), "data": [hour.delivered for hour in day.hours.values()], "backgroundColor": _GREEN},
        {"label": _("Failed"), "data": [hour.failed for hour in day.hours.values()], "backgroundColor": _RED},
        {"label": _("Waiting"), "data": [hour.waiting for hour in day.hours.values()], "backgroundColor": _AMBER},
    ]
    return _chart(day, [bar | {"borderRadius": 3, "borderSkipped": False} for bar in bars], is_stacked=True)


def latencies(day: Day) -> dict[str, str]:
    """The median and 95th percentile of response times in milliseconds, by hour."""
    lines = [
        {"label": _("median"), "data": [hour.within_ms(0.5) for hour in day.hours.values()], "borderColor": _STRONG},
        {
            "label": _("95th percentile"),
            "data": [hour.within_ms(0.95) for hour in day.hours.values()],
            "borderColor": _WEAK,
        },
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
    labels = [localtime(began_at).strftime("%H:00") for began_at in day.hours]
    return {"data": json.dumps({"labels": labels, "datasets": datasets}), "options": json.dumps(options)}
