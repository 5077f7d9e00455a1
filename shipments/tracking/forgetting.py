"""Bulk moves are forgotten with age and with the people of their guides: notes, names of files, results by guide."""

from collections.abc import Collection
from datetime import datetime

from shipments.models import BulkMove, MoveKind, MoveState
from shipments.tracking.bulk import MoveLine


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
        own = [row[2] for row in move.guides if move.kind == MoveKind.FILE and row[1] in guide_ids]
        is_noted = any(event.get(name) for event in own for name in _NOTES)
        is_about = own or any(MoveLine(*line).guide_id in guide_ids for line in move.lines)
        if own:
            for event in own:
                event.update(internal_note="", client_note="")
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
