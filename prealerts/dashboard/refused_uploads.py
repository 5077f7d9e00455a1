"""Manifests that were refused and not sent again with success since, open alarms of workbook formats, and rate limits.

Otherwise the client is the first to ask.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Subquery
from django.urls import reverse

from companies.limits.bucket import rate_of
from companies.models import Company, CompanyQuerySet, RateBucket
from companies.models.contact import contact_of
from prealerts.dashboard.figures import Figure, list_of
from shipments.admin.formats.format_page import shown_alarm
from shipments.admin.refused_requests import headings_in_words
from shipments.models import FormatAlarm, Manifest, RefusedRequest, WorkbookFormat
from shipments.models.uploads import SUBMISSIONS
from shipments.wording.refusals import ANY, REFUSALS

REFUSED_WITHIN = timedelta(days=7)
LISTED = 5
"""The number of companies and of alarms listed, the latest first."""
_OF_NO_MANIFEST = ("idempotency_in_progress", "rate_limited")
"""Codes after which the client's program sends the same again."""
_MOST_COMPANIES = 100


def refused_uploads(user: User | AnonymousUser, now: datetime) -> Sequence[Mapping[str, Any]]:
    """Return the companies of the operator with refused manifests, the latest refusal first."""
    recent = submissions(RefusedRequest.objects.filter(created_at__gte=now - REFUSED_WITHIN))
    accepted = Manifest.objects.filter(posted_by=OuterRef("pk")).order_by("-created_at").values("created_at")[:1]
    companies = Company.objects.governed_by(user).filter(Exists(recent.filter(company=OuterRef("pk"))))
    since = companies.order_by().annotate(accepted_at=Subquery(accepted)).values_list("pk", "accepted_at")
    later = [Q(company=key, **({"created_at__gt": when} if when else {})) for key, when in since[:_MOST_COMPANIES]]
    if not later:
        return []
    found = recent.filter(reduce(or_, later)).order_by().values_list("company")
    latest = list(found.annotate(rows=Count("pk"), last=Max("pk")).order_by("-last")[:LISTED])
    rows = RefusedRequest.objects.select_related("company").in_bulk([last for _company, _count, last in latest])
    return [_shown(rows[last], count) for _company, count, last in latest if last in rows]


def submissions(refused: QuerySet[RefusedRequest]) -> QuerySet[RefusedRequest]:
    """Return those of manifests that the client's program does not simply send again."""
    return refused.filter(endpoint__in=SUBMISSIONS).exclude(code__in=_OF_NO_MANIFEST)


def open_alarms(user: User | AnonymousUser) -> Sequence[Mapping[str, Any]]:
    """Return the open alarms of the formats that the operator sees, the latest first."""
    alarms = (
        FormatAlarm.objects.filter(closed_at=None, format__in=WorkbookFormat.objects.visible_to(user).active())
        .select_related("format__company", "format__in_use")
        .order_by("-last_seen_at")
    )[:LISTED]
    may_change = user.has_perm("shipments.change_workbookformat")
    governed = Company.objects.governed_by(user).order_by()
    own = set(governed.filter(pk__in=[alarm.format.company_id for alarm in alarms]).values_list("pk", flat=True))
    return [
        {
            "form": alarm.format,
            "shown": shown_alarm(alarm, alarm.format),
            "may_settle": may_change and alarm.format.company_id in own,
        }
        for alarm in alarms
    ]


def _shown(last: RefusedRequest, count: int) -> Mapping[str, Any]:
    link = list_of("refusedrequest", company=last.company.client_code)
    return {
        "company": last.company,
        "contact": contact_of(last.company),
        "refused": Figure(count),
        "last": last,
        "what": REFUSALS.get(last.code, ANY).what,
        "headings": headings_in_words(last),
        "link": reverse("admin:shipments_refusedrequest_change", args=[last.pk]) if count == 1 else link,
    }


LIMITED_WITHIN = timedelta(days=1)


def refused_by_limits(companies: CompanyQuerySet, now: datetime) -> Sequence[Mapping[str, Any]]:
    """Return those of `companies` that were refused in the last day."""
    recently = (now - LIMITED_WITHIN).timestamp()
    buckets = RateBucket.objects.filter(company__in=companies.order_by(), refused_at__gt=recently)
    return [
        {
            "company": str(bucket.company),
            "link": reverse("admin:companies_company_change", args=[bucket.company_id]),
            "refused": Figure(bucket.refused),
            "since": datetime.fromtimestamp(bucket.refused_since, UTC),
            "last": datetime.fromtimestamp(bucket.refused_at, UTC),
            "rate": rate_of(bucket.company),
        }
        for bucket in buckets.select_related("company").order_by("-refused", "company")[:LISTED]
    ]
