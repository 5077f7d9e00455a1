"""What carriers are answered: an envelope of their own, as the contract says."""

from collections.abc import Mapping, Sequence

from django.http import HttpResponse, JsonResponse

from shipments.carriers.processing import Processed, Rejected

ROOT = "/api/carriers/"
RETRY_AFTER_SECONDS = 5


def accepted(processed: Processed) -> HttpResponse:
    """The body is stored; whatever is wrong with single events is in the counts."""
    receipt = processed.receipt
    body = {"status": "accepted", "receipt_id": receipt.public_id, "events": receipt.events, **processed.counts}
    return JsonResponse(body)


def rejected(code: str, message: str, *, status: int = 400, more: Mapping[str, object] | None = None) -> HttpResponse:
    """The request was refused; sending it again as it is changes nothing."""
    return JsonResponse({"status": "rejected", "code": code, "message": message, **(more or {})}, status=status)


def not_of_the_shape(rejection: Rejected, receipt_id: str) -> HttpResponse:
    """The body is stored, but is not what the carrier's format looks like."""
    errors: Sequence[Mapping[str, str]] = [{"path": rejection.path, "message": rejection.message}]
    return rejected(rejection.code, rejection.message, more={"errors": errors, "receipt_id": receipt_id})


def retry(code: str, message: str, *, seconds: int = RETRY_AFTER_SECONDS) -> HttpResponse:
    """The request is to be sent again, after `seconds`."""
    response = JsonResponse(
        {"status": "retry", "code": code, "message": message}, status=429 if code == "rate_limited" else 503
    )
    response["Retry-After"] = str(seconds)
    return response


def unavailable() -> HttpResponse:
    """Nothing was stored, by no fault of the carrier's."""
    return retry("unavailable", "The request could not be stored. Send it again.")


def unreadable() -> HttpResponse:
    """The request did not arrive as it was sent."""
    return rejected("unreadable", "The request cannot be read.")


def no_such_route() -> HttpResponse:
    """Nothing has this address."""
    return rejected("not_found", "Send events to /api/carriers/v1/<slug>/events.", status=404)
