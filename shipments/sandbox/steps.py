"""Moving guides along their journeys, through the rules and the writer that all events pass."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from django.db.models import Count, Q
from django.utils import timezone

from shipments.errors import MoveRefused
from shipments.models import Guide
from shipments.sandbox.journeys import Step, journey
from shipments.statuses import GuideStatus
from shipments.tracking.advancing import BATCH_GUIDES, advance_each, retry
from shipments.tracking.changes import lock_manifests
from shipments.tracking.moves import Move, Outcome, ReportedEvent

ACTOR = "sandbox"


@dataclass(slots=True)
class Traveller:
    """A guide on its journey.

    position: the number of its events after `registered`. outcome: of the last step taken; None if there was none.
    refusal: of a step that could not be taken.
    """

    id: int
    manifest_id: UUID
    hawb: str
    tracking_code: str
    reached: str
    position: int
    outcome: Outcome | None = None
    refusal: MoveRefused | None = None

    @property
    def steps_left(self) -> int:
        return max(0, len(journey(self.hawb)) - self.position)

    @property
    def next_step(self) -> Step | None:
        return journey(self.hawb)[self.position] if self.steps_left and not self.refusal else None


def take_steps(guide_ids: Iterable[int], steps: int) -> list[Traveller]:
    """Let each guide take its next `steps` steps. Returns the guides, in the order of their ids.

    A guide whose step is refused takes no further one; the others go on.
    """
    ordered = sorted(guide_ids)
    parts = (ordered[start : start + BATCH_GUIDES] for start in range(0, len(ordered), BATCH_GUIDES))
    return [each for part in parts for each in retry(partial(_travel, part, steps))]


def _travel(guide_ids: Sequence[int], steps: int) -> Iterable[Traveller]:
    """Take steps in the caller's transaction. The manifests are locked first, so that nobody overtakes a guide."""
    lock_manifests(Guide.objects.filter(pk__in=guide_ids).order_by().values_list("manifest_id", flat=True))
    travellers = _positions(guide_ids)
    for _number in range(steps):
        for move in advance_each(_moves(travellers.values()), actor=ACTOR):
            _note(travellers[move.guide_id], move)
    return travellers.values()


def _positions(guide_ids: Iterable[int]) -> dict[int, Traveller]:
    known = Count("events", filter=Q(events__withdrawn_at=None))
    rows = Guide.objects.filter(pk__in=guide_ids).order_by("id").annotate(known=known)
    read = rows.values_list("id", "manifest_id", "hawb", "tracking_code", "status", "known")
    return {row[0]: Traveller(*row[:-1], position=row[-1] - 1) for row in read}


def _moves(moving: Iterable[Traveller]) -> list[Move]:
    now = timezone.now()
    return [
        Move(each.id, each.manifest_id, reported)
        for each in moving
        if (step := each.next_step)
        for reported in [ReportedEvent(step.status, step.source, now - step.age if step.age else None)] * step.times
    ]


def _note(traveller: Traveller, move: Move) -> None:
    traveller.outcome, traveller.refusal = move.outcome, move.refusal
    traveller.position += move.event is not None
    if move.outcome is Outcome.ADVANCED:
        traveller.reached = GuideStatus(move.reported.status)
