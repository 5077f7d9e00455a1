"""What operators do to manifests and guides, as the activity log keeps and words it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _, ngettext, npgettext, pgettext_lazy
from rest_framework.request import Request

from base.admin.activity import ActKind, Params, act, log_act, log_act_on, log_each
from base.admin.confirmed_action import Grouped
from shipments.labels import SOURCE_LABELS, STATUS_LABELS
from shipments.models import FileKind, Guide, ListedGuides, Manifest
from shipments.statuses import GuideStatus, Source
from shipments.tracking.corrections import Correction
from shipments.tracking.moves import Move, Outcome
from shipments.wording.rendering import quote

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
        "status": quote(STATUS_LABELS[GuideStatus(params["status"])]),
        "source": quote(SOURCE_LABELS[Source(params["source"])]),
        "outcome": OUTCOME_LABELS[Outcome(params["outcome"])],
        "previous": quote(STATUS_LABELS[GuideStatus(params["previous"])]),
    }


def _move(params: Params) -> Params:
    """Word what a bulk move did. of: a MAWB; empty for guides of a list."""
    text = ngettext("%(n)s guide", "%(n)s guides", params["guides"])
    said = {"guides": text % {"n": Grouped(params["guides"])}, "of": params.get("of") or gettext("a list")}
    statuses = {name: params[name] for name in ("status", "wrong") if name in params}
    return said | {name: quote(STATUS_LABELS[GuideStatus(status)]) for name, status in statuses.items()}


def _correction(params: Params) -> Params:
    """Word the changes: field -> old and new value, or None once they were erased."""
    changes: Mapping[str, Sequence[str] | None] = params["changes"]
    texts = [
        field_label(name) if values is None else f"{field_label(name)}: {' → '.join(values)}"
        for name, values in changes.items()
    ]
    if reason := params.get("reason"):
        texts.append(f"{gettext('Reason')}: {reason}")
    return {"changes": "; ".join(texts)}


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


def show_value(name: str, value: object) -> str:
    """Return a value of a correction as the log keeps it: only the last characters of a document."""
    value = "" if value is None else str(value)
    if name == "consignee_document" and value:
        return f"…{value[-_SHOWN_OF_A_DOCUMENT:]}" if len(value) > 2 * _SHOWN_OF_A_DOCUMENT else "…"
    return quote(value)


def correction_params(correction: Correction, reason: str = "") -> Params:
    """Return what is logged of a correction: old and new values, documents masked."""
    changes = {
        name: [show_value(name, correction.before[name]), show_value(name, value)]
        for name, value in correction.after.items()
    }
    return {"changes": changes, "reason": reason} if reason else {"changes": changes}


def log_moves(request: Request, moves: Sequence[Move]) -> None:
    """Log every event that was recorded on a timeline, in few statements."""
    entries = (
        (
            move.guide_id,
            move.tracking_code,
            {
                "status": move.reported.status,
                "source": move.reported.source,
                "outcome": move.outcome,
                "previous": move.previous_status,
            },
        )
        for move in moves
        if move.outcome.is_recorded
    )
    log_each(request._request, Guide, EVENT_RECORDED, entries)  # noqa: SLF001  # DRF's own name for it


def log_list(request: HttpRequest, guide_ids: Iterable[int], *, filters: str, of: Manifest | None = None) -> None:
    """Log that a page of a list showed the people of guides: one line, and beside it whose. Nothing if it showed none.

    filters: the names and values, never the text of a search. of: the manifest whose page it is.
    """
    shown = [*guide_ids]
    if shown:
        params = {"guides": len(shown), "filters": filters}
        entry = log_act(request, of, LISTED, **params) if of else log_act_on(request, Guide, "Guides", LISTED, **params)
        ListedGuides.objects.create(entry=entry, guides=shown)


def log_feed(request: Request, rows: Sequence[Mapping[str, Any]], filters: Mapping[str, Any]) -> None:
    """Log that a program read a page of guides with their people: one line, and beside it whose. Nothing for no guides.

    rows: with `id` and `updated_at`. filters: as they were asked for; of HAWBs and tracking codes, how many.
    """
    if not rows:
        return
    params = {
        "guides": len(rows),
        "filters": ", ".join(f"{name}={_filter_text(name, value)}" for name, value in filters.items()),
        "first": rows[0]["updated_at"].isoformat(),
        "last": rows[-1]["updated_at"].isoformat(),
    }
    entry = log_act_on(request._request, Guide, "Guides", FEED_READ, **params)  # noqa: SLF001  # DRF's own name for it
    ListedGuides.objects.create(entry=entry, guides=[row["id"] for row in rows])


def _filter_text(name: str, value: Any) -> str:  # noqa: ANN401  # a checked parameter
    if name in {"hawb", "tracking_code"}:
        return f"({len(value)})"
    return " ".join(value) if isinstance(value, list) else str(value)


FEED_READ = act(
    "feed_read",
    ActKind.EXPORTED,
    _("Read the feed with all fields; guides: %(guides)s, changed from %(first)s to %(last)s; filters: %(filters)s."),
)
BROKER_FILE_DOWNLOADED = act(
    "broker_file_downloaded",
    ActKind.EXPORTED,
    _("Downloaded %(layout)s for the broker as %(kind)s; guides: %(guides)s."),
)
LISTED = act("guides_listed", ActKind.OPENED, _("Looked at a list; guides: %(guides)s; filters: %(filters)s."))
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
MOVE_UNDONE = act("move_undone", ActKind.MOVED, _("Undid the move of %(guides)s."), _move)
MOVE_STOPPED = act("move_stopped", ActKind.MOVED, _("Stopped after %(moved)s of %(total)s guides."))
EVENTS_IMPORTED = act("events_imported", ActKind.MOVED, _("Imported events: %(tally)s."), _tally)
RETENTION_LIFTED = act("retention_lifted", ActKind.MOVED, _("Lifted the retention."))
BATCH_CLOSED = act("inbound_batch_closed", ActKind.MOVED, _("Closed."))
VOIDED = act("manifest_voided", ActKind.MOVED, _("Voided."))

CORRECTED = act("guide_corrected", ActKind.CORRECTED, _("Corrected the consignee: %(changes)s"), _correction)
REVIEWED = act("guide_reviewed", ActKind.CORRECTED, _("Marked as reviewed."))
REVIEW_REOPENED = act("review_reopened", ActKind.CORRECTED, _("Returned it to those that need review."))

ENTERED = act("manifest_entered", ActKind.UPLOADED, _("Uploaded for %(company)s."))
MOVED_IN = act(
    "manifest_moved_in",
    ActKind.UPLOADED,
    _("Moved in for %(company)s; guides: %(guides)s, events: %(events)s; SHA-256 %(sha256)s."),
)
INVOICE_ATTACHED = act("invoice_attached", ActKind.UPLOADED, _("Attached an invoice: SHA-256 %(new)s."))
INVOICE_REPLACED = act("invoice_replaced", ActKind.UPLOADED, _("Replaced the invoice: SHA-256 %(old)s → %(new)s."))

NOTED = act("note_added", ActKind.NOTED, _("Added a note."))
TAKEN = act("guide_taken", ActKind.NOTED, _("Took the guide."))
RELEASED = act("guide_released", ActKind.NOTED, _("Released the guide."))
LAYOUT_ANSWERED = act("layout_answered", ActKind.CONFIGURED, _("Answered about its columns."))
LAYOUT_CONFIRMED = act("layout_confirmed", ActKind.CONFIGURED, _("Confirmed."))
LAYOUT_SET_APART = act("layout_set_apart", ActKind.CONFIGURED, _("Made a separate layout of its new headings."))
LAYOUT_VALUES_ACCEPTED = act(
    "layout_values_accepted", ActKind.CONFIGURED, _("Accepted its values as usual from then on.")
)
LAYOUT_GUIDES_CORRECTED = act("layout_guides_corrected", ActKind.CORRECTED, _("Corrected guides: %(guides)s."))
