"""Which guides somebody with a leaked password or account could have read, and which of them it did read."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db.models import Q

from companies.models import Company
from shipments.activity import ANNOTATED_DOWNLOADED, FILE_DOWNLOADED
from shipments.models import Guide, GuideQuerySet, ListedGuides, Manifest

_VIEW = "shipments.view_guide"


def readable_by_company(company: Company, since: datetime) -> GuideQuerySet:
    """Return the guides whose people the company's API password could show since a moment, or at some time after it.

    Of a courier, those that it posted.
    """
    whose = Q(manifest__posted_by=company) if company.is_courier else Q(company=company)
    standing = Q(manifest__voided_at=None) | Q(manifest__voided_at__gte=since)
    return _with_people(since).filter(whose, standing)


def readable_by_operator(operator: User, since: datetime) -> GuideQuerySet:
    """Return the same for an operator's account, by the rights and countries that it has now.

    An account that is locked meanwhile counts as it was.
    """
    operator.is_active = True  # not saved
    guides = _with_people(since)
    return guides.visible_to(operator) if operator.has_perm(_VIEW) else guides.none()


def _with_people(since: datetime) -> GuideQuerySet:
    return Guide.objects.filter(Q(anonymised_at=None) | Q(anonymised_at__gte=since))


def read_by_operator(operator: User, since: datetime) -> Collection[int]:
    """Return the ids of the guides that the activity log says an operator saw: alone, in a list, export or file."""
    entries = LogEntry.objects.filter(user=operator, action_time__gte=since)
    alone = entries.filter(content_type=ContentType.objects.get_for_model(Guide))
    seen = {int(pk) for pk in alone.values_list("object_id", flat=True) if pk and pk.isdigit()}
    lists = ListedGuides.objects.filter(entry__in=entries).values_list("guides", flat=True)
    for guides in lists.iterator(chunk_size=500):
        seen.update(guides)
    files = Q()
    for act in (FILE_DOWNLOADED, ANNOTATED_DOWNLOADED):
        files |= Q(change_message__contains=f'"{act.code}"')
    of_manifests = entries.filter(files, content_type=ContentType.objects.get_for_model(Manifest))
    manifests = {UUID(pk) for pk in of_manifests.values_list("object_id", flat=True) if pk}
    seen.update(Guide.objects.filter(manifest__in=manifests).values_list("pk", flat=True))
    return seen


class Exposed(NamedTuple):
    """people: by their documents; each guide without one counts as one more."""

    people: int
    guides: int


def count_exposed(guides: GuideQuerySet, ids: Collection[int] | None = None) -> Exposed:
    """Count the people of `guides`, or of those with one of these ids."""
    people, unnamed, count = set(), 0, 0
    columns = ("pk", "manifest__country", "consignee_document")
    for pk, country, document in guides.order_by().values_list(*columns).iterator():
        if ids is None or pk in ids:
            count += 1
            unnamed += not document
            people.add((country, document))
    return Exposed(sum(1 for _country, document in people if document) + unnamed, count)
