"""`/docs/operators.json`: the operators' API, a document of its own, for operators who are logged in.

It stands on its own beside `document.py`: other routes, other errors, one token instead of a company's password.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NotRequired

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import EndpointEnumerator, SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import normalize_result_object
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiRequest, OpenApiResponse, extend_schema

from companies import errors as companies
from companies.countries import SERVED
from companies.errors import DomainError
from companies.operators.tokens import views as tokens
from prealerts.answers import Error
from prealerts.reference.describe import Explained, Kinds, describe_refusals, explain
from shipments import errors as shipments
from shipments.inbound import answers as batches
from shipments.inbound import bodies as batch_bodies
from shipments.inbound import views as inbound
from shipments.models import BatchState, ScanOutcome
from shipments.operations import answers as guides
from shipments.operations import bodies as guide_bodies
from shipments.operations import views as operations
from webhooks import errors as webhooks

BASE = "/api/operators/v1/"
TOKENS, GUIDES, BATCHES = "Tokens", "Guides", "Inbound batches"
VERSION = "1.0"


class OperatorError(Error):
    """A refusal. Branch on `error`; treat a code that you do not know by its HTTP status."""

    permission: NotRequired[str]
    reason: NotRequired[str]
    country: NotRequired[str]
    mismatched: NotRequired[list[dict[str, str]]]
    request_id: NotRequired[str]


class _Token(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # it registers itself
    """How the document calls an operator's token."""

    target_class = "companies.operators.tokens.api_views.TokenAuthentication"
    name = "OperatorToken"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, object]:  # noqa: ARG002  # as declared
        flows = {"clientCredentials": {"tokenUrl": f"{BASE}tokens", "scopes": {}}}
        return {"type": "oauth2", "description": "A token of `POST tokens`, as a Bearer token.", "flows": flows}


_EXTRAS: Mapping[type[DomainError], Mapping[str, object]] = {
    companies.Forbidden: {"permission": "shipments.change_guide"},
    companies.ForbiddenCountry: {"country": "PE"},
    companies.TokenRequestInvalid: {"details": {"grant_type": ["Must be password or client_credentials."]}},
    shipments.CountryMismatch: {"mismatched": [{"id": "DEMHGD7DBQVS3R", "country": "PE"}]},
    shipments.InvalidDocument: {"details": {"consignee_document": ["The check digit of the RUT is wrong."]}},
    shipments.InvalidDocumentType: {"details": {"consignee_document_type": ["Use RUC, DNI, CE or PASAPORTE."]}},
    shipments.InvalidQuery: {"details": {"state": ['"ended" is not a valid choice.']}},
    shipments.ValidationFailed: {"details": {"mawbs": ["045-00000000 is not known."]}},
    webhooks.FieldsRefused: {"details": {"ids": ["Ensure this field has no more than 200 elements."]}},
}
_WITH_TOKEN = (companies.MissingToken, companies.InvalidToken, companies.RateLimited)
_MAY = (*_WITH_TOKEN, companies.Forbidden)
_BODY = (shipments.InvalidBody, webhooks.FieldsRefused)
_FOUND = (companies.ForbiddenCountry, shipments.NotFound)
_EVERYWHERE = [
    (status, code, said, said)
    for status, code, said in (
        (405, "method_not_allowed", "The route does not take this method."),
        (500, "internal_server_error", "An error of the service; give its request_id to its people."),
        (503, "unavailable",
         "The database is away, or a lock was not free for 15 seconds: wait as Retry-After says."),
    )
]  # fmt: skip
_KINDS: Kinds = defaultdict(lambda: (OperatorError, ""))
_REFUSED: dict[str, Explained] = {}
"""By operation."""


def _json(kind: object, **value: object) -> dict[str, OpenApiRequest]:
    return {"application/json": OpenApiRequest(kind, examples=[OpenApiExample("request", value=value)])}


def _query(name: str, sentence: str, **schema: object) -> OpenApiParameter:
    return OpenApiParameter(name, {"type": "string", **schema}, "query", description=sentence)


_PAGE = (
    _query("limit", "How many, 1 to 100; 50 if left out.", type="integer", minimum=1, maximum=100),
    _query("cursor", "`next_cursor` of the page before."),
)
_TEXT = {"type": "string"}
_PERSON = {
    "grant_type": {"const": "password"}, "username": _TEXT, "password": _TEXT,
    "otp": {**_TEXT, "description": "The code of the app, or a recovery code."},
}  # fmt: skip
_MACHINE = {
    "grant_type": {"const": "client_credentials"}, "client_secret": _TEXT,
    "client_id": {**_TEXT, "description": "With the secret here, or as HTTP Basic."},
}  # fmt: skip
_ASKED = {
    "oneOf": [
        {"type": "object", "properties": _PERSON, "required": ["grant_type", "username", "password"]},
        {"type": "object", "properties": _MACHINE, "required": ["grant_type"]},
    ]
}


def _describe(
    view: Callable[..., object], name: str, tag: str, summary: str, answer: tuple[int, object, str],
    refused: Sequence[type[DomainError]], **more: Any,  # noqa: ANN401  # of `extend_schema`
) -> None:  # fmt: skip
    """Describe a method of a view. answer: status, type and sentence of the success."""
    status, kind, sentence = answer
    _REFUSED[name] = explain(refused, _EVERYWHERE, _EXTRAS)
    responses = {status: OpenApiResponse(kind, sentence), **describe_refusals(_REFUSED[name], _KINDS)}
    described = {"description": summary, **more}
    extend_schema(operation_id=name, tags=[tag], summary=summary, responses=responses, **described)(view)


_describe(
    tokens.TokensView.post, "getToken", TOKENS, "Get a token for credentials",
    (200, tokens.Token, "A token."),
    (companies.TokenRequestInvalid, shipments.InvalidBody, companies.InvalidCredentials, companies.Forbidden,
     companies.RateLimited),
    request={"application/json": _ASKED, "application/x-www-form-urlencoded": _ASKED}, auth=[],
    description="As RFC 6749 has it: for people `password`, for machines `client_credentials`. Unknown parameters are "
    "ignored. `forbidden` has a `reason`: `second_factor_not_enrolled` or `password_change_required`.",
)  # fmt: skip
_describe(
    tokens.CurrentTokenView.delete, "endToken", TOKENS, "End this token",
    (204, None, "The token is dead."), _WITH_TOKEN,
)  # fmt: skip
_describe(
    tokens.MeView.get, "getMe", TOKENS, "Ask who the token speaks for",
    (200, tokens.Me, "Who, and what they may."), _WITH_TOKEN,
)  # fmt: skip

_ONE_GUIDE = (*_MAY, *_FOUND)
_MOVED = (*_MAY, *_BODY, shipments.ValidationFailed, companies.ForbiddenCountry, shipments.CountryMismatch)
_describe(
    operations.GuideView.get, "getGuide", GUIDES, "Show a guide by its tracking code",
    (200, guides.OperatorGuide, "The guide."), _ONE_GUIDE,
)  # fmt: skip
_describe(
    operations.GuideByIdView.get, "findGuide", GUIDES, "Show a guide by either of its names",
    (200, guides.OperatorGuide, "The guide."), (*_ONE_GUIDE, shipments.InvalidQuery, shipments.AmbiguousGuide),
    parameters=[OpenApiParameter("id", str, "query", required=True, description="A tracking code, or `MAWB/HAWB`.")],
)  # fmt: skip
_describe(
    operations.AdvanceView.post, "advanceGuides", GUIDES, "Report one event of up to 200 guides",
    (200, guides.MoveResults, "A result for each id."), _MOVED,
    request=_json(guide_bodies.Advance, ids=["DEMHGD7DBQVS3R", "045-70310122/AND2612150102"], status="in_transit"),
    description="Each id is judged by itself; all refused is still 200. Repeating the call is safe.",
)  # fmt: skip
_describe(
    operations.CustomsView.post, "reportCustoms", GUIDES, "Report what customs did with up to 200 guides",
    (200, guides.MoveResults, "A result for each id."), _MOVED,
    request=_json(guide_bodies.Customs, ids=["045-70310122/AND2612150102"], country="CL", customs_status="released",
                  declaration="DIN 3670045-1", channel="green"),
    description="A release ends a retention. One id of another country than claimed refuses all.",
)  # fmt: skip
_describe(
    operations.ConsigneeView.patch, "correctConsignee", GUIDES, "Correct a consignee's data",
    (200, guides.OperatorGuide, "The guide."),
    (*_ONE_GUIDE, *_BODY, shipments.InvalidDocument, shipments.InvalidDocumentType, shipments.GuideAlreadyTerminal),
    request=_json(guide_bodies.Consignee, consignee_document="12345678-5"),
    description="Only the fields that are sent change. A valid document ends the review that a wrong one began.",
)  # fmt: skip

_describe(
    operations.RefreshView.post, "refreshGuide", GUIDES, "Ask the carrier about a guide",
    (200, guides.Refreshed, "What its events came to."), (*_ONE_GUIDE, *_BODY, shipments.UpstreamUnavailable),
    request=_json(guide_bodies.Refresh),
    description="For a guide with the number of a carrier that can be asked; once a minute at most.",
)  # fmt: skip

_ONE_BATCH = (*_MAY, *_FOUND)
_describe(
    inbound.BatchesView.get, "listBatches", BATCHES, "List inbound batches, newest first",
    (200, batches.BatchList, "A page."), (*_MAY, shipments.InvalidQuery),
    parameters=[
        _query("state", "Only these.", enum=[*BatchState.values]), _query("facility", "Only of this facility."),
        _query("mawb", "Only for this MAWB."),
        _query("created_from", "Opened at this time or later; with an offset.", format="date-time"), *_PAGE,
    ],
)  # fmt: skip
_describe(
    inbound.BatchesView.post, "openBatch", BATCHES, "Open an inbound batch",
    (201, batches.BatchAnswer, "The batch."), _MOVED,
    request=_json(batch_bodies.NewBatch, facility="SCL-01", country=next(iter(SERVED)), mawbs=["045-70310122"]),
    description="Expected are the guides of its MAWBs, whoever sent them.",
)  # fmt: skip
_describe(
    inbound.BatchView.get, "getBatch", BATCHES, "Show a batch with its differences",
    (200, batches.BatchAnswer, "The batch."), _ONE_BATCH,
)  # fmt: skip
_describe(
    inbound.ScansView.get, "listScans", BATCHES, "List a batch's scans in their order",
    (200, batches.ScanList, "A page."), (*_ONE_BATCH, shipments.InvalidQuery),
    parameters=[_query("outcome", "Only these.", enum=[*ScanOutcome.values]), *_PAGE],
)  # fmt: skip
_describe(
    inbound.ScansView.post, "sendScans", BATCHES, "Send up to 200 scans",
    (200, batches.ScanResults, "A result for each scan."), (*_ONE_BATCH, *_BODY, shipments.BatchNotOpen),
    request=_json(batch_bodies.Scans, scans=[{"scan_id": "0b7c1c1e-8a1e-4a52-9d3c-5a2f0c7f1d11",
                  "code": "DEMHGD7DBQVS3R", "scanned_at": "2026-11-22T09:10:00-03:00"}]),
    description="Send again what was not answered: a `scan_id` counts once.",
)  # fmt: skip
_describe(
    inbound.CloseView.post, "closeBatch", BATCHES, "Close a batch",
    (200, batches.BatchAnswer, "The batch, as it was closed."), (*_ONE_BATCH, *_BODY), request=None,
    description="Its counts stay as they are then. Closing it again changes nothing.",
)  # fmt: skip

_DESCRIPTION = """
For programs that do operators' work. `POST tokens`, then `Authorization: Bearer <access_token>`. What a token may do is
asked at each request. 10 requests a second, 100 at once. No CORS, no cookies. Both spellings of each route answer, with
and without a slash at the end. See the page *Operators' API*.
"""


class _Endpoints(EndpointEnumerator):
    """Ours among all routes, in the spelling without the slash at the end."""

    def get_api_endpoints(self, patterns: Any = None, prefix: str = "") -> list[Any]:  # noqa: ANN401  # as declared
        found = self._get_api_endpoints(patterns, prefix)  # type: ignore[no-untyped-call]  # the library has no types
        return [(path.removesuffix("/"), *rest) for path, *rest in found if path.startswith(BASE)]


class _Generator(SchemaGenerator):
    endpoint_inspector_cls = _Endpoints


@cache
def operators_document() -> dict[str, Any]:
    """The document without its `servers`. Not to be changed by the caller."""
    generator = _Generator()  # type: ignore[no-untyped-call]  # as above
    paths = generator.parse(None, public=True)  # type: ignore[no-untyped-call]  # as above
    for operation in (operation for item in paths.values() for operation in item.values()):
        for status, codes in _REFUSED[operation["operationId"]].items():
            operation["responses"][str(status)]["content"]["application/json"]["examples"] = codes
    made = {
        "openapi": "3.1.0",
        "info": {"title": "Operators' API", "version": VERSION, "description": _DESCRIPTION.strip()},
        "paths": paths,
        "components": generator.registry.build({}),
    }
    return dict(normalize_result_object(made))  # type: ignore[no-untyped-call]  # as above


@lru_cache(maxsize=16)
def encoded(root: str) -> bytes:
    whole = {**operators_document(), "servers": [{"url": root}]}
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode()
