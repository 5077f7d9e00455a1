"""What a sandbox has besides a live service: trouble on demand, and a band on its pages."""

import socket
import time
from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase

from companies.authentication import company_of
from companies.errors import InvalidApiKey, MissingApiKey
from prealerts.answers import RETRY_AFTER_SECONDS
from prealerts.middleware import API
from shipments.wording.envelope import envelope, unexpected

HEADER = "Sandbox-Answer"
SLOW_SECONDS = 5


class SandboxAnswerMiddleware:
    """Gives the trouble that a request asks for by `Sandbox-Answer`. A live service ignores the header."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not settings.SANDBOX:
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        wanted = request.headers.get(HEADER)
        if wanted is None or not request.path_info.startswith(API) or not _is_authenticated(request):
            return self.get_response(request)
        if wanted not in {"slow", "cut"}:
            return _trouble(wanted, getattr(request, "request_id", ""))
        response = self.get_response(request)
        if wanted == "slow":
            time.sleep(SLOW_SECONDS)
        elif connection := request.META.get("gunicorn.socket"):
            connection.shutdown(socket.SHUT_RDWR)
        return response


def _is_authenticated(request: HttpRequest) -> bool:
    """Return whether the password is valid. If it is not, the view says so."""
    try:
        company_of(request.META)
    except (MissingApiKey, InvalidApiKey):
        return False
    return True


def _trouble(wanted: str, request_id: str) -> HttpResponse:
    asked = f"The request asked for this answer by {HEADER}."
    wait = {"Retry-After": str(RETRY_AFTER_SECONDS)}
    match wanted:
        case "429":
            return JsonResponse(envelope("rate_limited", asked), status=429, headers=wait)
        case "500":
            return JsonResponse(unexpected(request_id), status=500)
        case "503":
            return JsonResponse(envelope("unavailable", asked), status=503, headers=wait)
        case _:
            details = {HEADER: ["Send 429, 500, 503, slow or cut."]}
            return JsonResponse(envelope("validation_failed", "The request was refused.", details=details), status=400)


def title_prefix(_request: HttpRequest) -> str | None:
    return "Sandbox |" if settings.SANDBOX else None


def context(_request: HttpRequest) -> dict[str, object]:
    return {
        "is_sandbox": settings.SANDBOX,
        "site_name": settings.SITE_NAME,
        "has_mail": bool(settings.MAIL) and settings.LOCAL_PASSWORDS,
        "version": settings.VERSION,
    }
