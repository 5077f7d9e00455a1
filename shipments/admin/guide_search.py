"""Searching guides by the identifiers an operator has. An index answers each kind of search."""

import re

from django.db.models import Q, QuerySet

from shipments.manifests.waybills import normal_mawb
from shipments.models import Guide, Manifest

_MAWB_START = re.compile(r"([0-9]{3})[ -]?([0-9][0-9 ]{2,8})")
_DOCUMENT = re.compile(r"[0-9][0-9.]{4,}-?[0-9Kk]?|[0-9A-Za-z]{5,20}")
_SHORTEST_NAME = 2
_MOST_MANIFESTS = 200


def search_guides(guides: QuerySet[Guide], text: str) -> QuerySet[Guide]:
    """Return the `guides` that match `text`.

    text: a MAWB in any spelling, or its beginning; a tracking code; the beginning of a HAWB, of a consignee's name or
    of a document, with or without dots and hyphen. Only beginnings match: an index cannot find the middle of a text.
    """
    text = " ".join(text.replace("\0", "").split())
    if not text:
        return guides
    found = Q(tracking_code=text.upper()) | Q(hawb__startswith=text.upper()) | _by_mawb(text) | _by_document(text)
    if len(text) >= _SHORTEST_NAME:
        found |= Q(consignee_name__istartswith=text)
    return guides.filter(found)


def mawb_lookup(text: str) -> Q | None:
    """Return the condition on a manifest whose MAWB is `text` or begins with it; None when `text` cannot be a MAWB."""
    if mawb := normal_mawb(text):
        return Q(mawb=mawb)
    if start := _MAWB_START.fullmatch(text):
        return Q(mawb__startswith=f"{start[1]}-{start[2].replace(' ', '')}")
    return None


def _by_mawb(text: str) -> Q:
    condition = mawb_lookup(text)
    if condition is None:
        return Q()
    manifests = Manifest.objects.filter(condition).order_by().values_list("pk", flat=True)
    # A short list is passed as keys: a join, combined with the other conditions by OR, would read every guide.
    keys = list(manifests[: _MOST_MANIFESTS + 1])
    return Q(manifest__in=keys if len(keys) <= _MOST_MANIFESTS else manifests)


def _by_document(text: str) -> Q:
    if not _DOCUMENT.fullmatch(text):
        return Q()
    compact = text.replace(".", "").upper()
    found = Q(consignee_document__startswith=compact)
    if "-" not in compact and compact[:-1].isdigit():
        found |= Q(consignee_document=f"{compact[:-1]}-{compact[-1]}")  # a RUT typed without its hyphen
    return found
