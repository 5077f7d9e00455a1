"""`/docs/operators.json`: the operators' API, a document of its own, for operators who are logged in.

It stands on its own beside `document.py`: other routes, other errors, one token instead of a company's password.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache, partial
from typing import Any, NotRequired

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import EndpointEnumerator, SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import normalize_result_object
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiRequest,
    OpenApiResponse,
    extend_schema,
)

from base import errors as base
from base.errors import DomainError
from companies import errors as companies
from companies.countries import SERVED
from companies.operators.tokens import views as tokens
from prealerts.answers import Error
from prealerts.reference.about import LICENSE
from prealerts.reference.describe import Explained, Kinds, describe_refusals, explain, texts
from prealerts.reference.document import finish_parameter
from prealerts.reference.request_body import XLSX
from shipments import errors as shipments
from shipments.inbound import answers as batches
from shipments.inbound import bodies as batch_bodies
from shipments.inbound import views as inbound
from shipments.models import BatchState, ScanOutcome
from shipments.operations import answers as guides
from shipments.operations import bodies as guide_bodies
from shipments.operations import feed, feed_views, queries
from shipments.operations import views as operations

BASE = "/api/operators/v1/"
TOKENS, GUIDES, MANIFESTS, BATCHES = "Tokens", "Guides", "Manifests and companies", "Inbound batches"
VERSION = "1.0"
_TAGS = {
    TOKENS: "How a program logs in, as a person or as a machine of its own.",
    GUIDES: "Find guides, follow their changes, move them, report customs, correct the consignee.",
    MANIFESTS: "What a copy of the guides is joined with.",
    BATCHES: "Receive parcels in the warehouse: open a batch, scan, close it.",
}


class OperatorError(Error):
    """A refusal. Branch on `error`; treat a code that you do not know by its HTTP status."""

    permission: NotRequired[str]
    reason: NotRequired[str]
    country: NotRequired[str]
    mismatched: NotRequired[list[dict[str, str]]]
    oauth_error: NotRequired[str]
    error_description: NotRequired[str]
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
    base.RateLimited: {
        "message": "Your limit in requests is 10 a second, and 100 at once after a pause. Send this one again in 1 s."
    },
    companies.TokenRequestInvalid: {"details": {"grant_type": ["Must be password or client_credentials."]}},
    shipments.CountryMismatch: {"mismatched": [{"id": "DEMHGD7DBQVS3R", "country": "PE"}]},
    shipments.InvalidDocument: {"details": {"consignee_document": ["The check digit of the RUT is wrong."]}},
    shipments.InvalidDocumentType: {"details": {"consignee_document_type": ["Use RUC, DNI, CE or PASAPORTE."]}},
    shipments.NotFound: {"message": "No guide has this id."},
    shipments.InvalidQuery: {"details": {"state": ['"ended" is not a valid choice.']}},
    shipments.ValidationFailed: {"details": {"mawbs": ["045-00000000 is not known."]}},
    base.FieldsRefused: {"details": {"ids": ["Ensure this field has no more than 200 elements."]}},
}
_WITH_TOKEN = (companies.MissingToken, companies.InvalidToken, base.RateLimited)
_MAY = (*_WITH_TOKEN, companies.Forbidden)
_BODY = (shipments.InvalidBody, base.FieldsRefused)
_FOUND = (companies.ForbiddenCountry, shipments.NotFound)
_EVERYWHERE = [
    (status, code, said, said)
    for status, code, said in (
        (405, "method_not_allowed", "The route does not take this method."),
        (500, "internal_server_error", "An error of the service; give its request_id to its people."),
        (503, "unavailable", "The database is away, or a lock was not free for 15 seconds: wait as Retry-After says."),
    )
]
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
    view: Callable[..., object], operation: str, kind: object, refused: Sequence[type[DomainError]], *, tag: str,
    status: int = 200, media: Sequence[str] = ("application/json",), **more: Any,  # noqa: ANN401  # of `extend_schema`
) -> None:  # fmt: skip
    """Describe a method of a view. kind: what a success has, in each of `media`. `operators.md` has the sentence of the
    success first.
    """
    summary, text = texts("operators.md")[operation]
    sentence, _blank, description = text.partition("\n\n")
    _REFUSED[operation] = explain(refused, _EVERYWHERE, _EXTRAS)
    success: dict[Any, Any] = {(status, each): OpenApiResponse(kind, sentence) for each in media}
    responses = {**success, **describe_refusals(_REFUSED[operation], _KINDS)}
    described = {"summary": summary, "description": description or summary, **more}
    extend_schema(operation_id=operation, tags=[tag], responses=responses, **described)(view)


_token, _guide, _manifest, _batch = (partial(_describe, tag=tag) for tag in (TOKENS, GUIDES, MANIFESTS, BATCHES))

_token(
    tokens.TokensView.post, "getToken", tokens.Token,
    (companies.TokenRequestInvalid, shipments.InvalidBody, companies.InvalidCredentials, companies.Forbidden,
     base.RateLimited, companies.PasswordsBusy),
    request={"application/json": _ASKED, "application/x-www-form-urlencoded": _ASKED}, auth=[],
)  # fmt: skip
_token(tokens.CurrentTokenView.delete, "endToken", None, _WITH_TOKEN, status=204)
_token(tokens.MeView.get, "getMe", tokens.Me, _WITH_TOKEN)

_ONE = (*_MAY, *_FOUND)
_MOVED = (*_MAY, *_BODY, shipments.ValidationFailed, companies.ForbiddenCountry, shipments.CountryMismatch)
_guide(operations.GuideView.get, "getGuide", guides.OperatorGuide, _ONE)
_guide(
    operations.GuidesView.get, "listGuides", feed.Feed, (*_ONE, shipments.InvalidQuery, shipments.AmbiguousGuide),
    parameters=[
        OpenApiParameter("id", str, "query", description="Alone, and answered with one guide."),
        queries.FeedQuery,
    ],
)  # fmt: skip
_manifest(
    feed_views.ManifestsView.get, "listMawbs", feed.FeedManifests,
    (*_MAY, shipments.InvalidQuery, companies.ForbiddenCountry), parameters=[queries.ManifestsQuery],
)  # fmt: skip
_manifest(
    feed_views.ManifestView.get, "getMawb", feed.FeedManifest,
    (*_ONE, shipments.InvalidQuery, shipments.AmbiguousMawb), parameters=[queries.ManifestQuery],
)  # fmt: skip
_manifest(
    feed_views.OutgoingLayoutsView.get, "listOutgoingLayouts", feed.OutgoingLayouts, (*_MAY, shipments.InvalidQuery)
)
_manifest(
    feed_views.BrokerFileView.get, "getBrokerFile", OpenApiTypes.BINARY,
    (*_ONE, shipments.InvalidQuery, shipments.ValidationFailed, shipments.AmbiguousMawb), media=("text/csv", XLSX),
    parameters=[queries.BrokerFileQuery],
)  # fmt: skip
_manifest(
    feed_views.CompaniesView.get, "listCompanies", feed.FeedCompanies, (*_MAY, shipments.InvalidQuery),
    parameters=[queries.CompaniesQuery],
)  # fmt: skip
_guide(
    operations.AdvanceView.post, "advanceGuides", guides.MoveResults, _MOVED,
    request=_json(guide_bodies.Advance, ids=["DEMHGD7DBQVS3R", "045-70310122/AND2612150102"], status="in_transit"),
)  # fmt: skip
_guide(
    operations.CustomsView.post, "reportCustoms", guides.MoveResults, _MOVED,
    request=_json(guide_bodies.Customs, ids=["045-70310122/AND2612150102"], country="CL", customs_status="released",
                  declaration="DIN 3670045-1", channel="green"),
)  # fmt: skip
_guide(
    operations.ConsigneeView.patch, "correctConsignee", guides.OperatorGuide,
    (*_ONE, *_BODY, shipments.InvalidDocument, shipments.InvalidDocumentType, shipments.GuideAlreadyTerminal),
    request=_json(guide_bodies.Consignee, consignee_document="12345678-5"),
)  # fmt: skip
_guide(
    operations.RefreshView.post, "refreshGuide", guides.Refreshed, (*_ONE, *_BODY, shipments.UpstreamUnavailable),
    request=_json(guide_bodies.Refresh),
)  # fmt: skip

_batch(
    inbound.BatchesView.get, "listBatches", batches.BatchList, (*_MAY, shipments.InvalidQuery),
    parameters=[
        _query("state", "Only these.", enum=[*BatchState.values]), _query("facility", "Only of this facility."),
        _query("mawb", "Only for this MAWB."),
        _query("created_from", "Opened at this time or later; with an offset.", format="date-time"), *_PAGE,
    ],
)  # fmt: skip
_batch(
    inbound.BatchesView.post, "openBatch", batches.BatchAnswer, _MOVED, status=201,
    request=_json(batch_bodies.NewBatch, facility="SCL-01", country=next(iter(SERVED)), mawbs=["045-70310122"]),
)  # fmt: skip
_batch(inbound.BatchView.get, "getBatch", batches.BatchAnswer, _ONE)
_batch(
    inbound.ScansView.get, "listScans", batches.ScanList, (*_ONE, shipments.InvalidQuery),
    parameters=[_query("outcome", "Only these.", enum=[*ScanOutcome.values]), *_PAGE],
)  # fmt: skip
_batch(
    inbound.ScansView.post, "sendScans", batches.ScanResults, (*_ONE, *_BODY, shipments.BatchNotOpen),
    request=_json(batch_bodies.Scans, scans=[{"scan_id": "0b7c1c1e-8a1e-4a52-9d3c-5a2f0c7f1d11",
                  "code": "DEMHGD7DBQVS3R", "scanned_at": "2026-11-22T09:10:00-03:00"}]),
)  # fmt: skip
_batch(
    inbound.BagsView.post, "receiveBag", batches.BagAnswer,
    (*_ONE, *_BODY, shipments.ValidationFailed, shipments.BatchNotOpen),
    request=_json(batch_bodies.ReceivedBag, bag="SCL-0412", dry_run=True),
)  # fmt: skip
_batch(inbound.CloseView.post, "closeBatch", batches.BatchAnswer, (*_ONE, *_BODY), request=None)

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
    paths[f"{BASE}tokens"]["post"]["security"] = []
    answered = paths[f"{BASE}guides"]["get"]["responses"]["200"]["content"]["application/json"]
    answered["schema"] = {"oneOf": [answered["schema"], {"$ref": "#/components/schemas/OperatorGuide"}]}  # with `id`
    for method, operation in (pair for item in paths.values() for pair in item.items()):
        for parameter in operation.get("parameters", []):
            finish_parameter(parameter)
        if method == "patch":
            operation["requestBody"]["required"] = True
        for status, codes in _REFUSED[operation["operationId"]].items():
            operation["responses"][str(status)]["content"]["application/json"]["examples"] = codes
    made = {
        "openapi": "3.1.0",
        "info": {
            "title": "Operators' API",
            "version": VERSION,
            "description": _DESCRIPTION.strip(),
            "contact": settings.SPECTACULAR_SETTINGS["CONTACT"],
            "license": LICENSE,
        },
        "tags": [{"name": name, "description": sentence} for name, sentence in _TAGS.items()],
        "paths": paths,
        "components": generator.registry.build({}),
    }
    return dict(normalize_result_object(made))  # type: ignore[no-untyped-call]  # as above


@lru_cache(maxsize=16)
def encoded(root: str) -> bytes:
    whole = {**operators_document(), "servers": [{"url": root}]}
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode()
