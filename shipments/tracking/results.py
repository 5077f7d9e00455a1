"""The input and output of `tracking`: an event for one guide, and its result."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from shipments.errors import MoveRefused
from shipments.models import GuideEvent, Manifest
from shipments.statuses import GuideStatus
from shipments.tracking.moves import Fact, Outcome


@dataclass(frozen=True, slots=True)
class Move:
    """An event for one guide of one manifest."""

    guide_id: int
    manifest_id: UUID
    fact: Fact


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
