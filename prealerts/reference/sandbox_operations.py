"""The descriptions of the sandbox's routes. Only a sandbox's document has them: a live service has no such routes."""

from collections.abc import Mapping

from drf_spectacular.utils import OpenApiExample, OpenApiRequest, OpenApiResponse, extend_schema

from companies import errors as companies
from prealerts.reference import refusals
from prealerts.reference.about import SANDBOX
from shipments import errors as shipments
from shipments.sandbox import bodies, views
from webhooks import errors as webhooks
from webhooks.v1.bodies import RequestBody

_REFUSALS = (
    companies.MissingApiKey,
    companies.InvalidApiKey,
    companies.UnsupportedCountry,
    shipments.InvalidBody,
    webhooks.FieldsRefused,
)
_RESULT = {
    "tracking_code": "TSTXF9NGX2C4Q",
    "hawb": "AND2612150101",
    "outcome": "advanced",
    "status": "customs_processing",
    "status_code": 2,
}


def _sent(kind: type[RequestBody], value: Mapping[str, object]) -> dict[str, OpenApiRequest]:
    return {"application/json": OpenApiRequest(kind, examples=[OpenApiExample("request", value=dict(value))])}


def _answer(kind: type[object], sentence: str, **value: object) -> OpenApiResponse:
    body = {"success": True, **value}
    return OpenApiResponse(kind, sentence, examples=[OpenApiExample("answer", summary=sentence, value=body)])


extend_schema(
    operation_id="advanceInSandbox",
    tags=[SANDBOX],
    summary="Let guides take their next steps",
    description="How a HAWB ends decides its guide's journey; see the page *Sandbox*.",
    request=_sent(bodies.Advance, {"mawb": "045-70310122", "steps": 1}),
    responses={
        200: _answer(views.SandboxResults, "A result for each guide.", results=[{**_RESULT, "steps_left": 4}]),
        **refusals.responses((*_REFUSALS, shipments.NotFound)),
    },
)(views.AdvanceView.post)

extend_schema(
    operation_id="reportInSandbox",
    tags=[SANDBOX],
    summary="Report any events",
    description="At any time in the past. What the rules refuse has its `error` in its place of the results.",
    request=_sent(bodies.Events, {"events": [{"tracking_code": "TSTXF9NGX2C4Q", "status": "customs_processing"}]}),
    responses={
        200: _answer(views.SandboxResults, "A result for each event, in their order.", results=[_RESULT]),
        **refusals.responses(_REFUSALS),
    },
)(views.EventsView.post)

extend_schema(
    operation_id="resetSandbox",
    tags=[SANDBOX],
    summary="Delete your manifests",
    description="The oldest 50; call again while `more` is true.",
    request=_sent(bodies.Reset, {}),
    responses={
        200: _answer(views.SandboxReset, "What was deleted.", manifests_deleted=12, more=False),
        **refusals.responses(_REFUSALS),
    },
)(views.ResetView.post)
