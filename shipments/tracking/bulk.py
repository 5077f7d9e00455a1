"""Moving many guides at an operator's word: previewed, confirmed, and done in pieces that are each done once.

A move is a row (`BulkMove`) with the ids of its guides, or with the rows of a file of events. A piece is up to 500 of
them, and one transaction: their events, and with them how far the move is. Whoever goes on with a move holds it; a
process that dies in a piece loses that piece alone, and once the hold has expired another one goes on. Up to `AT_ONCE`
guides are moved while the operator waits, more by the worker. To undo a move is a move too: it takes back the events
that the first one wrote (`begin_undo`).
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, time, timedelta, tzinfo
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple

import structlog
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone, translation
from django.utils.translation import gettext, gettext_lazy as _

from base.db.moments import in_words
from base.db.thread import LOST
from base.work import HoldLostError, claim, hold, release
from companies.countries import SERVED
from companies.scope import scope_of
from shipments.labels import STATUS_LABELS
from shipments.manifests.cells import LONGEST_HEADING, Cell
from shipments.manifests.destinations import destination_clock
from shipments.models import BulkMove, Guide, GuideEvent, Manifest, MoveKind, MoveState
from shipments.statuses import GuideStatus
from shipments.tracking.advancing import BATCH_GUIDES, advance_each
from shipments.tracking.announcements import event_type, find_notified_companies
from shipments.tracking.event_files.event_rows import BadRow
from shipments.tracking.moves import Move, Outcome, ReportedEvent
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

_WORST_FIRST = [
    Outcome.REFUSED, Outcome.HISTORY, Outcome.REPEATED, Outcome.UNCHANGED, Outcome.ADVANCED, Outcome.TAKEN_BACK,
]  # fmt: skip


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
    def of(cls, move: Move, warnings: Sequence[str] = (), clock: tzinfo | None = None) -> "MoveLine":
        at = move.reported.occurred_at
        at = at.astimezone(clock) if at and clock else at
        when = f"{at:%Y-%m-%d %H:%M} {at.isoformat()[-6:]}" if at else ""
        return cls(
            move.row, move.guide_id, move.tracking_code, move.manifest.mawb, move.hawb,
            move.previous_status.value, move.reported.status.value, when,
            move.outcome.value, move.refusal.in_words if move.refusal else "; ".join(warnings),
        )  # fmt: skip

    @property
    def place(self) -> tuple[int, bool, int]:
        """Return the place of the line: what needs attention comes first, in the order of the file."""
        return _WORST_FIRST.index(Outcome(self.outcome)), not self.why, self.row

    @property
    def needs_attention(self) -> bool:
        return bool(self.why) or not Outcome(self.outcome).is_move


# --- from the form to the end -----------------------------------------------------------------------------------


def begin(
    kind: MoveKind,
    guides: QuerySet[Guide],
    event: ReportedEvent | Withdrawal,
    operator: User,
    manifest: Manifest | None = None,
    *,
    excepted: int = 0,
) -> BulkMove:
    """Create the move of `guides`, and preview it or its first piece. Call it in a transaction.

    event: a withdrawal where a status is taken back. manifest: whose guides they are, if the move is of one.
    excepted: how many of its guides are left out. Raises `ValidationFailed` for the event.
    """
    ids = list(guides.order_by("manifest_id", "id").values_list("id", flat=True))
    stored = {**event.to_json(), "excepted": excepted}
    return _begin(BulkMove(kind=kind, manifest=manifest, event=stored, guides=ids), operator)


def begin_import(
    rows: Sequence[Move | BadRow],
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
    bad = [[row.row, None, row.guide, row.problem] for row in rows if isinstance(row, BadRow)]
    moves = sorted((row for row in rows if isinstance(row, Move)), key=attrgetter("manifest_id", "guide_id"))
    move.guides = [*bad, *([each.row, each.guide_id, each.reported.to_json()] for each in moves)]
    move.event = {"unread": [heading[:LONGEST_HEADING] for heading in unread]}
    move.done, move.tally, move.lines, move.notices, move.recipients, move.warnings = 0, {}, [], {}, [], {}
    move.held_until = None
    return _begin(move, operator)


def ask(table: Sequence[tuple[int, Sequence[Cell]]], original_name: str, operator: User) -> BulkMove:
    """Create the move of a file of events that waits for its operator to say which columns are which.

    table: its rows from the heading on.
    """
    move = BulkMove(kind=MoveKind.FILE, state=MoveState.ASKING, original_name=original_name[:200])
    move.table = [
        [number, [cell.isoformat() if isinstance(cell, date | time) else cell for cell in cells]]
        for number, cells in table
    ]
    move.total = len(table) - 1
    return _save_for(move, operator)


def begin_undo(move: BulkMove, operator: User) -> BulkMove:
    """Create the move that takes back what `move` did, and preview it or its first piece. Call it in a transaction."""
    sequences: dict[int, list[int]] = defaultdict(list)
    for guide_id, sequence in move.moved:
        sequences[guide_id].append(sequence)
    wrong = GuideStatus(move.event["status"]) if move.event.get("status") else None
    event = Withdrawal(wrong, reason=gettext("The move was undone.")).to_json()
    guides = [[guide_id, *several] for guide_id, several in sequences.items()]
    undo = BulkMove(kind=MoveKind.UNDO, manifest=move.manifest, undoes=move, event=event, guides=guides)
    return _begin(undo, operator)


def _save_for(move: BulkMove, operator: User) -> BulkMove:
    move.operator, move.actor = operator, operator.get_username()
    move.event["language"] = translation.get_language() or ""
    move.event["countries"] = sorted(scope_of(operator).countries or ())
    move.save()
    return move


def _begin(move: BulkMove, operator: User) -> BulkMove:
    move.total, move.state = len(move.guides), MoveState.PREVIEWING
    _save_for(move, operator)
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
    lines: list[MoveLine] = []

    def keep(moves: Sequence[Move]) -> None:
        warnings = _warnings(moves) if is_preview else {}
        # What holds after a status is taken back is an event as it is stored, in UTC.
        clocks = [SERVED[each.manifest.country].clock if is_taken_back else None for each in moves]
        own = [MoveLine.of(each, warnings.get(each, ()), clock) for each, clock in zip(moves, clocks, strict=True)]
        progress = _progress(move, len(part), moves, [*lines, *own])
        if is_preview:
            progress["warnings"] = Counter(move.warnings) + Counter(chain.from_iterable(warnings.values()))
        if not release(move, **progress):
            raise HoldLostError

    with translation.override(move.event["language"]):
        kept = None if is_preview else keep
        if is_taken_back:
            sequences = {guide_id: several for guide_id, *several in part} if move.kind == MoveKind.UNDO else None
            guides = Guide.objects.filter(pk__in=part if sequences is None else sequences)
            withdrawal = Withdrawal.from_json(move.event)
            moves = take_back(
                guides, withdrawal, actor=move.actor, sequences=sequences, dry_run=is_preview, in_batch=kept
            )
        else:
            if move.kind == MoveKind.FILE:
                moves, lines = _moves_of_rows(part)
            else:
                moves = _moves_of_guides(part, move.event)
            advance_each(moves, actor=move.actor, dry_run=is_preview, in_batch=kept)
        if is_preview or not moves:  # without guides there is no batch
            keep(moves)


def _part(move: BulkMove) -> Sequence[Any]:
    """Return the next guides, or the next rows with all rows of their last guide."""
    end = move.done + BATCH_GUIDES
    while move.kind == MoveKind.FILE and 0 < end < move.total and move.guides[end][1] == move.guides[end - 1][1]:
        end += 1
    part: Sequence[Any] = move.guides[move.done : end]
    return part


def _moves_of_rows(part: Sequence[Sequence[Any]]) -> tuple[list[Move], list[MoveLine]]:
    """Return the moves of rows of a file, and the lines of bad ones. A row whose guide is gone has neither."""
    guides = Guide.objects.filter(pk__in={guide_id for _row, guide_id, *_rest in part})
    manifests = dict(guides.values_list("id", "manifest_id"))
    moves, refused = [], []
    for row, guide_id, *rest in part:
        if guide_id is None:
            guide, problem = rest
            refused.append(MoveLine(row, None, guide, "", "", "", "", "", Outcome.REFUSED.value, problem))
        elif guide_id in manifests:
            moves.append(Move(guide_id, manifests[guide_id], ReportedEvent.from_json(*rest), row=row))
    return moves, refused


def _moves_of_guides(ids: Sequence[int], event: Mapping[str, str]) -> list[Move]:
    rows = (
        Guide.objects.filter(pk__in=ids)
        .order_by("manifest_id", "id")
        .values_list("id", "manifest_id", "manifest__flight__destination_airport", "manifest__country")
    )
    reported = ReportedEvent.from_json(event)
    events: dict[tuple[str, str], ReportedEvent] = {}
    moves = []
    for guide_id, manifest_id, airport, country in rows:
        if (airport, country) not in events:
            events[airport, country] = reported.at(destination_clock(airport, country))
        moves.append(Move(guide_id, manifest_id, events[airport, country]))
    return moves


def _progress(move: BulkMove, count: int, moves: Sequence[Move], lines: Sequence[MoveLine]) -> dict[str, Any]:
    """Return the columns of the move after a piece of `count` guides or rows; the last one ends it."""
    tally = Counter(move.tally)
    tally.update(line.outcome for line in lines)
    together = sorted([*(MoveLine(*line) for line in move.lines), *lines], key=lambda line: line.place)
    attention = sum(line.needs_attention for line in together)
    moved = [each for each in moves if each.outcome.is_move]
    recipients = find_notified_companies(moved)
    notices = Counter(move.notices if move.state == MoveState.PREVIEWING else {})
    notices.update(event_type(each.reported.status).value for each in moved if each.manifest.company_id in recipients)
    progress: dict[str, Any] = {
        "done": move.done + count, "tally": dict(tally),
        "lines": together[: min(MOST_LINES, max(KEPT_LINES, attention))],
        "held_until": timezone.now(), "attempts": 0,
    }  # fmt: skip
    if move.state == MoveState.PREVIEWING:
        progress |= {"notices": dict(notices), "recipients": sorted({*move.recipients, *recipients})}
    else:
        advanced = [
            [each.guide_id, each.event.sequence] for each in moves if each.outcome is Outcome.ADVANCED and each.event
        ]
        progress["moved"] = [*move.moved, *advanced]
    if progress["done"] >= len(move.guides):
        if move.state == MoveState.PREVIEWING:
            progress["state"] = MoveState.WAITING
        else:
            progress |= {"state": MoveState.DONE, "finished_at": timezone.now(), "guides": []}
    return progress


# --- what a preview warns of --------------------------------------------------------------------------------------

_BEFORE_CUSTOMS = {GuideStatus.REGISTERED, GuideStatus.IN_TRANSIT, GuideStatus.ON_HOLD}
_AT_THE_DOOR = {GuideStatus.OUT_FOR_DELIVERY, GuideStatus.DELIVERED, GuideStatus.DELIVERY_FAILED}
DOUBTS = {
    "time_skipped": _("this hour does not exist because clocks go forward; it is read as one hour later"),
    "time_doubled": _("this hour occurs twice because clocks go back; the first is used"),
}
"""By what `Moment.doubt` says."""
_OF_CUSTOMS = [status for status in GuideStatus if status.value.startswith("customs_")]


def _warnings(moves: Sequence[Move]) -> Mapping[Move, Sequence[str]]:
    """Return each move that deserves a look -> why, in the active language.

    A parcel does not leave for its consignee without customs, nor before its flight has landed. A guide in transit may
    have left customs before: then one of its events says so.
    """
    warnings: dict[Move, list[str]] = defaultdict(list)
    for each in moves:
        if each.outcome.is_recorded and each.reported.doubt:
            warnings[each].append(str(DOUBTS[each.reported.doubt]))
    late = [each for each in moves if each.outcome.is_move and each.reported.status in _AT_THE_DOOR]
    if not late:
        return warnings
    known = GuideEvent.objects.valid().filter(guide__in={each.guide_id for each in late}, status__in=_OF_CUSTOMS)
    through = {*known.values_list("guide", flat=True)}
    arrivals = dict(Manifest.objects.filter(pk__in={each.manifest_id for each in late}).values_list("pk", "eta"))
    for each in late:
        if each.previous_status in _BEFORE_CUSTOMS and each.guide_id not in through:
            names = {"previous": STATUS_LABELS[each.previous_status], "status": STATUS_LABELS[each.reported.status]}
            warnings[each].append(gettext("from %(previous)s to %(status)s without customs") % names)
        eta = arrivals.get(each.manifest_id)
        if eta and eta > each.verdict.occurred_at:
            local = eta.astimezone(SERVED[each.manifest.country].clock)
            shown = f"{in_words(local)} {local.isoformat()[-6:].removesuffix(':00')}"
            warnings[each].append(gettext("the flight arrives on %s") % shown)
    return warnings
