"""The operations of the API. They are described here because their apps may not import this one.

Tests send requests to every route and compare the answers with the document.
"""

from functools import partial

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiRequest

from companies import errors as companies
from companies import passwords
from companies.countries import SERVED_NAMES
from prealerts.reference import request_body
from prealerts.reference.about import PRE_ALERTS, SANDBOX, TRACKING, WEBHOOKS
from prealerts.reference.describe import JSON, describe
from prealerts.reference.shapes import EitherOf
from shipments import errors as shipments
from shipments.v1 import (
    answer_types,
    guide_views,
    idempotency_header,
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
        return {
            "type": "http",
            "scheme": "bearer",
            "description": (
                f"The company's API password, `Authorization: Bearer {passwords.prefix()}...`. It identifies the "
                "company that is calling. It belongs on servers, never in a browser or an app."
            ),
        }


_KEY = OpenApiParameter(
    idempotency_header.HEADER,
    {"type": "string", "pattern": "^[ -~]+$", "minLength": 1, "maxLength": 2 * (idempotency_header.MAX_LENGTH + 1)},
    OpenApiParameter.HEADER,
    description=(
        "A name of your own for this request, such as a UUID: 1 to 255 printable ASCII characters, with or without "
        "quotes around them. Sent again within 7 days with the same content, it gets the first success again, with "
        "`Idempotent-Replayed: true`. A refusal frees it."
    ),
    examples=[OpenApiExample("uuid", value="7f0a2f4e-5f0e-4a1c-9d5e-0b8f6a2c1d3e")],
)


_PREFER = OpenApiParameter(
    "Prefer",
    {"type": "string"},
    OpenApiParameter.HEADER,
    description=(
        "`respond-async` (RFC 7240): store the files and answer 202 with a job, without waiting for the workbook to be "
        "read. Other preferences are ignored."
    ),
    examples=[OpenApiExample("async", value="respond-async")],
)


_UPLOAD_FORM = {
    "multipart/form-data": OpenApiRequest(
        request_body.UploadForm,
        encoding={
            "manifest_file": {"contentType": request_body.XLSX},
            "invoice_file": {"contentType": "application/pdf"},
        },
    )
}

_AUTHENTICATED = (companies.MissingApiKey, companies.InvalidApiKey, companies.RateLimited)
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
    views.UploadView.post,
    "uploadManifest",
    "Send a workbook",
    "An Excel manifest to Chile, perhaps with its invoice. A row with invalid values gives a warning and never stops "
    "the upload.\n\n**Safe to repeat under an `Idempotency-Key`:** when the answer was lost, send the same again and "
    "get the same answer. Without a key, ask `GET /mawbs/{mawb}` first: of any number of identical uploads exactly one "
    "gets the 201, and the others get `mawb_already_exists` with its `manifest_id`.\n\nThe first failure is the "
    "answer, so mending one error may show the next.",
    {201: answer_types.UploadResult, 202: answer_types.JobQueued},
    (
        shipments.TooManyJobs, *_READING, companies.CompanyIsCourier, shipments.ManifestFileRequired,
        shipments.ValidationFailed, shipments.IdempotencyKeyReused, shipments.IdempotencyInProgress,
        shipments.NoParserForFormat, companies.CountryNotAllowed, shipments.WorkbookUnreadable,
        shipments.WorkbookFormatChanged, shipments.DestinationUnresolved, shipments.MawbNotFoundInFile,
        shipments.NoRowsParsed, companies.TrackingPrefixMissing, shipments.MawbAlreadyExists,
    ),
    request=_UPLOAD_FORM, headers=[_KEY, _PREFER],
)  # fmt: skip
_pre_alert(
    me.MeView.get,
    "me",
    "Your company",
    "What your password opens: countries, workbooks, the tracking prefix, the rate limit. Begin here: couriers and "
    "companies without a country are answered, too.",
    {200: me.Me},
    _AUTHENTICATED,
)
_pre_alert(
    views.JobView.get,
    "getJob",
    "One upload job",
    "What became of an upload with `Prefer: respond-async`. Ask again after `Retry-After` until `status` is "
    "`succeeded` or `failed`, or subscribe to `upload.succeeded` and `upload.failed`. Kept for 7 days after its end.",
    {200: answer_types.Job},
    _READING_ONE,
)
_pre_alert(
    validation_views.UploadValidationView.post,
    "validateWorkbook",
    "Try a workbook",
    "The same request as *Send a workbook*, read in the same way, and **nothing is stored**: no manifest, no file, no "
    "webhook, no key. Safe to repeat. A refusal is content of this answer, with its status in it.\n\nReading goes on "
    "after a refusal where it can, so that changed columns and the problems of all rows are reported at once. With "
    "`Accept: application/vnd.openxmlformats-officedocument.spreadsheetml.sheet` the answer is the workbook itself, "
    "with each problem at its cell and a list of all problems; it contains what was sent, personal data included.\n\n"
    "Validations never take the last place for reading workbooks from an upload; without a place within 5 seconds the "
    "answer is a 503.",
    {(200, JSON): answer_types.Validation, (200, request_body.XLSX): OpenApiTypes.BINARY},
    (*_READING, companies.CompanyIsCourier, shipments.ManifestFileRequired),
    request=_UPLOAD_FORM,
)
_pre_alert(
    validation_views.JsonValidationView.post,
    "validateManifest",
    "Try JSON",
    "The same request as *Send JSON*, checked in the same way, and **nothing is stored**. Safe to repeat. A refusal is "
    "content of this answer. The problems of the manifest's own fields and of all rows are reported at once.",
    {200: answer_types.Validation},
    (*_READING, companies.CompanyIsCourier, companies.ClientCodeNotAllowed, companies.ClientNotResolved),
    request=request_body.JsonManifest,
)
_pre_alert(
    views.JsonPreAlertView.post,
    "postManifest",
    "Send JSON",
    f"A canonical manifest to {SERVED_NAMES}, at most 10 MB. All or nothing: when any guide is incomplete or breaks "
    "its country's rules, nothing is created, and one response lists every problem of every row.\n\nThe destination "
    "decides the country. A courier names the client it posts for in `client_code`.\n\n**Safe to repeat under an "
    "`Idempotency-Key`**, as an upload is.",
    {201: answer_types.JsonResult},
    (
        *_READING, shipments.InvalidBody, companies.CompanyIsCourier, companies.ClientCodeNotAllowed,
        companies.ClientNotResolved, shipments.IdempotencyKeyReused, shipments.IdempotencyInProgress,
        shipments.UnsupportedTransportMode, shipments.DestinationUnresolved, companies.CountryNotAllowed,
        shipments.ValidationFailed, shipments.ManifestValidationFailed, shipments.MarketplaceFieldsMissing,
        shipments.MarketplaceFieldsNotAllowed, companies.TrackingPrefixMissing, shipments.MawbAlreadyExists,
    ),
    request=request_body.JsonManifest, headers=[_KEY],
)  # fmt: skip

# --- tracking ---------------------------------------------------------------------------------------------------

_tracking = partial(describe, tag=TRACKING)

_tracking(
    views.MawbListView.get,
    "listMawbs",
    "Your MAWBs",
    "Newest first, in pages. Without parameters: the 50 newest. Filters apply together; unknown parameters are "
    "ignored.\n\nTo follow what changes, ask with `updated_since`: the time of the last request, less two minutes, "
    "because a change may become visible a moment after its time.",
    {200: answer_types.MawbList},
    (*_READING, shipments.InvalidQuery),
    query=queries.MawbQuery,
)
_tracking(
    views.MawbDetailView.get,
    "getMawb",
    "One MAWB with its guides",
    "Also shows whether a POST whose response was lost has arrived.",
    {200: answer_types.MawbDetail},
    _READING_ONE,
)
_tracking(
    views.MawbGuidesView.get,
    "listGuides",
    "The guides of one MAWB in pages",
    "By HAWB. For a MAWB with many guides, of which the detail always shows all.",
    {200: answer_types.GuideList},
    (*_READING, shipments.InvalidQuery, shipments.NotFound),
    query=queries.GuidesQuery,
)
_tracking(
    views.MawbFindingsView.get,
    "getFindings",
    "What was noticed in one MAWB",
    "Warnings and notices, how a workbook's columns were understood, what the guides add up to, and what became of the "
    "rows: what the answer to the POST said, for when that answer was lost.",
    {200: answer_types.AnsweredFindings},
    _READING_ONE,
)
_tracking(
    guide_views.GuideView.get,
    "getGuide",
    "One guide with its timeline",
    "Nothing follows a terminal status, unless it was recorded by mistake and taken back: its event then leaves the "
    "timeline, and the status that holds is a further event. A late scan is on the timeline at its time.",
    {200: answer_types.AnsweredGuide},
    _READING_ONE,
)

_tracking(
    guide_views.GuideListView.get,
    "guides",
    "Many guides in one call",
    "Of any of your MAWBs, the oldest change first. One of `hawb`, `tracking_code`, `mawb` and `updated_since` is "
    "needed; filters apply together, and unknown parameters are ignored.\n\nTo follow what changes, keep the last "
    "`updated_at` and ask with `updated_since`: that time, less two minutes, because a change may become visible a "
    "moment after its time.",
    {200: answer_types.ChangedGuides},
    (*_READING, shipments.InvalidQuery),
    query=queries.GuideChangesQuery,
)
_tracking(
    guide_views.GuideView.patch,
    "correct",
    "Correct a guide",
    "Only what is sent, and what follows from it, is judged, by the rules of a row of the JSON manifest; `null` "
    "empties an optional field. Where the consignee lives and is reached: until the guide is out for delivery. "
    "Everything else: while it is `registered`. Safe to repeat: what is so already is never too late.\n\nA courier "
    "sends the `client_code` of the client it posted the guide for, and is answered without details.",
    {200: EitherOf("CorrectionResult", answer_types.CorrectedGuide, answer_types.CorrectedByCourier)},
    (*_CHANGING, shipments.InvalidDocument, shipments.InvalidDocumentType, shipments.GuideUnderWay),
    request=request_body.GuideCorrection,
)
_tracking(
    guide_views.GuideCancelView.post,
    "cancel",
    "Cancel a guide",
    "While it is `registered`. Safe to repeat: a cancelled guide is answered as it is. The reason goes to the "
    "operators. A courier sends `client_code`, too.",
    {200: EitherOf("CancellationResult", answer_types.AnsweredGuide, answer_types.CorrectedByCourier)},
    (*_CHANGING, shipments.InvalidTransition, shipments.GuideAlreadyTerminal),
    request=guide_views.Cancellation,
)
_tracking(
    guide_views.MawbVoidView.post,
    "void",
    "Void a MAWB",
    "While every guide is `registered` or `cancelled`: its guides are cancelled, it is a 404 from then on, and it can "
    "be sent again. Safe to repeat, and with `manifest_id` even after it was sent again: another manifest is never "
    "voided. A courier sends `client_code`, too.",
    {200: answer_types.Voided},
    (*_CHANGING, shipments.ManifestUnderWay, shipments.ManifestAlreadyVoided),
    request=guide_views.Voiding,
)

# --- webhooks ---------------------------------------------------------------------------------------------------

_webhook = partial(describe, tag=WEBHOOKS)

_ANY_WEBHOOK = (*_AUTHENTICATED, webhooks.CourierRefused)
_ONE_WEBHOOK = (*_ANY_WEBHOOK, webhooks.WebhookNotFound)
_BODY = (webhooks.BodyRefused, webhooks.FieldsRefused)
_CHANGED_WEBHOOK = (*_ONE_WEBHOOK, *_BODY, webhooks.ManagedByOperators)
_WEBHOOKS_PAGE = (*_ANY_WEBHOOK, webhooks.QueryRefused)

_webhook(
    webhook_views.EventTypesView.get,
    "listEventTypes",
    "The event types",
    "Every event type with a description, an example of its `data`, and the versions that send it.",
    {200: answers.EventTypeList},
    _ANY_WEBHOOK,
)
_webhook(
    webhook_views.SubscriptionsView.get,
    "listSubscriptions",
    "Your webhooks",
    "Newest first, including those of version 1, which operators manage.",
    {200: answers.SubscriptionList},
    _WEBHOOKS_PAGE,
    query=bodies.Page,
)
_webhook(
    webhook_views.SubscriptionsView.post,
    "createSubscription",
    "Create a webhook of version 2",
    "At most 10 active ones. The secret is your own, or generated, and shown only once. Without `event_types` it "
    "receives everything except `webhook.*`; filters apply to new events. `warning` says so if the host does not "
    "resolve to a public address at the moment.",
    {201: answers.SubscriptionCreated},
    (*_ANY_WEBHOOK, *_BODY, webhooks.SubscriptionLimit, webhooks.AlreadySubscribed),
    request=bodies.NewSubscription,
)
_webhook(
    webhook_views.SubscriptionView.get,
    "getSubscription",
    "One webhook",
    "With its health: since when every attempt has failed, and why the service disabled it.",
    {200: answers.SubscriptionItem},
    _ONE_WEBHOOK,
)
_webhook(
    webhook_views.SubscriptionView.patch,
    "changeSubscription",
    "Change a webhook",
    "Fields that are left out stay. Once deactivated, nothing more is sent and waiting deliveries are given up: "
    "replay them once the webhook is active again; activating does not send them.",
    {200: answers.SubscriptionChanged},
    (*_CHANGED_WEBHOOK, webhooks.AlreadySubscribed, webhooks.SubscriptionLimit),
    request=bodies.ChangedSubscription,
)
_webhook(
    webhook_views.SubscriptionView.delete,
    "deleteSubscription",
    "Delete a webhook",
    "Waiting deliveries are cancelled; the log stays.",
    {204: None},
    (*_ONE_WEBHOOK, webhooks.ManagedByOperators),
)
_webhook(
    webhook_views.RotateSecretView.post,
    "rotateSecret",
    "A new secret",
    "Both secrets sign for `overlap_hours`, then only the new one; 0 drops the old one immediately. Rotating to the "
    "current secret changes nothing, so that a rotation with a `secret` of your own is safe to repeat.",
    {200: answers.SubscriptionSecret},
    (*_ONE_WEBHOOK, webhooks.ManagedByOperators, *_BODY),
    request=bodies.Rotation,
)
_webhook(
    webhook_views.TestView.post,
    "sendTest",
    "Send a test",
    "Send the example of a type, with `test: true` in `data`, to this webhook only, regardless of its filters. At most "
    "10 a minute.",
    {202: answers.TestSent},
    (webhooks.TooManyTests, *_ONE_WEBHOOK, webhooks.ManagedByOperators, *_BODY),
    request=bodies.Test,
)
_webhook(
    webhook_views.ReplayRangeView.post,
    "replayRange",
    "Replay a range",
    "Deliveries created from `since` to before `until`, within the last 30 days, at most 5,000 per call; oldest first, "
    "behind current events. Only version 2.",
    {200: answers.ReplayedRange},
    (*_ONE_WEBHOOK, *_BODY, webhooks.ReplayNotAvailable),
    request=bodies.Range,
)
_webhook(
    webhook_views.DeliveriesView.get,
    "listDeliveries",
    "The log",
    "Every delivery to your webhooks, newest first, with its last attempt.",
    {200: answers.DeliveryList},
    _WEBHOOKS_PAGE,
    query=bodies.LogPage,
)
_webhook(
    webhook_views.DeliveryView.get,
    "getDelivery",
    "One delivery",
    "Its body as sent, and every attempt.",
    {200: answers.DeliveryDetail},
    _ONE_WEBHOOK,
)
_webhook(
    webhook_views.ReplayView.post,
    "replayDelivery",
    "Replay a delivery",
    "With the same id and body, from the first attempt. Only version 2, within the last 30 days, if it is dead, "
    "delivered or waiting.",
    {202: answers.ReplayedDelivery},
    (*_ONE_WEBHOOK, *_BODY, webhooks.ReplayNotAvailable, webhooks.DeliveryInFlight),
)


def describe_sandbox() -> None:
    from shipments.sandbox import views as sandbox_views  # noqa: PLC0415  # a live service does not load them

    sandbox = partial(describe, tag=SANDBOX)
    known = (companies.MissingApiKey, companies.InvalidApiKey, companies.UnsupportedCountry)
    refused = (*known, shipments.InvalidBody, webhooks.FieldsRefused)
    sandbox(
        sandbox_views.AdvanceView.post,
        "advanceInSandbox",
        "Let guides take their next steps",
        "How a HAWB ends decides its guide's journey; see the page *Sandbox*.",
        {200: sandbox_views.SandboxResultList},
        (*refused, shipments.NotFound),
        request=sandbox_views.Advance,
    )
    sandbox(
        sandbox_views.EventsView.post,
        "reportInSandbox",
        "Report any events",
        "At any time in the past. What the rules refuse has its `error` in its place of the results.",
        {200: sandbox_views.SandboxResultList},
        refused,
        request=sandbox_views.Events,
    )
    sandbox(
        sandbox_views.ResetView.post,
        "resetSandbox",
        "Delete your manifests",
        "The oldest 50; call again while `more` is true.",
        {200: sandbox_views.SandboxReset},
        refused,
        request=sandbox_views.Reset,
    )
