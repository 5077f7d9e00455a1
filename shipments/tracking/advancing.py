"""Moving guides: the only writer of `Guide.status` once ingest has created the guide.

One transaction for each batch of guides: lock the manifests' rows, then the guides', each in the order of their ids,
so that no two writers wait for each other; judge every fact (`moves`); write events, statuses and the manifests'
counts. On SQLite a transaction has the whole database to itself; there, and against any writer that takes no locks,
the status is changed only where it is still the one that was judged, and else the batch is judged again.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby, islice
from uuid import UUID

from django.db import OperationalError, connection, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from shipments.errors import ValidationFailed
from shipments.instruments import EVENTS_RECORDED
from shipments.models import Guide, GuideEvent, Manifest
from shipments.statuses import GuideStatus
from shipments.tracking import rows as tracking_rows
from shipments.tracking.announcements import announce_moves
from shipments.tracking.moves import Fact, Outcome, Standing
from shipments.tracking.reasons import reason_problem
from shipments.tracking.results import Move, Result
from shipments.tracking.rows import GuideRow

BATCH_GUIDES = 500
"""Guides moved in one transaction: the manifest's row is locked for a fraction of a second, commits stay few."""

RELEASED_BY_CUSTOMS = "released_by_customs"
"""The reason of a retention that customs itself ended."""

_ATTEMPTS = 3
_RETRIED_STATES = {"40P01", "40001"}  # PostgreSQL: deadlock_detected, serialization_failure


def advance(
    guides: QuerySet[Guide],
    fact: Fact,
    *,
    actor: str,
    dry_run: bool = False,
    after_batch: Callable[[Sequence[Result]], None] | None = None,
) -> list[Result]:
    """Tell one fact of any number of guides: of one, of a selection, of a whole manifest (`manifest.guides.all()`).

    Gives one result for each guide, in the order of manifests and guides; for the rest see `advance_each`.
    """
    return advance_each(moves_of(guides, fact), actor=actor, dry_run=dry_run, after_batch=after_batch)


def moves_of(guides: QuerySet[Guide], fact: Fact) -> list[Move]:
    """The moves that tell `fact` of each of `guides`."""
    rows = guides.order_by("manifest_id", "id").values_list("id", "manifest_id")
    return [Move(guide_id, manifest_id, fact) for guide_id, manifest_id in rows]


def advance_each(
    moves: Sequence[Move],
    *,
    actor: str,
    dry_run: bool = False,
    after_batch: Callable[[Sequence[Result]], None] | None = None,
) -> list[Result]:
    """Tell each fact of its guide and record what follows; gives the results in the order of `moves`.

    Several facts about one guide are taken in the order in which they happened, those without a time last. A refused
    move changes nothing and stops no other: each result says what happened. Every batch is one transaction; when the
    database fails in the middle, the batches before stand, and the same call again finishes the work.

    actor: who does it, for the timeline: a user's name or a command; at most 150 characters.
    dry_run: answer the same and write nothing.
    after_batch: called with the results of each batch once it is committed.

    Raises `ValidationFailed` for a reason that cannot be kept or a time without an offset, before anything is written.
    """
    for fact in {id(move.fact): move.fact for move in moves}.values():
        _require_sound(fact)
    results: dict[int, Result] = {}
    for batch in _batches(moves):
        batch_results = _advance_batch([move for _position, move in batch], actor=actor, dry_run=dry_run)
        results.update(zip((position for position, _move in batch), batch_results, strict=True))
        if after_batch:
            after_batch(batch_results)
    return [results[position] for position in range(len(moves))]


def _require_sound(fact: Fact) -> None:
    details = {}
    if problem := reason_problem(fact.reason):
        details["reason"] = [problem]
    if fact.occurred_at and fact.occurred_at.utcoffset() is None:
        details["occurred_at"] = [gettext("The time must have an offset from UTC.")]
    if details:
        raise ValidationFailed(details=details)


_LAST = datetime.max.replace(tzinfo=UTC)


def _batches(moves: Sequence[Move]) -> Iterator[list[tuple[int, Move]]]:
    """Moves with their positions, by manifest and guide, a guide's in order of time; never one guide in two batches."""
    placed = sorted(
        enumerate(moves),
        key=lambda place: (
            place[1].manifest_id,
            place[1].guide_id,
            place[1].fact.occurred_at or _LAST,
            place[0],
        ),
    )
    by_guide = (list(group) for _guide_id, group in groupby(placed, key=lambda place: place[1].guide_id))
    while batch := list(islice(by_guide, BATCH_GUIDES)):
        yield [place for group in batch for place in group]


# --- one batch --------------------------------------------------------------------------------------------------


class _Overtaken(Exception):
    """A guide's status changed between reading and writing."""


def _advance_batch(moves: Sequence[Move], *, actor: str, dry_run: bool) -> list[Result]:
    if dry_run:
        return _Batch.read(moves, is_locked=False).judge(actor)
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            with transaction.atomic():
                batch = _Batch.read(moves, is_locked=True)
                results = batch.judge(actor)
                batch.write(results, actor)
        except (_Overtaken, OperationalError) as exc:
            # Inside a caller's transaction its snapshot or the whole of it is lost: only the caller can begin again.
            if attempt == _ATTEMPTS or connection.in_atomic_block or not _is_passing(exc):
                raise
        else:
            _count_once_committed(results)
            return results
    raise AssertionError("the last attempt returns or raises")


def _count_once_committed(results: Sequence[Result]) -> None:
    # A caller's transaction may still be undone. A function, no partial: Django names what failed, and a partial has no
    # name, so that the log line itself would fail, robust or not.
    transaction.on_commit(lambda: _count(results), robust=True)


def _count(results: Iterable[Result]) -> None:
    recorded = Counter((result.move.fact.source, result.outcome) for result in results if result.event)
    for (source, outcome), events in recorded.items():
        EVENTS_RECORDED.labels(source.value, outcome.value).inc(events)


def _is_passing(exc: Exception) -> bool:
    return isinstance(exc, _Overtaken) or getattr(exc.__cause__, "sqlstate", None) in _RETRIED_STATES


@dataclass(slots=True)
class _Batch:
    """The guides of one batch, as they were read and as the facts leave them."""

    moves: Sequence[Move]
    manifests: Mapping[UUID, Manifest]
    guides: Mapping[int, GuideRow]
    standings: Mapping[int, Standing]
    now: datetime

    @classmethod
    def read(cls, moves: Sequence[Move], *, is_locked: bool) -> "_Batch":
        asked_at = timezone.now()
        manifests, guides = tracking_rows.read(
            {move.manifest_id for move in moves},
            {move.guide_id for move in moves},
            # What happened before the earliest fact decides nothing, and stays unread.
            since=min(move.fact.occurred_at or asked_at for move in moves),
            is_locked=is_locked,
        )
        now = timezone.now()  # once the locks are held: what others wrote before is not later than this
        return cls(moves, manifests, guides, {guide.id: _standing(guide) for guide in guides.values()}, now)

    def judge(self, actor: str) -> list[Result]:
        return [self._judge(move, actor) for move in self.moves]

    def _judge(self, move: Move, actor: str) -> Result:
        guide, standing, fact = self.guides[move.guide_id], self.standings[move.guide_id], move.fact
        previous_status = standing.current
        verdict = standing.take(fact, self.now)
        event = GuideEvent(
            guide_id=guide.id,
            status=fact.status,
            occurred_at=verdict.occurred_at,
            recorded_at=self.now,
            source=fact.source,
            reason="" if guide.is_anonymised else fact.reason,  # free text may name the person who was forgotten
            actor=actor,
        )
        return Result(
            move=move,
            manifest=self.manifests[move.manifest_id],
            hawb=guide.hawb,
            tracking_code=guide.tracking_code,
            previous_status=previous_status,
            outcome=verdict.outcome,
            occurred_at=verdict.occurred_at,
            refusal=verdict.refusal,
            event=event if verdict.outcome.is_recorded else None,
        )

    def write(self, results: Sequence[Result], actor: str) -> None:
        advanced = [result for result in results if result.outcome is Outcome.ADVANCED]
        changes = self._changes()
        events = [result.event for result in results if result.event]
        changed = tracking_rows.write(events, changes, self._recounted(advanced))
        if changed != sum(map(len, changes.values())):
            raise _Overtaken
        self._write_lifted_retentions(actor)
        announce_moves(advanced)

    def _changes(self) -> Mapping[tuple[str, GuideStatus], Sequence[int]]:
        by_change: dict[tuple[str, GuideStatus], list[int]] = defaultdict(list)
        for guide in self.guides.values():
            status = self.standings[guide.id].current
            if status != guide.status:
                by_change[guide.status, status].append(guide.id)
        return by_change

    def _write_lifted_retentions(self, actor: str) -> None:
        ids = [
            row.id for row in self.guides.values() if row.retention_required and not self.standings[row.id].is_retained
        ]
        if ids:
            Guide.objects.filter(pk__in=ids).update(
                retention_required=False,
                retention_lifted_at=self.now,
                retention_lifted_by=actor,
                retention_lifted_reason=RELEASED_BY_CUSTOMS,
            )

    def _recounted(self, advanced: Iterable[Result]) -> list[Manifest]:
        """The manifests whose guides were advanced, with their counts as they are now."""
        changes: dict[UUID, Counter[str]] = defaultdict(Counter)
        for result in advanced:
            change = changes[result.manifest.pk]
            change[result.previous_status] -= 1
            change[result.move.fact.status] += 1
        for manifest_id, change in changes.items():
            manifest = self.manifests[manifest_id]
            counts = Counter(manifest.guides_by_status)
            counts.update(change)
            manifest.guides_by_status = {status.value: counts[status] for status in GuideStatus if counts[status] > 0}
        return [self.manifests[manifest_id] for manifest_id in changes]


def _standing(guide: GuideRow) -> Standing:
    counted = [scan.occurred_at for scan in guide.scans if not scan.is_first]
    return Standing(
        GuideStatus(guide.status),
        guide.retention_required,
        latest_at=max(counted, default=None),
        scans={(scan.status, scan.occurred_at) for scan in guide.scans},
    )
