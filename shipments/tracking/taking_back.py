"""Taking back a wrong status: a correcting event is recorded, and the wrong one is marked as taken back.

Both are written in one transaction for each batch of guides, under the locks of `advancing`. The wrong event keeps its
sequence and the correcting event gets the next one, so that clients which order by it end with the right status.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from uuid import UUID

import structlog
from django.db.models import QuerySet

from shipments.models import Guide, GuideEvent, Manifest
from shipments.statuses import GuideStatus, Source
from shipments.tracking.advancing import BATCH_GUIDES, RELEASED_BY_CUSTOMS, InBatch, run_batch
from shipments.tracking.announcements import announce_moves
from shipments.tracking.moves import Move, Outcome, ReportedEvent, Verdict, require_reason, require_sound
from shipments.tracking.rows import LockedRows
from shipments.tracking.withdrawals import Past, PastEvent, Withdrawal, rule_on

log = structlog.get_logger(__name__)

_FAR = datetime.max.replace(tzinfo=UTC)


def take_back(
    guides: QuerySet[Guide],
    withdrawal: Withdrawal,
    *,
    actor: str,
    sequences: Mapping[int, Collection[int]] | None = None,
    dry_run: bool = False,
    in_batch: InBatch | None = None,
) -> list[Move]:
    """Take back a wrong status of any number of guides. Returns one move for each, by manifest and guide.

    A refused guide is not changed and does not affect the others; see its verdict. Each batch is one transaction: if
    the database fails in between, earlier batches remain committed, and repeating the call completes the work.

    actor: who takes it back, at most 150 characters. The caller checks whether they may.
    sequences: guide id -> sequences of its events to take back, in place of the status that is wrong.
    dry_run: return the same, but write nothing.
    in_batch: as in `advance_each`.

    Raises `ValidationFailed` for the reason, the note or a time without an offset, before anything is written.
    """
    require_sound(withdrawal.occurred_at, client_note=withdrawal.client_note)
    withdrawal = replace(
        withdrawal, reason=require_reason(withdrawal.reason), client_note=withdrawal.client_note.strip()
    )
    moves: list[Move] = []
    rows = list(guides.order_by("manifest_id", "id").values_list("id", "manifest_id"))
    for start in range(0, len(rows), BATCH_GUIDES):
        apply = partial(_apply, dict(rows[start : start + BATCH_GUIDES]), withdrawal, sequences, actor)
        moves += run_batch(apply, dry_run=dry_run, in_batch=in_batch)
    if not dry_run:
        taken = sum(move.outcome is Outcome.TAKEN_BACK for move in moves)
        log.info("status_taken_back", status=withdrawal.wrong and withdrawal.wrong.value, guides=taken, actor=actor)
    return moves


def _apply(
    guides: Mapping[int, UUID],
    withdrawal: Withdrawal,
    sequences: Mapping[int, Collection[int]] | None,
    actor: str,
    *,
    dry_run: bool,
) -> Sequence[Move]:
    """Rule on one batch of guides, and write what is taken back unless it is a dry run. Returns the moves."""
    # The rules need whole timelines, which are read once the rows are locked.
    rows = LockedRows.read({*guides.values()}, guides.keys(), since=_FAR, is_locked=not dry_run)
    rulings = {
        guide_id: rule_on(past, withdrawal, rows.now, None if sequences is None else sequences[guide_id])
        for guide_id, past in _pasts(guides).items()
    }
    moves = []
    for guide_id, manifest_id in guides.items():
        ruling = rulings[guide_id]
        texts = withdrawal.reason, withdrawal.client_note, withdrawal.doubt
        reported = ReportedEvent(ruling.status, Source.OPERATOR, ruling.occurred_at, *texts)
        move = Move(guide_id, manifest_id, reported)
        outcome = Outcome.REFUSED if ruling.refusal else Outcome.TAKEN_BACK
        previous = GuideStatus(rows.guides[guide_id].status)
        rows.complete(move, previous, Verdict(outcome, ruling.occurred_at, ruling.refusal), actor=actor)
        moves.append(move)
    if dry_run:
        return moves
    taken = [move for move in moves if move.event]
    # Wrong events are marked at the time of the event that corrects them. Guides mostly share that time.
    by_mark: dict[tuple[datetime, str], list[int]] = defaultdict(list)
    for move in taken:
        reason = "" if rows.guides[move.guide_id].is_anonymised else withdrawal.reason
        by_mark[rows.marks[move.guide_id].updated_at, reason] += rulings[move.guide_id].withdrawn
    for (moment, reason), ids in by_mark.items():
        wrong = GuideEvent.objects.valid().filter(pk__in=ids)
        wrong.update(withdrawn_at=moment, withdrawn_by=actor, withdrawn_reason=reason)
    rows.write(taken, {move.guide_id: move.reported.status for move in taken})
    if retained := [move.guide_id for move in taken if rulings[move.guide_id].retains_again]:
        Guide.objects.filter(pk__in=retained).update(
            retention_required=True, retention_lifted_at=None, retention_lifted_by="", retention_lifted_reason=""
        )
    announce_moves(taken)
    return moves


def _pasts(guides: Mapping[int, UUID]) -> Mapping[int, Past]:
    events: dict[int, list[PastEvent]] = defaultdict(list)
    rows = GuideEvent.objects.valid().filter(guide__in=guides).order_by("guide_id", "id")
    for guide_id, *values in rows.values_list("guide_id", *PastEvent._fields):
        events[guide_id].append(PastEvent(*values))
    voided = {*Manifest.objects.filter(pk__in=guides.values()).exclude(voided_at=None).values_list("pk", flat=True)}
    found = Guide.objects.filter(pk__in=guides).values_list(
        "pk", "status", "retention_required", "retention_lifted_reason"
    )
    return {
        guide_id: Past(
            GuideStatus(status),
            events[guide_id],
            is_retained=is_retained,
            was_released=lifted_reason == RELEASED_BY_CUSTOMS,
            is_voided=guides[guide_id] in voided,
        )
        for guide_id, status, is_retained, lifted_reason in found
    }
