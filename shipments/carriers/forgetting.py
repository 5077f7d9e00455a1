"""What carriers sent is forgotten: with its guide, after it, and with age. Bodies hold names and signatures."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from shipments.models import Carrier, CarrierEvent, CarrierNumber, CarrierReceipt, Guide, InboundScan

_AT_ONCE = 1_000
_LONGEST_CODE = 64
_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)")
_BETWEEN_WORDS = re.compile(r"[\s\"',;:{}\[\]()]+")


def blank_old_bodies(*, dry_run: bool = False) -> int:
    """Delete the bodies of receipts older than `RETENTION_DAYS_CARRIER_BODIES`; the receipts stay. Returns how many."""
    before = timezone.now() - timedelta(days=settings.RETENTION_DAYS_CARRIER_BODIES)
    old = CarrierReceipt.objects.filter(received_at__lt=before, body__isnull=False)
    if dry_run:
        return old.count()
    blanked = 0
    while keys := list(old.order_by("received_at").values_list("pk", flat=True)[:_AT_ONCE]):
        blanked += CarrierReceipt.objects.filter(pk__in=keys).update(body=None, held_until=None)
    return blanked


def forget_guides(guide_ids: Collection[int]) -> int:
    """Erase what carriers said of these guides: descriptions and whole bodies. Returns how many rows were changed.

    Also of events that found no guide, or wait for the meaning of a code, and name one of them.
    """
    names = Guide.objects.filter(pk__in=guide_ids).values_list("tracking_code", "hawb")
    codes, hawbs = {code for code, _hawb in names}, {hawb for _code, hawb in names}
    about = Q(guide__in=guide_ids) | Q(guide=None, tracking_code__in=codes) | Q(guide=None, hawb__in=hawbs)
    events = CarrierEvent.objects.filter(about)
    receipts = CarrierReceipt.objects.filter(pk__in=events.order_by().values("receipt"), body__isnull=False)
    erased = receipts.update(body=None, held_until=None)
    return erased + events.exclude(description="", place="").update(description="", place="")


def find_anonymised(carrier: Carrier, words: Collection[str]) -> set[str]:
    """Return those of `words` that are a code, a HAWB or the carrier's number of an anonymised guide."""
    sent = sorted({*words, *(word.upper() for word in words)} - {""})
    guides = Guide.objects.exclude(anonymised_at=None)
    numbers = CarrierNumber.objects.filter(carrier=carrier).exclude(guide__anonymised_at=None)
    found: set[str] = set()
    for start in range(0, len(sent), _AT_ONCE):
        some = sent[start : start + _AT_ONCE]
        for rows, column in ((guides, "tracking_code"), (guides, "hawb"), (numbers, "number")):
            found.update(rows.filter(**{f"{column}__in": some}).values_list(column, flat=True))
    return found


def names_anonymised(receipt: CarrierReceipt) -> bool:
    """Return whether a body has a code, a HAWB or a number of a guide that was anonymised before it came."""
    return bool(find_anonymised(receipt.carrier, body_words(bytes(receipt.body or b""))))


def forget_unmatched(*, dry_run: bool = False) -> int:
    """Forget what has had no guide for `RETENTION_DAYS_UNMATCHED_EVENTS`: events, and codes and notes of scans.

    Returns how many rows. dry_run: only count them.
    """
    before = timezone.now() - timedelta(days=settings.RETENTION_DAYS_UNMATCHED_EVENTS)
    events = CarrierEvent.objects.filter(guide=None, recorded_at__lt=before)
    scans = InboundScan.objects.filter(guide=None, recorded_at__lt=before).exclude(code="", note="")
    if dry_run:
        return events.count() + scans.count()
    forgotten = scans.update(code="", note="")
    while keys := list(events.order_by("pk").values_list("pk", flat=True)[:_AT_ONCE]):
        forgotten += CarrierEvent.objects.filter(pk__in=keys, guide=None).delete()[0]
    return forgotten


# --- the texts of a body ----------------------------------------------------------------------------------------


def body_text(body: bytes) -> str:
    """Return the text of a body that may be JSON, with its escapes undone as far as a search needs it."""
    text = bytes(body).decode("utf-8", "replace")
    return _ESCAPED.sub(lambda escape: chr(int(escape[1], 16)) if escape[1] else " ", text) if "\\" in text else text


def body_words(body: bytes) -> Collection[str]:
    """Return the values of a body of JSON, or the words of one that cannot be read: what may be a code."""
    try:
        found = texts_in(json.loads(bytes(body).decode("utf-8-sig")), with_numbers=True)
        words = {text.strip() for text in found}
    except (ValueError, RecursionError):
        words = set(_BETWEEN_WORDS.split(body_text(body)))
    return {word for word in words if 0 < len(word) <= _LONGEST_CODE and word.isprintable()}


def texts_in(value: Any, *, with_numbers: bool = False) -> Iterator[str]:  # noqa: ANN401  # any JSON
    """Yield the texts of a JSON value, the keys too; with_numbers: and its whole numbers."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from texts_in(inner, with_numbers=with_numbers)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts_in(inner, with_numbers=with_numbers)
    elif with_numbers and isinstance(value, int):
        yield str(value)
