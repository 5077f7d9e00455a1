"""Filling in the consignees' words of guides that an earlier version wrote."""

from collections.abc import Iterator

from django.db import transaction
from django.db.models import Q

from shipments.manifests.consignee_words import SEARCHED_FIELDS, consignee_words
from shipments.manifests.guide_fields import WORDS_COLUMN
from shipments.models import Guide

BATCH_GUIDES = 1_000
"""The number of guides of one transaction, whose rows it locks for a fraction of a second."""

_UNFILLED = Q(consignee_words=None, anonymised_at=None)
_FORGOTTEN = Q(consignee_words__isnull=False, anonymised_at__isnull=False)  # an earlier version anonymised them


def fill_words(*, refill: bool = False) -> Iterator[int]:
    """Write the words of guides without any, in the order of their ids, and yield the number written in each batch.

    An interrupted run is completed by the next one. The words of anonymised guides are erased. refill: write the words
    of every guide, which is needed if an earlier version still corrected consignees in the meantime.
    """
    wanted = Guide.objects.filter(Q() if refill else _UNFILLED | _FORGOTTEN).order_by("pk")
    last = 0
    while True:
        with transaction.atomic():
            rows = wanted.filter(pk__gt=last).only(*SEARCHED_FIELDS, "anonymised_at").select_for_update(no_key=True)
            guides = list(rows[:BATCH_GUIDES])
            for guide in guides:
                values = {name: getattr(guide, name) for name in SEARCHED_FIELDS}
                guide.consignee_words = None if guide.anonymised_at else consignee_words(values)
            Guide.objects.bulk_update(guides, [WORDS_COLUMN])
        if not guides:
            return
        last = guides[-1].pk
        yield len(guides)
