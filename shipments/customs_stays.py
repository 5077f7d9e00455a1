"""Guides that customs has had for too long."""

from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from shipments.models import Guide, GuideEvent
from shipments.statuses import IN_CUSTOMS, GuideStatus

LONG = timedelta(hours=48)
"""After this, somebody asks customs or the client."""


def long_in_customs(guides: QuerySet[Guide], now: datetime) -> QuerySet[Guide]:
    """Return those of `guides` that have been in customs for more than `LONG` without a break.

    A guide that goes from one customs status to another stays in customs; any other status is a break. By when things
    happened, not by when they were reported: a guide may be registered after customs received it.
    """
    entered_by = now - LONG
    events = GuideEvent.objects.valid().filter(guide=OuterRef("pk")).exclude(status=GuideStatus.REGISTERED)
    then = events.filter(occurred_at__lt=entered_by).order_by("-occurred_at", "-id").values("status")
    breaks = events.filter(occurred_at__gte=entered_by).exclude(status__in=IN_CUSTOMS)
    in_customs = guides.filter(status__in=IN_CUSTOMS).alias(status_then=Subquery(then[:1]))
    return in_customs.filter(~Exists(breaks), status_then__in=IN_CUSTOMS)
