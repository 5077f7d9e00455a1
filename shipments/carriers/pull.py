"""Asking a carrier where a guide is. What it answers takes the way of its webhooks."""

import json
import time
from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from types import ModuleType

import requests
import structlog
from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from base import encryption
from base.errors import NotFound, RateLimited
from shipments.carriers.adapters import ADAPTERS
from shipments.carriers.adapters.shape import Rejected
from shipments.carriers.processing import process, store_receipt
from shipments.errors import UpstreamUnavailable
from shipments.models import CarrierNumber
from shipments.statuses import FINAL

log = structlog.get_logger(__name__)

PAUSE = timedelta(minutes=1)
"""Between two questions about one guide."""
CONNECT_SECONDS, TOTAL_SECONDS = 5.0, 10.0
MOST_BYTES = 1024 * 1024
_PIECE = 64 * 1024


def refresh(guide_id: int) -> Mapping[str, int]:
    """Ask the carrier that has a number for the guide, or whose number it claims, and apply the carrier's events.

    Returns the counts as in its webhooks. Call it outside transactions. Raises `NotFound` if there is no carrier to
    ask, `RateLimited` within a minute of the last question, `UpstreamUnavailable` if the carrier is away, slow or
    unreadable.
    """
    is_claimed = Q(claims__guide=guide_id) & (Q(guide=None) | Q(guide__status__in=FINAL))
    active = CarrierNumber.objects.filter(carrier__is_active=True).exclude(carrier__sealed_api_key="")
    numbers = active.filter(Q(guide=guide_id) | is_claimed).select_related("carrier").distinct().order_by("-id")
    number = next((each for each in numbers if hasattr(ADAPTERS[each.carrier.adapter], "build_query")), None)
    if number is None:
        raise NotFound("No carrier that can be asked has a number for this guide.")
    now = timezone.now()
    is_due = Q(asked_at=None) | Q(asked_at__lte=now - PAUSE)
    if not CarrierNumber.objects.filter(is_due, pk=number.pk).update(asked_at=now):
        raise RateLimited("The carrier was asked about this guide within the last minute.", retry_after_seconds=60)
    adapter = ADAPTERS[number.carrier.adapter]
    try:
        bodies = adapter.read_answer(json.loads(_fetch(adapter, number)))
    except requests.RequestException as fault:
        raise _unavailable(type(fault).__name__) from None
    except (ValueError, RecursionError, Rejected):
        raise _unavailable("unreadable") from None
    counts: Counter[str] = Counter()
    for body in bodies:
        receipt = store_receipt(number.carrier, json.dumps(body).encode())
        try:
            became = process(receipt).counts
        except Rejected:
            raise _unavailable("shape") from None
        counts.update({"events": receipt.events, **became})
    return counts


def _fetch(adapter: ModuleType, number: CarrierNumber) -> bytes:
    address = (settings.CARRIER_API_BASE or adapter.ADDRESS).rstrip("/") + adapter.PATH
    query, headers = adapter.build_query(number.number, encryption.unseal(number.carrier.sealed_api_key))
    ends = time.monotonic() + TOTAL_SECONDS
    with requests.Session() as session:
        session.trust_env = False  # neither a proxy of the environment nor a .netrc is meant for carriers
        timeouts = (CONNECT_SECONDS, TOTAL_SECONDS - CONNECT_SECONDS)
        sent = {"Accept": "application/json", **headers}
        with session.get(
            address, params=query, headers=sent, timeout=timeouts, allow_redirects=False, stream=True
        ) as answer:
            if answer.status_code != 200:
                raise _unavailable(str(answer.status_code))
            body = b""
            for piece in answer.iter_content(_PIECE):
                body += piece
                if len(body) > MOST_BYTES or time.monotonic() > ends:
                    raise _unavailable("too large or too slow")
            return body


def _unavailable(why: str) -> UpstreamUnavailable:
    log.warning("carrier_not_reached", reason=why)
    return UpstreamUnavailable()
