"""What operators do to manifests, guides and formats, as the activity log keeps and words it."""

from collections.abc import Mapping, Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext, npgettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from rest_framework.request import Request

from companies.admin_base.activity import ActKind, Params, act, log_each
from companies.admin_base.confirmed_action import Grouped
from shipments.labels import SOURCE_LABELS, STATUS_LABELS
from shipments.models import FileKind, Guide
from shipments.statuses import GuideStatus, Source
from shipments.tracking.batches import Result
from shipments.tracking.moves import Outcome
from shipments.tracking.review import Correction
from shipments.wording.rendering import quoted

_SHOWN_OF_A_DOCUMENT = 3
_COLUMNS = {column.name: column for column in Guide._meta.concrete_fields}

OUTCOME_LABELS: Mapping[Outcome, str | Promise] = {
    Outcome.ADVANCED: pgettext_lazy("done", "advanced"),
    Outcome.TAKEN_BACK: _("taken back"),
    Outcome.REPEATED: _("repeated scan"),
    Outcome.HISTORY: _("history only"),
    Outcome.UNCHANGED: _("unchanged"),
    Outcome.REFUSED: _("refused"),
}
PREVIEW_LABELS: Mapping[Outcome, str | Promise] = {
    **OUTCOME_LABELS,
    Outcome.ADVANCED: _("would advance"),
    Outcome.TAKEN_BACK: _("would be taken back"),
}
"""The same before it has happened."""


def field_label(name: str) -> str:
    return str(_COLUMNS[name].verbose_name) if name in _COLUMNS else name


def _event(params: Params) -> Params:
    return {
        "status": quoted(STATUS_LABELS[GuideStatus(params["status"])]),
        "source": quoted(SOURCE_LABELS[Source(params["source"])]),
        "outcome": OUTCOME_LABELS[Outcome(params["outcome"])],
        "previous": quoted(STATUS_LABELS[GuideStatus(params["previous"])]),
    }


def _move(params: Params) -> Params:
    """Word what a bulk move did. of: a MAWB; empty for guides of a list."""
    text = ngettext("%(n)s guide", "%(n)s guides", params["guides"])
    said = {"guides": text % {"n": Grouped(params["guides"])}, "of": params["of"] or gettext("a list")}
    statuses = {name: params[name] for name in ("status", "wrong") if name in params}
    return said | {name: quoted(STATUS_LABELS[GuideStatus(status)]) for name, status in statuses.items()}


def _correction(params: Params) -> Params:
    """Word the changes: field -> old and new value, or None once they were erased."""
    changes: Mapping[str, Sequence[str] | None] = params["changes"]
    said = "; ".join(_change(name, values) for name, values in changes.items())
    reason = params.get("reason")
    return {"changes": f"{said}; {gettext('Reason')}: {reason}" if reason else said}


def _change(name: str, values: Sequence[str] | None) -> str:
    return field_label(name) if values is None else f"{field_label(name)}: {' → '.join(values)}"


def _tally(params: Params) -> Params:
    counts = [f"{count} {outcome_word(Outcome(outcome), count, is_done=True)}" for outcome, count in params["tally"]]
    return {"tally": ", ".join(counts)}


def _file(params: Params) -> Params:
    return {"file": FileKind(params["file"]).label}


def outcome_word(outcome: Outcome, count: int, *, is_done: bool = False) -> str:
    """Return the label of the outcome of `count` events, shown after that number.

    is_done: it has happened; else it would.
    """
    if not is_done and outcome is Outcome.ADVANCED:
        return npgettext("after a number", "would advance", "would advance", count)
    if not is_done and outcome is Outcome.TAKEN_BACK:
        return npgettext("after a number", "would be taken back", "would be taken back", count)
    words = {
        Outcome.ADVANCED: npgettext("after a number, done", "advanced", "advanced", count),
        Outcome.TAKEN_BACK: npgettext("after a number", "taken back", "taken back", count),
        Outcome.REPEATED: npgettext("after a number", "repeated scan", "repeated scans", count),
        Outcome.HISTORY: npgettext("after a number", "history only", "history only", count),
        Outcome.UNCHANGED: npgettext("after a number", "unchanged", "unchanged", count),
        Outcome.REFUSED: npgettext("after a number", "refused", "refused", count),
    }
    return words[outcome]


def shown_value(name: str, value: str) -> str:
    """Return a value of a correction as the log keeps it: only the last characters of a document."""
    if name == "consignee_document" and value:
        return f"…{value[-_SHOWN_OF_A_DOCUMENT:]}" if len(value) > 2 * _SHOWN_OF_A_DOCUMENT else "…"
    return quoted(value)


def correction_params(correction: Correction, reason: str = "") -> Params:
    """Return what is logged of a correction: old and new values, documents masked."""
    changes = {
        name: [shown_value(name, correction.before[name]), shown_value(name, value)]
        for name, value in correction.after.items()
    }
    return {"changes": changes, "reason": reason} if reason else {"changes": changes}


def log_moves(request: Request, results: Sequence[Result]) -> None:
    """Log every event that was recorded on a timeline, in few statements."""
    entries = (
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
    )
    log_each(request._request, Guide, EVENT_RECORDED, entries)  # noqa: SLF001  # DRF's own name for it


OPENED = act("guide_opened", ActKind.OPENED, _("Opened."))
FILE_DOWNLOADED = act("file_downloaded", ActKind.OPENED, _("Downloaded a file: %(file)s."), _file)
ANNOTATED_DOWNLOADED = act("annotated_downloaded", ActKind.OPENED, _("Downloaded the annotated workbook."))
RESULTS_DOWNLOADED = act("results_downloaded", ActKind.OPENED, _("Downloaded the results by guide."))
PREVIEWED = act("manifest_previewed", ActKind.OPENED, _("Previewed a manifest for %(company)s; guides: %(guides)s."))
PREVIEW_DOWNLOADED = act(
    "preview_downloaded", ActKind.OPENED, _("Downloaded the annotated workbook of an upload in preview.")
)

EVENT_RECORDED = act(
    "event_recorded",
    ActKind.MOVED,
    _("Event %(status)s from %(source)s: %(outcome)s; the status was %(previous)s."),
    _event,
)
GUIDES_MOVED = act("guides_moved", ActKind.MOVED, _("%(guides)s of %(of)s: %(status)s."), _move)
MOVES_TAKEN_BACK = act("moves_taken_back", ActKind.MOVED, _("Took back %(wrong)s of %(guides)s of %(of)s."), _move)
MOVE_STOPPED = act("move_stopped", ActKind.MOVED, _("Stopped after %(moved)s of %(total)s guides."))
EVENTS_IMPORTED = act("events_imported", ActKind.MOVED, _("Imported events: %(tally)s."), _tally)
RETENTION_LIFTED = act("retention_lifted", ActKind.MOVED, _("Lifted the retention."))
VOIDED = act("manifest_voided", ActKind.MOVED, _("Voided."))

CORRECTED = act("guide_corrected", ActKind.CORRECTED, _("Corrected the consignee: %(changes)s"), _correction)
REVIEWED = act("guide_reviewed", ActKind.CORRECTED, _("Marked as reviewed."))
REVIEW_REOPENED = act("review_reopened", ActKind.CORRECTED, _("Returned it to those that need review."))

ENTERED = act("manifest_entered", ActKind.UPLOADED, _("Uploaded for %(company)s."))
INVOICE_ATTACHED = act("invoice_attached", ActKind.UPLOADED, _("Attached an invoice: SHA-256 %(new)s."))
INVOICE_REPLACED = act("invoice_replaced", ActKind.UPLOADED, _("Replaced the invoice: SHA-256 %(old)s → %(new)s."))

NOTED = act("note_added", ActKind.NOTED, _("Added a note."))
TAKEN = act("guide_taken", ActKind.NOTED, _("Took the guide."))
RELEASED = act("guide_released", ActKind.NOTED, _("Released the guide."))

SAMPLE_UPLOADED = act("sample_uploaded", ActKind.UPLOADED, _("Uploaded a sample workbook for a format."))
SAMPLE_READ = act("sample_read", ActKind.OPENED, _("Looked at the sample workbook of a format, row by row."))
SAMPLE_EXPORTED = act("sample_exported", ActKind.OPENED, _("Downloaded the reading of a sample workbook as CSV."))
SAMPLE_DOWNLOADED = act("sample_downloaded", ActKind.OPENED, _("Downloaded the annotated sample of a format."))
PAST_COMPARED = act("past_compared", ActKind.OPENED, _("Compared past workbooks with the draft of a format."))
PAST_READ = act("past_read", ActKind.OPENED, _("Looked at a past workbook with the draft of a format, row by row."))
FORMAT_PUBLISHED = act("format_published", ActKind.CONFIGURED, _("Version %(version)s is in use."))
FORMAT_RETIRED = act("format_retired", ActKind.CONFIGURED, _("The format is retired."))
ALARM_CLOSED = act("format_alarm_closed", ActKind.CONFIGURED, _("Closed an alarm without a change."))
SPELLING_ACCEPTED = act(
    "spelling_accepted", ActKind.CONFIGURED, _("“%(new)s” is accepted as “%(old)s”: version %(version)s is in use.")
)
