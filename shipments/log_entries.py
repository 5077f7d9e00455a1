"""Entries in the admin log for operators' acts on many guides: one entry per guide, in few statements."""

from collections.abc import Iterable, Sequence

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.http import HttpRequest

from companies.admin_base.activity import Act, Params, operator_id, stored
from shipments.activity import EVENT_RECORDED, TAKEN_BACK, shown_value
from shipments.models import Guide
from shipments.tracking.batches import Result
from shipments.tracking.review import Correction


def log_guides(request: HttpRequest, done: Act, entries: Iterable[tuple[int, str, Params]]) -> None:
    """Record one act on several guides. entries: (id, tracking code, parameters)."""
    content_type = ContentType.objects.get_for_model(Guide)
    LogEntry.objects.bulk_create(
        (
            LogEntry(
                user_id=operator_id(request),
                content_type_id=content_type.pk,
                object_id=str(guide_id),
                object_repr=tracking_code,
                action_flag=done.kind,
                change_message=stored(done, params),
            )
            for guide_id, tracking_code, params in entries
        ),
        batch_size=500,
    )


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


def log_taken_back(request: HttpRequest, results: Sequence[Result]) -> None:
    """Log every status that was taken back. The reason is on the timeline."""
    log_guides(
        request,
        TAKEN_BACK,
        (
            (
                result.move.guide_id,
                result.tracking_code,
                {"wrong": result.previous_status, "status": result.move.reported.status},
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
