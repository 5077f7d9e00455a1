"""Moving many guides at an operator's word: previewed, confirmed, and done in pieces that are each done once.

A move is a row (`BulkMove`) with the ids of its guides, or with the rows of a file of events. A piece is up to 500 of
them, and one transaction: their events, and with them how far the move is. Whoever goes on with a move holds it; a
process that dies in a piece loses that piece alone, and once the hold has expired another one goes on. Up to `AT_ONCE`
guides are moved while the operator waits, more by the worker.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime, time, timedelta, tzinfo
from itertools import chain
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

import structlog
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone, translation

from base.db.thread import LOST
from base.work import HoldLostError, claim, hold, release
from companies.countries import SERVED
from companies.scope import scope_of
from shipments.manifests.cells import LONGEST_HEADING, Cell
from shipments.manifests.destinations import airport_timezone
from shipments.manifests.moments import read_moment
from shipments.models import BulkMove, Guide, Manifest, MoveKind, MoveState
from shipments.statuses import GuideStatus, Source
from shipments.tracking.advancing import BATCH_GUIDES, advance_each
from shipments.tracking.announcements import event_type, notified_companies
from shipments.tracking.batches import Move, Result
from shipments.tracking.move_warnings import warnings_of
from shipments.tracking.moves import Outcome, ReportedEvent
from shipments.tracking.taking_back import take_back
from shipments.tracking.withdrawals import Withdrawal

log = structlog.get_logger(__name__)

AT_ONCE = 5_000
"""The most guides that are moved while the operator waits: some seconds."""
MOST_GUIDES = 100_000
"""The most guides of one move."""
HELD_FOR = timedelta(seconds=60)
"""How long a piece is held. Longer than any takes: an older hold is of a process that died."""
_WITHOUT_A_WORKER = timedelta(seconds=10)
MOST_ATTEMPTS = 3
KEPT_LINES = 1_000
MOST_LINES = 10_000
"""The most lines that are kept of guides and rows that need attention."""
EACH_DESTINATION = "destination"
"""In place of a clock's name: the local time at each guide's destination."""

_WORST_FIRST = [
    Outcome.REFUSED, Outcome.HISTORY, Outcome.REPEATED, Outcome.UNCHANGED, Outcome.ADVANCED, Outcome.TAKEN_BACK,
]  # fmt: skip


_FIRST_NOTE = 7
"""Where the notes of a stored `FileRow` begin."""


class FileRow(NamedTuple):
    """A row of a file of events: the move of the guide that it names, or the problem because of which there is none.

    row: its number as a spreadsheet shows it. guide: the guide as written in the row.
    """

    row: int
    guide: str
    move: Move | None
    problem: str = ""

    @property
    def place(self) -> tuple[bool, str, int]:
        """Return where it is done: after the rows with problems, beside the other rows of its guide."""
        return (True, str(self.move.manifest_id), self.move.guide_id) if self.move else (False, "", 0)

    @property
    def stored(self) -> Sequence[Any]:
        if self.move is None:
            return [self.row, self.guide, self.problem, None]
        reported = self.move.reported
        occurred_at = reported.occurred_at.isoformat() if reported.occurred_at else ""
        event = [reported.status, reported.source, occurred_at, reported.internal_note, reported.client_note]
        return [self.row, self.guide, "", self.move.guide_id, *event]

    @classmethod
    def of(cls, stored: Sequence[Any], manifests: Mapping[int, UUID]) -> "FileRow":
        """Restore a row. manifests: guide id -> manifest id; without its guide a row has no move and no problem."""
        row, guide, problem, guide_id, *event = stored
        if guide_id not in manifests:
            return cls(row, guide, None, problem)
        status, source, at, internal_note, client_note = event
        occurred_at = datetime.fromisoformat(at) if at else None
        reported = ReportedEvent(GuideStatus(status), Source(source), occurred_at, internal_note, client_note)
        return cls(row, guide, Move(guide_id, manifests[guide_id], reported, row=row))


class MoveLine(NamedTuple):
    """What a move does to one guide, as it is stored.

    row: of the file; 0 if there is none. guide_id, statuses: None and empty for a row that names no guide; the tracking
    code is then the guide as it is written. occurred_at: as it was reported, with its offset; may be empty.
    why: of a refusal, or what a preview warns of, in the operator's language.
    """

    row: int
    guide_id: int | None
    tracking_code: str
    mawb: str
    hawb: str
    previous: str
    status: str
    occurred_at: str
    outcome: str
    why: str

    @classmethod
    def of(cls, result: Result, warnings: Sequence[str] = (), clock: tzinfo | None = None) -> "MoveLine":
        move, at = result.move, result.move.reported.occurred_at
        at = at.astimezone(clock) if at and clock else at
        when = f"{at:%Y-%m-%d %H:%M} {at.isoformat()[-6:]}" if at else ""
        return cls(
            move.row, move.guide_id, result.tracking_code, result.manifest.mawb, result.hawb,
            result.previous_status.value, move.reported.status.value, when,
            result.outcome.value, result.refusal.in_words if result.refusal else "; ".join(warnings),
        )  # fmt: skip

    @classmethod
    def refused(cls, row: FileRow) -> "MoveLine":
        return cls(row.row, None, row.guide, "", "", "", "", "", Outcome.REFUSED.value, row.problem)

    @property
    def place(self) -> tuple[int, bool, int]:
        """Return the place of the line: what needs attention comes first, in the order of the file."""
        return _WORST_FIRST.index(Outcome(self.outcome)), not self.why, self.row

    @property
    def needs_attention(self) -> bool:
        return bool(self.why) or not Outcome(self.outcome).is_move


def destination_clock(airport: str, country: str) -> tzinfo:
    """Return the clock of the destination. airport: IATA, may be empty: then the clock of the country's capital."""
    return airport_timezone(airport) or SERVED[country].clock


def reported_event(event: Mapping[str, str], destination: tzinfo) -> ReportedEvent:
    """Return the event that an operator entered, for a guide whose destination has this clock.

    event: status, source, occurred_at (local time, or empty for now), zone (a clock's name or `EACH_DESTINATION`),
    internal_note, client_note.
    """
    moment = read_moment(event["occurred_at"])
    clock = destination if event["zone"] == EACH_DESTINATION else ZoneInfo(event["zone"])
    occurred_at = moment.at(clock) if moment else None
    status, source = GuideStatus(event["status"]), Source(event["source"])
    return ReportedEvent(status, source, occurred_at, event["internal_note"], event["client_note"])


def withdrawal(event: Mapping[str, str]) -> Withdrawal:
    """Return the withdrawal that an operator entered. event: wrong, status, occurred_at, zone, reason, client_note."""
    moment = read_moment(event["occurred_at"])
    occurred_at = moment.at(ZoneInfo(event["zone"])) if moment else None
    status = GuideStatus(event["status"]) if event["status"] else None
    wrong = GuideStatus(event["wrong"]) if event["wrong"] else None
    return Withdrawal(wrong, status, occurred_at, event["reason"], event["client_note"])


# --- from the form to the end -----------------------------------------------------------------------------------


def begin(
    kind: MoveKind, guides: QuerySet[Guide], event: Mapping[str, str], operator: User, manifest: Manifest | None = None
) -> BulkMove:
    """Create the move of `guides`, and preview it or its first piece. Call it in a transaction.

    event: as in `reported_event` or `withdrawal`. manifest: whose guides they are, if the move is of one.
    Raises `ValidationFailed` for the event.
    """
    ids = list(guides.order_by("manifest_id", "id").values_list("id", flat=True))
    return _begin(BulkMove(kind=kind, manifest=manifest, event=dict(event), guides=ids), operator)


def begin_import(
    rows: Sequence[FileRow],
    original_name: str,
    operator: User,
    *,
    unread: Sequence[str] = (),
    asked: BulkMove | None = None,
) -> BulkMove:
    """Create the move of the rows of a file of events, and preview it or its first piece. Call it in a transaction.

    The rows of a guide are next to each other, so that one piece has them all and applies them by their times.

    unread: headings of columns that were not read. asked: the move that asked for its columns, and becomes this one.
    """
    move = asked or BulkMove(kind=MoveKind.FILE, original_name=original_name[:200])
    move.guides = [row.stored for row in sorted(rows, key=lambda row: row.place)]
    move.event = {"unread": [heading[:LONGEST_HEADING] for heading in unread]}
    move.done, move.tally, move.lines, move.notices, move.recipients, move.warnings = 0, {}, [], {}, [], {}
    move.held_until = None
    return _begin(move, operator)


def ask(table: Sequence[tuple[int, Sequence[Cell]]], original_name: str, operator: User) -> BulkMove:
    """Create the move of a file of events that waits for its operator to say which columns are which.

    table: its rows from the heading on.
    """
    move = BulkMove(kind=MoveKind.FILE, state=MoveState.ASKING, original_name=original_name[:200])
    move.table = [[number, [_stored_cell(cell) for cell in cells]] for number, cells in table]
    move.total = len(table) - 1
    return _saved(move, operator)


def _stored_cell(cell: Cell) -> str | float | None:
    return cell.isoformat() if isinstance(cell, date | time) else cell


def begin_undo(move: BulkMove, operator: User) -> BulkMove:
    """Create the move that takes back what `move` did, and preview it or its first piece. Call it in a transaction."""
    sequences: dict[int, list[int]] = defaultdict(list)
    for guide_id, sequence in move.moved:
        sequences[guide_id].append(sequence)
    reason = translation.gettext("The move was undone.")
    event = {
        "wrong": move.event.get("status", ""),
        "status": "",
        "occurred_at": "",
        "reason": reason,
        "client_note": "",
    }
    guides = [[guide_id, *several] for guide_id, several in sequences.items()]
    undo = BulkMove(kind=MoveKind.UNDO, manifest=move.manifest, undoes=move, event=event, guides=guides)
    return _begin(undo, operator)


def _saved(move: BulkMove, operator: User) -> BulkMove:
    move.operator, move.actor = operator, operator.get_username()
    move.event["language"] = translation.get_language() or ""
    move.event["countries"] = sorted(scope_of(operator).countries or ())
    move.save()
    return move


def _begin(move: BulkMove, operator: User) -> BulkMove:
    move.total, move.state = len(move.guides), MoveState.PREVIEWING
    _saved(move, operator)
    hold(move, BulkMove.objects.claimable(), HELD_FOR)
    _piece(move)
    go_on(move)
    return move


def confirm(move: BulkMove) -> bool:
    """Queue the previewed move. Returns False if that was done before."""
    queued = {"state": MoveState.QUEUED, "started_at": timezone.now(), "done": 0, "tally": {}, "lines": [],
              "moved": [], "table": [], "attempts": 0, "held_until": None}  # fmt: skip
    return bool(BulkMove.objects.filter(pk=move.pk).waiting().update(**queued))


def stop(move: BulkMove) -> bool:
    """End a confirmed move early; the piece in hand is rolled back. Returns False if the move had ended before."""
    return bool(BulkMove.objects.filter(pk=move.pk).moving().update(**_stopped()))


def go_on(move: BulkMove) -> None:
    """Do the pieces of a move that is small enough to wait for, unless another process does."""
    move.refresh_from_db()
    while move.is_under_way and move.total <= AT_ONCE and hold(move, BulkMove.objects.claimable(), HELD_FOR):
        try:
            _piece(move)
        except HoldLostError:
            return
        move.refresh_from_db()


def work() -> bool:
    """Do one piece of the oldest move that waits. Returns whether there may be more to do at once."""
    move = claim(BulkMove.objects.claimable(), HELD_FOR)
    if move is None:
        return False
    try:
        if move.attempts > MOST_ATTEMPTS:  # its process died each time
            release(move, **_stopped())
        else:
            _piece(move)
    except HoldLostError:
        log.warning("bulk_move_taken_over", move=str(move.pk))
    except LOST:
        raise
    except Exception:
        log.exception("bulk_move_broken", move=str(move.pk), attempt=move.attempts)
        if move.attempts == MOST_ATTEMPTS:
            release(move, **_stopped())
        else:
            release(move, held_until=timezone.now())
    return True


def lacks_worker(move: BulkMove) -> bool:
    """Return whether a move waits, and no worker does a piece of it or of another one."""
    now = timezone.now()
    waits = move.is_under_way and now - (move.held_until or move.started_at or move.created_at) > _WITHOUT_A_WORKER
    return waits and not BulkMove.objects.filter(held_until__gt=now).exists()


def seconds_left(move: BulkMove) -> int | None:
    """Estimate how long the rest takes; None before the first piece."""
    if not move.done or move.started_at is None:
        return None
    return round((timezone.now() - move.started_at).total_seconds() / move.done * (move.total - move.done))


# --- one piece --------------------------------------------------------------------------------------------------


def _stopped() -> dict[str, Any]:
    return {"state": MoveState.STOPPED, "finished_at": timezone.now(), "token": None, "held_until": None}


def _piece(move: BulkMove) -> None:
    """Preview or move the next guides, and write how far the move is: with the guides, in one transaction.

    Raises `HoldLostError`, and `ValidationFailed` for the event.
    """
    part = _part(move)
    is_preview = move.state == MoveState.PREVIEWING
    is_taken_back = move.kind in {MoveKind.TAKE_BACK, MoveKind.UNDO}
    rows = _rows(part) if move.kind == MoveKind.FILE else []

    def keep(results: Sequence[Result]) -> None:
        warnings = warnings_of(results) if is_preview else {}
        lines = [MoveLine.refused(row) for row in rows if row.problem]
        for number, result in enumerate(results):
            # What holds after a status is taken back is an event as it is stored, in UTC.
            clock = SERVED[result.manifest.country].clock if is_taken_back else None
            lines.append(MoveLine.of(result, warnings.get(number, ()), clock))
        progress = _progress(move, len(part), results, lines)
        if is_preview:
            progress["warnings"] = Counter(move.warnings) + Counter(chain.from_iterable(warnings.values()))
        if not release(move, **progress):
            raise HoldLostError

    with translation.override(move.event["language"]):
        kept = None if is_preview else keep
        if is_taken_back:
            sequences = {guide_id: several for guide_id, *several in part} if move.kind == MoveKind.UNDO else None
            guides, what = Guide.objects.filter(pk__in=part if sequences is None else sequences), withdrawal(move.event)
            results = take_back(guides, what, actor=move.actor, sequences=sequences, dry_run=is_preview, in_batch=kept)
        else:
            is_file = move.kind == MoveKind.FILE
            moves = [row.move for row in rows if row.move] if is_file else _moves(part, move.event)
            results = advance_each(moves, actor=move.actor, dry_run=is_preview, in_batch=kept)
        if is_preview or not results:  # without guides there is no batch
            keep(results)


def _part(move: BulkMove) -> Sequence[Any]:
    """Return the next guides, or the next rows with all rows of their last guide."""
    end = move.done + BATCH_GUIDES
    while move.kind == MoveKind.FILE and 0 < end < move.total and move.guides[end][3] == move.guides[end - 1][3]:
        end += 1
    part: Sequence[Any] = move.guides[move.done : end]
    return part


def _rows(part: Sequence[Sequence[Any]]) -> Sequence[FileRow]:
    guides = Guide.objects.filter(pk__in={stored[3] for stored in part})
    manifests = dict(guides.values_list("id", "manifest_id"))
    return [FileRow.of(stored, manifests) for stored in part]


def _moves(ids: Sequence[int], event: Mapping[str, str]) -> list[Move]:
    rows = (
        Guide.objects.filter(pk__in=ids)
        .order_by("manifest_id", "id")
        .values_list("id", "manifest_id", "manifest__flight__destination_airport", "manifest__country")
    )
    events: dict[tuple[str, str], ReportedEvent] = {}
    moves = []
    for guide_id, manifest_id, airport, country in rows:
        if (airport, country) not in events:
            events[airport, country] = reported_event(event, destination_clock(airport, country))
        moves.append(Move(guide_id, manifest_id, events[airport, country]))
    return moves


def _progress(move: BulkMove, count: int, results: Sequence[Result], lines: Sequence[MoveLine]) -> dict[str, Any]:
    """Return the columns of the move after a piece of `count` guides or rows; the last one ends it."""
    tally = Counter(move.tally)
    tally.update(line.outcome for line in lines)
    together = sorted([*(MoveLine(*line) for line in move.lines), *lines], key=lambda line: line.place)
    attention = sum(line.needs_attention for line in together)
    moved = [result for result in results if result.outcome.is_move]
    recipients = notified_companies(moved)
    notices = Counter(move.notices if move.state == MoveState.PREVIEWING else {})
    notices.update(
        event_type(result.move.reported.status).value for result in moved if result.manifest.company_id in recipients
    )
    progress: dict[str, Any] = {
        "done": move.done + count, "tally": dict(tally),
        "lines": together[: min(MOST_LINES, max(KEPT_LINES, attention))],
        "held_until": timezone.now(), "attempts": 0,
    }  # fmt: skip
    if move.state == MoveState.PREVIEWING:
        progress |= {"notices": dict(notices), "recipients": sorted({*move.recipients, *recipients})}
    else:
        advanced = [result for result in results if result.outcome is Outcome.ADVANCED and result.event]
        progress["moved"] = [*move.moved, *([each.move.guide_id, each.event.sequence] for each in advanced)]  # type: ignore[union-attr]  # it has an event
    if progress["done"] >= len(move.guides):
        if move.state == MoveState.PREVIEWING:
            progress["state"] = MoveState.WAITING
        else:
            progress |= {"state": MoveState.DONE, "finished_at": timezone.now(), "guides": []}
    return progress


# --- with age ---------------------------------------------------------------------------------------------------


def sweep_moves(older_than: datetime, *, dry_run: bool) -> int:
    """Clean up the moves older than `older_than`, and return how many.

    Those that were never confirmed are deleted, those that never ended are stopped, and the results by guide are
    emptied.

    dry_run: only count them.
    """
    waiting = BulkMove.objects.never_confirmed().filter(created_at__lt=older_than)
    running = BulkMove.objects.begun_before(older_than)
    ended = BulkMove.objects.filter(finished_at__lt=older_than).exclude(lines=[], guides=[], moved=[])
    if dry_run:
        return (waiting | running | ended).count()
    for move in ended.only("event", "lines"):
        _blank_notes(move)
    swept = waiting.delete()[0] + ended.update(lines=[], guides=[], moved=[])
    return swept + running.update(state=MoveState.STOPPED, guides=[], token=None, held_until=None)


_NOTES = ("internal_note", "client_note", "reason")


def forget_notes(guide_ids: Collection[int]) -> int:
    """Blank the notes on guides in moves that still have their lines. Returns the number of moves with some.

    The note on all guides of a move that goes on stays: on anonymised ones it is not stored.
    """
    forgotten = 0
    for move in BulkMove.objects.exclude(lines=[], guides=[]).order_by("created_at"):
        own = [row for row in move.guides if move.kind == MoveKind.FILE and row[3] in guide_ids]
        is_noted = any(any(row[_FIRST_NOTE:]) for row in own)
        is_about = own or any(MoveLine(*line).guide_id in guide_ids for line in move.lines)
        if own:
            for row in own:
                row[_FIRST_NOTE:] = ["", ""]
            move.table = []
            move.save(update_fields=["guides", "table"])
        if is_about and move.finished_at:
            is_noted |= _blank_notes(move)
        forgotten += is_noted
    return forgotten


def _blank_notes(move: BulkMove) -> bool:
    noted = [name for name in _NOTES if move.event.get(name)]
    if noted:
        move.event.update(dict.fromkeys(noted, ""))
        move.save(update_fields=["event"])
    return bool(noted)


def forget_moves(before: datetime, *, dry_run: bool = False) -> int:
    """Blank the names of files, the results and the notes of moves before `before`, and return how many.

    Names and notes may be personal.
    """
    old = BulkMove.objects.filter(created_at__lt=before).exclude(state=MoveState.WAITING)
    named = old.exclude(original_name="", lines=[], event={})
    return named.count() if dry_run else named.update(original_name="", lines=[], event={}, moved=[])
