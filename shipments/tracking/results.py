"""A fact told of one guide, and what became of it: what `tracking` is given and what it gives back."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from shipments.errors import MoveRefused
from shipments.models import GuideEvent, Manifest
from shipments.statuses import GuideStatus
from shipments.tracking.moves import Fact, Outcome


@dataclass(frozen=True, slots=True)
class Move:
    """A fact about one guide of one manifest."""

    guide_id: int
    manifest_id: UUID
    fact: Fact


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one move.

    manifest: the guide's manifest, loaded with `company_id`, `mawb`, `country` and its counts as the batch left them.
    previous_status: where the guide stood before this move.
    occurred_at: when it happened; our own clock's time where the fact brought none.
    refusal: why it was refused; its `code` and `message` can be shown.
    event: the row on the timeline, where there is one; not saved in a dry run.
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
