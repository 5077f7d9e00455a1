"""The operations of both APIs, as data: what clients ask, what a sandbox adds, and what operators' programs ask.

Their texts are in `operations.md` and `operators.md`. Tests send requests to every route and compare the answers with
the documents.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from rest_framework.serializers import Serializer

from base import errors as base
from base.errors import DomainError
from base.http.bodies import Page
from companies import errors as companies
from companies.operators.tokens import views as tokens
from prealerts.reference.schemas import (
    GUIDE_CORRECTION,
    JSON_MANIFEST,
    UPLOAD_FORM,
    XLSX,
    Component,
    Schema,
    parameter,
)
from shipments import errors as shipments
from shipments.inbound import answers as batches, bodies as batch_bodies
from shipments.layouts.forms import LayoutAnswers
from shipments.operations import answers as guides, bodies as guide_bodies, feed, queries as feed_queries
from shipments.v1 import answer_types, guide_views, me, queries
from shipments.v1.bodies import IDEMPOTENCY_KEY, LONGEST_KEY
from webhooks import errors as webhooks
from webhooks.v1 import answers, bodies

JSON: Final = "application/json"
PRE_ALERTS, TRACKING, WEBHOOKS, SERVICE, SANDBOX = "Pre-alerts", "Tracking", "Webhooks", "Service", "Sandbox"
TAGS = {
    PRE_ALERTS: "Announce shipments.",
    TRACKING: "Follow shipments. These endpoints are the record; webhooks are a convenience.",
    WEBHOOKS: "Your own endpoints of version 2: filters, secrets, the log, replays.",
    SERVICE: "Without a password.",
}
SANDBOX_TAG = {SANDBOX: "Move guides yourself. A live service does not have these."}
TOKENS, GUIDES, MANIFESTS, BATCHES = "Tokens", "Guides", "Manifests and companies", "Inbound batches"
TAGS_OF_OPERATORS = {
    TOKENS: "How a program logs in, as a person or as a machine of its own.",
    GUIDES: "Find guides, follow their changes, move them, report customs, correct the consignee.",
    MANIFESTS: "What a copy of the guides is joined with.",
    BATCHES: "Receive parcels in the warehouse: open a batch, scan, close it.",
}

Body = type[object] | Component | Mapping[str, Schema] | None
"""The type of a JSON body; a mapping is the `content` of OpenAPI."""


class Operation(NamedTuple):
    """A method of a route.

    path: below the API's root. name: under which the API's texts have its words. answers: status -> what is in the
    body. refused: what it raises, in the order in which it is asked. parameters: of the query and headers, as OpenAPI
    has them or as serializers.
    """

    method: str
    path: str
    name: str
    tag: str
    answers: Mapping[int, Body]
    refused: Sequence[type[DomainError]]
    parameters: Sequence[type[Serializer[Any]] | Schema] = ()
    request: Body = None


# --- of clients -------------------------------------------------------------------------------------------------

_KEY = parameter(
    "header",
    IDEMPOTENCY_KEY,
    "A name of your own for this request, such as a UUID: 1 to 255 printable ASCII characters, with or without quotes "
    "around them. Sent again within 7 days with the same content, it gets the first success again, with "
    "`Idempotent-Replayed: true`. A refusal frees it.",
    pattern="^[ -~]+$", minLength=1, maxLength=2 * (LONGEST_KEY + 1),
)  # fmt: skip
_PREFER = parameter(
    "header",
    "Prefer",
    "`respond-async` (RFC 7240): store the files and answer 202 with a job, without waiting for the workbook to be "
    "read. Other preferences are ignored.",
)
BINARY = {"schema": {"type": "string", "format": "binary"}}
_FILES = {"manifest_file": {"contentType": XLSX}, "invoice_file": {"contentType": "application/pdf"}}
_UPLOAD = {"multipart/form-data": {"schema": {"$ref": UPLOAD_FORM}, "encoding": _FILES}}


def _changed(name: str, owners: type[object]) -> Component:
    """The answer to a change, which depends on who asks."""
    schema = {"oneOf": [{"$ref": owners}, {"$ref": answer_types.CorrectedByCourier}]}
    return Component(name, schema, about="The guide as it is now; to a courier, which fields changed.")


_AUTHENTICATED = (companies.MissingApiKey, companies.InvalidApiKey, base.RateLimited)
_READING = (*_AUTHENTICATED, companies.UnsupportedCountry)
_READING_ONE = (*_READING, base.NotFound)
_OF_CLIENTS = (*_READING, companies.CompanyIsCourier)
_LISTING = (*_READING, base.InvalidQuery)
_CHANGING = (
    *_AUTHENTICATED, companies.ChangesNotAllowed, base.InvalidBody, companies.CompanyIsCourier,
    companies.ClientCodeNotAllowed, companies.ClientNotResolved, companies.UnsupportedCountry,
    base.ValidationFailed, base.NotFound,
)  # fmt: skip
_BODY = (base.InvalidBody, base.ValidationFailed)
_ANY_WEBHOOK = (*_AUTHENTICATED, webhooks.CourierRefused)
_ONE_WEBHOOK = (*_ANY_WEBHOOK, base.NotFound)
_WEBHOOKS_PAGE = (*_ANY_WEBHOOK, base.InvalidQuery)

CLIENTS = (
    Operation("post", "upload", "uploadManifest", PRE_ALERTS,
              {201: answer_types.UploadResult, 202: answer_types.JobQueued},
              (shipments.TooManyJobs, *_READING, companies.CompanyIsCourier, shipments.ManifestFileRequired,
               base.ValidationFailed, shipments.IdempotencyKeyReused, shipments.IdempotencyInProgress,
               shipments.NoParserForFormat, companies.CountryNotAllowed, shipments.WorkbookUnreadable,
               shipments.WorkbookFormatChanged, shipments.DestinationUnresolved, shipments.MawbNotFoundInFile,
               shipments.NoRowsParsed, companies.TrackingPrefixMissing, shipments.MawbAlreadyExists,
               shipments.HawbInDoubt), [_KEY, _PREFER], _UPLOAD),
    Operation("get", "guides/{tracking_code}", "getGuide", TRACKING, {200: answer_types.AnsweredGuide}, _READING_ONE),
    Operation("patch", "guides/{tracking_code}", "correct", TRACKING,
              {200: _changed("CorrectionResult", answer_types.CorrectedGuide)},
              (*_CHANGING, shipments.InvalidDocument, shipments.InvalidDocumentType, shipments.GuideUnderWay),
              request=GUIDE_CORRECTION),
    Operation("get", "guides", "guides", TRACKING, {200: answer_types.ChangedGuides}, _LISTING,
              [queries.GuideChangesQuery]),
    Operation("post", "guides/{tracking_code}/cancel", "cancel", TRACKING,
              {200: _changed("CancellationResult", answer_types.AnsweredGuide)},
              (*_CHANGING, shipments.InvalidTransition, shipments.GuideAlreadyTerminal),
              request=guide_views.Cancellation),
    Operation("post", "process-pre-alert-json", "postManifest", PRE_ALERTS, {201: answer_types.JsonResult},
              (*_READING, base.InvalidBody, companies.CompanyIsCourier, companies.ClientCodeNotAllowed,
               companies.ClientNotResolved, shipments.IdempotencyKeyReused, shipments.IdempotencyInProgress,
               shipments.UnsupportedTransportMode, shipments.DestinationUnresolved, companies.CountryNotAllowed,
               base.ValidationFailed, shipments.ManifestValidationFailed, shipments.MarketplaceFieldsMissing,
               shipments.MarketplaceFieldsNotAllowed, companies.TrackingPrefixMissing, shipments.MawbAlreadyExists),
              [_KEY], JSON_MANIFEST),
    Operation("post", "upload/validate", "validateWorkbook", PRE_ALERTS,
              {200: {JSON: {"schema": {"$ref": answer_types.Validation}}, XLSX: BINARY}},
              (*_OF_CLIENTS, shipments.ManifestFileRequired), request=_UPLOAD),
    Operation("post", "process-pre-alert-json/validate", "validateManifest", PRE_ALERTS, {200: answer_types.Validation},
              (*_OF_CLIENTS, companies.ClientCodeNotAllowed, companies.ClientNotResolved), request=JSON_MANIFEST),
    Operation("get", "me", "me", PRE_ALERTS, {200: me.Me}, _AUTHENTICATED),
    Operation("get", "layouts", "listLayouts", PRE_ALERTS, {200: answer_types.LayoutList},
              (*_OF_CLIENTS, base.InvalidQuery), [queries.LayoutQuery]),
    Operation("put", "layouts/{layout}/answers", "answerLayout", PRE_ALERTS, {200: answer_types.AnsweredLayout},
              (*_OF_CLIENTS, base.NotFound, shipments.LayoutConfirmed, base.InvalidBody,
               base.ValidationFailed), request=LayoutAnswers),
    Operation("get", "jobs/{job}", "getJob", PRE_ALERTS, {200: answer_types.Job}, _READING_ONE),
    Operation("get", "mawbs", "listMawbs", TRACKING, {200: answer_types.MawbList}, _LISTING, [queries.MawbQuery]),
    Operation("get", "mawbs/{mawb}", "getMawb", TRACKING, {200: answer_types.MawbDetail}, _READING_ONE),
    Operation("post", "mawbs/{mawb}/void", "void", TRACKING, {200: answer_types.Voided},
              (*_CHANGING, shipments.ManifestUnderWay, shipments.ManifestAlreadyVoided), request=guide_views.Voiding),
    Operation("get", "mawbs/{mawb}/guides", "listGuides", TRACKING, {200: answer_types.GuideList},
              (*_LISTING, base.NotFound), [queries.GuidesQuery]),
    Operation("get", "mawbs/{mawb}/findings", "getFindings", TRACKING, {200: answer_types.AnsweredFindings},
              _READING_ONE),
    Operation("get", "webhooks/event-types", "listEventTypes", WEBHOOKS, {200: answers.EventTypeList}, _ANY_WEBHOOK),
    Operation("get", "webhooks/subscriptions", "listSubscriptions", WEBHOOKS, {200: answers.SubscriptionList},
              _WEBHOOKS_PAGE, [Page]),
    Operation("post", "webhooks/subscriptions", "createSubscription", WEBHOOKS, {201: answers.SubscriptionCreated},
              (*_ANY_WEBHOOK, *_BODY, webhooks.SubscriptionLimit, webhooks.AlreadySubscribed),
              request=bodies.NewSubscription),
    Operation("get", "webhooks/subscriptions/{subscription_id}", "getSubscription", WEBHOOKS,
              {200: answers.SubscriptionItem}, _ONE_WEBHOOK),
    Operation("patch", "webhooks/subscriptions/{subscription_id}", "changeSubscription", WEBHOOKS,
              {200: answers.SubscriptionChanged},
              (*_ONE_WEBHOOK, *_BODY, webhooks.ManagedByOperators, webhooks.AlreadySubscribed,
               webhooks.SubscriptionLimit), request=bodies.ChangedSubscription),
    Operation("delete", "webhooks/subscriptions/{subscription_id}", "deleteSubscription", WEBHOOKS, {204: None},
              (*_ONE_WEBHOOK, webhooks.ManagedByOperators)),
    Operation("post", "webhooks/subscriptions/{subscription_id}/rotate-secret", "rotateSecret", WEBHOOKS,
              {200: answers.SubscriptionSecret}, (*_ONE_WEBHOOK, webhooks.ManagedByOperators, *_BODY),
              request=bodies.Rotation),
    Operation("post", "webhooks/subscriptions/{subscription_id}/test", "sendTest", WEBHOOKS, {202: answers.TestSent},
              (webhooks.TooManyTests, *_ONE_WEBHOOK, webhooks.ManagedByOperators, *_BODY),
              request=bodies.Test),
    Operation("post", "webhooks/subscriptions/{subscription_id}/replay", "replayRange", WEBHOOKS,
              {200: answers.ReplayedRange}, (*_ONE_WEBHOOK, *_BODY, webhooks.ReplayNotAvailable),
              request=bodies.Range),
    Operation("get", "webhooks/deliveries", "listDeliveries", WEBHOOKS, {200: answers.DeliveryList}, _WEBHOOKS_PAGE,
              [bodies.LogPage]),
    Operation("get", "webhooks/deliveries/{delivery_id}", "getDelivery", WEBHOOKS, {200: answers.DeliveryDetail},
              _ONE_WEBHOOK),
    Operation("post", "webhooks/deliveries/{delivery_id}/replay", "replayDelivery", WEBHOOKS,
              {202: answers.ReplayedDelivery},
              (*_ONE_WEBHOOK, *_BODY, webhooks.ReplayNotAvailable, webhooks.DeliveryInFlight)),
)  # fmt: skip


def in_sandbox() -> Sequence[Operation]:
    from shipments.sandbox import views  # noqa: PLC0415  # a live service does not load them

    known = (companies.MissingApiKey, companies.InvalidApiKey, companies.UnsupportedCountry)
    refused = (*known, base.InvalidBody, base.ValidationFailed)
    return (
        Operation("post", "sandbox/advance", "advanceInSandbox", SANDBOX, {200: views.SandboxResultList},
                  (*refused, base.NotFound), request=views.Advance),
        Operation("post", "sandbox/events", "reportInSandbox", SANDBOX, {200: views.SandboxResultList}, refused,
                  request=views.Events),
        Operation("post", "sandbox/reset", "resetSandbox", SANDBOX, {200: views.SandboxReset}, refused,
                  request=views.Reset),
    )  # fmt: skip


# --- of operators' programs -------------------------------------------------------------------------------------

_WITH_TOKEN = (companies.MissingToken, companies.InvalidToken, base.RateLimited)
_MAY = (*_WITH_TOKEN, companies.Forbidden)
_ONE = (*_MAY, companies.ForbiddenCountry, base.NotFound)
_ASKING = (*_MAY, base.InvalidQuery)
_MOVING = (*_MAY, *_BODY, companies.ForbiddenCountry, shipments.CountryMismatch)

_TEXT = {"type": "string"}
_PERSON = {
    "grant_type": {"const": "password"}, "username": _TEXT, "password": _TEXT,
    "otp": {**_TEXT, "description": "The code of the app, or a recovery code."},
}  # fmt: skip
_MACHINE = {
    "grant_type": {"const": "client_credentials"}, "client_secret": _TEXT,
    "client_id": {**_TEXT, "description": "With the secret here, or as HTTP Basic."},
}  # fmt: skip
_CREDENTIALS = {
    "oneOf": [
        {"type": "object", "properties": _PERSON, "required": ["grant_type", "username", "password"]},
        {"type": "object", "properties": _MACHINE, "required": ["grant_type"]},
    ]
}

OPERATORS = (
    Operation("post", "tokens", "getToken", TOKENS, {200: tokens.Token},
              (companies.TokenRequestInvalid, base.InvalidBody, companies.InvalidCredentials, companies.Forbidden,
               base.RateLimited, companies.PasswordsBusy),
              request={JSON: {"schema": _CREDENTIALS}, "application/x-www-form-urlencoded": {"schema": _CREDENTIALS}}),
    Operation("delete", "tokens/current", "endToken", TOKENS, {204: None}, _WITH_TOKEN),
    Operation("get", "me", "getMe", TOKENS, {200: tokens.Me}, _WITH_TOKEN),
    Operation("get", "guides", "listGuides", GUIDES,
              {200: {JSON: {"schema": {"oneOf": [{"$ref": feed.Feed}, {"$ref": guides.OperatorGuide}]}}}},
              (*_ONE, base.InvalidQuery, shipments.AmbiguousGuide),
              [parameter("query", "id", "Alone, and answered with one guide."), feed_queries.FeedQuery]),
    Operation("get", "mawbs", "listMawbs", MANIFESTS, {200: feed.FeedManifests}, (*_ASKING, companies.ForbiddenCountry),
              [feed_queries.ManifestsQuery]),
    Operation("get", "mawbs/{mawb}", "getMawb", MANIFESTS, {200: feed.FeedManifest},
              (*_ONE, base.InvalidQuery, shipments.AmbiguousMawb), [feed_queries.ManifestQuery]),
    Operation("get", "mawbs/{mawb}/files/{id}", "getBrokerFile", MANIFESTS, {200: {"text/csv": BINARY, XLSX: BINARY}},
              (*_ONE, base.InvalidQuery, base.ValidationFailed, shipments.AmbiguousMawb),
              [feed_queries.BrokerFileQuery]),
    Operation("get", "outgoing-layouts", "listOutgoingLayouts", MANIFESTS, {200: feed.OutgoingLayouts}, _ASKING),
    Operation("get", "companies", "listCompanies", MANIFESTS, {200: feed.FeedCompanies}, _ASKING,
              [feed_queries.CompaniesQuery]),
    Operation("post", "guides/bulk-advance-status", "advanceGuides", GUIDES, {200: guides.MoveResults}, _MOVING,
              request=guide_bodies.Advance),
    Operation("post", "guides/bulk-customs-status", "reportCustoms", GUIDES, {200: guides.MoveResults}, _MOVING,
              request=guide_bodies.Customs),
    Operation("get", "guides/{id}", "getGuide", GUIDES, {200: guides.OperatorGuide}, _ONE),
    Operation("post", "guides/{tracking_code}/refresh", "refreshGuide", GUIDES, {200: guides.Refreshed},
              (*_ONE, *_BODY, shipments.UpstreamUnavailable), request=guide_bodies.Refresh),
    Operation("patch", "guides/{tracking_code}/consignee", "correctConsignee", GUIDES, {200: guides.OperatorGuide},
              (*_ONE, *_BODY, shipments.InvalidDocument, shipments.InvalidDocumentType, shipments.GuideAlreadyTerminal),
              request=guide_bodies.Consignee),
    Operation("get", "inbound-batches", "listBatches", BATCHES, {200: batches.BatchList}, _ASKING,
              [batch_bodies.BatchesQuery]),
    Operation("post", "inbound-batches", "openBatch", BATCHES, {201: batches.BatchAnswer}, _MOVING,
              request=batch_bodies.NewBatch),
    Operation("get", "inbound-batches/{batch}", "getBatch", BATCHES, {200: batches.BatchAnswer}, _ONE),
    Operation("get", "inbound-batches/{batch}/scans", "listScans", BATCHES, {200: batches.ScanList},
              (*_ONE, base.InvalidQuery), [batch_bodies.ScansQuery]),
    Operation("post", "inbound-batches/{batch}/scans", "sendScans", BATCHES, {200: batches.ScanResults},
              (*_ONE, *_BODY, shipments.BatchNotOpen), request=batch_bodies.Scans),
    Operation("post", "inbound-batches/{batch}/bags", "receiveBag", BATCHES, {200: batches.BagAnswer},
              (*_ONE, *_BODY, shipments.BatchNotOpen), request=batch_bodies.ReceivedBag),
    Operation("post", "inbound-batches/{batch}/close", "closeBatch", BATCHES, {200: batches.BatchAnswer},
              (*_ONE, *_BODY)),
)  # fmt: skip
