"""The counts in the menu: what waits at each of its entries, as *To do* lists it. Nothing where nothing waits.

Nor on the page of an internal error, which makes no query.
"""

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest
from django.utils import timezone

from prealerts.dashboard.figures import Figure, counted
from prealerts.dashboard.to_do import STOPPED_WITHIN
from shipments.models import BulkMove, Carrier, CarrierCode, InboundBatch, Layout
from shipments.models.inbound import BatchState


def _unless_broken(count: Callable[[HttpRequest], Figure]) -> Callable[[HttpRequest], Figure]:
    @wraps(count)
    def counted_or_none(request: HttpRequest) -> Figure:
        return Figure(0) if getattr(request, "is_broken", False) else count(request)

    return counted_or_none


@_unless_broken
def codes(request: HttpRequest) -> Figure:
    return counted(CarrierCode.objects.visible_to(request.user).to_explain())


@_unless_broken
def batches(request: HttpRequest) -> Figure:
    return counted(InboundBatch.objects.visible_to(request.user).filter(state=BatchState.OPEN))


@_unless_broken
def carriers(request: HttpRequest) -> Figure:
    return counted(Carrier.objects.governed_by(request.user).silent(timezone.now()))


@_unless_broken
def layouts(request: HttpRequest) -> Figure:
    return counted(Layout.objects.visible_to(request.user).waiting())


@_unless_broken
def moves(request: HttpRequest) -> Figure:
    seen = BulkMove.objects.visible_to(request.user)
    return counted(seen.waiting() | seen.stopped_since(timezone.now() - STOPPED_WITHIN))
