"""Bulk moves: their history, and the page of each with its preview, the question, its progress and what happened."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.functional import cached_property
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, ngettext
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from companies.admin_base.activity import log_act
from companies.admin_base.admin_pages import FormPage
from companies.admin_base.confirmed_action import STEP, Grouped, Question
from companies.admin_base.spreadsheets import CSV_CONTENT_TYPE, csv_chunks
from companies.scope import scope_of
from shipments.activity import EVENTS_IMPORTED, GUIDES_MOVED, MOVE_STOPPED, MOVES_TAKEN_BACK, RESULTS_DOWNLOADED
from shipments.admin.badges import outcome_badge, outcome_tally, status_badge
from shipments.admin.columns import badge_column, column, number_column, plain_number, time_column
from shipments.admin.read_only_admin import ReadOnlyAdmin
from shipments.labels import STATUS_LABELS
from shipments.models import BulkMove, MoveKind, MoveState
from shipments.statuses import GuideStatus
from shipments.tracking import bulk
from shipments.tracking.bulk import MoveLine
from shipments.tracking.moves import Outcome

STOP = "stop"
"""The step of the button that ends a move under way."""
SHOWN_LINES = 200
"""The most guides shown that need attention."""
SHOWN_PLAIN = 20
"""The most of the others."""
_COLOURS = {
    MoveState.PREVIEWING: "info",
    MoveState.WAITING: "muted",
    MoveState.QUEUED: "info",
    MoveState.RUNNING: "info",
    MoveState.DONE: "success",
    MoveState.STOPPED: "warning",
}
_TITLES = {
    MoveState.PREVIEWING: _("The preview is being made"),
    MoveState.WAITING: _("Preview"),
    MoveState.QUEUED: _("The guides are being moved"),
    MoveState.RUNNING: _("The guides are being moved"),
    MoveState.DONE: _("What happened"),
    MoveState.STOPPED: _("The move was stopped"),
}


@admin.register(BulkMove)
class BulkMoveAdmin(ReadOnlyAdmin):
    """The history: who moved what, when, and what came of it. A row's page is the move's own."""

    list_display = [
        "shown_begun", "actor", "kind", "shown_name", "shown_total", "shown_moved", "shown_refused", "shown_state",
    ]  # fmt: skip
    nothing_yet = _("Nothing has been moved yet")
    how_it_begins = _(
        "Guides are moved from their list or their manifest, or by the files that couriers and customs send."
    )
    first_steps = [
        (_("Guides"), "admin:shipments_guide_changelist", "shipments.view_guide"),
        (_("Manifests"), "admin:shipments_manifest_changelist", "shipments.view_manifest"),
        (_("Import events"), "import-events", "shipments.change_guide"),
    ]
    list_filter = [("kind", ChoicesDropdownFilter), ("state", ChoicesDropdownFilter)]
    ordering = ["-created_at"]
    sortable_by = ()
    search_fields = ["original_name", "actor"]
    search_help_text = _("file name or operator, or a part of either")

    shown_begun = time_column(_("begun"), "created_at")
    shown_name = column(
        _("of what"), lambda move: f"{_whose(move)} · {_status(move)}" if _status(move) else _whose(move)
    )
    shown_total = number_column(BulkMove, "total")
    shown_moved = column(_("guides moved"), lambda move: _counted(move, Outcome.ADVANCED))
    shown_refused = column(_("guides refused"), lambda move: _counted(move, Outcome.REFUSED))
    shown_state = badge_column(_("state"), "state", _COLOURS)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("<uuid:move_id>/change/", view(MovePage.as_view()), name=self.url_name("change")),
            path("<uuid:move_id>/guides.csv", view(LinesDownload.as_view()), name=self.url_name("lines")),
            *super().get_urls(),
        ]

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401, ARG002  # Django's signature
        """Whoever may move guides sees the history."""
        return request.user.has_perm("shipments.change_guide")

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def get_queryset(self, request: HttpRequest) -> QuerySet[BulkMove]:
        moves: QuerySet[BulkMove] = super().get_queryset(request)
        return moves.defer("lines", "guides").select_related("manifest")


def _whose(move: BulkMove) -> str:
    """Return whose guides they are: of a file, a MAWB or a list."""
    if move.kind == MoveKind.FILE:
        return move.original_name or "–"
    return move.manifest.mawb if move.manifest else gettext("a list")


def _status(move: BulkMove) -> str:
    """Return the status that is set or taken back; empty for a file, and once it is blanked with age."""
    status = move.event.get("wrong") or move.event.get("status")
    return str(STATUS_LABELS[GuideStatus(status)]) if status else ""


def _counted(move: BulkMove, outcome: Outcome) -> str:
    """Return how many guides had this outcome; empty until the move is done."""
    return plain_number(move.tally.get(outcome.value, 0)) if move.state == MoveState.DONE else ""


class MovePage(FormPage):
    """The page. Whoever sees the move may open it; its operator confirms it."""

    permission_required = "shipments.change_guide"
    template_name = "shipments/bulk_move.html"

    @cached_property
    def move(self) -> BulkMove:
        moves = BulkMove.objects.visible_to(self.request.user).defer("guides").select_related("manifest")
        found: BulkMove = get_object_or_404(moves, pk=self.kwargs["move_id"])
        countries = found.event.get("countries")  # blanked with age
        if countries is not None and not scope_of(self.request.user).covers(countries):
            raise Http404  # the operator's countries were narrowed since
        return found

    @property
    def may_confirm(self) -> bool:
        """Whether the move is the operator's own; a status is taken back by administrators alone."""
        user = self.request.user
        return self.move.operator_id == user.pk and (self.move.kind != MoveKind.TAKE_BACK or user.is_superuser)

    def form_valid(self, form: object) -> HttpResponse:  # noqa: ARG002  # nothing is entered
        """Move the guides, have the worker do it, or stop. A repeated click changes nothing more."""
        if not self.may_confirm:
            raise PermissionDenied
        if self.request.POST.get(STEP) == STOP:
            self._stop()
        else:
            with transaction.atomic():
                if bulk.confirm(self.move):
                    _log(self.request, self.move)
            bulk.go_on(self.move)
        self._say()
        return HttpResponseRedirect(self.request.path)

    @transaction.atomic
    def _stop(self) -> None:
        if bulk.stop(self.move):
            self.move.refresh_from_db(fields=["done"])
            log_act(self.request, self.move, MOVE_STOPPED, moved=self.move.done, total=self.move.total)

    def _say(self) -> None:
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
            "whose": _whose(move) if move.kind == MoveKind.FILE or move.manifest else "",
            "is_file": move.kind == MoveKind.FILE,
            "question": self._question(state),
            "step_name": STEP,
            "is_waiting": state is MoveState.WAITING,
            "tally": [(n, outcome_tally(each, n, is_done=is_done)) for each in Outcome if (n := tally[each])],
            "changes": sum(count for outcome, count in tally.items() if Outcome(outcome).is_recorded),
            "lines": [_shown(line, is_done=is_done) for line in lines],
            "more_lines": move.total - len(lines),
            "lacking_in_csv": move.total - len(move.lines) if move.lines else 0,
            "progress": gettext("%(done)s of %(total)s") % {"done": Grouped(move.done), "total": Grouped(move.total)},
            "time_left": "" if seconds is None else gettext("about %s s") % Grouped(max(1, seconds)),
            "lacks_worker": bulk.lacks_worker(move),
            "may_confirm": self.may_confirm,
            "may_stop": self.may_confirm and state in {MoveState.QUEUED, MoveState.RUNNING},
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
        is_final = bool(moved) and _is_final(self.move)
        button = _("Set the final status") if is_final else _("Confirm")
        return Question(_TITLES[state], lines, button, is_dangerous=is_final)

    def _way_back(self) -> str:
        """Return where the operator came from, or the page of what was moved."""
        if self.move.manifest_id:
            return reverse("admin:shipments_manifest_change", args=[self.move.manifest_id])
        came_from: str = self.request.session.get(f"bulk_move:{self.move.pk}", "")
        is_file = self.move.kind == MoveKind.FILE
        return came_from or reverse("import-events" if is_file else "admin:shipments_guide_changelist")


class LinesDownload(MovePage):
    """The lines that are kept, as CSV: what needs attention first. Logged once they are results."""

    http_method_names = ["get", "head"]

    def get(self, *_args: object, **_named: object) -> StreamingHttpResponse:  # type: ignore[override]  # no page
        if not self.move.lines:
            raise Http404
        if self.move.finished_at:
            log_act(self.request, self.move, RESULTS_DOWNLOADED)
        separator = ";" if get_language() == "es" else ","
        chunks = csv_chunks(MoveLine._fields, self.move.lines, separator=separator)
        response = StreamingHttpResponse(chunks, content_type=CSV_CONTENT_TYPE)
        response["Content-Disposition"] = f'attachment; filename="guides-{self.move.state}.csv"'
        response["Cache-Control"] = "no-store"
        return response


def _is_final(move: BulkMove) -> bool:
    return move.kind == MoveKind.ADVANCE and GuideStatus(move.event["status"]).is_terminal


def _consequences(move: BulkMove, moved: int) -> Sequence[str]:
    """Return what the preview says: what is final, what clients are sent, and what cannot be taken back."""
    if not moved:
        return []
    lines = []
    if excepted := int(move.event.get("excepted") or 0):
        left_out = ngettext(
            "%(n)s guide that you excepted stays as it is.",
            "%(n)s guides that you excepted stay as they are.",
            excepted,
        )
        lines.append(left_out % {"n": Grouped(excepted)})
    if _is_final(move):
        final = ngettext(
            "%(count)s guide gets the final status %(status)s. No other status can follow it; only an administrator "
            "can take it back.",
            "%(count)s guides get the final status %(status)s. No other status can follow it; only an administrator "
            "can take it back.",
            moved,
        )
        lines.append(final % {"count": Grouped(moved), "status": gettext('"%s"') % _status(move)})
    clients = len(move.recipients)
    said = gettext("No client is notified by webhook.")
    if clients:
        said = ngettext("%d client is notified by webhook.", "%d clients are notified by webhook.", clients) % clients
    kinds = ", ".join(f"{kind} × {Grouped(count)}" for kind, count in Counter(move.notices).most_common())
    lines.append(f"{said} {kinds}".strip())
    if note := move.event.get("client_note"):
        lines.append(gettext("Note to the client: %s") % note)
    if clients and move.kind == MoveKind.TAKE_BACK:
        lines.append(
            gettext("What clients were sent before cannot be taken back; they are sent the new status after it.")
        )
    return lines


def _first_lines(move: BulkMove) -> Sequence[MoveLine]:
    """Return the lines that the page shows: those that need attention, and some of the guides that simply move."""
    lines = [MoveLine(*line) for line in move.lines]
    attention = [line for line in lines if line.needs_attention]
    return [*attention[:SHOWN_LINES], *lines[len(attention) :][:SHOWN_PLAIN]]


def _shown(line: MoveLine, *, is_done: bool) -> Mapping[str, SafeString | str | int]:
    return {
        **line._asdict(),
        "previous": status_badge(line.previous) if line.previous else "",
        "status": status_badge(line.status) if line.status else "",
        "outcome": outcome_badge(Outcome(line.outcome), is_done=is_done),
    }


def _log(request: HttpRequest, move: BulkMove) -> None:
    """Record the move as it was previewed: the worker may have it to do."""
    moved = sum(move.tally.get(outcome, 0) for outcome in (Outcome.ADVANCED, Outcome.TAKEN_BACK))
    params = {"guides": moved, "of": move.manifest.mawb if move.manifest else ""}
    if move.kind == MoveKind.FILE:
        log_act(request, move, EVENTS_IMPORTED, tally=[[each, n] for each in Outcome if (n := move.tally.get(each))])
    elif move.kind == MoveKind.TAKE_BACK:
        log_act(request, move, MOVES_TAKEN_BACK, **params, wrong=move.event["wrong"])
    else:
        log_act(request, move, GUIDES_MOVED, **params, status=move.event["status"])
