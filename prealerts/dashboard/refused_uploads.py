"""Manifests that were refused and not sent again with success since, and rate limits.

Otherwise the client is the first to ask.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import reduce
from operator import or_

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Subquery
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from base.admin.confirmed_action import Grouped
from base.models import Bucket
from companies.clocks import in_words
from companies.limits.bucket import COMPANY, rate_of
from companies.models import Company, CompanyQuerySet
from prealerts.dashboard.entries import LISTED, Entry
from shipments.admin.refused_requests import headings_in_words
from shipments.models import Manifest, RefusedRequest
from shipments.models.uploads import SUBMISSIONS
from shipments.wording.refusals import ANY, REFUSALS

REFUSED_WITHIN = timedelta(days=7)
_OF_NO_MANIFEST = ("idempotency_in_progress", "rate_limited")
"""Codes after which the client's program sends the same again."""
_MOST_COMPANIES = 100


def refused_uploads(user: User | AnonymousUser, now: datetime, *, has_headings: bool = True) -> Iterator[Entry]:
    """Yield the companies of the operator with refused manifests, the latest refusal first.

    has_headings: whether a line quotes the workbook, where a person's name may stand for a heading.
    """
    recent = submissions(RefusedRequest.objects.filter(created_at__gte=now - REFUSED_WITHIN))
    accepted = Manifest.objects.filter(posted_by=OuterRef("pk")).order_by("-created_at").values("created_at")[:1]
    companies = Company.objects.governed_by(user).filter(Exists(recent.filter(company=OuterRef("pk"))))
    since = companies.order_by().annotate(accepted_at=Subquery(accepted)).values_list("pk", "accepted_at")
    later = [Q(company=key, **({"created_at__gt": when} if when else {})) for key, when in since[:_MOST_COMPANIES]]
    if not later:
        return
    found = recent.filter(reduce(or_, later)).order_by().values_list("company")
    latest = list(found.annotate(rows=Count("pk"), last=Max("pk")).order_by("-last")[:LISTED])
    rows = RefusedRequest.objects.select_related("company").in_bulk([last for _company, _count, last in latest])
    for _company, count, key in latest:
        if last := rows.get(key):
            quoted = headings_in_words(last) if has_headings else ""
            what = f"{REFUSALS.get(last.code, ANY).what} {quoted}".strip()
            refused = ngettext("%s upload refused", "%s uploads refused", count) % Grouped(count)
            link = reverse("admin:shipments_refusedrequest_change", args=[key])
            yield Entry("block", last.company.name, f"{refused}: {what}", link, gettext("What to answer"), count)


def submissions(refused: QuerySet[RefusedRequest]) -> QuerySet[RefusedRequest]:
    """Return those of manifests that the client's program does not simply send again."""
    return refused.filter(endpoint__in=SUBMISSIONS).exclude(code__in=_OF_NO_MANIFEST)


LIMITED_WITHIN = timedelta(days=1)


def refused_by_limits(companies: CompanyQuerySet, now: datetime) -> Iterator[Entry]:
    """Yield those of `companies` that were refused in the last day."""
    recently = (now - LIMITED_WITHIN).timestamp()
    buckets = {int(one.key): one for one in Bucket.objects.filter(kind=COMPANY.name, refused_at__gt=recently)}
    refused = [(buckets[company.pk], company) for company in companies.filter(pk__in=buckets)]
    for bucket, company in sorted(refused, key=lambda pair: -pair[0].refused)[:LISTED]:
        last = in_words(timezone.localtime(datetime.fromtimestamp(bucket.refused_at, UTC)))
        text = ngettext(
            "%(count)s request refused by its rate limit of %(rate)s a second, at %(last)s",
            "%(count)s requests refused by its rate limit of %(rate)s a second, the last at %(last)s",
            bucket.refused,
        ) % {"count": Grouped(bucket.refused), "rate": rate_of(company), "last": last}
        link = reverse("admin:companies_company_change", args=[company.pk])
        yield Entry("speed", company.name, text, link, gettext("Open the company"), bucket.refused)
