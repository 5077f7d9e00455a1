"""The operators' API's responses about guides."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any, Literal, NotRequired, TypedDict, get_type_hints

from django.utils.translation import gettext

from base.db.moments import iso_text, utc
from base.errors import DomainError
from base.http.json_types import Count, Keywords, Moment, PositiveCount, known_words
from shipments.models import Guide, GuideEvent
from shipments.statuses import GuideStatus
from shipments.tracking.moves import Move, Outcome
from shipments.v1 import reading
from shipments.v1.answer_types import AnsweredGuide, AnsweredGuideEvent
from shipments.v1.answers import guide_detail

_OUTCOMES = [outcome.value for outcome in Outcome if outcome is not Outcome.TAKEN_BACK]
_Error = Annotated[str, "Why it was refused, as in an error's envelope."]


class GuideCompany(TypedDict):
    """Whose guide it is."""

    code: str
    name: str


class OperatorGuideEvent(AnsweredGuideEvent):
    """An entry of the timeline, with what no client sees."""

    internal_note: str
    actor: Annotated[str, "Who recorded it: a user, `access:` and a name, or a command."]
    recorded_at: Annotated[Moment, "UTC."]


OperatorGuide: Any = TypedDict(
    "OperatorGuide",
    {
        **get_type_hints(AnsweredGuide, include_extras=True),  # type: ignore[misc]  # the table says which fields there are
        "events": Annotated[list[OperatorGuideEvent], "The timeline, oldest first, without what was taken back."],
        "company": GuideCompany,
        "country": str,
        "needs_review": bool,
        "review_reasons": list[str],
    },
)
OperatorGuide.__doc__ = "A guide as its client sees it, and what operators see besides."


class MoveResult(TypedDict):
    """What became of one id."""

    id: Annotated[str, "As it was sent."]
    outcome: Annotated[str, Keywords(enum=_OUTCOMES)]
    tracking_code: NotRequired[str]
    previous_status: NotRequired[Annotated[str, known_words(GuideStatus)]]
    status: NotRequired[Annotated[str, known_words(GuideStatus)]]
    status_code: NotRequired[PositiveCount]
    occurred_at: NotRequired[Annotated[Moment, "UTC."]]
    error: NotRequired[_Error]
    message: NotRequired[Annotated[str, "One sentence for a person."]]


class MoveResults(TypedDict):
    """A result for each id, in the order sent."""

    success: Literal[True]
    dry_run: bool
    counts: Annotated[dict[str, PositiveCount], "Outcome -> how many; only those that occur."]
    results: list[MoveResult]


class Refreshed(TypedDict):
    """What the carrier's answer came to. The six counts after `events` add up to it."""

    success: Literal[True]
    events: Count
    applied: Count
    duplicate: Count
    parked: Count
    unmapped: Count
    ignored: Count
    refused: Count


def guide_answer(guide_id: int) -> dict[str, Any]:
    """Return a guide with its timeline, as an `OperatorGuide`."""
    guide = Guide.objects.select_related("manifest__company").get(pk=guide_id)
    company = guide.manifest.company
    record = reading.guide(company, guide.tracking_code)
    if record is None:  # voided in this moment
        raise Guide.DoesNotExist
    kept = list(GuideEvent.objects.valid().filter(guide=guide_id).order_by("occurred_at", "id"))
    timeline = [reading.EventRecord(*(getattr(event, name) for name in reading.EventRecord._fields)) for event in kept]
    shown = guide_detail(record, timeline)
    events: Any = shown["events"]
    return {
        **shown,
        "events": [
            {
                **seen,
                "internal_note": event.internal_note,
                "actor": event.actor,
                "recorded_at": iso_text(event.recorded_at),
            }
            for seen, event in zip(events, kept, strict=True)
        ],
        "company": GuideCompany(code=company.client_code, name=company.name),
        "country": guide.manifest.country,
        "needs_review": guide.needs_review,
        "review_reasons": guide.review_reasons,
    }


def move_results(ids: Sequence[str], moves: Sequence[Move | DomainError], *, dry_run: bool) -> MoveResults:
    """Return the response of a bulk move. moves: of each id, in their order."""
    results = [_result(sent, each) for sent, each in zip(ids, moves, strict=True)]
    counts = Counter(result["outcome"] for result in results)
    return {"success": True, "dry_run": dry_run, "counts": dict(counts), "results": results}


def _result(sent: str, move: Move | DomainError) -> MoveResult:
    if isinstance(move, DomainError):
        return {"id": sent, "outcome": "refused", "error": move.code, "message": gettext(move.message)}
    named: MoveResult = {"id": sent, "tracking_code": move.tracking_code, "outcome": move.outcome.value}
    if move.refusal:
        return {**named, "error": move.refusal.code, "message": move.refusal.message}
    status = GuideStatus(move.reported.status if move.outcome.is_move else move.previous_status)
    return {
        **named,
        "previous_status": move.previous_status.value,
        "status": status.value,
        "status_code": status.code,
        "occurred_at": utc(move.verdict.occurred_at),
    }
