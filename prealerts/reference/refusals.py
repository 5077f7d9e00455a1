"""The refusals of each endpoint, with the statuses and codes of the one table of answers (`prealerts/answers.py`)."""

from collections.abc import Iterable, Mapping
from inspect import cleandoc
from typing import Annotated, NotRequired

from drf_spectacular.utils import OpenApiExample, OpenApiResponse

from companies import errors as companies
from companies.errors import DomainError
from prealerts.answers import ANSWERS, Error, envelope
from shipments import errors as shipments
from shipments.manifests.findings import MAX_REPORTED
from shipments.v1.answer_types import ReadingFormat
from shipments.wording.stored import AnsweredInvalidRow
from webhooks import errors as webhooks
from webhooks.json_types import PositiveCount, Uuid

_ROWS = [
    {
        "row_index": 0,
        "hawb": "AND2612150101",
        "field": "consignee_document",
        "error_code": "rut_invalid_format",
        "message": "The check digit of the RUT does not match its number.",
    }
]
_MARKETPLACE_ROW = {"row_index": 0, "hawb": "AND2612150101", "field": "extra_data.marketplace_cop_no"}
_MANIFEST_ID = "ea7a7054-73b2-4998-9298-70c2463ead7a"

EXTRAS: Mapping[type[DomainError], Mapping[str, object]] = {
    companies.UnsupportedCountry: {"country": "PE,AR", "allowed_countries": ["PE", "AR"]},
    companies.CountryNotAllowed: {"country": "PE"},
    companies.ClientNotResolved: {"client_code": "ACME"},
    shipments.NoParserForFormat: {"country": "PE"},
    shipments.ManifestValidationFailed: {"invalid_rows": _ROWS, "invalid_rows_total": 1},
    shipments.MarketplaceFieldsMissing: {
        "invalid_rows": [
            {**_MARKETPLACE_ROW, "error_code": "required", "message": "This marketplace's guides need this identifier."}
        ],
        "invalid_rows_total": 1,
    },
    shipments.MarketplaceFieldsNotAllowed: {
        "invalid_rows": [
            {**_MARKETPLACE_ROW, "error_code": "not_allowed", "message": "Only the marketplace's client sends this."}
        ],
        "invalid_rows_total": 1,
    },
    shipments.MawbAlreadyExists: {"manifest_id": _MANIFEST_ID},
    shipments.GuideUnderWay: {"status": "customs_processing", "fields": ["weight_kg"]},
    shipments.ManifestUnderWay: {"guides_by_status": {"registered": 1, "customs_processing": 1}},
    shipments.WorkbookFormatChanged: {
        "format": {"name": "ACME Perú", "version": 4},
        "missing": ["Peso (kg)"],
        "repeated": [],
        "new": ["Masa total"],
    },
}
"""Examples of the keys next to the envelope of each kind."""

_DETAILS = {"flight_number": ["Write the carrier's flight number, such as LA2369, not the carrier's name."]}

_DETAILS_OF: Mapping[type[DomainError], Mapping[str, list[str]]] = {
    shipments.ValidationFailed: _DETAILS,
    shipments.InvalidDocument: {"consignee_document": ["The check digit of the RUT does not match its number."]},
    shipments.InvalidDocumentType: {
        "consignee_document_type": ["This document type is unknown in the country; send one of: RUT."]
    },
    webhooks.FieldsRefused: {"event_types[0]": ['"guide.lost" is not a valid choice.']},
    shipments.InvalidQuery: {"limit": ["Ensure this value is less than or equal to 100."]},
    webhooks.QueryRefused: {"limit": ["Ensure this value is less than or equal to 100."]},
}

AUTHENTICATED = (companies.MissingApiKey, companies.InvalidApiKey, companies.RateLimited)
READING = (*AUTHENTICATED, companies.UnsupportedCountry)
READING_LIST = (*READING, shipments.InvalidQuery)
READING_ONE = (*READING, shipments.NotFound)
READING_GUIDES = (*READING_LIST, shipments.NotFound)
UPLOAD = (
    *READING,
    companies.CompanyIsCourier,
    shipments.ManifestFileRequired,
    shipments.ValidationFailed,
    shipments.IdempotencyKeyReused,
    shipments.IdempotencyInProgress,
    shipments.TooManyJobs,
    shipments.NoParserForFormat,
    companies.CountryNotAllowed,
    shipments.WorkbookUnreadable,
    shipments.WorkbookFormatChanged,
    shipments.DestinationUnresolved,
    shipments.MawbNotFoundInFile,
    shipments.NoRowsParsed,
    companies.TrackingPrefixMissing,
    shipments.MawbAlreadyExists,
)
VALIDATED_UPLOAD = (*READING, companies.CompanyIsCourier, shipments.ManifestFileRequired)
VALIDATED_JSON = (
    *READING,
    companies.CompanyIsCourier,
    companies.ClientCodeNotAllowed,
    companies.ClientNotResolved,
)
CHANGING = (
    *AUTHENTICATED,
    companies.ChangesNotAllowed,
    shipments.InvalidBody,
    companies.CompanyIsCourier,
    companies.ClientCodeNotAllowed,
    companies.ClientNotResolved,
    companies.UnsupportedCountry,
    shipments.ValidationFailed,
    shipments.NotFound,
)
CORRECTING = (*CHANGING, shipments.InvalidDocument, shipments.InvalidDocumentType, shipments.GuideUnderWay)
CANCELLING = (*CHANGING, shipments.InvalidTransition, shipments.GuideAlreadyTerminal)
VOIDING = (*CHANGING, shipments.ManifestUnderWay, shipments.ManifestAlreadyVoided)
JSON = (
    *READING,
    shipments.InvalidBody,
    companies.CompanyIsCourier,
    companies.ClientCodeNotAllowed,
    companies.ClientNotResolved,
    shipments.IdempotencyKeyReused,
    shipments.IdempotencyInProgress,
    shipments.UnsupportedTransportMode,
    shipments.DestinationUnresolved,
    companies.CountryNotAllowed,
    shipments.ValidationFailed,
    shipments.ManifestValidationFailed,
    shipments.MarketplaceFieldsMissing,
    shipments.MarketplaceFieldsNotAllowed,
    companies.TrackingPrefixMissing,
    shipments.MawbAlreadyExists,
)
"""The refusals of each endpoint, in the order in which they are asked."""


_LISTED = f"the problems in the order of the rows, at most {MAX_REPORTED:,}."
_Total = Annotated[PositiveCount, "How many problems there are in all."]


class Refused(Error):
    """A request that cannot be taken as it is."""

    country: NotRequired[Annotated[str | None, "With `no_parser_for_format`."]]
    format: NotRequired[Annotated[ReadingFormat, "With `workbook_format_changed`: its name and version."]]
    missing: NotRequired[Annotated[list[str], "With `workbook_format_changed`: required headings that are not there."]]
    repeated: NotRequired[Annotated[list[str], "With `workbook_format_changed`: headings that are there repeatedly."]]
    new: NotRequired[Annotated[list[str], "With `workbook_format_changed`: headings that the format does not have."]]
    invalid_rows: NotRequired[Annotated[list[AnsweredInvalidRow], f"With `manifest_validation_failed`: {_LISTED}"]]
    invalid_rows_total: NotRequired[_Total]


class Forbidden(Error):
    """Authenticated, and not allowed."""

    country: NotRequired[
        Annotated[str, "With `country_not_allowed`: the destination. With `unsupported_country`: yours."]
    ]
    allowed_countries: NotRequired[Annotated[list[str], "With `unsupported_country`: yours."]]
    client_code: NotRequired[Annotated[str, "With `client_not_resolved`: as it was sent."]]


class Duplicate(Error):
    """The MAWB, or the request with this key, came before; or it is too late for what is asked."""

    manifest_id: NotRequired[Annotated[Uuid, "With `mawb_already_exists`: the manifest that exists."]]
    status: NotRequired[Annotated[str, "With `guide_under_way`: the guide's status."]]
    fields: NotRequired[Annotated[list[str], "With `guide_under_way`: the fields that came too late."]]
    guides_by_status: NotRequired[
        Annotated[dict[str, PositiveCount], "With `manifest_under_way`: only statuses that some guide has."]
    ]


class RowsRefused(Error):
    """A well-formed request that is wrong for this client, or for its key."""

    invalid_rows: NotRequired[Annotated[list[AnsweredInvalidRow], f"With `marketplace_fields_...`: {_LISTED}"]]
    invalid_rows_total: NotRequired[_Total]


class Failure(Error):
    """An error of the service."""

    request_id: Annotated[str, "Give it to the operators."]


_KINDS: Mapping[int, tuple[type[object], str]] = {
    400: (Refused, "The request cannot be taken as it is."),
    401: (Error, "No password, or none that counts."),
    403: (Forbidden, "Authenticated, and not allowed."),
    404: (Error, "Not among what the caller's company owns."),
    405: (Error, "Another method than those of this route; `Allow` lists them."),
    409: (Duplicate, "Sent before, still being processed under this key, or too late: see `error`."),
    429: (Error, "Too many requests, or too many test deliveries. Wait as long as Retry-After says."),
    422: (RowsRefused, "A well-formed request that is wrong for this client, or for its key."),
    500: (
        Failure,
        "An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.",
    ),
    503: (Error, "Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET."),
}


WEBHOOKS = (*AUTHENTICATED, webhooks.CourierRefused)
WEBHOOKS_PAGE = (*WEBHOOKS, webhooks.QueryRefused)
WEBHOOK = (*WEBHOOKS, webhooks.WebhookNotFound)
_SENT_TO_WEBHOOKS = (webhooks.BodyRefused, webhooks.FieldsRefused)
WEBHOOK_CREATE = (*WEBHOOKS, *_SENT_TO_WEBHOOKS, webhooks.SubscriptionLimit, webhooks.AlreadySubscribed)
WEBHOOK_CHANGE = (
    *WEBHOOK, *_SENT_TO_WEBHOOKS, webhooks.ManagedByOperators, webhooks.AlreadySubscribed, webhooks.SubscriptionLimit,
)  # fmt: skip
WEBHOOK_DELETE = (*WEBHOOK, webhooks.ManagedByOperators)
WEBHOOK_ROTATE = (*WEBHOOK_DELETE, *_SENT_TO_WEBHOOKS)
WEBHOOK_TEST = (*(kind for kind in WEBHOOK_ROTATE if kind is not companies.RateLimited), webhooks.TooManyTests)
WEBHOOK_REPLAY_RANGE = (*WEBHOOK, *_SENT_TO_WEBHOOKS, webhooks.ReplayNotAvailable)
WEBHOOK_REPLAY = (*WEBHOOK_REPLAY_RANGE, webhooks.DeliveryInFlight)
"""The refusals of the webhooks' endpoints."""


_OF_WEBHOOKS: Mapping[int, tuple[type[Error], str]] = {
    400: (Error, "The request cannot be taken as it is."),
    403: (Error, "Authenticated, and not allowed."),
    409: (Error, "Not in this state of things."),
}


def responses(refusals: Iterable[type[DomainError]]) -> dict[int, OpenApiResponse]:
    """What an endpoint may answer beside success: each status with an example of each of its codes."""
    refusals = tuple(refusals)
    examples: dict[int, list[OpenApiExample]] = {}
    for kind in refusals:
        status, code = ANSWERS[kind]
        details = _DETAILS_OF.get(kind)
        body = envelope(code, kind.default_message, details=details, **EXTRAS.get(kind, {}))
        summary = cleandoc(kind.__doc__ or "").split("\n\n")[0]
        examples.setdefault(status, []).append(_example(code, summary, body))
    if _UNREADABLE.name not in {example.name for example in examples.get(400, [])}:
        examples.setdefault(400, []).append(_UNREADABLE)
    for status, example in _EVERYWHERE.items():
        examples.setdefault(status, []).append(example)
    kinds = {**_KINDS, **(_OF_WEBHOOKS if webhooks.CourierRefused in refusals else {})}
    return {
        status: OpenApiResponse(kind, _described(sentence, examples[status]), examples=examples[status])
        for status, (kind, sentence) in kinds.items()
        if status in examples
    }


def _example(code: str, summary: str, body: Mapping[str, object]) -> OpenApiExample:
    return OpenApiExample(code, value=dict(body), summary=" ".join(summary.split()), response_only=True)


def _described(sentence: str, examples: Iterable[OpenApiExample]) -> str:
    return "\n".join([sentence, "", *(f"- `{example.name}`: {example.summary}" for example in examples)])


_UNREADABLE = _example(
    "validation_failed",
    "The request cannot be read: its `Host`, say, is none of the service's.",
    envelope("validation_failed", "The request cannot be read."),
)
_EVERYWHERE: Mapping[int, OpenApiExample] = {
    405: _example(
        "method_not_allowed",
        "The route does not take this method.",
        envelope("method_not_allowed", "PUT is not allowed here."),
    ),
    500: _example(
        "internal_server_error",
        "Something went wrong on our side.",
        envelope(
            "internal_server_error",
            "Something went wrong on our side; it has been recorded under the request_id.",
            request_id="0f8fad5bd9cb469fa16570867728950e",
        ),
    ),
    503: _example(
        "unavailable",
        "The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.",
        envelope("unavailable", "The service cannot reach its database; try again in a moment."),
    ),
}
