"""Bulk moves: their history, and the page of each with its preview, the question, its progress and what happened."""

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, cast
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.functional import cached_property
from django.utils.text import capfirst
from django.utils.translation import get_language, gettext, gettext_lazy as _, ngettext

from base.admin.activity import log_act
from base.admin.confirmed_action import STEP, Grouped, Question
from base.admin.list_filters import StatesFilter
from base.admin.pages import FormPage
from base.admin.spreadsheets import CSV_CONTENT_TYPE, csv_chunks
from base.db.moments import in_words
from companies.scope import scope_of
from shipments.activity import (
    EVENTS_IMPORTED,
    GUIDES_MOVED,
    MOVE_STOPPED,
    MOVE_UNDONE,
    MOVES_TAKEN_BACK,
    RESULTS_DOWNLOADED,
    outcome_word,
)
from shipments.admin.badges import outcome_badge, outcome_tally, status_badge
from shipments.admin.columns import amount, badge_column, column, number_column, offset_of, time_column, with_offset
from shipments.admin.filters import MOVE_PARAMETER
from shipments.admin.read_only_admin import ReadOnlyAdmin
from shipments.labels import STATUS_LABELS
from shipments.models import BulkMove, MoveKind, MoveState
from shipments.statuses import GuideStatus
from shipments.tracking import bulk
from shipments.tracking.bulk import MoveLine
from shipments.tracking.moves import Outcome
from webhooks.event_names import event_name

STOP, UNDO = "stop", "undo"
"""The steps of the buttons that end a move under way, and that take back a finished one."""
SHOWN_LINES = 200
"""The most guides shown that need attention."""
SHOWN_PLAIN = 20
"""The most of the others."""
_COLOURS = {
    MoveState.ASKING: "muted",
    MoveState.PREVIEWING: "info",
    MoveState.WAITING: "muted",
    MoveState.QUEUED: "info",
    MoveState.RUNNING: "info",
    MoveState.DONE: "success",
    MoveState.STOPPED: "warning",
}
_SHOWN_WARNINGS = 10
_UNCONFIRMED = {MoveState.ASKING, MoveState.PREVIEWING, MoveState.WAITING}
_TITLES = {
    MoveState.ASKING: _("Which columns are these?"),
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
    list_filter = ["kind", ("state", StatesFilter)]
    ordering = ["-created_at"]
    search_fields = ["original_name", "actor"]
    search_help_text = _("file name or operator, or a part of either")

    shown_begun = time_column(_("begun"), "created_at")
    shown_name = column(_("of what"), lambda move: " · ".join(filter(None, (_whose(move), _status(move)))))
    shown_total = number_column(BulkMove, "total")
    shown_moved = column(_("guides moved"), lambda move: _count(move, Outcome.ADVANCED), is_number=True)
    shown_refused = column(_("guides refused"), lambda move: _count(move, Outcome.REFUSED), is_number=True)
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
        return moves.defer("lines", "guides", "moved", "table").select_related("manifest")


def _whose(move: BulkMove) -> str:
    """Return whose guides they are: of a file, a MAWB or a list."""
    if move.kind == MoveKind.FILE:
        return move.original_name or "–"
    return move.manifest.mawb if move.manifest else gettext("a list")


def _status(move: BulkMove) -> str:
    """Return the status that is set or taken back; empty for a file, and once it is blanked with age."""
    status = move.event.get("wrong") or move.event.get("status")
    return str(STATUS_LABELS[GuideStatus(status)]) if status else ""


def _count(move: BulkMove, outcome: Outcome) -> str:
    """Return how many guides had this outcome; empty until the move is done."""
    return amount(move.tally.get(outcome.value, 0)) if move.state == MoveState.DONE else ""


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
        """Whether the move is the operator's own; only administrators take a status back, but for an undo."""
        user = self.request.user
        return self.move.operator_id == user.pk and (self.move.kind != MoveKind.TAKE_BACK or user.is_superuser)

    def form_valid(self, form: object) -> HttpResponse:  # noqa: ARG002  # nothing is entered
        """Move the guides, have the worker do it, or stop. A repeated click changes nothing more."""
        if self.request.POST.get(STEP) == UNDO:
            return self._undo()
        if not self.may_confirm:
            raise PermissionDenied
        is_stop = self.request.POST.get(STEP) == STOP
        with transaction.atomic():
            if is_stop and bulk.stop(self.move):
                self.move.refresh_from_db(fields=["done"])
                log_act(self.request, self.move, MOVE_STOPPED, moved=self.move.done, total=self.move.total)
            elif not is_stop and bulk.confirm(self.move):
                _log(self.request, self.move)
        if not is_stop:
            bulk.go_on(self.move)
        self.move.refresh_from_db(fields=["state", "tally"])
        if self.move.state == MoveState.DONE:
            self._report()
        return HttpResponseRedirect(self.request.path)

    @transaction.atomic
    def _undo(self) -> HttpResponse:
        """Preview the undo; a second click leads to the first one's."""
        operator = cast("User", self.request.user)
        BulkMove.objects.select_for_update(of=("self",)).get(pk=self.move.pk)
        undo = self.undone_by or bulk.begin_undo(self.move, operator) if self.move.may_be_undone_by(operator) else None
        if undo is None:
            raise PermissionDenied
        return HttpResponseRedirect(reverse("admin:shipments_bulkmove_change", args=[undo.pk]))

    @property
    def undone_by(self) -> BulkMove | None:
        """The undo of the move that was confirmed, or that waits for this operator."""
        undos = self.move.undone_by.defer("lines", "guides", "moved").order_by("-created_at")
        mine = Q(operator=cast("User", self.request.user), state__in=_UNCONFIRMED)
        return undos.filter(~Q(state__in=_UNCONFIRMED) | mine).first()

    def _report(self) -> None:
        if advanced := self.move.tally.get(Outcome.ADVANCED, 0):
            text = ngettext("%(n)s guide advanced.", "%(n)s guides advanced.", advanced)
            messages.success(self.request, text % {"n": Grouped(advanced)})
        if taken := self.move.tally.get(Outcome.TAKEN_BACK, 0):
            text = ngettext(
                "The status of %(n)s guide is taken back.", "The status of %(n)s guides is taken back.", taken
            )
            messages.success(self.request, text % {"n": Grouped(taken)})

    def get(self, *args: Any, **named: Any) -> HttpResponse:  # noqa: ANN401  # Django's signature
        is_asking = self.move.state == MoveState.ASKING and self.may_confirm
        return HttpResponseRedirect(_columns_link(self.move)) if is_asking else super().get(*args, **named)

    def get_context_data(self, **context: Any) -> dict[str, Any]:  # noqa: ANN401  # Django's signature
        move, tally = self.move, Counter(self.move.tally)
        state, lines = MoveState(move.state), _first_lines(move)
        offsets = {offset_of(at) for line in lines if (at := _moment(line))}
        of_all = {text for text, n in move.warnings.items() if 1 < n == move.total}  # said once, above the lines
        seconds, is_done = bulk.seconds_left(move), state not in _UNCONFIRMED
        undone_by = self.undone_by if move.moved else None
        guides_link = f"{reverse('admin:shipments_guide_changelist')}?{urlencode({MOVE_PARAMETER: move.pk})}"
        shown = {
            "title": _TITLES[state],
            "move": move,
            "whose": _whose(move) if move.kind == MoveKind.FILE or move.manifest else "",
            "is_file": move.kind == MoveKind.FILE,
            "question": self._question(state),
            "step_name": STEP,
            "unread": move.event.get("unread", ()),
            "columns": _columns_link(move),
            "is_waiting": state is MoveState.WAITING,
            "tally": [(n, outcome_tally(each, n, is_done=is_done)) for each in Outcome if (n := tally[each])],
            "changes": sum(count for outcome, count in tally.items() if Outcome(outcome).is_recorded),
            "lines": [_line_in_words(line, of_all, is_done=is_done, has_offset=len(offsets) > 1) for line in lines],
            "zone": offsets.pop() if len(offsets) == 1 else "",
            "more_lines": move.total - len(lines),
            "lacking_in_csv": move.total - len(move.lines) if move.lines else 0,
            "progress": gettext("%(done)s of %(total)s") % {"done": Grouped(move.done), "total": Grouped(move.total)},
            "time_left": "" if seconds is None else gettext("about %s s") % Grouped(max(1, seconds)),
            "lacks_worker": bulk.lacks_worker(move),
            "may_confirm": self.may_confirm,
            "may_stop": self.may_confirm and state in {MoveState.QUEUED, MoveState.RUNNING},
            "may_go_on": self.may_confirm and move.is_under_way and move.total <= bulk.AT_ONCE,
            "warnings": [(n, text) for text, n in Counter(move.warnings).most_common(_SHOWN_WARNINGS)],
            "undone_by": undone_by if undone_by and undone_by.state not in _UNCONFIRMED else None,
            "may_undo": move.may_be_undone_by(cast("User", self.request.user)),
            "guides_link": guides_link if move.lines or move.moved else "",  # as long as its results are kept
            "way_back": self._way_back(),
        }
        return super().get_context_data(**{**shown, **context})

    def _question(self, state: MoveState) -> Question:
        if state is not MoveState.WAITING:
            return Question(_TITLES[state], [])
        moved = _count_moved(self.move)
        lines = _consequences(self.move, moved)
        if self.move.kind in {MoveKind.TAKE_BACK, MoveKind.UNDO}:
            button = _("Take back") if self.move.kind == MoveKind.TAKE_BACK else _("Undo")
            return Question(_TITLES[state], lines, button, is_dangerous=bool(self.move.recipients))
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
    """The lines that are kept, as CSV in words: what needs attention first. Logged once they are results."""

    http_method_names = ["get", "head"]

    def get(self, *_args: object, **_named: object) -> StreamingHttpResponse:  # type: ignore[override]  # no page
        if not self.move.lines:
            raise Http404
        if self.move.finished_at:
            log_act(self.request, self.move, RESULTS_DOWNLOADED)
        separator = ";" if get_language() == "es" else ","
        lines = (_csv_row(MoveLine(*line), is_done=bool(self.move.finished_at)) for line in self.move.lines)
        chunks = csv_chunks([capfirst(str(heading)) for heading in _HEADINGS], lines, separator=separator)
        response = StreamingHttpResponse(chunks, content_type=CSV_CONTENT_TYPE)
        response["Content-Disposition"] = f'attachment; filename="guides-{self.move.state}.csv"'
        response["Cache-Control"] = "no-store"
        return response


_HEADINGS = (
    _("row"), _("tracking code"), "MAWB", "HAWB", _("Previous status"), _("New status"), _("happened at"), _("Outcome"),
    _("Why"),
)  # fmt: skip


def _csv_row(line: MoveLine, *, is_done: bool) -> Sequence[str | int]:
    previous, status = (str(STATUS_LABELS[GuideStatus(one)]) if one else "" for one in (line.previous, line.status))
    outcome = outcome_word(Outcome(line.outcome), 1, is_done=is_done)
    return [
        line.row or "", line.tracking_code, line.mawb, line.hawb, previous, status, line.occurred_at, outcome, line.why,
    ]  # fmt: skip


def _columns_link(move: BulkMove) -> str:
    """Return where to say that the columns of a file are others; empty once it is confirmed, and for most files."""
    is_asked = move.state in {MoveState.ASKING, MoveState.WAITING} and bool(move.table)
    return reverse("import-events-columns", args=[move.pk]) if is_asked else ""


def _count_moved(move: BulkMove) -> int:
    return sum(move.tally.get(outcome, 0) for outcome in (Outcome.ADVANCED, Outcome.TAKEN_BACK))


def _is_final(move: BulkMove) -> bool:
    return move.kind == MoveKind.ADVANCE and GuideStatus(move.event["status"]).is_terminal


def _consequences(move: BulkMove, moved: int) -> Sequence[str]:
    """Return what the preview says: what is final, what clients are sent, and what cannot be taken back."""
    if not moved:
        return []
    lines = []
    if excepted := move.event.get("excepted"):
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
    kinds = ", ".join(f"{event_name(kind)} × {Grouped(count)}" for kind, count in Counter(move.notices).most_common())
    lines.append(f"{said} {kinds}".strip())
    if note := move.event.get("client_note"):
        lines.append(gettext("Note to the client: %s") % note)
    if clients and move.kind in {MoveKind.TAKE_BACK, MoveKind.UNDO}:
        lines.append(
            gettext("What clients were sent before cannot be taken back; they are sent the new status after it.")
        )
    return lines


def _first_lines(move: BulkMove) -> Sequence[MoveLine]:
    """Return the lines that the page shows: those that need attention, and some of the guides that simply move."""
    lines = [MoveLine(*line) for line in move.lines]
    attention = [line for line in lines if line.needs_attention]
    return [*attention[:SHOWN_LINES], *lines[len(attention) :][:SHOWN_PLAIN]]


def _moment(line: MoveLine) -> datetime | None:
    stored = "".join(line.occurred_at.rsplit(" ", 1))  # without the space before the offset
    return datetime.fromisoformat(stored) if stored else None


def _line_in_words(line: MoveLine, of_all: Collection[str], *, is_done: bool, has_offset: bool) -> MoveLine:
    """Return the line in words. of_all: what is said once, above the lines. has_offset: the heading has none."""
    at = _moment(line)
    return line._replace(
        occurred_at=(with_offset if has_offset else in_words)(at) if at else "",
        previous=status_badge(line.previous) if line.previous else "",
        status=status_badge(line.status) if line.status else "",
        outcome=outcome_badge(Outcome(line.outcome), is_done=is_done),
        why="; ".join(part for part in line.why.split("; ") if part not in of_all),
    )


def _log(request: HttpRequest, move: BulkMove) -> None:
    """Record the move as it was previewed: the worker may have it to do."""
    moved = _count_moved(move)
    params = {"guides": moved, "of": move.manifest.mawb if move.manifest else ""}
    if move.kind == MoveKind.FILE:
        log_act(request, move, EVENTS_IMPORTED, tally=[[each, n] for each in Outcome if (n := move.tally.get(each))])
    elif move.kind == MoveKind.UNDO:
        log_act(request, move, MOVE_UNDONE, guides=moved)
    elif move.kind == MoveKind.TAKE_BACK:
        log_act(request, move, MOVES_TAKEN_BACK, **params, wrong=move.event["wrong"])
    else:
        log_act(request, move, GUIDES_MOVED, **params, status=move.event["status"])
