"""The guides in exception, by age."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Any

from django.db.models import Case, Count, OuterRef, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from prealerts.dashboard.figures import COUNTED, Figure, list_of
from shipments.labels import STATUS_LABELS
from shipments.models import Guide, GuideEvent
from shipments.statuses import EXCEPTIONS, GuideStatus

PLOT_WIDTH = 1_000
"""The width of the widest bar."""


AGES: Sequence[tuple[timedelta, str | Promise]] = (
    (timedelta(days=1), _("less than a day")),
    (timedelta(days=3), _("1 to 3 days")),
    (timedelta(days=7), _("3 to 7 days")),
    (timedelta.max, _("7 days and more")),
)
"""Time since the last report: upper bound and label."""


def in_exception(guides: QuerySet[Guide], now: datetime) -> Mapping[str, Any]:
    """Count the `guides` in exception by status and time since the last report: the silent ones matter most.

    If there are more than `COUNTED`, those known longest are counted.
    """
    in_order = guides.filter(status__in=EXCEPTIONS).order_by("id")  # from an index, as above
    reports = GuideEvent.objects.valid().filter(guide=OuterRef("pk"), status=OuterRef("status"))
    last_report = reports.order_by("-occurred_at").annotate(age=_age("occurred_at", now)).values("age")[:1]
    by_age = (
        Guide.objects.filter(pk__in=in_order.values("pk")[:COUNTED])
        .annotate(age=Coalesce(Subquery(last_report), _age("created_at", now)))
        .order_by()
        .values_list("status", "age")
        .annotate(count=Count("pk"))
    )
    ages: dict[str, Counter[int]] = defaultdict(Counter)
    for status, age, count in by_age:
        ages[status][age] = count
    total = sum(counts.total() for counts in ages.values())
    is_more = total == COUNTED and in_order[COUNTED : COUNTED + 1].exists()
    most = max((counts.total() for counts in ages.values()), default=0)
    by_frequency = sorted(ages.items(), key=lambda item: -item[1].total())
    return {
        "guides": Figure(total, is_more=is_more),
        "bars": [_exception_bar(status, counts, most, is_more=is_more) for status, counts in by_frequency],
        "ages": [label for _age, label in AGES],
    }


def _age(column: str, now: datetime) -> Case:
    """The position in `AGES` of the time since `column`, in the database: thousands of times are not read for it."""
    *limited, _last = AGES
    since = [
        When(**{f"{column}__gt": now - limit}, then=Value(position)) for position, (limit, _label) in enumerate(limited)
    ]
    return Case(*since, default=Value(len(limited)))


def _exception_bar(status: str, counts: Counter[int], most: int, *, is_more: bool) -> Mapping[str, Any]:
    present = sorted(counts.items())
    ends = [round(PLOT_WIDTH * count / most) for count in accumulate(count for _age, count in present)]
    segments = [
        {"age": age, "label": AGES[age][1], "count": count, "x": start, "width": end - start}
        for (age, count), start, end in zip(present, [0, *ends], ends, strict=False)
    ]
    link = list_of("guide", status__exact=status)
    figure = Figure(counts.total(), is_more=is_more)
    return {"label": STATUS_LABELS[GuideStatus(status)], "guides": figure, "segments": segments, "link": link}
