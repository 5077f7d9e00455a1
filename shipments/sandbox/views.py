"""`/api/public/pre-alerts/v1/sandbox/`: routes that exist only with `SANDBOX=on`."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from base.http.bodies import Moment, RequestBody
from base.http.json_types import Keywords
from companies.models import Company
from shipments.errors import MoveRefused, NotFound
from shipments.manifests import waybills
from shipments.models import Guide, Manifest
from shipments.sandbox import deletion
from shipments.sandbox.journeys import usual_source
from shipments.sandbox.steps import ACTOR, Traveller, take_steps
from shipments.statuses import GuideStatus, Source
from shipments.tracking.advancing import advance_each
from shipments.tracking.batches import Move
from shipments.tracking.lookup import guides_by_code
from shipments.tracking.moves import ReportedEvent
from shipments.v1.bodies import sent_object
from shipments.v1.views import reader

MOST_GUIDES = 200
MOST_STEPS = 10


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


RESET_AT_ONCE = 50


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


class AdvanceView(APIView):
    """`POST sandbox/advance`: each guide takes the next steps of its journey."""

    def post(self, request: Request) -> Response:
        company = reader(request)
        wanted = Advance.read(sent_object(request))
        if "mawb" in wanted:
            ids = [*_manifest(company, wanted["mawb"]).guides.values_list("id", flat=True)]
            results = [_travelled(each) for each in take_steps(ids, wanted["steps"])]
        else:
            codes = list(dict.fromkeys(code.upper() for code in wanted["tracking_codes"]))
            ids = [guide.id for guide in guides_by_code(Guide.objects.of(company), codes).values()]
            moved = {each.tracking_code: _travelled(each) for each in take_steps(ids, wanted["steps"])}
            results = [moved.get(code) or _unknown(code) for code in codes]
        return Response(SandboxResultList(success=True, results=results))


class EventsView(APIView):
    """`POST sandbox/events`: any event, at any time in the past."""

    def post(self, request: Request) -> Response:
        company = reader(request)
        events: Sequence[dict[str, Any]] = Events.read(sent_object(request))["events"]
        codes = [event["tracking_code"].upper() for event in events]
        found = guides_by_code(Guide.objects.of(company), {*codes})
        moves = [
            Move(found[code].id, found[code].manifest_id, _reported(event))
            for code, event in zip(codes, events, strict=True)
            if code in found
        ]
        made = iter(advance_each(moves, actor=ACTOR))
        statuses = dict(Guide.objects.filter(pk__in=[move.guide_id for move in moves]).values_list("id", "status"))
        results = []
        for code in codes:
            if code not in found:
                results.append(_unknown(code))
                continue
            result = next(made)
            status = statuses[result.move.guide_id]
            results.append(_result(result.tracking_code, result.hawb, result.outcome.value, status, result.refusal))
        return Response(SandboxResultList(success=True, results=results))


class ResetView(APIView):
    """`POST sandbox/reset`: delete the caller's own manifests, the oldest first."""

    def post(self, request: Request) -> Response:
        company = reader(request)
        Reset.read(sent_object(request))
        own = Manifest.objects.filter(company=company).order_by("created_at", "id").only("id", "flight_id")
        deleted = deletion.delete(own[:RESET_AT_ONCE])
        return Response(SandboxReset(success=True, manifests_deleted=deleted, more=own.exists()))


def _manifest(company: Company, mawb: str) -> Manifest:
    manifest = Manifest.objects.of(company).filter(mawb=waybills.sought_mawb(mawb) or "").first()
    if manifest is None:
        raise NotFound("None of your MAWBs has this number.")
    return manifest


def _reported(event: Mapping[str, Any]) -> ReportedEvent:
    status = GuideStatus(event["status"])
    source = Source(event["source"]) if "source" in event else usual_source(status)
    return ReportedEvent(status, source, event.get("occurred_at"), client_note=event.get("client_note", ""))


def _travelled(guide: Traveller) -> SandboxResult:
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


def _unknown(code: str) -> SandboxResult:
    return {
        "tracking_code": code,
        "outcome": "not_found",
        "error": "not_found",
        "message": "None of your guides has this tracking code.",
    }
