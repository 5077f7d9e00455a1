"""Searching manifests by MAWB, by flight, or by a pasted list of MAWBs; and flights by their number."""

import re

from django.db.models import QuerySet

from shipments.admin.search.guide_search import codes_in, mawb_lookup
from shipments.manifests.waybills import normal_mawb
from shipments.models import Flight, Manifest

_MAWB_START = re.compile("[0-9]{1,3}-?[0-9]{0,8}")
_FLIGHT = re.compile(r"(?=[A-Z0-9]*[A-Z])[A-Z0-9]{2,3}[0-9]{1,4}[A-Z]?")
_NOT_IN_A_FLIGHT = re.compile(r"[\s-]+")


def search_manifests(manifests: QuerySet[Manifest], text: str) -> QuerySet[Manifest]:
    """Return the `manifests` with a MAWB in any spelling, or its beginning; those of a flight; or those of a list."""
    text = " ".join(text.replace("\0", "").split())
    if not text:
        return manifests
    if codes := codes_in(text):
        return manifests.filter(mawb__in=[mawb for code in codes if (mawb := normal_mawb(code))])
    if (condition := mawb_lookup(text)) is not None:
        return manifests.filter(condition)
    if number := flight_number(text):
        return manifests.filter(flight__in=Flight.objects.filter(flight_number__startswith=number).order_by())
    return manifests.filter(mawb__startswith=text) if _MAWB_START.fullmatch(text) else manifests.none()


def flight_number(text: str) -> str:
    """Return a flight's number as it is stored, or the beginning of one; empty if `text` cannot be one."""
    number = _NOT_IN_A_FLIGHT.sub("", text).upper()
    return number if _FLIGHT.fullmatch(number) else ""
