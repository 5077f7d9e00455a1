"""`/api/public/pre-alerts/v1/sandbox/`: routes that exist only with `SANDBOX=on`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal, NotRequired, TypedDict
from uuid import UUID

from django.db.models import Count, Q
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from base.errors import NotFound
from base.http.bodies import Moment, RequestBody
from base.http.json_types import Keywords
from shipments.errors import MoveRefused
from shipments.manifests import waybills
from shipments.models import Guide, Manifest
from shipments.sandbox import deletion
from shipments.sandbox.journeys import Step, journey, usual_source
from shipments.statuses import GuideStatus, Source
from shipments.tracking.advancing import BATCH_GUIDES, advance_each, retry
from shipments.tracking.changes import lock_manifests
from shipments.tracking.lookup import guides_by_code
from shipments.tracking.moves import Move, Outcome, ReportedEvent
from shipments.v1.bodies import read_json_object
from shipments.v1.views import reader

ACTOR = "sandbox"
MOST_GUIDES = 200
MOST_STEPS = 10
RESET_AT_ONCE = 50


class Advance(RequestBody):
    """Which guides take how many steps: all of a MAWB, or those with these tracking codes."""

    mawb = serializers.CharField(required=False, max_length=32)
    tracking_codes = serializers.ListField(
        child=serializers.CharField(max_length=32), required=False, allow_empty=False, max_length=MOST_GUIDES
    )
    steps = serializers.IntegerField(min_value=1, max_value=MOST_STEPS, default=1)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("mawb" in attrs) is ("tracking_codes" in attrs):
            raise serializers.ValidationError({"mawb": [_("Send either mawb or tracking_codes.")]})
        return attrs


class ReportedInSandbox(RequestBody):
    """An event of a guide. Without a source it is the one that usually reports the status; without a time, now."""

    tracking_code = serializers.CharField(max_length=32)
    status = serializers.ChoiceField([status.value for status in GuideStatus])
    source = serializers.ChoiceField([source.value for source in Source], required=False)  # type: ignore[assignment]  # a field's own attribute
    occurred_at = Moment(required=False)
    client_note = serializers.CharField(required=False, allow_blank=True, max_length=255)


class Events(RequestBody):
    """Events to report, in their order."""

    events = serializers.ListField(child=ReportedInSandbox(), allow_empty=False, max_length=MOST_GUIDES)


class Reset(RequestBody):
    """Nothing."""


_OUTCOMES = ["advanced", "repeated", "history", "unchanged", "refused", "finished", "not_found"]


class SandboxResult(TypedDict):
    """What became of one guide or one event. `error` and `message` where it was refused, as in an error's envelope."""

    tracking_code: str
    hawb: NotRequired[str]
    outcome: Annotated[str, Keywords(enum=_OUTCOMES)]
    status: NotRequired[str]
    status_code: NotRequired[int]
    steps_left: NotRequired[int]
    error: NotRequired[str]
    message: NotRequired[str]


class SandboxResultList(TypedDict):
    """One result for each guide, or for each event in the order sent."""

    success: Literal[True]
    results: list[SandboxResult]


class SandboxReset(TypedDict):
    """`more`: call again."""

    success: Literal[True]
    manifests_deleted: int
    more: bool


# --- steps -----------------------------------------------------------------------------------------------------------


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
    known = Count("events", filter=Q(events__withdrawn_at=None))
    rows = Guide.objects.filter(pk__in=guide_ids).order_by("id").annotate(known=known)
    read = rows.values_list("id", "manifest_id", "hawb", "tracking_code", "status", "known")
    travellers = {row[0]: Traveller(*row[:-1], position=row[-1] - 1) for row in read}
    for _number in range(steps):
        for move in advance_each(_moves(travellers.values()), actor=ACTOR):
            traveller = travellers[move.guide_id]
            traveller.outcome, traveller.refusal = move.outcome, move.refusal
            traveller.position += move.event is not None
            if move.outcome is Outcome.ADVANCED:
                traveller.reached = GuideStatus(move.reported.status)
    return travellers.values()


def _moves(moving: Iterable[Traveller]) -> list[Move]:
    now = timezone.now()
    return [
        Move(each.id, each.manifest_id, reported)
        for each in moving
        if (step := each.next_step)
        for reported in [ReportedEvent(step.status, step.source, now - step.age if step.age else None)] * step.times
    ]


# --- routes ----------------------------------------------------------------------------------------------------------


class AdvanceView(APIView):
    """`POST sandbox/advance`: each guide takes the next steps of its journey."""

    def post(self, request: Request) -> Response:
        company = reader(request)
        wanted = Advance.read(read_json_object(request))
        if "mawb" in wanted:
            number = waybills.read_sought_mawb(wanted["mawb"]) or ""
            manifest = Manifest.objects.of(company).filter(mawb=number).first()
            if manifest is None:
                raise NotFound("None of your MAWBs has this number.")
            ids = [*manifest.guides.values_list("id", flat=True)]
            results = [_result_of_steps(each) for each in take_steps(ids, wanted["steps"])]
        else:
            codes = list(dict.fromkeys(code.upper() for code in wanted["tracking_codes"]))
            ids = [guide.id for guide in guides_by_code(Guide.objects.of(company), codes).values()]
            moved = {each.tracking_code: _result_of_steps(each) for each in take_steps(ids, wanted["steps"])}
            results = [moved.get(code) or _result_not_found(code) for code in codes]
        return Response(SandboxResultList(success=True, results=results))


class EventsView(APIView):
    """`POST sandbox/events`: any event, at any time in the past."""

    def post(self, request: Request) -> Response:
        company = reader(request)
        events: Sequence[dict[str, Any]] = Events.read(read_json_object(request))["events"]
        codes = [event["tracking_code"].upper() for event in events]
        found = guides_by_code(Guide.objects.of(company), {*codes})
        moves = [
            Move(found[code].id, found[code].manifest_id, _to_event(event))
            for code, event in zip(codes, events, strict=True)
            if code in found
        ]
        made = iter(advance_each(moves, actor=ACTOR))
        statuses = dict(Guide.objects.filter(pk__in=[move.guide_id for move in moves]).values_list("id", "status"))
        results = []
        for code in codes:
            if code not in found:
                results.append(_result_not_found(code))
                continue
            move = next(made)
            status = statuses[move.guide_id]
            results.append(_result(move.tracking_code, move.hawb, move.outcome.value, status, move.refusal))
        return Response(SandboxResultList(success=True, results=results))


class ResetView(APIView):
    """`POST sandbox/reset`: delete the caller's own manifests, the oldest first."""

    def post(self, request: Request) -> Response:
        company = reader(request)
        Reset.read(read_json_object(request))
        own = Manifest.objects.filter(company=company).order_by("created_at", "id").only("id", "flight_id")
        deleted = deletion.delete(own[:RESET_AT_ONCE])
        return Response(SandboxReset(success=True, manifests_deleted=deleted, more=own.exists()))


def _to_event(event: Mapping[str, Any]) -> ReportedEvent:
    status = GuideStatus(event["status"])
    source = Source(event["source"]) if "source" in event else usual_source(status)
    return ReportedEvent(status, source, event.get("occurred_at"), client_note=event.get("client_note", ""))


def _result_of_steps(guide: Traveller) -> SandboxResult:
    outcome = guide.outcome.value if guide.outcome else "finished"
    result = _result(guide.tracking_code, guide.hawb, outcome, guide.reached, guide.refusal)
    return {**result, "steps_left": guide.steps_left}


def _result(code: str, hawb: str, outcome: str, status: str, refusal: MoveRefused | None) -> SandboxResult:
    result: SandboxResult = {
        "tracking_code": code,
        "hawb": hawb,
        "outcome": outcome,
        "status": status,
        "status_code": GuideStatus(status).code,
    }
    if refusal:
        result |= {"error": refusal.code, "message": refusal.message}
    return result


def _result_not_found(code: str) -> SandboxResult:
    return {
        "tracking_code": code,
        "outcome": "not_found",
        "error": "not_found",
        "message": "None of your guides has this tracking code.",
    }
