"""Carriers' events that need a person: whose they are is in doubt, or they contradict what is known here."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, OuterRef
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from base.admin.confirmed_action import Grouped
from companies.clocks import in_words
from companies.models import Company, CompanyQuerySet
from prealerts.dashboard.entries import LISTED, Entry
from prealerts.dashboard.figures import COUNTED
from shipments.carriers.guides import judge
from shipments.models import CarrierClaim, CarrierEvent, CarrierNumber, Manifest
from shipments.models.carriers import AMBIGUOUS, DELIVERED_AFTER_END, PARKED_FOR, CarrierEventQuerySet
from shipments.statuses import FINAL, GuideStatus

MOST_CLAIMS = 20
"""Claims of a company in a day to numbers that others have. More are no mistakes of typing."""
CLAIMED_WITHIN = timedelta(days=1)


def doubtful_events(events: CarrierEventQuerySet) -> Iterator[Entry]:
    """Yield those of `events` that are parked because several guides may be meant, the latest first.

    One line for what names the same, with the companies whose guides it may be. An operator who sees the event sees all
    countries of its carrier, and so these companies.
    """
    parked = events.parked().filter(error=AMBIGUOUS).order_by("-id")[:COUNTED]
    counts: dict[tuple[Any, ...], list[int]] = {}
    for key, *named in parked.values_list("pk", "carrier_id", "number", "hawb", "mawb"):
        counts.setdefault(tuple(named), []).append(key)
    shown = dict(list(counts.items())[:LISTED])
    latest = CarrierEvent.objects.select_related("carrier").in_bulk([keys[0] for keys in shown.values()])
    yield from (_doubt(latest[keys[0]], len(keys)) for keys in shown.values() if keys[0] in latest)


def _doubt(event: CarrierEvent, count: int) -> Entry:
    (verdict,) = judge(event.carrier, [event])
    concerned = {guide.company_id for guide in verdict.guides if guide.is_found}
    if event.mawb:
        announced = Manifest.objects.filter(mawb=event.mawb, country__in=event.carrier.countries, voided_at=None)
        concerned |= set(announced.values_list("company_id", flat=True)[:LISTED])
    companies = Company.objects.filter(pk__in=concerned).order_by("name").values_list("name", flat=True)
    text = ngettext(
        "%(named)s: %(count)s event that may be about several guides. Companies: %(companies)s.",
        "%(named)s: %(count)s events that may be about several guides. Companies: %(companies)s.",
        count,
    ) % {
        "named": " · ".join(name for name in (event.number, event.hawb, event.mawb) if name),
        "count": Grouped(count),
        "companies": ", ".join(companies[:LISTED]),
    }
    link = reverse("admin:shipments_carrierevent_change", args=[event.pk])
    return Entry("help_center", str(event.carrier), text, link, gettext("Decide"), count)


def busy_claimants(companies: CompanyQuerySet, now: datetime) -> Iterator[Entry]:
    """Yield those of `companies` that claimed many carriers' numbers in the last day that others have, too."""
    others = CarrierClaim.objects.filter(number=OuterRef("number")).exclude(company=OuterRef("company"))
    bound = CarrierNumber.objects.filter(pk=OuterRef("number"), guide__isnull=False)
    theirs = bound.exclude(guide__manifest__company=OuterRef("company"))
    recent = CarrierClaim.objects.filter(created_at__gte=now - CLAIMED_WITHIN, company__in=companies.order_by())
    contested = recent.filter(Exists(others) | Exists(theirs)).order_by().values_list("company", "company__name")
    counted = contested.annotate(rows=Count("number", distinct=True)).filter(rows__gt=MOST_CLAIMS)
    for key, name, rows in counted.order_by("-rows")[:LISTED]:
        text = gettext("claimed %s carriers' numbers in the last day that other companies have.") % Grouped(rows)
        link = reverse("admin:companies_company_change", args=[key])
        yield Entry("help_center", name, text, link, gettext("Open the company"), rows)


def contradictions(events: CarrierEventQuerySet, now: datetime) -> Iterator[Entry]:
    """Yield the guides that a carrier delivered and that ended otherwise here, the latest event first."""
    recent = events.filter(error=DELIVERED_AFTER_END, recorded_at__gte=now - PARKED_FOR)
    still = recent.filter(guide__status__in=set(FINAL) - {GuideStatus.DELIVERED}).order_by("-id")
    for event in still.select_related("carrier", "guide__manifest__company")[:LISTED]:
        guide: Any = event.guide
        text = gettext("%(guide)s of %(company)s: delivered on %(when)s, the carrier says; here it is: %(status)s") % {
            "guide": guide,
            "company": guide.manifest.company.name,
            "when": in_words(timezone.localtime(event.occurred_at)),
            "status": guide.get_status_display(),
        }
        link = reverse("admin:shipments_guide_change", args=[guide.pk])
        yield Entry("help_center", str(event.carrier), text, link, gettext("Open the guide"))
