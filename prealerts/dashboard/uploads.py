"""What was received in the last 24 hours."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import TruncHour

from companies.admin_base.clocks import zone_name
from prealerts.dashboard.figures import Figure, counted, list_of
from shipments.models import JobState, Manifest, UploadJobQuerySet

HOURS = 24
PLOT_HEIGHT = 100


@dataclass(frozen=True, slots=True)
class Hour:
    """The manifests received in the hour that begins at `start`; `height` in units of `PLOT_HEIGHT`."""

    start: datetime
    mawbs: int
    height: int
    x: int
    link: str

    @property
    def top(self) -> int:
        return PLOT_HEIGHT - self.height


@dataclass(frozen=True, slots=True)
class Uploads:
    """What was received in the last 24 hours, including the current hour."""

    mawbs: Figure
    guides: Figure
    most_in_an_hour: int
    hours: Sequence[Hour]
    link: str
    zone: str


def uploads_by_hour(manifests: QuerySet[Manifest], now: datetime) -> Uploads:
    """Of `manifests` those received, hour by hour, by the operator's clock."""
    this_hour = now.replace(minute=0, second=0, microsecond=0)
    starts = [this_hour - timedelta(hours=ago) for ago in reversed(range(HOURS))]
    received = manifests.filter(created_at__gte=starts[0]).order_by().annotate(hour=TruncHour("created_at"))
    by_hour = {
        hour: (mawbs, guides)
        for hour, mawbs, guides in received.values("hour")
        .annotate(mawbs=Count("id"), carried=Sum("total_guides"))
        .values_list("hour", "mawbs", "carried")
    }
    counts = [by_hour.get(start, (0, 0))[0] for start in starts]
    most = max(counts)
    hours = [
        Hour(start, count, _height(count, most), position, _received_link(start, start + timedelta(hours=1)))
        for position, (start, count) in enumerate(zip(starts, counts, strict=True))
    ]
    guides = sum(guides for _mawbs, guides in by_hour.values())
    link = list_of("manifest", created_at__gte=starts[0])
    return Uploads(Figure(sum(counts)), Figure(guides), most, hours, link, zone_name())


def _height(count: int, most: int) -> int:
    """A single manifest remains visible among thousands."""
    return max(3, round(PLOT_HEIGHT * count / most)) if count else 0


def _received_link(start: datetime, end: datetime) -> str:
    return list_of("manifest", created_at__gte=start, created_at__lt=end)


LONG_WAIT = timedelta(minutes=2)
"""A worker takes a job within seconds, unless all places for reading workbooks are taken. The alert uses the same."""


class WaitingJobs(NamedTuple):
    """The jobs that wait. oldest_at: when the oldest one was uploaded. link: the list of those that are queued."""

    jobs: Figure
    oldest_at: datetime
    link: str


def waiting_jobs(jobs: UploadJobQuerySet, now: datetime) -> WaitingJobs | None:
    """Return those of `jobs` that no worker reads, if the oldest has waited for more than two minutes."""
    waiting = jobs.claimable(now)
    oldest_at = waiting.values_list("created_at", flat=True).first()
    if oldest_at is None or oldest_at > now - LONG_WAIT:
        return None
    return WaitingJobs(counted(waiting), oldest_at, list_of("uploadjob", state__exact=JobState.QUEUED.value))
