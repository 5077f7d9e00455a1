"""Moves of guides, their results, and the transaction of each batch of them.

Shared by `advancing` and `taking_back`, which decide what happens to each guide.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar
from uuid import UUID

from django.db import OperationalError, connection, transaction
from django.utils.translation import gettext

from companies.errors import ValidationFailed
from shipments.errors import MoveRefused
from shipments.instruments import EVENTS_RECORDED
from shipments.models import GuideEvent, Manifest
from shipments.statuses import GuideStatus
from shipments.tracking.moves import Outcome, ReportedEvent

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


InBatch = Callable[[Sequence[Result]], None]


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
            is_passing = isinstance(exc, Overtaken) or getattr(exc.__cause__, "sqlstate", None) in _RETRIED_STATES
            if attempt == _ATTEMPTS or connection.in_atomic_block or not is_passing:
                raise
    raise AssertionError("the last attempt returns or raises")


class Batch(Protocol):
    """The guides of one batch, as they were read."""

    def judge(self, actor: str) -> list[Result]:
        """Return what happens to each guide."""

    def write(self, results: Sequence[Result], actor: str) -> None:
        """Write it."""


def run_batch(read: Callable[..., Batch], actor: str, *, dry_run: bool, in_batch: InBatch | None) -> list[Result]:
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


REASON_LENGTH = 255


def text_problem(text: str) -> str:
    """Return what is wrong with a reason or a note; empty if it is valid."""
    if len(text) > REASON_LENGTH:
        return gettext("Enter at most %d characters.") % REASON_LENGTH
    if "\0" in text:
        return gettext("The text contains a NUL character.")
    return ""


def require_sound(occurred_at: datetime | None, **texts: str) -> None:
    """Raise `ValidationFailed` for invalid notes, by name, and for a time without an offset."""
    details = {name: [problem] for name, text in texts.items() if (problem := text_problem(text))}
    if occurred_at and occurred_at.utcoffset() is None:
        details["occurred_at"] = [gettext("The time must have an offset from UTC.")]
    if details:
        raise ValidationFailed(details=details)


def required_reason(text: str) -> str:
    """Return the reason, trimmed. Raises `ValidationFailed` if it is empty or invalid."""
    text = text.strip()
    if problem := text_problem(text) or ("" if text else gettext("Say why.")):
        raise ValidationFailed(problem, details={"reason": [problem]})
    return text
