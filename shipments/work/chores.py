"""What the worker does."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shipments.carriers import parking, processing
from shipments.intake import idempotency, jobs
from shipments.tracking import bulk


@dataclass(frozen=True, slots=True)
class Chore:
    """work: does one piece, and returns whether there may be more. pause_seconds: the least pause after the last."""

    name: str
    pause_seconds: float
    work: Callable[[], bool]


def chores(answer: jobs.Answer) -> Sequence[Chore]:
    """Return the chores. answer: what the API answers to a refused upload."""
    return (
        Chore("upload_jobs", 1, lambda: jobs.read_next(answer)),
        Chore("bulk_moves", 1, bulk.work),
        Chore("carrier_receipts", 1, processing.repeat_next),
        Chore("carrier_parking", 5, parking.joiner()),
        Chore("carrier_expiry", 3600, parking.expire),
        Chore("prune_idempotency_keys", 3600, idempotency.prune),
        Chore("prune_upload_jobs", 3600, jobs.prune),
    )
