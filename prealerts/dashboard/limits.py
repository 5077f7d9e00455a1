"""Companies that were refused requests because of their rate limit."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.urls import reverse

from companies.limits.bucket import rate_of
from companies.models import CompanyQuerySet, RateBucket
from prealerts.dashboard.figures import Figure

REFUSED_WITHIN = timedelta(days=1)
LISTED = 5
"""The number of companies listed, those with most refusals first."""


class Limited(NamedTuple):
    """A company at its limit. rate: requests a second that it may send; 0 if the limit is off by now."""

    company: str
    link: str
    refused: Figure
    since: datetime
    last: datetime
    rate: int


def refused_by_limits(companies: CompanyQuerySet, now: datetime) -> Sequence[Limited]:
    """Return those of `companies` that were refused in the last day."""
    recently = (now - REFUSED_WITHIN).timestamp()
    buckets = RateBucket.objects.filter(company__in=companies.order_by(), refused_at__gt=recently)
    return [
        Limited(
            str(bucket.company),
            reverse("admin:companies_company_change", args=[bucket.company_id]),
            Figure(bucket.refused),
            datetime.fromtimestamp(bucket.refused_since, UTC),
            datetime.fromtimestamp(bucket.refused_at, UTC),
            rate_of(bucket.company),
        )
        for bucket in buckets.select_related("company").order_by("-refused", "company")[:LISTED]
    ]
