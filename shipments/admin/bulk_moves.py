"""The page of a bulk move: its preview, the question, its progress and what happened."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, ngettext
from django.utils.translation import gettext_lazy as _

from companies.admin_base.activity import log_act
from companies.admin_base.admin_pages import FormPage
from companies.admin_base.confirmed_action import STEP, Grouped, Question
from companies.admin_base.spreadsheets import CSV_CONTENT_TYPE, csv_chunks
from shipments.activity import GUIDES_MOVED, MOVES_TAKEN_BACK
from shipments.admin.badges import outcome_badge, outcome_tally, status_badge
from shipments.labels import STATUS_LABELS
from shipments.models import BulkMove, MoveKind, MoveState
from shipments.statuses import GuideStatus
from shipments.tracking import bulk
from shipments.tracking.bulk import MoveLine
from shipments.tracking.moves import Outcome

SHOWN_LINES = 200
"""The most guides shown that need attention."""
SHOWN_PLAIN = 20
"""The most of the others."""
_WITHOUT_A_WORKER = timedelta(seconds=10)
_TITLES = {
    MoveState.PREVIEWING: _("The preview is being made"),
    MoveState.WAITING: _("Preview"),
    MoveState.QUEUED: _("The guides are being moved"),
    MoveState.RUNNING: _("The guides are being moved"),
    MoveState.DONE: _("What happened"),
    MoveState.STOPPED: _("The move was stopped"),
}


def urls() -> list[URLPattern]:
    """Return the URL patterns of the pages, for staff only."""
    view = admin.site.admin_view
    return [
        path("<uuid:move_id>/", view(MovePage.as_view()), name="bulk-move"),
        path("<uuid:move_id>/guides.csv", view(LinesDownload.as_view()), name="bulk-move-lines"),
    ]


class MovePage(FormPage):
    """The page. Whoever sees the move may open it; its operator confirms it."""

    permission_required = "shipments.change_guide"
    template_name = "shipments/bulk_move.html"

    @cached_property
    def move(self) -> BulkMove:
        """Return the move in the address. Raises `Http404`."""
        moves = BulkMove.objects.visible_to(self.request.user).exclude(kind=MoveKind.FILE)
        found: BulkMove = get_object_or_404(moves.defer("guides").select_related("manifest"), pk=self.kwargs["move_id"])
        return found

    @property
    def may_confirm(self) -> bool:
        """Whether the move is the operator's own; a status is taken back by administrators alone."""
        user = self.request.user
        return self.move.operator_id == user.pk and (self.move.kind != MoveKind.TAKE_BACK or user.is_superuser)

    def form_valid(self, form: object) -> HttpResponse:  # noqa: ARG002  # nothing is entered
        """Move the guides, or have the worker do it. A repeated click changes nothing more."""
        if not self.may_confirm:
            raise PermissionDenied
        with transaction.atomic():
            if bulk.confirm(self.move):
                _log(self.request, self.move)
        bulk.go_on(self.move)
        self._say()
        return HttpResponseRedirect(self.request.path)

    def _say(self) -> None:
        """Say how many guides were moved, if that is done already."""
        self.move.refresh_from_db(fields=["state", "tally"])
        if self.move.state != MoveState.DONE:
            return
        if advanced := self.move.tally.get(Outcome.ADVANCED, 0):
            text = ngettext("%(n)s guide advanced.", "%(n)s guides advanced.", advanced)
            messages.success(self.request, text % {"n": Grouped(advanced)})
        if taken := self.move.tally.get(Outcome.TAKEN_BACK, 0):
            text = ngettext(
                "The status of %(n)s guide is taken back.", "The status of %(n)s guides is taken back.", taken
            )
            messages.success(self.request, text % {"n": Grouped(taken)})

    def get_context_data(self, **context: Any) -> dict[str, Any]:  # noqa: ANN401  # Django's signature
        move, tally = self.move, Counter(self.move.tally)
        state, lines = MoveState(move.state), _first_lines(move)
        seconds, is_done = bulk.seconds_left(move), state not in {MoveState.PREVIEWING, MoveState.WAITING}
        shown = {
            "title": _TITLES[state],
            "move": move,
            "question": self._question(state),
            "step_name": STEP,
            "is_waiting": state is MoveState.WAITING,
            "tally": [(n, outcome_tally(each, n, is_done=is_done)) for each in Outcome if (n := tally[each])],
            "changes": sum(count for outcome, count in tally.items() if Outcome(outcome).is_recorded),
            "lines": [_shown(line, is_done=is_done) for line in lines],
            "more_lines": move.total - len(lines),
            "progress": gettext("%(done)s of %(total)s") % {"done": Grouped(move.done), "total": Grouped(move.total)},
            "time_left": "" if seconds is None else gettext("about %s s") % Grouped(max(1, seconds)),
            "lacks_worker": move.is_under_way and not move.held_until and _has_waited(move),
            "may_go_on": self.may_confirm and move.is_under_way and move.total <= bulk.AT_ONCE,
            "way_back": self._way_back(),
        }
        return super().get_context_data(**{**shown, **context})

    def _question(self, state: MoveState) -> Question:
        if state is not MoveState.WAITING:
            return Question(_TITLES[state], [])
        moved = sum(self.move.tally.get(outcome, 0) for outcome in (Outcome.ADVANCED, Outcome.TAKEN_BACK))
        lines = _consequences(self.move, moved)
        if self.move.kind == MoveKind.TAKE_BACK:
            return Question(_TITLES[state], lines, _("Take back"), is_dangerous=True)
        is_final = bool(moved) and GuideStatus(self.move.event["status"]).is_terminal
        button = _("Set the final status") if is_final else _("Confirm")
        return Question(_TITLES[state], lines, button, is_dangerous=is_final)

    def _way_back(self) -> str:
        """Return where the operator came from, or the page of what was moved."""
        if self.move.manifest_id:
            return reverse("admin:shipments_manifest_change", args=[self.move.manifest_id])
        came_from: str = self.request.session.get(f"bulk_move:{self.move.pk}", "")
        return came_from or reverse("admin:shipments_guide_changelist")


class LinesDownload(MovePage):
    """The lines that are kept, as CSV: what needs attention first."""

    http_method_names = ["get", "head"]

    def get(self, *_args: object, **_named: object) -> StreamingHttpResponse:  # type: ignore[override]  # no page
        """Return the file."""
        if not self.move.lines:
            raise Http404
        separator = ";" if get_language() == "es" else ","
        chunks = csv_chunks(MoveLine._fields, self.move.lines, separator=separator)
        response = StreamingHttpResponse(chunks, content_type=CSV_CONTENT_TYPE)
        response["Content-Disposition"] = f'attachment; filename="guides-{self.move.state}.csv"'
        response["Cache-Control"] = "no-store"
        return response


def _consequences(move: BulkMove, moved: int) -> Sequence[str]:
    """Return what the preview says: what is final, what clients are sent, and what cannot be taken back."""
    if not moved:
        return []
    lines = []
    if move.kind == MoveKind.ADVANCE and GuideStatus(move.event["status"]).is_terminal:
        final = ngettext(
            "%(count)s guide gets the final status %(status)s. No other status can follow it; only an administrator "
            "can take it back.",
            "%(count)s guides get the final status %(status)s. No other status can follow it; only an administrator "
            "can take it back.",
            moved,
        )
        lines.append(
            final % {"count": Grouped(moved), "status": f'"{STATUS_LABELS[GuideStatus(move.event["status"])]}"'}
        )
    clients = len(move.recipients)
    said = ngettext("%d client is notified by webhook.", "%d clients are notified by webhook.", clients) % clients
    kinds = ", ".join(f"{kind} × {Grouped(count)}" for kind, count in Counter(move.notices).most_common())
    lines.append(f"{said} {kinds}".strip())
    if note := move.event["client_note"]:
        lines.append(gettext("Note to the client: %s") % note)
    if move.kind == MoveKind.TAKE_BACK:
        lines.append(
            gettext("What clients were sent before cannot be taken back; they are sent the new status after it.")
        )
    return lines


def _first_lines(move: BulkMove) -> Sequence[MoveLine]:
    """Return the lines that the page shows: those that need attention, and some of the guides that simply move."""
    lines = [MoveLine(*line) for line in move.lines]
    plain = [line for line in lines if Outcome(line.outcome).is_move]
    return [*[line for line in lines if not Outcome(line.outcome).is_move][:SHOWN_LINES], *plain[:SHOWN_PLAIN]]


def _shown(line: MoveLine, *, is_done: bool) -> Mapping[str, SafeString | str | int]:
    return {
        **line._asdict(),
        "previous": status_badge(line.previous),
        "status": status_badge(line.status),
        "outcome": outcome_badge(Outcome(line.outcome), is_done=is_done),
    }


def _has_waited(move: BulkMove) -> bool:
    is_begun = move.state == MoveState.RUNNING or (move.state == MoveState.PREVIEWING and move.started_at is not None)
    since = move.started_at or move.created_at
    return not is_begun and timezone.now() - since > _WITHOUT_A_WORKER


def _log(request: HttpRequest, move: BulkMove) -> None:
    moved = sum(move.tally.get(outcome, 0) for outcome in (Outcome.ADVANCED, Outcome.TAKEN_BACK))
    params = {"guides": moved, "of": move.manifest.mawb if move.manifest else ""}
    if move.kind == MoveKind.TAKE_BACK:
        log_act(request, move, MOVES_TAKEN_BACK, **params, wrong=move.event["wrong"])
    else:
        log_act(request, move, GUIDES_MOVED, **params, status=move.event["status"])
