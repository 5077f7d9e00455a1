"""Taking back a wrong status: a correcting event is recorded, and the wrong one is marked as taken back.

Both are written in one transaction for each batch of guides, under the locks of `advancing`. The wrong event keeps its
sequence and the correcting event gets the next one, so that clients which order by it end with the right status.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
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
from shipments.tracking.withdrawals import Past, PastEvent, Ruling, Withdrawal, rule_on

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
        read = partial(_WithdrawalBatch.read, dict(rows[start : start + BATCH_GUIDES]), withdrawal, sequences)
        moves += run_batch(read, actor, dry_run=dry_run, in_batch=in_batch)
    if not dry_run:
        taken = sum(move.outcome is Outcome.TAKEN_BACK for move in moves)
        log.info("status_taken_back", status=withdrawal.wrong and withdrawal.wrong.value, guides=taken, actor=actor)
    return moves


@dataclass(slots=True)
class _WithdrawalBatch:
    """The guides of one batch, and what the withdrawal does to each."""

    guides: Mapping[int, UUID]
    withdrawal: Withdrawal
    rows: LockedRows
    rulings: Mapping[int, Ruling]

    @classmethod
    def read(
        cls,
        guides: Mapping[int, UUID],
        withdrawal: Withdrawal,
        sequences: Mapping[int, Collection[int]] | None,
        *,
        is_locked: bool,
    ) -> "_WithdrawalBatch":
        # The rules need whole timelines, which are read once the rows are locked.
        rows = LockedRows.read({*guides.values()}, guides.keys(), since=_FAR, is_locked=is_locked)
        pasts = _pasts(guides)
        rulings = {
            guide_id: rule_on(pasts[guide_id], withdrawal, rows.now, None if sequences is None else sequences[guide_id])
            for guide_id in guides
        }
        return cls(guides, withdrawal, rows, rulings)

    def judge(self, actor: str) -> list[Move]:
        moves = []
        what = self.withdrawal
        for guide_id, ruling in self.rulings.items():
            reported = ReportedEvent(
                ruling.status, Source.OPERATOR, ruling.occurred_at, what.reason, what.client_note, what.doubt
            )
            move = Move(guide_id, self.guides[guide_id], reported)
            outcome = Outcome.REFUSED if ruling.refusal else Outcome.TAKEN_BACK
            previous = GuideStatus(self.rows.guides[guide_id].status)
            self.rows.complete(move, previous, Verdict(outcome, ruling.occurred_at, ruling.refusal), actor=actor)
            moves.append(move)
        return moves

    def write(self, moves: Sequence[Move], actor: str) -> None:
        taken = [move for move in moves if move.event]
        self._mark_wrong(taken, actor)
        self.rows.write(taken, {move.guide_id: move.reported.status for move in taken})
        retained = [move.guide_id for move in taken if self.rulings[move.guide_id].retains_again]
        if retained:
            Guide.objects.filter(pk__in=retained).update(
                retention_required=True, retention_lifted_at=None, retention_lifted_by="", retention_lifted_reason=""
            )
        announce_moves(taken)

    def _mark_wrong(self, taken: Sequence[Move], actor: str) -> None:
        """Mark the wrong events, at the time of the event that corrects them. Guides mostly share that time."""
        by_mark: dict[tuple[datetime, str], list[int]] = defaultdict(list)
        for guide_id in (move.guide_id for move in taken):
            reason = "" if self.rows.guides[guide_id].is_anonymised else self.withdrawal.reason
            by_mark[self.rows.marks[guide_id].updated_at, reason] += self.rulings[guide_id].withdrawn
        for (moment, reason), ids in by_mark.items():
            wrong = GuideEvent.objects.valid().filter(pk__in=ids)
            wrong.update(withdrawn_at=moment, withdrawn_by=actor, withdrawn_reason=reason)


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
