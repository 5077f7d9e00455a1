"""Requests of persons that operators answer in the admin: what would be concerned, and erasing it with a receipt."""

from collections.abc import Sequence
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db.models import Count
from django.utils import timezone

from companies.passwords import peppered
from shipments.models import Erasure, Guide, UploadJob
from shipments.privacy.anonymise import Tally, anonymise_person
from shipments.privacy.person import Documents

_BATCH_GUIDES = 500


class UnreadUploadsError(Exception):
    """Accepted uploads wait to be read and may name the person. Nothing was erased. count: how many."""

    def __init__(self, count: int) -> None:
        super().__init__(f"{count:,} uploads wait to be read and may name this person.")
        self.count = count


class OfCompany(NamedTuple):
    """What one company's manifests have about a person."""

    company: str
    guides: int
    manifests: int


def by_company(documents: Documents, country: str = "") -> Sequence[OfCompany]:
    """Return how many guides of the person there are at each company, by name."""
    keys = [guide_id for _manifest_id, guide_id in documents.guides(country)]
    found: dict[str, OfCompany] = {}
    for start in range(0, len(keys), _BATCH_GUIDES):
        rows = Guide.objects.filter(pk__in=keys[start : start + _BATCH_GUIDES]).order_by()
        counted = rows.values_list("manifest__company__name").annotate(Count("pk"), Count("manifest", distinct=True))
        for name, guides, manifests in counted:
            before = found.get(name, OfCompany(name, 0, 0))
            found[name] = OfCompany(name, before.guides + guides, before.manifests + manifests)
    return sorted(found.values())


def require_no_unread_upload() -> None:
    """Raise `UnreadUploadsError` while an accepted upload is unread."""
    if unread := UploadJob.objects.unfinished().count():
        raise UnreadUploadsError(unread)


def erase_person(documents: Documents, *, country: str, reference: str, operator: User) -> tuple[Erasure, Tally]:
    """Erase a person's data as `anonymise_person` does. Return the receipt, and what was erased.

    country: empty for all. The receipt is there first, so that an erasure that was cut off has left one: without
    `finished_at`. Raises `UnreadUploadsError`.
    """
    require_no_unread_upload()
    receipt = Erasure.objects.create(
        reference=reference,
        country=country,
        operator=operator,
        actor=operator.get_username(),
        digest=peppered("person", documents.key).hex(),
    )
    tally = anonymise_person(documents, country=country)
    receipt.guides, receipt.manifests, receipt.files = tally.guides, tally.manifests, tally.files
    receipt.headings, receipt.finished_at = tally.headings, timezone.now()
    receipt.save()
    return receipt, tally
