"""Moving guides. With `taking_back`, the only writer of `Guide.status` after `ingest` has created the guide.

Each batch of guides is one transaction. It locks the manifests' rows, then the guides' rows, each in the order of their
ids to avoid deadlocks; evaluates every event (`moves`); and writes the events, the statuses and the manifests' counts.
SQLite has no row locks. There, and against writers that take no locks, a status is only changed if it is still the one
that was evaluated; otherwise the batch is evaluated again.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import groupby, islice
from operator import attrgetter
from typing import TypeVar

from django.db import OperationalError, connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from shipments.instruments import EVENTS_RECORDED
from shipments.models import Guide
from shipments.statuses import GuideStatus
from shipments.tracking.announcements import announce_moves
from shipments.tracking.moves import GuideState, Move, Outcome, ReportedEvent, require_sound
from shipments.tracking.rows import LockedGuide, LockedRows, Overtaken

BATCH_GUIDES = 500
"""The number of guides moved in one transaction. It keeps the manifest's row locked only briefly, with few commits."""

_LAST = datetime.max.replace(tzinfo=UTC)

RELEASED_BY_CUSTOMS = "released_by_customs"
"""The reason recorded when customs itself ends a retention."""

_ATTEMPTS = 3
_PAUSE_SECONDS = 0.05
Written = TypeVar("Written")
_RETRIED_STATES = {"40P01", "40001"}  # PostgreSQL: deadlock_detected, serialization_failure
InBatch = Callable[[Sequence[Move]], None]


def advance(
    guides: QuerySet[Guide],
    reported: ReportedEvent,
    *,
    actor: str,
    dry_run: bool = False,
    in_batch: InBatch | None = None,
) -> list[Move]:
    """Apply one event to any number of guides: one, a selection or a whole manifest (`manifest.guides.all()`).

    Returns one move for each guide, ordered by manifest and guide. For the arguments see `advance_each`.
    """
    return advance_each(moves_of(guides, reported), actor=actor, dry_run=dry_run, in_batch=in_batch)


def moves_of(guides: QuerySet[Guide], reported: ReportedEvent) -> list[Move]:
    rows = guides.order_by("manifest_id", "id").values_list("id", "manifest_id")
    return [Move(guide_id, manifest_id, reported) for guide_id, manifest_id in rows]


def advance_each(
    moves: Sequence[Move],
    *,
    actor: str,
    dry_run: bool = False,
    in_batch: InBatch | None = None,
    is_announced: bool = True,
) -> list[Move]:
    """Apply each event to its guide and record the outcome. Returns `moves`, each with its verdict.

    Several events of one guide are applied in the order in which they happened, those without a time last. A refused
    move changes nothing and does not affect the others; see its verdict. Every batch is one transaction. If the
    database fails in between, earlier batches remain committed, and repeating the call completes the work.

    actor: who made the change, for the timeline: a user's name or a command; at most 150 characters.
    dry_run: return the same, but write nothing.
    in_batch: called with the moves of each batch inside its transaction, while the manifests and guides are locked,
        and called again if the batch is repeated. What it writes is committed with the batch or not at all; if it
        raises, the batch is rolled back. Not called in a dry run.
    is_announced: False for what happened before the service had the guides: no webhook is sent.

    Raises `ValidationFailed` for an invalid note or a time without an offset, before anything is written.
    """
    for reported in {id(move.reported): move.reported for move in moves}.values():
        notes = {"internal_note": reported.internal_note, "client_note": reported.client_note}
        require_sound(reported.occurred_at, **notes)
    ordered = sorted(moves, key=lambda move: (move.manifest_id, move.guide_id, move.reported.occurred_at or _LAST))
    by_guide = (list(group) for _guide_id, group in groupby(ordered, key=attrgetter("guide_id")))
    while guides := list(islice(by_guide, BATCH_GUIDES)):  # a guide is never in two batches
        apply = partial(_apply, [move for group in guides for move in group], actor, is_announced=is_announced)
        run_batch(apply, dry_run=dry_run, in_batch=in_batch)
    return list(moves)


def _apply(moves: Sequence[Move], actor: str, *, is_announced: bool, dry_run: bool) -> Sequence[Move]:
    """Judge the moves of one batch of guides, and write them unless it is a dry run. Returns the moves."""
    asked_at = timezone.now()
    rows = LockedRows.read(
        {move.manifest_id for move in moves},
        {move.guide_id for move in moves},
        # Events before the earliest new one do not affect the result and are not read.
        since=min(move.reported.occurred_at or asked_at for move in moves),
        is_locked=not dry_run,
    )
    states = {guide.id: _state(guide) for guide in rows.guides.values()}
    for move in moves:
        state = states[move.guide_id]
        previous = state.current
        rows.complete(move, previous, state.take(move.reported, rows.now), actor=actor)
    if dry_run:
        return moves
    rows.write(moves, {guide_id: state.current for guide_id, state in states.items()})
    released = [row.id for row in rows.guides.values() if row.retention_required and not states[row.id].is_retained]
    if released:
        Guide.objects.filter(pk__in=released).update(
            retention_required=False,
            retention_lifted_at=rows.now,
            retention_lifted_by=actor,
            retention_lifted_reason=RELEASED_BY_CUSTOMS,
        )
    if is_announced:
        announce_moves([move for move in moves if move.outcome is Outcome.ADVANCED])
    return moves


def _state(guide: LockedGuide) -> GuideState:
    valid = [scan for scan in guide.scans if not scan.is_withdrawn]
    return GuideState(
        GuideStatus(guide.status),
        guide.retention_required,
        latest_at=max((scan.occurred_at for scan in valid if not scan.is_first), default=None),
        scans={(scan.status, scan.occurred_at) for scan in valid},
        withdrawn=frozenset((scan.status, scan.occurred_at) for scan in guide.scans if scan.is_withdrawn),
    )


# --- the transaction of a batch, also of one that takes back -------------------------------------------------------


def retry(write: Callable[[], Written]) -> Written:
    """Call `write` in a transaction of its own, and again if another writer was quicker. Returns what it returns."""
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            with transaction.atomic():
                return write()
        except (Overtaken, OperationalError) as exc:
            # Within a caller's transaction, only the caller can retry: its snapshot or all of it is lost.
            is_passing = isinstance(exc, Overtaken) or getattr(exc.__cause__, "sqlstate", None) in _RETRIED_STATES
            if attempt == _ATTEMPTS or connection.in_atomic_block or not is_passing:
                raise
        time.sleep(_PAUSE_SECONDS * attempt)  # whoever waited for our rows takes them, or we deadlock again
    raise AssertionError("the last attempt returns or raises")


def run_batch(apply: Callable[..., Sequence[Move]], *, dry_run: bool, in_batch: InBatch | None) -> Sequence[Move]:
    """Return the moves of a batch of guides, which are written in one transaction unless it is a dry run.

    apply: judges the moves and returns them; without `dry_run` it locks the rows that it reads, and writes.
    in_batch: as in `advance_each`.
    """
    if dry_run:
        return apply(dry_run=True)

    def write() -> Sequence[Move]:
        moves = apply(dry_run=False)
        if in_batch:
            in_batch(moves)
        return moves

    moves = retry(write)
    # A caller's transaction may still be rolled back. This must be a function and not a partial: Django logs the name
    # of a callback that fails, and a partial has none, so logging would fail even with `robust`.
    transaction.on_commit(lambda: _count(moves), robust=True)
    return moves


def _count(moves: Iterable[Move]) -> None:
    recorded = Counter((move.reported.source, move.outcome) for move in moves if move.event)
    for (source, outcome), events in recorded.items():
        EVENTS_RECORDED.labels(source.value, outcome.value).inc(events)
