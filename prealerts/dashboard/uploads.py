"""What was received in the last 24 hours."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import TruncHour

from companies.clocks import zone_name
from prealerts.dashboard.figures import Figure, list_of
from shipments.models import Manifest

HOURS = 24
PLOT_HEIGHT = 100


def uploads_by_hour(manifests: QuerySet[Manifest], now: datetime) -> Mapping[str, Any]:
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
    return {
        "mawbs": Figure(sum(counts)),
        "guides": Figure(sum(guides for _mawbs, guides in by_hour.values())),
        "most_in_an_hour": most,
        "hours": [_hour(start, count, most) for start, count in zip(starts, counts, strict=True)],
        "link": list_of("manifest", created_at__gte=starts[0]),
        "zone": zone_name(),
    }


def _hour(start: datetime, count: int, most: int) -> Mapping[str, Any]:
    """Return the bar of the hour that begins at `start`. A single manifest remains visible among thousands."""
    height = max(3, round(PLOT_HEIGHT * count / most)) if count else 0
    link = list_of("manifest", created_at__gte=start, created_at__lt=start + timedelta(hours=1))
    return {"start": start, "mawbs": count, "height": height, "top": PLOT_HEIGHT - height, "link": link}
