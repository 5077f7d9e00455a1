"""How many guides a person's document had in a calendar year, over all companies. Only operators are told.

The law counts them: Argentina five shipments a year, Peru three imports with a DNI. It is the least number, since what
arrived by other couriers is not known here, nor what was erased.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple, TypedDict

from django.conf import settings
from django.db.models import Count, Max, Q

from companies.countries import SERVED
from shipments.manifests.countries import COUNTRIES, rules_for
from shipments.models import Guide, GuideQuerySet, Manifest
from shipments.statuses import GuideStatus


class DocumentCount(TypedDict):
    """year: of arrival at the destination. guides: how many, this one included. since: the first day that counts."""

    year: int
    guides: int
    since: date


class Arrival(NamedTuple):
    """What decides a count: where and when a guide arrives, and its consignee's document as it is stored."""

    country: str
    day: date
    document_type: str
    document: str


def arrival_of(guide: Guide) -> Arrival:
    manifest = guide.manifest
    return Arrival(manifest.country, manifest.arrival_day, guide.consignee_document_type, guide.consignee_document)


def count_documents(arrivals: Sequence[Arrival], now: datetime) -> list[DocumentCount | None]:
    """Return a count for each of `arrivals`; None for an invalid document, a well-known dummy or a company's."""
    people = [COUNTRIES[each.country].person(each.document_type, each.document) for each in arrivals]
    wanted: dict[tuple[str, int], set[str]] = defaultdict(set)
    for each, person in zip(arrivals, people, strict=True):
        if person:
            wanted[each.country, each.day.year].add(each.document)
    counts: dict[tuple[str, int], Mapping[str, int]] = {}
    for place, documents in wanted.items():
        rows = _select_counted(*place).filter(consignee_document__in=documents).values("consignee_document")
        counts[place] = Counter(dict(rows.annotate(n=Count("pk")).values_list("consignee_document", "n")))
    since = {place: _find_first_day(*place, now) for place in wanted}
    return [
        DocumentCount(year=each.day.year, guides=counts[place][each.document], since=since[place]) if person else None
        for each, person in zip(arrivals, people, strict=True)
        for place in [(each.country, each.day.year)]
    ]


def _select_counted(country: str, year: int) -> GuideQuerySet:
    """Return the guides that arrive in a year and are neither voided nor cancelled."""
    days = (date(year, 1, 1), date(year, 12, 31))
    standing = Guide.objects.filter(manifest__voided_at=None).exclude(status=GuideStatus.CANCELLED)
    return standing.filter(manifest__country=country, manifest__arrival_day__range=days).order_by()


def _find_first_day(country: str, year: int, now: datetime) -> date:
    """Return the first day of the year of which documents are kept: retention takes them away."""
    clock, days = SERVED[country].clock, [date(year, 1, 1)]
    received = Manifest.objects.order_by("created_at").values_list("created_at", flat=True).first()
    if received:
        days.append(received.astimezone(clock).date())
    if settings.RETENTION_DAYS_PERSONAL_DATA:
        days.append((now.astimezone(clock) - timedelta(days=settings.RETENTION_DAYS_PERSONAL_DATA)).date())
    return min(max(days), date(year, 12, 31))


def most_in_a_year(country: str, day: date, document_type: str) -> int | None:
    """Return how many guides a person with this kind of document may receive in a year; None without such a rule."""
    rule = rules_for(country, day).yearly_guides
    return rule.most if rule and (not rule.documents or document_type in rule.documents) else None


def beyond_allowed(guides: GuideQuerySet, now: datetime) -> GuideQuerySet:
    """Return those of `guides`, still under way, whose document has more guides this year than a person may receive."""
    beyond = Q(pk__in=[])
    for country, served in SERVED.items():
        today = now.astimezone(served.clock).date()
        rule = rules_for(country, today).yearly_guides
        if rule is None:
            continue
        of_year = _select_counted(country, today.year)
        named = of_year.exclude(consignee_document="")
        if rule.documents:
            named = named.filter(consignee_document_type__in=rule.documents)
        counted = named.values("consignee_document").annotate(kind=Max("consignee_document_type"), n=Count("pk"))
        pairs = counted.filter(n__gt=rule.most).values_list("kind", "consignee_document")
        people = [number for kind, number in pairs if COUNTRIES[country].person(kind, number)]
        beyond |= Q(pk__in=of_year.filter(consignee_document__in=people).values("pk"))
    return guides.active().filter(beyond)
