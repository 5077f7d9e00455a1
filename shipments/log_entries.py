"""Entries in the admin log for operators' acts on many guides: one entry per guide, in few statements."""

from collections.abc import Iterable, Sequence

from django.http import HttpRequest

from companies.admin_base.activity import Act, Params, log_each
from shipments.activity import EVENT_RECORDED, shown_value
from shipments.models import Guide
from shipments.tracking.batches import Result
from shipments.tracking.review import Correction


def log_guides(request: HttpRequest, done: Act, entries: Iterable[tuple[int, str, Params]]) -> None:
    """Record one act on several guides. entries: (id, tracking code, parameters)."""
    log_each(request, Guide, done, entries)


def log_moves(request: HttpRequest, results: Sequence[Result]) -> None:
    """Log every event that was recorded on a timeline."""
    log_guides(
        request,
        EVENT_RECORDED,
        (
            (
                result.move.guide_id,
                result.tracking_code,
                {
                    "status": result.move.reported.status,
                    "source": result.move.reported.source,
                    "outcome": result.outcome,
                    "previous": result.previous_status,
                },
            )
            for result in results
            if result.outcome.is_recorded
        ),
    )


def correction_params(correction: Correction, reason: str = "") -> Params:
    """Return what is logged of a correction: old and new values, documents masked."""
    changes = {
        name: [shown_value(name, correction.before[name]), shown_value(name, value)]
        for name, value in correction.after.items()
    }
    return {"changes": changes, "reason": reason} if reason else {"changes": changes}
