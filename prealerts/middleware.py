"""What requests pass before Django looks at them: an id, the API's headers, the liveness probe, the desk's queries."""

import re
import time
import uuid
from collections.abc import Callable

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse

from companies.operators.admin_area import is_at_the_desk
from prealerts import answers
from prealerts.metrics.requests import count

log = structlog.get_logger("prealerts.requests")

GetResponse = Callable[[HttpRequest], HttpResponse]

_SANE_ID = re.compile(r"[A-Za-z0-9._:-]{1,64}", re.ASCII)


class RequestIdMiddleware:
    """Give each request an id, bind it to every log line, return it, and write the one access line.

    The caller's own `X-Request-Id` is kept when it is sane: 1 to 64 letters, digits, dots, hyphens, colons,
    underscores. The line names the route, not the path: a path may hold what somebody should not have put there.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response
        self._is_counting = bool(settings.METRICS_BIND)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        sent = request.headers.get("X-Request-Id", "")
        request_id = sent if _SANE_ID.fullmatch(sent) else uuid.uuid4().hex
        request.request_id = request_id  # type: ignore[attr-defined]  # Django's request is made to be extended so
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        started = time.perf_counter()
        response = self.get_response(request)
        seconds = time.perf_counter() - started
        if self._is_counting:
            count(request, response, seconds)
        response["X-Request-Id"] = request_id
        match = request.resolver_match
        log.info(
            "request",
            method=request.method,
            route=match.route if match else None,
            status=response.status_code,
            milliseconds=round(seconds * 1000, 1),
        )
        return response


class PublicApiMiddleware:
    """The headers of the public API, on errors and preflights too; and the paths no database may see.

    Not django-cors-headers: it answers only requests that carry an Origin, and the contract puts
    `Access-Control-Allow-Origin: *` on the responses, without that condition.
    """

    _cors_paths = ("/api/public/", "/health")

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        is_open = request.path.startswith(self._cors_paths)
        if is_open and request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
            response = self._preflight(request.path)
        elif "\x00" in request.path:
            # PostgreSQL refuses NUL in text and SQLite does not: neither gets to see it.
            response = answers.not_found(request, ValueError("NUL in path"))
        else:
            response = self.get_response(request)
        if is_open:
            response["Access-Control-Allow-Origin"] = "*"
            response["Access-Control-Expose-Headers"] = "X-Request-Id, Retry-After"
        if request.path.startswith("/api/"):
            response["Cache-Control"] = "no-store"
        return response

    @staticmethod
    def _preflight(path: str) -> HttpResponse:
        response = HttpResponse(status=204)
        changes = "PATCH, DELETE, " if path.startswith("/api/public/pre-alerts/v1/webhooks/") else ""
        response["Access-Control-Allow-Methods"] = f"GET, POST, {changes}OPTIONS"
        response["Access-Control-Allow-Headers"] = "Content-Type, Authorization"
        response["Access-Control-Max-Age"] = "86400"
        return response


class LivenessMiddleware:
    """`GET /health`: constant, before hosts are checked, so that a probe may come by bare address."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path not in {"/health", "/health/"}:
            return self.get_response(request)
        if request.method not in {"GET", "HEAD"}:
            body = answers.envelope("method_not_allowed", f"{request.method} is not allowed here.")
            response: HttpResponse = JsonResponse(body, status=405)
            response["Allow"] = "GET, HEAD"
            return response
        return JsonResponse({"status": "ok"})


class NulFreeQueryMiddleware:
    """Drop what nobody can see from what the desk's lists are asked: a NUL, which PostgreSQL refuses in any text.

    Search boxes say so by themselves; filters and look-ups would fail. The API's endpoints read their own parameters.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if is_at_the_desk(request):
            request.META["QUERY_STRING"] = request.META.get("QUERY_STRING", "").replace("%00", "")
        return self.get_response(request)
