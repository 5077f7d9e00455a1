"""The rows of one batch of guides: read under locks, and written with the events that change them.

Shared by `advancing` and `taking_back`, which decide what happens to each guide.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar
from uuid import UUID

from django.db import OperationalError, connection, transaction
from django.utils import timezone
from django.utils.translation import gettext

from shipments.errors import MoveRefused, ValidationFailed
from shipments.instruments import EVENTS_RECORDED
from shipments.models import GuideEvent, Manifest
from shipments.statuses import GuideStatus
from shipments.tracking import rows as tracking_rows
from shipments.tracking.changes import UNCHANGED, Mark, raise_version
from shipments.tracking.moves import Outcome, ReportedEvent
from shipments.tracking.rows import Change, LockedGuide

_ATTEMPTS = 3
Written = TypeVar("Written")
_RETRIED_STATES = {"40P01", "40001"}  # PostgreSQL: deadlock_detected, serialization_failure


@dataclass(frozen=True, slots=True)
class Move:
    """An event for one guide of one manifest.

    actor: who reported it, if not the one who makes all the moves. row: of the file that reports it; 0 without one.
    """

    guide_id: int
    manifest_id: UUID
    reported: ReportedEvent
    actor: str = ""
    row: int = 0


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one move.

    manifest: the guide's manifest, with `company_id`, `mawb`, `country` and its counts after the batch.
    previous_status: the status before this move.
    occurred_at: when it happened; the current time if the event had none.
    refusal: why it was refused. Its `code` and `message` may be shown.
    event: the row on the timeline, if any; not saved in a dry run.
    """

    move: Move
    manifest: Manifest
    hawb: str
    tracking_code: str
    previous_status: GuideStatus
    outcome: Outcome
    occurred_at: datetime
    refusal: MoveRefused | None
    event: GuideEvent | None


class Overtaken(Exception):
    """A guide's status changed between reading and writing."""


def retried(write: Callable[[], Written]) -> Written:
    """Call `write` in a transaction of its own, and again if another writer was quicker. Returns what it returns."""
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            with transaction.atomic():
                return write()
        except (Overtaken, OperationalError) as exc:
            # Within a caller's transaction, only the caller can retry: its snapshot or all of it is lost.
            if attempt == _ATTEMPTS or connection.in_atomic_block or not _is_passing(exc):
                raise
    raise AssertionError("the last attempt returns or raises")


def _is_passing(exc: Exception) -> bool:
    return isinstance(exc, Overtaken) or getattr(exc.__cause__, "sqlstate", None) in _RETRIED_STATES


class Batch(Protocol):
    """The guides of one batch, as they were read."""

    def judge(self, actor: str) -> list[Result]:
        """Return what happens to each guide."""

    def write(self, results: Sequence[Result], actor: str) -> None:
        """Write it."""


def run_batch(
    read: Callable[..., Batch], actor: str, *, dry_run: bool, in_batch: Callable[[Sequence[Result]], None] | None
) -> list[Result]:
    """Return what happens to the guides of a batch, and write it in a transaction unless it is a dry run.

    read: reads the batch; `is_locked`: with its rows locked. in_batch: as in `advance_each`.
    """
    if dry_run:
        return read(is_locked=False).judge(actor)

    def written() -> list[Result]:
        batch = read(is_locked=True)
        results = batch.judge(actor)
        batch.write(results, actor)
        if in_batch:
            in_batch(results)
        return results

    results = retried(written)
    # A caller's transaction may still be rolled back. This must be a function and not a partial: Django logs the name
    # of a callback that fails, and a partial has none, so logging would fail even with `robust`.
    transaction.on_commit(lambda: _count(results), robust=True)
    return results


def _count(results: Iterable[Result]) -> None:
    recorded = Counter((result.move.reported.source, result.outcome) for result in results if result.event)
    for (source, outcome), events in recorded.items():
        EVENTS_RECORDED.labels(source.value, outcome.value).inc(events)


@dataclass(slots=True)
class LockedRows:
    """The manifests and guides of one batch, as they were read. marks: each guide's, raised with every new event."""

    manifests: Mapping[UUID, Manifest]
    guides: Mapping[int, LockedGuide]
    marks: dict[int, Mark]
    now: datetime

    @classmethod
    def read(
        cls, manifest_ids: Collection[UUID], guide_ids: Collection[int], *, since: datetime, is_locked: bool
    ) -> "LockedRows":
        """Read the rows. since: the time from which the guides' events are read. is_locked: False for dry runs."""
        manifests, guides = tracking_rows.read(manifest_ids, guide_ids, since=since, is_locked=is_locked)
        now = timezone.now()  # read after locking, so that rows written by others are not later
        marks = {guide.id: guide.mark for guide in guides.values()}
        return cls(manifests, guides, marks, now)

    def event(
        self, guide: LockedGuide, reported: ReportedEvent, occurred_at: datetime, outcome: Outcome, actor: str
    ) -> GuideEvent:
        """Return the next event of `guide`, not saved yet."""
        mark = self.marks[guide.id] = self.marks[guide.id].next(self.now, is_moved=outcome.is_move)
        return GuideEvent(
            guide_id=guide.id,
            status=reported.status,
            occurred_at=occurred_at,
            recorded_at=mark.updated_at,
            source=reported.source,
            # Free text may name the anonymised person.
            internal_note="" if guide.is_anonymised else reported.internal_note,
            client_note="" if guide.is_anonymised else reported.client_note,
            actor=actor,
            sequence=mark.sequence if outcome.is_move else UNCHANGED,
        )

    def write(self, results: Sequence[Result], statuses: Mapping[int, GuideStatus]) -> None:
        """Write the events of `results`, the guides' statuses, and the counts, version and time of their manifests.

        statuses: guide id -> its status after all results. Raises `Overtaken`.
        """
        events = [result.event for result in results if result.event]
        changes = self._changes(events, statuses)
        changed = tracking_rows.write(events, changes, self._changed_manifests(results))
        if changed != sum(map(len, changes.values())):
            raise Overtaken

    def _changes(
        self, events: Iterable[GuideEvent], statuses: Mapping[int, GuideStatus]
    ) -> Mapping[Change, Sequence[int]]:
        steps: dict[int, int] = defaultdict(int)
        for event in events:
            steps[event.guide_id] += event.sequence != UNCHANGED
        by_change: dict[Change, list[int]] = defaultdict(list)
        for guide_id, taken in steps.items():
            change = Change(self.guides[guide_id].status, statuses[guide_id], taken, self.marks[guide_id].updated_at)
            by_change[change].append(guide_id)
        return by_change

    def _changed_manifests(self, results: Iterable[Result]) -> list[Manifest]:
        """Return the manifests of guides with new events, with updated counts, version and time."""
        changes: dict[UUID, Counter[str]] = defaultdict(Counter)
        changed_at: dict[UUID, datetime] = {}
        for result in results:
            if result.event:
                manifest_id = result.manifest.pk
                changed_at[manifest_id] = max(changed_at.get(manifest_id, self.now), result.event.recorded_at)
                if result.outcome.is_move:
                    changes[manifest_id][result.previous_status] -= 1
                    changes[manifest_id][result.move.reported.status] += 1
        for manifest_id, moment in changed_at.items():
            manifest = self.manifests[manifest_id]
            counts = Counter(manifest.guides_by_status)
            counts.update(changes[manifest_id])
            manifest.guides_by_status = {status.value: counts[status] for status in GuideStatus if counts[status] > 0}
            raise_version(manifest, moment)
        return [self.manifests[manifest_id] for manifest_id in changed_at]


REASON_LENGTH = 255


def text_problem(text: str) -> str:
    """Return what is wrong with a reason or a note; empty if it is valid."""
    if len(text) > REASON_LENGTH:
        return gettext("Enter at most %d characters.") % REASON_LENGTH
    if "\0" in text:
        return gettext("The text contains a NUL character.")
    return ""


def required_reason(text: str) -> str:
    """Return the reason, trimmed. Raises `ValidationFailed` if it is empty or invalid."""
    text = text.strip()
    if problem := text_problem(text) or ("" if text else gettext("Say why.")):
        raise ValidationFailed(problem, details={"reason": [problem]})
    return text
