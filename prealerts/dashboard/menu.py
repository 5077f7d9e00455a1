"""The counts in the menu: what waits at each of its entries, as *To do* lists it. Nothing where nothing waits.

Nor on the page of an internal error, which makes no query.
"""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from prealerts.dashboard.figures import Figure, count_capped
from prealerts.dashboard.to_do import STOPPED_WITHIN
from shipments.models import BulkMove, Carrier, CarrierCode, InboundBatch, Layout
from shipments.models.inbound import BatchState


def _count(rows: Callable[[Any], QuerySet[Any]]) -> Callable[[HttpRequest], Figure]:
    """Return the count of what waits for an operator. rows: takes the operator."""
    return lambda request: Figure(0) if getattr(request, "is_broken", False) else count_capped(rows(request.user))


def _moves(user: Any) -> QuerySet[BulkMove]:  # noqa: ANN401  # a user
    seen = BulkMove.objects.visible_to(user)
    return seen.waiting() | seen.stopped_since(timezone.now() - STOPPED_WITHIN)


codes = _count(lambda user: CarrierCode.objects.visible_to(user).to_explain())
batches = _count(lambda user: InboundBatch.objects.visible_to(user).filter(state=BatchState.OPEN))
carriers = _count(lambda user: Carrier.objects.managed_by(user).silent(timezone.now()))
layouts = _count(lambda user: Layout.objects.visible_to(user).waiting())
moves = _count(_moves)
