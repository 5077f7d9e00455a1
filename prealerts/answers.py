"""The API's error responses: one envelope, and one table from domain errors to HTTP.

Every response under /api/ is JSON in the contract's envelope: `success: false`, `error` (the stable code), `message`
(for people), `details` if the error concerns fields, additional keys that help, `request_id` on a 500.
"""

import errno
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import structlog
from django.contrib.admin.exceptions import DisallowedModelAdminLookup
from django.core.exceptions import BadRequest, DisallowedHost, RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.template import loader
from django.utils.translation import gettext
from django.views import defaults
from rest_framework import exceptions
from rest_framework.permissions import SAFE_METHODS
from rest_framework.response import Response
from rest_framework.views import set_rollback

from base import errors as base
from base.errors import DomainError, Translatable
from base.http.json_types import Keywords
from companies import errors as companies
from companies.models import Company
from prealerts import sentry
from shipments import errors as shipments
from shipments.carriers import views as carriers
from shipments.intake.refusals import record_refusal
from shipments.trouble import broken_page, trouble_page
from shipments.wording.stored import answered_rows
from webhooks import errors as webhooks

log = structlog.get_logger(__name__)

RETRY_AFTER_SECONDS = 5
"""The minimum wait, in seconds, that a 503 asks of the client."""

ANSWERS: Mapping[type[DomainError], tuple[int, str]] = {
    companies.MissingApiKey: (401, "missing_api_key"),
    companies.InvalidApiKey: (401, "invalid_api_key"),
    companies.MistypedApiKey: (401, "invalid_api_key"),
    companies.OtherServicesApiKey: (401, "invalid_api_key"),
    companies.MissingToken: (401, "missing_token"),
    companies.InvalidToken: (401, "invalid_token"),
    companies.InvalidCredentials: (401, "invalid_credentials"),
    companies.TokenRequestInvalid: (400, "validation_failed"),
    companies.Forbidden: (403, "forbidden"),
    companies.ForbiddenCountry: (403, "forbidden_country"),
    companies.CompanyIsCourier: (400, "company_is_courier"),
    companies.ClientCodeNotAllowed: (403, "client_code_not_allowed"),
    companies.ClientNotResolved: (403, "client_not_resolved"),
    base.RateLimited: (429, "rate_limited"),
    companies.PasswordsBusy: (503, "unavailable"),
    companies.UnsupportedCountry: (403, "unsupported_country"),
    companies.CountryNotAllowed: (403, "country_not_allowed"),
    companies.TrackingPrefixMissing: (400, "tracking_prefix_missing"),
    shipments.ValidationFailed: (400, "validation_failed"),
    shipments.ManifestTooLarge: (400, "validation_failed"),
    shipments.GuidesLeftUnread: (400, "validation_failed"),
    shipments.InvalidQuery: (400, "invalid_query"),
    shipments.InvalidBody: (400, "invalid_body"),
    shipments.ManifestFileRequired: (400, "manifest_file_required"),
    shipments.WorkbookUnreadable: (400, "excel_parse_error"),
    shipments.ReadingTooLong: (400, "excel_parse_error"),
    shipments.MawbNotFoundInFile: (400, "mawb_not_found_in_file"),
    shipments.NoRowsParsed: (400, "no_rows_parsed"),
    shipments.HawbInDoubt: (400, "hawb_in_doubt"),
    shipments.ParserBusy: (503, "unavailable"),
    shipments.StorageUnavailable: (503, "unavailable"),
    shipments.UpstreamUnavailable: (503, "upstream_unavailable"),
    shipments.UnsupportedTransportMode: (400, "unsupported_transport_mode"),
    shipments.DestinationUnresolved: (400, "destination_unresolved"),
    shipments.NoParserForFormat: (400, "no_parser_for_format"),
    shipments.WorkbookFormatChanged: (400, "workbook_format_changed"),
    shipments.LayoutConfirmed: (409, "layout_confirmed"),
    shipments.LayoutAnswered: (409, "layout_answered"),
    shipments.ManifestValidationFailed: (400, "manifest_validation_failed"),
    shipments.MarketplaceFieldsMissing: (422, "marketplace_fields_missing"),
    shipments.MarketplaceFieldsNotAllowed: (422, "marketplace_fields_not_allowed"),
    shipments.MawbAlreadyExists: (409, "mawb_already_exists"),
    shipments.IdempotencyKeyReused: (422, "idempotency_key_reused"),
    shipments.IdempotencyInProgress: (409, "idempotency_in_progress"),
    shipments.Superseded: (409, "superseded"),
    shipments.TooManyJobs: (429, "rate_limited"),
    shipments.NotFound: (404, "not_found"),
    shipments.CountryMismatch: (409, "country_mismatch"),
    shipments.AmbiguousGuide: (409, "ambiguous"),
    shipments.AmbiguousMawb: (409, "ambiguous"),
    shipments.InvalidDocument: (400, "invalid_document"),
    shipments.InvalidDocumentType: (400, "invalid_document_type"),
    shipments.BatchNotOpen: (409, "batch_not_open"),
    shipments.EventInFuture: (400, shipments.EventInFuture.code),
    shipments.GuideAlreadyTerminal: (409, shipments.GuideAlreadyTerminal.code),
    shipments.InvalidTransition: (409, shipments.InvalidTransition.code),
    shipments.GuideUnderRetention: (409, shipments.GuideUnderRetention.code),
    shipments.EventTakenBack: (409, shipments.EventTakenBack.code),
    shipments.NothingToTakeBack: (409, shipments.NothingToTakeBack.code),
    shipments.EventFileUnreadable: (400, "event_file_unreadable"),
    shipments.GuideNotUnderRetention: (409, "guide_not_under_retention"),
    companies.ChangesNotAllowed: (403, "forbidden"),
    shipments.GuideUnderWay: (409, "guide_under_way"),
    shipments.ManifestUnderWay: (409, "manifest_under_way"),
    shipments.ManifestAlreadyVoided: (409, "manifest_already_voided"),
    base.BodyRefused: (400, "invalid_body"),
    base.FieldsRefused: (400, "validation_failed"),
    base.QueryRefused: (400, "invalid_query"),
    webhooks.CourierRefused: (403, "forbidden"),
    webhooks.WebhookNotFound: (404, "not_found"),
    webhooks.AlreadySubscribed: (409, "subscription_exists"),
    webhooks.SubscriptionLimit: (409, "subscription_limit"),
    webhooks.ManagedByOperators: (409, "subscription_managed_by_operators"),
    webhooks.DeliveryInFlight: (409, "delivery_in_flight"),
    webhooks.ReplayNotAvailable: (409, "replay_not_available"),
    webhooks.TooManyTests: (429, "rate_limited"),
}

_DISK_FULL = {errno.ENOSPC, errno.EDQUOT}


class Error(TypedDict):
    """Every refusal. Branch on `error`; treat a code that you do not know by its HTTP status."""

    success: Literal[False]
    error: Annotated[str, Keywords(pattern="^[a-z][a-z0-9_]*$"), "The stable code. More may come in minor releases."]
    message: Annotated[str, "One sentence for a person; it may be reworded at any time."]
    details: NotRequired[
        Annotated[dict[str, list[str]], "With `validation_failed`, where fields are concerned: what is wrong."]
    ]


def envelope(
    error: str, message: str, *, details: Mapping[str, list[str]] | None = None, **extras: object
) -> dict[str, object]:
    """The body of every refusal. `details` is left out where no field is concerned."""
    body: Error = {"success": False, "error": error, "message": message}
    if details:
        body["details"] = dict(details)
    return {**body, **extras}


def refusal_answer(exc: DomainError) -> tuple[int, dict[str, object]]:
    status, code = ANSWERS[type(exc)]
    details = {name: [_translated(each) for each in problems] for name, problems in exc.details.items()}
    extras: dict[str, Any] = dict(exc.extras)
    if "invalid_rows" in extras:
        extras["invalid_rows"] = answered_rows(extras["invalid_rows"])
    return status, envelope(code, _translated(exc.message), details=details, **extras)


def _translated(sentence: str) -> str:
    if not isinstance(sentence, Translatable):
        return gettext(sentence)
    params = {
        name: _translated(each) if isinstance(each, Translatable) else each for name, each in sentence.params.items()
    }
    return gettext(sentence.text) % params if params else gettext(sentence.text)


def _refusal(exc: DomainError) -> Response:
    status, body = refusal_answer(exc)
    response = Response(body, status=status)
    if status == 401:
        response["WWW-Authenticate"] = "Bearer"
    if seconds := getattr(exc, "retry_after_seconds", RETRY_AFTER_SECONDS if status == 503 else None):
        response["Retry-After"] = str(seconds)
    return response


def _unavailable(message: str) -> Response:
    headers = {"Retry-After": str(RETRY_AFTER_SECONDS)}
    return Response(envelope("unavailable", message), status=503, headers=headers)


def answer_exception(exc: Exception, context: Mapping[str, Any]) -> Response:
    """DRF's exception handler: returns a response for *every* exception, so that none becomes an HTML page."""
    set_rollback()
    response, request = _answer(exc, context), context["request"]
    company = vars(request).get("_user")  # set once DRF has authenticated the request
    # A client at its limit would fill the list of refused requests, at the cost of another write for each.
    is_recorded = getattr(context["view"], "records_refusals", True) and not isinstance(exc, base.RateLimited)
    is_recorded &= request.method not in SAFE_METHODS
    if isinstance(company, Company) and is_recorded and 400 <= response.status_code < 500:
        refusal = exc if isinstance(exc, DomainError) else None
        record_refusal(company, response.data, refusal, status=response.status_code, request=request)
    return response


def _answer(exc: Exception, context: Mapping[str, Any]) -> Response:
    match exc:
        case DomainError():
            return _refusal(exc)
        case exceptions.MethodNotAllowed():
            allowed = context["view"].allowed_methods
            response = Response(method_not_allowed(exc.args[0], allowed), status=405)
            response["Allow"] = ", ".join(allowed)
            return response
        case Http404() | exceptions.NotFound():
            return Response(envelope("not_found", gettext(shipments.NotFound.default_message)), status=404)
        case UnreadablePostError():
            cut_off = gettext("The request's body is malformed or was cut off.")
            return Response(envelope("validation_failed", cut_off), status=400)
        case MultiPartParserError() | exceptions.ParseError() | SuspiciousOperation():
            return Response(envelope("validation_failed", _body_problem(exc)), status=400)
        case OSError() if exc.errno in _DISK_FULL:
            log.error("disk_full", exc_info=exc)
            return _unavailable(gettext("There is not enough space to store the upload; try again later."))
        case OperationalError() | InterfaceError():  # no connection, one that was closed, or a lock that timed out
            log.error("database_unavailable", exc_info=exc)
            return _unavailable(gettext("The service cannot reach its database; try again in a moment."))
        case _:
            log.error("unhandled_exception", exc_info=exc)
            sentry.report(exc, context["request"])
            return Response(unexpected(getattr(context["request"], "request_id", "")), status=500)


def method_not_allowed(method: str, allowed: Iterable[str]) -> dict[str, object]:
    offered = [name for name in allowed if name not in {"HEAD", "OPTIONS"}]
    words = {"method": method, "offered": gettext(" or ").join(offered)}
    return envelope("method_not_allowed", gettext("%(method)s is not allowed here; use %(offered)s.") % words)


def _body_problem(exc: Exception) -> str:
    if isinstance(exc, RequestDataTooBig):
        return gettext("The form fields of the request are too large.")
    if isinstance(exc, SuspiciousOperation):
        return gettext("The request has too many form fields or files.")
    return gettext("The multipart body is malformed or was cut off.")


def unexpected(request_id: str) -> dict[str, object]:
    return envelope(
        "internal_server_error",
        gettext("Something went wrong on our side; it has been recorded under the request_id."),
        request_id=request_id,
    )


# --- errors outside the views -----------------------------------------------------------------------------------


def is_for_machines(request: HttpRequest) -> bool:
    """Whether programs ask this path: its errors are in the envelope, and it has the API's headers."""
    path = "/" + request.path.lower().lstrip("/")  # `//api/...` is a typing error of a program
    return path.startswith(("/api", "/health", "/internal"))


def is_for_carriers(request: HttpRequest) -> bool:
    """Whether a carrier asks this path: its answers have an envelope of their own."""
    return request.path.lower().startswith(carriers.ROOT)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """handler400: an invalid host, a malformed request, or an invalid parameter of a change list."""
    if is_for_carriers(request):
        return carriers.unreadable()
    if is_for_machines(request):
        body = envelope("validation_failed", gettext("The request cannot be read."))
        if isinstance(exception, DisallowedHost):
            body = envelope("invalid_host", gettext("The Host header names no host of this service."))
        return JsonResponse(body, status=400)
    if not hasattr(request, "user"):  # rejected before authentication and language selection
        return HttpResponse(loader.render_to_string("prealerts/unreadable.html"), status=400)
    if isinstance(exception, BadRequest | DisallowedModelAdminLookup):
        title = gettext("The list cannot be shown")
        text = gettext("The address contains a filter, a value or a page that the list does not have.")
    else:
        title = gettext("The request cannot be read")
        text = gettext("Nothing was changed: the request is too large, or was cut off or altered in transit.")
    return trouble_page(request, title, text, status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001  # Django's signature
    """handler403: only pages for people respond with it."""
    return trouble_page(
        request,
        gettext("You do not have permission to do this"),
        gettext("If you need it for your work, ask an administrator."),
        status=403,
    )


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001  # as above
    """CSRF_FAILURE_VIEW: only for forms; the API uses no cookies."""
    return trouble_page(
        request,
        gettext("This page has expired"),
        gettext(
            "Nothing was changed: you have logged in again since the page was opened, or the browser blocks cookies."
        ),
        gettext("Go back, reload the page and try again."),
        status=403,
    )


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """handler404: unknown paths."""
    if is_for_carriers(request):
        return carriers.no_such_route()
    if is_for_machines(request):
        return JsonResponse(envelope("not_found", gettext("No endpoint has this address.")), status=404)
    if not hasattr(request, "user"):  # rejected before authentication and language selection
        return defaults.page_not_found(request, exception)
    return trouble_page(
        request,
        gettext("Page not found"),
        gettext("It was deleted or never existed, it belongs to a country outside yours, or the link is incomplete."),
        gettext("Ctrl K searches for a tracking code, a HAWB or a MAWB from any page."),
        status=404,
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """handler500: errors outside the views."""
    if is_for_carriers(request):
        return carriers.unavailable()
    if is_for_machines(request):
        return JsonResponse(unexpected(getattr(request, "request_id", "")), status=500)
    return broken_page(request)
