"""The statuses of a guide, and the status of a MAWB derived from them. Pure. The values are public and never change."""

from collections.abc import Mapping
from enum import Enum, StrEnum


class StatusKind(Enum):
    """What a status means for the further progress of a guide."""

    PROGRESS = "progress"
    EXCEPTION = "exception"
    TERMINAL = "terminal"
    TERMINAL_EXCEPTION = "terminal exception"


class GuideStatus(StrEnum):
    """The statuses of a guide; `code` is the contract's status_code."""

    REGISTERED = "registered"
    CUSTOMS_PROCESSING = "customs_processing"
    CUSTOMS_RELEASED = "customs_released"
    IN_TRANSIT = "in_transit"
    OUT_FOR_DELIVERY = "out_for_delivery"
    DELIVERED = "delivered"
    CUSTOMS_HELD = "customs_held"
    CUSTOMS_DOCUMENTS_REQUIRED = "customs_documents_required"
    CUSTOMS_DUTIES_PENDING = "customs_duties_pending"
    ON_HOLD = "on_hold"
    DELIVERY_FAILED = "delivery_failed"
    RETURNING_TO_SENDER = "returning_to_sender"
    CUSTOMS_REJECTED = "customs_rejected"
    RETURNED = "returned"
    LOST = "lost"
    CANCELLED = "cancelled"

    @property
    def code(self) -> int:
        """The contract's number: 1 to 6 for progress, from 21 for exceptions, from 91 for final failures."""
        return _NATURE[self][0]

    @property
    def kind(self) -> StatusKind:
        return _NATURE[self][1]

    @property
    def is_terminal(self) -> bool:
        return self.kind in {StatusKind.TERMINAL, StatusKind.TERMINAL_EXCEPTION}


_NATURE: Mapping[GuideStatus, tuple[int, StatusKind]] = {
    GuideStatus.REGISTERED: (1, StatusKind.PROGRESS),
    GuideStatus.CUSTOMS_PROCESSING: (2, StatusKind.PROGRESS),
    GuideStatus.CUSTOMS_RELEASED: (3, StatusKind.PROGRESS),
    GuideStatus.IN_TRANSIT: (4, StatusKind.PROGRESS),
    GuideStatus.OUT_FOR_DELIVERY: (5, StatusKind.PROGRESS),
    GuideStatus.DELIVERED: (6, StatusKind.TERMINAL),
    GuideStatus.CUSTOMS_HELD: (21, StatusKind.EXCEPTION),
    GuideStatus.CUSTOMS_DOCUMENTS_REQUIRED: (22, StatusKind.EXCEPTION),
    GuideStatus.CUSTOMS_DUTIES_PENDING: (23, StatusKind.EXCEPTION),
    GuideStatus.ON_HOLD: (41, StatusKind.EXCEPTION),
    GuideStatus.DELIVERY_FAILED: (51, StatusKind.EXCEPTION),
    GuideStatus.RETURNING_TO_SENDER: (52, StatusKind.EXCEPTION),
    GuideStatus.CUSTOMS_REJECTED: (91, StatusKind.TERMINAL_EXCEPTION),
    GuideStatus.RETURNED: (92, StatusKind.TERMINAL_EXCEPTION),
    GuideStatus.LOST: (93, StatusKind.TERMINAL_EXCEPTION),
    GuideStatus.CANCELLED: (94, StatusKind.TERMINAL_EXCEPTION),
}


EXCEPTIONS = tuple(status for status in GuideStatus if status.kind is StatusKind.EXCEPTION)
"""Statuses in which a guide waits for action and may still be delivered."""

IN_CUSTOMS = (
    GuideStatus.CUSTOMS_PROCESSING,
    GuideStatus.CUSTOMS_HELD,
    GuideStatus.CUSTOMS_DOCUMENTS_REQUIRED,
    GuideStatus.CUSTOMS_DUTIES_PENDING,
)
"""Statuses in which customs has a guide and has not decided about it."""

FINAL = tuple(status for status in GuideStatus if status.is_terminal)
"""Statuses that nothing can follow."""

_ACTIVE = frozenset(status for status in GuideStatus if not status.is_terminal)
_UNDER_WAY = _ACTIVE - {GuideStatus.REGISTERED}

COMES_FROM: Mapping[GuideStatus, frozenset[GuideStatus]] = {
    # Only `ingest` registers guides, and only once.
    GuideStatus.REGISTERED: frozenset(),
    # From any active status, also backwards: carriers skip scans, and customs may inspect a guide again.
    GuideStatus.CUSTOMS_PROCESSING: _ACTIVE,
    GuideStatus.CUSTOMS_RELEASED: _ACTIVE,
    GuideStatus.IN_TRANSIT: _ACTIVE,  # both the international leg before customs and the domestic leg after it
    GuideStatus.OUT_FOR_DELIVERY: _ACTIVE,
    GuideStatus.DELIVERED: _ACTIVE,
    GuideStatus.CUSTOMS_HELD: _ACTIVE,
    GuideStatus.CUSTOMS_DOCUMENTS_REQUIRED: _ACTIVE,
    GuideStatus.CUSTOMS_DUTIES_PENDING: _ACTIVE,
    GuideStatus.ON_HOLD: _ACTIVE,
    # A delivery must have been attempted, but some couriers do not scan their departure.
    GuideStatus.DELIVERY_FAILED: frozenset({GuideStatus.OUT_FOR_DELIVERY, GuideStatus.IN_TRANSIT}),
    # A guide that was only announced cannot be returned.
    GuideStatus.RETURNING_TO_SENDER: _UNDER_WAY,
    GuideStatus.RETURNED: _UNDER_WAY,
    # Customs can only reject a guide that it holds.
    GuideStatus.CUSTOMS_REJECTED: frozenset(IN_CUSTOMS),
    GuideStatus.LOST: _ACTIVE,
    # A pre-alert can be cancelled. A shipment under way is returned instead.
    GuideStatus.CANCELLED: frozenset({GuideStatus.REGISTERED}),
}
"""The state machine: each status with the statuses that may precede it. Keeping the same status is not a move."""


def may_follow(previous: GuideStatus, status: GuideStatus) -> bool:
    return previous is not status and previous in COMES_FROM[status]


class Source(StrEnum):
    """Who reported an event."""

    PRE_ALERT = "pre_alert"
    CARRIER = "carrier"
    CUSTOMS = "customs"
    COURIER_SCAN = "courier_scan"
    OPERATOR = "operator"


MAWB_STATUSES = (
    *(status.value for status in GuideStatus if status.kind is StatusKind.PROGRESS),
    GuideStatus.DELIVERED.value,
    "exception",
    "closed",
)
"""What `mawb_status` returns."""


def mawb_status(guides_by_status: Mapping[str, int]) -> str:
    """Return the status of a MAWB: that of its least advanced guide in progress.

    guides_by_status: status -> number of guides. If no guide is in progress: `exception` if any guide has a
    non-terminal exception, `delivered` if all guides are delivered, else `closed`.
    """
    present = [GuideStatus(status) for status, count in guides_by_status.items() if count > 0]
    on_their_way = [status for status in present if status.kind is StatusKind.PROGRESS]
    if on_their_way:
        return min(on_their_way, key=lambda status: status.code)
    if any(status.kind is StatusKind.EXCEPTION for status in present):
        return "exception"
    return "delivered" if present == [GuideStatus.DELIVERED] else "closed"
