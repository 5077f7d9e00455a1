"""The guides that need somebody's attention: work lists, and exceptions by age."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Any

from django.db.models import Case, Count, OuterRef, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.utils.functional import Promise
from django.utils.timesince import timesince
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from prealerts.dashboard.figures import COUNTED, Figure, counted, list_of
from shipments.labels import STATUS_LABELS
from shipments.models import EventOutcome, Guide, GuideEvent, GuideQuerySet
from shipments.models.carriers import CarrierEventQuerySet
from shipments.statuses import EXCEPTIONS, GuideStatus

PLOT_WIDTH = 1_000
"""The width of the widest bar."""


@dataclass(frozen=True, slots=True)
class WorkList:
    """Guides that wait for an operator. note: for how long, or that there are none."""

    title: str | Promise
    icon: str
    guides: Figure
    note: str
    link: str


def work_list(waiting: QuerySet[Guide], title: str | Promise, icon: str, work: str) -> WorkList:
    """Return the guides that are `waiting`; `work` names them in the filter of the list."""
    oldest = waiting.order_by("id").values("pk")[:1]  # from an index, which `created_at` is not in
    first = Guide.objects.filter(pk=oldest).values_list("created_at", flat=True).first()
    if first:
        note = gettext("The oldest has been waiting for %(time)s.") % {"time": timesince(first)}
    else:
        note = gettext("Nothing to review.")
    return WorkList(title, icon, counted(waiting), note, list_of("guide", work=work))


def customs_list(guides: GuideQuerySet, now: datetime) -> WorkList:
    """Return those of `guides` that customs has had for too long."""
    found = counted(guides.long_in_customs(now))
    note = gettext("Neither released nor rejected since.") if found else gettext("Customs has kept none this long.")
    return WorkList(_("In customs over 48 hours"), "hourglass_top", found, note, list_of("guide", work="customs"))


def expired_list(events: CarrierEventQuerySet) -> list[WorkList]:
    """Return those of `events` whose guide never arrived; nothing if there are none."""
    found = counted(events.expired())
    note = gettext("No guide arrived within two weeks. Assign them by hand, or leave them.")
    link = list_of("carrierevent", outcome__exact=EventOutcome.EXPIRED.value)
    return [WorkList(_("Carriers' events without a guide"), "link_off", found, note, link)] if found else []


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
