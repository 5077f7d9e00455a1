"""How deliveries went over the last 24 hours: success and latency, hour by hour.

Latency is told by bounds, not by averages: one hanging call of ten seconds says nothing of the other thousand. The
database counts durations into a few classes, which costs one pass over the index and is the same on both databases.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db.models import Case, Count, IntegerField, Value, When
from django.db.models.functions import TruncHour
from django.utils import timezone

from webhooks.models import ATTEMPTED, Delivery, State, Subscription

BOUNDS_MS = (10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000, 7500, 10_000)
_BEYOND_MS = 15_000


@dataclass(slots=True)
class Hour:
    """One hour: when it began (aware), and what ended in it."""

    began_at: datetime
    delivered: int = 0
    failed: int = 0
    durations: Counter[int] = field(default_factory=Counter)

    def within_ms(self, share: float) -> int | None:
        """In how many milliseconds this share of the answers came, rounded up to a bound; None without answers."""
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
        """Of what was attempted; None when nothing was."""
        return 100 * self.delivered / self.attempted if self.attempted else None

    def within_ms(self, share: float) -> int | None:
        """As `Hour.within_ms`, over the whole day."""
        return _within_ms(sum((hour.durations for hour in self.hours), Counter()), share)


def last_day(subscription: Subscription) -> Day:
    """What became of the attempts of the last 24 hours; of the first and the last hour only a part belongs to them."""
    day_ago = timezone.now() - timedelta(days=1)
    first = day_ago.replace(minute=0, second=0, microsecond=0)
    hours = {began_at: Hour(began_at) for began_at in (first + timedelta(hours=n) for n in range(25))}
    bound = Case(
        *(When(duration_ms__lte=bound, then=Value(bound)) for bound in BOUNDS_MS),
        default=Value(_BEYOND_MS),
        output_field=IntegerField(),
    )
    counted = (
        Delivery.objects.filter(subscription=subscription, state__in=ATTEMPTED, finished_at__gte=day_ago)
        .annotate(hour=TruncHour("finished_at", tzinfo=timezone.get_default_timezone()), bound=bound)
        .values_list("hour", "state", "bound")
        .annotate(rows=Count("pk"))
        .order_by()
    )
    for began_at, state, bound_ms, rows in counted:
        hour = hours.setdefault(began_at, Hour(began_at))
        if state == State.DELIVERED:
            hour.delivered += rows
            hour.durations[bound_ms] += rows
        else:
            hour.failed += rows
    return Day(list(hours.values()))


def _within_ms(durations: Counter[int], share: float) -> int | None:
    needed = share * durations.total()
    seen = 0
    for bound, rows in sorted(durations.items()):
        seen += rows
        if seen >= needed:
            return bound
    return None
