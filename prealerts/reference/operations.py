"""The operations of the API. They are described here because their apps may not import this one.

Their texts are in `operations.md`. Tests send requests to every route and compare the answers with the document.
"""

from functools import partial
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiRequest, PolymorphicProxySerializer

from base import errors as base
from base.http.bodies import Page
from companies import errors as companies
from companies import passwords
from prealerts.reference import request_body
from prealerts.reference.about import PRE_ALERTS, SANDBOX, TRACKING, WEBHOOKS
from prealerts.reference.describe import JSON, describe
from shipments import errors as shipments
from shipments.layouts.forms import LayoutAnswers
from shipments.v1 import (
    answer_types,
    guide_views,
    idempotency_header,
    layout_views,
    me,
    queries,
    validation_views,
    views,
)
from webhooks import errors as webhooks
from webhooks.v1 import answers, bodies
from webhooks.v1 import views as webhook_views


class _ApiPassword(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # it registers itself
    """How the document calls the company's password."""

    target_class = "companies.authentication.BearerPasswordAuthentication"
    name = "ApiPassword"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, object]:  # noqa: ARG002  # as declared
        description = (
            f"The company's API password, `Authorization: Bearer {passwords.prefix()}...`. It identifies the company "
            "that is calling. It belongs on servers, never in a browser or an app."
        )
        return {"type": "http", "scheme": "bearer", "description": description}


_KEY = OpenApiParameter(
    idempotency_header.HEADER,
    {"type": "string", "pattern": "^[ -~]+$", "minLength": 1, "maxLength": 2 * (idempotency_header.MAX_LENGTH + 1)},
    OpenApiParameter.HEADER,
    description="A name of your own for this request, such as a UUID: 1 to 255 printable ASCII characters, with or "
    "without quotes around them. Sent again within 7 days with the same content, it gets the first success again, with "
    "`Idempotent-Replayed: true`. A refusal frees it.",
)
_PREFER = OpenApiParameter(
    "Prefer",
    {"type": "string"},
    OpenApiParameter.HEADER,
    description="`respond-async` (RFC 7240): store the files and answer 202 with a job, without waiting for the "
    "workbook to be read. Other preferences are ignored.",
)
_FILES = {"manifest_file": {"contentType": request_body.XLSX}, "invoice_file": {"contentType": "application/pdf"}}
_UPLOAD_FORM = {"multipart/form-data": OpenApiRequest(request_body.UploadForm, encoding=_FILES)}


def _either(name: str, *kinds: Any) -> PolymorphicProxySerializer:  # noqa: ANN401  # a TypedDict has no type to name
    """An answer that depends on who asks. name: of the component."""
    return PolymorphicProxySerializer(name, kinds, resource_type_field_name=None)


_AUTHENTICATED = (companies.MissingApiKey, companies.InvalidApiKey, base.RateLimited)
_READING = (*_AUTHENTICATED, companies.UnsupportedCountry)
_READING_ONE = (*_READING, shipments.NotFound)
_CHANGING = (
    *_AUTHENTICATED, companies.ChangesNotAllowed, shipments.InvalidBody, companies.CompanyIsCourier,
    companies.ClientCodeNotAllowed, companies.ClientNotResolved, companies.UnsupportedCountry,
    shipments.ValidationFailed, shipments.NotFound,
)  # fmt: skip

# --- pre-alerts -------------------------------------------------------------------------------------------------

_pre_alert = partial(describe, tag=PRE_ALERTS)

_pre_alert(
    views.UploadView.post, "uploadManifest", {201: answer_types.UploadResult, 202: answer_types.JobQueued}, (
        shipments.TooManyJobs, *_READING, companies.CompanyIsCourier, shipments.ManifestFileRequired,
        shipments.ValidationFailed, shipments.IdempotencyKeyReused, shipments.IdempotencyInProgress,
        shipments.NoParserForFormat, companies.CountryNotAllowed, shipments.WorkbookUnreadable,
        shipments.WorkbookFormatChanged, shipments.DestinationUnresolved, shipments.MawbNotFoundInFile,
        shipments.NoRowsParsed, companies.TrackingPrefixMissing, shipments.MawbAlreadyExists, shipments.HawbInDoubt,
    ), request=_UPLOAD_FORM, headers=[_KEY, _PREFER],
)  # fmt: skip
_pre_alert(me.MeView.get, "me", {200: me.Me}, _AUTHENTICATED)
_pre_alert(views.JobView.get, "getJob", {200: answer_types.Job}, _READING_ONE)
_pre_alert(
    validation_views.UploadValidationView.post, "validateWorkbook",
    {(200, JSON): answer_types.Validation, (200, request_body.XLSX): OpenApiTypes.BINARY},
    (*_READING, companies.CompanyIsCourier, shipments.ManifestFileRequired), request=_UPLOAD_FORM,
)  # fmt: skip
_pre_alert(
    validation_views.JsonValidationView.post, "validateManifest", {200: answer_types.Validation},
    (*_READING, companies.CompanyIsCourier, companies.ClientCodeNotAllowed, companies.ClientNotResolved),
    request=request_body.JsonManifest,
)  # fmt: skip
_OF_CLIENTS = (*_READING, companies.CompanyIsCourier)
_pre_alert(
    layout_views.LayoutListView.get, "listLayouts", {200: answer_types.LayoutList},
    (*_OF_CLIENTS, shipments.InvalidQuery), query=queries.LayoutQuery,
)  # fmt: skip
_pre_alert(
    layout_views.LayoutAnswersView.put, "answerLayout", {200: answer_types.AnsweredLayout},
    (*_OF_CLIENTS, shipments.NotFound, shipments.LayoutConfirmed, shipments.InvalidBody, shipments.ValidationFailed),
    request=LayoutAnswers,
)  # fmt: skip
_pre_alert(
    views.JsonPreAlertView.post, "postManifest", {201: answer_types.JsonResult}, (
        *_READING, shipments.InvalidBody, companies.CompanyIsCourier, companies.ClientCodeNotAllowed,
        companies.ClientNotResolved, shipments.IdempotencyKeyReused, shipments.IdempotencyInProgress,
        shipments.UnsupportedTransportMode, shipments.DestinationUnresolved, companies.CountryNotAllowed,
        shipments.ValidationFailed, shipments.ManifestValidationFailed, shipments.MarketplaceFieldsMissing,
        shipments.MarketplaceFieldsNotAllowed, companies.TrackingPrefixMissing, shipments.MawbAlreadyExists,
    ), request=request_body.JsonManifest, headers=[_KEY],
)  # fmt: skip

# --- tracking ---------------------------------------------------------------------------------------------------

_tracking = partial(describe, tag=TRACKING)

_tracking(
    views.MawbListView.get, "listMawbs", {200: answer_types.MawbList}, (*_READING, shipments.InvalidQuery),
    query=queries.MawbQuery,
)  # fmt: skip
_tracking(views.MawbDetailView.get, "getMawb", {200: answer_types.MawbDetail}, _READING_ONE)
_tracking(
    views.MawbGuidesView.get, "listGuides", {200: answer_types.GuideList},
    (*_READING, shipments.InvalidQuery, shipments.NotFound), query=queries.GuidesQuery,
)  # fmt: skip
_tracking(views.MawbFindingsView.get, "getFindings", {200: answer_types.AnsweredFindings}, _READING_ONE)
_tracking(guide_views.GuideView.get, "getGuide", {200: answer_types.AnsweredGuide}, _READING_ONE)

_tracking(
    guide_views.GuideListView.get, "guides", {200: answer_types.ChangedGuides}, (*_READING, shipments.InvalidQuery),
    query=queries.GuideChangesQuery,
)  # fmt: skip
_tracking(
    guide_views.GuideView.patch, "correct",
    {200: _either("CorrectionResult", answer_types.CorrectedGuide, answer_types.CorrectedByCourier)},
    (*_CHANGING, shipments.InvalidDocument, shipments.InvalidDocumentType, shipments.GuideUnderWay),
    request=request_body.GuideCorrection,
)  # fmt: skip
_tracking(
    guide_views.GuideCancelView.post, "cancel",
    {200: _either("CancellationResult", answer_types.AnsweredGuide, answer_types.CorrectedByCourier)},
    (*_CHANGING, shipments.InvalidTransition, shipments.GuideAlreadyTerminal), request=guide_views.Cancellation,
)  # fmt: skip
_tracking(
    guide_views.MawbVoidView.post, "void", {200: answer_types.Voided},
    (*_CHANGING, shipments.ManifestUnderWay, shipments.ManifestAlreadyVoided), request=guide_views.Voiding,
)  # fmt: skip

# --- webhooks ---------------------------------------------------------------------------------------------------

_webhook = partial(describe, tag=WEBHOOKS)

_ANY_WEBHOOK = (*_AUTHENTICATED, webhooks.CourierRefused)
_ONE_WEBHOOK = (*_ANY_WEBHOOK, webhooks.WebhookNotFound)
_BODY = (base.BodyRefused, base.FieldsRefused)
_CHANGED_WEBHOOK = (*_ONE_WEBHOOK, *_BODY, webhooks.ManagedByOperators)
_WEBHOOKS_PAGE = (*_ANY_WEBHOOK, base.QueryRefused)

_webhook(webhook_views.EventTypesView.get, "listEventTypes", {200: answers.EventTypeList}, _ANY_WEBHOOK)
_webhook(
    webhook_views.SubscriptionsView.get, "listSubscriptions", {200: answers.SubscriptionList}, _WEBHOOKS_PAGE,
    query=Page,
)  # fmt: skip
_webhook(
    webhook_views.SubscriptionsView.post, "createSubscription", {201: answers.SubscriptionCreated},
    (*_ANY_WEBHOOK, *_BODY, webhooks.SubscriptionLimit, webhooks.AlreadySubscribed), request=bodies.NewSubscription,
)  # fmt: skip
_webhook(webhook_views.SubscriptionView.get, "getSubscription", {200: answers.SubscriptionItem}, _ONE_WEBHOOK)
_webhook(
    webhook_views.SubscriptionView.patch, "changeSubscription", {200: answers.SubscriptionChanged},
    (*_CHANGED_WEBHOOK, webhooks.AlreadySubscribed, webhooks.SubscriptionLimit), request=bodies.ChangedSubscription,
)  # fmt: skip
_webhook(
    webhook_views.SubscriptionView.delete, "deleteSubscription", {204: None},
    (*_ONE_WEBHOOK, webhooks.ManagedByOperators),
)  # fmt: skip
_webhook(
    webhook_views.RotateSecretView.post, "rotateSecret", {200: answers.SubscriptionSecret},
    (*_ONE_WEBHOOK, webhooks.ManagedByOperators, *_BODY), request=bodies.Rotation,
)  # fmt: skip
_webhook(
    webhook_views.TestView.post, "sendTest", {202: answers.TestSent},
    (webhooks.TooManyTests, *_ONE_WEBHOOK, webhooks.ManagedByOperators, *_BODY), request=bodies.Test,
)  # fmt: skip
_webhook(
    webhook_views.ReplayRangeView.post, "replayRange", {200: answers.ReplayedRange},
    (*_ONE_WEBHOOK, *_BODY, webhooks.ReplayNotAvailable), request=bodies.Range,
)  # fmt: skip
_webhook(
    webhook_views.DeliveriesView.get, "listDeliveries", {200: answers.DeliveryList}, _WEBHOOKS_PAGE,
    query=bodies.LogPage,
)  # fmt: skip
_webhook(webhook_views.DeliveryView.get, "getDelivery", {200: answers.DeliveryDetail}, _ONE_WEBHOOK)
_webhook(
    webhook_views.ReplayView.post, "replayDelivery", {202: answers.ReplayedDelivery},
    (*_ONE_WEBHOOK, *_BODY, webhooks.ReplayNotAvailable, webhooks.DeliveryInFlight),
)  # fmt: skip


def describe_sandbox() -> None:
    from shipments.sandbox import views as sandbox_views  # noqa: PLC0415  # a live service does not load them

    sandbox = partial(describe, tag=SANDBOX)
    known = (companies.MissingApiKey, companies.InvalidApiKey, companies.UnsupportedCountry)
    refused = (*known, shipments.InvalidBody, base.FieldsRefused)
    sandbox(
        sandbox_views.AdvanceView.post, "advanceInSandbox", {200: sandbox_views.SandboxResultList},
        (*refused, shipments.NotFound), request=sandbox_views.Advance,
    )  # fmt: skip
    sandbox(
        sandbox_views.EventsView.post, "reportInSandbox", {200: sandbox_views.SandboxResultList}, refused,
        request=sandbox_views.Events,
    )  # fmt: skip
    sandbox(
        sandbox_views.ResetView.post, "resetSandbox", {200: sandbox_views.SandboxReset}, refused,
        request=sandbox_views.Reset,
    )  # fmt: skip
