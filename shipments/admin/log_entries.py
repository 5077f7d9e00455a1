"""Entries in the admin log for operators' actions: one entry per row, with documents masked."""

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.http import HttpRequest
from django.utils.translation import gettext

from shipments.admin.badges import OUTCOME_LABELS
from shipments.labels import SOURCE_LABELS, STATUS_LABELS
from shipments.models import Guide
from shipments.tracking.results import Result
from shipments.tracking.review import Correction

_SHOWN_OF_A_DOCUMENT = 3


def operator_id(request: HttpRequest) -> int:
    """Return the id of the operator. The admin only accepts logged-in users."""
    return cast("int", request.user.pk)


def log_guides(request: HttpRequest, entries: Iterable[tuple[int, str, str]]) -> None:
    """Log actions on guides in few statements. entries: (id, tracking code, message)."""
    content_type = ContentType.objects.get_for_model(Guide)
    LogEntry.objects.bulk_create(
        (
            LogEntry(
                user_id=operator_id(request),
                content_type_id=content_type.pk,
                object_id=str(guide_id),
                object_repr=tracking_code,
                action_flag=CHANGE,
                change_message=message,
            )
            for guide_id, tracking_code, message in entries
        ),
        batch_size=500,
    )


def log_moves(request: HttpRequest, results: Sequence[Result]) -> None:
    """Log every event that was recorded on a timeline."""
    log_guides(
        request,
        (
            (
                result.move.guide_id,
                result.tracking_code,
                gettext("Event %(status)s from %(source)s: %(outcome)s; the status was %(previous)s.")
                % {
                    "status": f'"{STATUS_LABELS[result.move.fact.status]}"',
                    "source": f'"{SOURCE_LABELS[result.move.fact.source]}"',
                    "outcome": OUTCOME_LABELS[result.outcome],
                    "previous": f'"{STATUS_LABELS[result.previous_status]}"',
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
        (
            (
                result.move.guide_id,
                result.tracking_code,
                gettext("Took back %(wrong)s; the status is %(status)s.")
                % {
                    "wrong": f'"{STATUS_LABELS[result.previous_status]}"',
                    "status": f'"{STATUS_LABELS[result.move.fact.status]}"',
                },
            )
            for result in results
            if result.outcome.is_recorded
        ),
    )


def told_correction(correction: Correction, reason: str = "") -> str:
    """Describe a correction with old and new values. Only the last characters of documents are shown."""
    changes = "; ".join(
        f"{name}: {_shown(name, correction.before)} -> {_shown(name, correction.after)}" for name in correction.after
    )
    text = gettext("Corrected the consignee. %s") % changes
    return f"{text}; {gettext('Reason')}: {reason}" if reason else text


def _shown(name: str, values: Mapping[str, str]) -> str:
    value = values[name]
    if name == "consignee_document" and value:
        return f"…{value[-_SHOWN_OF_A_DOCUMENT:]}" if len(value) > 2 * _SHOWN_OF_A_DOCUMENT else "…"
    return f"“{value}”"
