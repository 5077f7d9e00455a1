"""Middleware: request ids, the API's headers, the probes, the language, NUL in the admin's queries, and the way
past what only pages need: static files, sessions, users, forms.
"""

import re
import time
import uuid
from collections.abc import Callable
from typing import Any, Literal, TypedDict

import structlog
from csp import middleware as csp
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin
from prometheus_client import Counter, Histogram
from whitenoise import middleware as whitenoise

from base.http.requests import is_admin_request
from prealerts import answers, health

REQUEST_SECONDS = Histogram(
    "prealerts_http_request_duration_seconds",
    "Time from the request's headers to the answer, by route (never by path) and status.",
    ["method", "route", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
PRE_ALERTS = Counter(
    "prealerts_pre_alerts",
    "Pre-alerts received, by endpoint and outcome: created, queued, or the error's code.",
    ["endpoint", "outcome"],
)

_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
_ENDPOINTS = {"upload": "upload", "process-pre-alert-json": "json"}


def count(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    """Count a request. Called by the middleware that already measures its time: another layer would cost more."""
    match = request.resolver_match
    # Unknown routes share one series, and so do unknown methods: clients cannot create new ones.
    route = match.route if match else "health" if request.path.startswith("/health") else "unknown"
    method = request.method if request.method in _METHODS else "other"
    REQUEST_SECONDS.labels(method, route, str(response.status_code)).observe(seconds)
    if method == "POST" and match and match.url_name in _ENDPOINTS:
        PRE_ALERTS.labels(_ENDPOINTS[match.url_name], _outcome(response)).inc()


def _outcome(response: HttpResponse) -> str:
    """`created`, `queued`, or the error code of the response; other errors outside the views have no code."""
    data = getattr(response, "data", None)
    if isinstance(data, dict) and "error" in data:
        return str(data["error"])
    return {201: "created", 202: "queued"}.get(response.status_code, f"http_{response.status_code}")


log = structlog.get_logger("prealerts.requests")

GetResponse = Callable[[HttpRequest], HttpResponse]

EXPOSED = (
    "X-Request-Id, Retry-After, ETag, Location, Idempotent-Replayed, Preference-Applied, RateLimit, RateLimit-Policy, "
    "X-Password-Expires"
)
"""The headers that scripts of other origins may read; each is sent by some answer."""


CLOSED_PATHS = ("/api/operators", "/api/carriers")
"""The APIs that no script of another origin may use."""


def api_headers(*, is_open: bool = True) -> dict[str, str]:
    """Return the headers that every answer to a program has. is_open: scripts of other origins may read it."""
    exposed = f"{EXPOSED}, X-Sandbox" if settings.SANDBOX else EXPOSED
    cors = {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": exposed}
    return {**(cors if is_open else {}), **({"X-Sandbox": "true"} if settings.SANDBOX else {})}


_SANE_ID = re.compile(r"[A-Za-z0-9._:-]{1,64}", re.ASCII)


class RequestIdMiddleware:
    """Assign each request an id, bind it to every log line, return it, and write the access log line.

    The caller's own `X-Request-Id` is kept if valid: 1 to 64 letters, digits, dots, hyphens, colons and underscores.
    The line contains the route, not the path: a path may contain personal data.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response
        self._is_counting = bool(settings.METRICS_BIND)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        sent = request.META.get("HTTP_X_REQUEST_ID", "")  # `request.headers` would translate all names, for one
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
    """Set the headers of the public API, on errors and preflights too; reject paths that no database may see.

    Not django-cors-headers: it only responds to requests with an Origin, and the contract requires
    `Access-Control-Allow-Origin: *` on all responses.
    """

    _api_paths = ("/api", "/health")

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        path = request.path.lower()
        is_open = not path.startswith(CLOSED_PATHS)
        if is_api := path.startswith(self._api_paths):
            # The API takes no cookies: the language that a browser keeps for the admin is not the caller's.
            request.COOKIES = {}
        if is_api and is_open and request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
            response = self._preflight(request.path)
        elif "\x00" in request.path:
            # PostgreSQL rejects NUL in text and SQLite accepts it: neither database receives it.
            response = answers.not_found(request, ValueError("NUL in path"))
        else:
            response = self.get_response(request)
        if answers.is_for_machines(request):
            for name, value in api_headers(is_open=is_open).items():
                response[name] = value
        if path.startswith(("/api", "/internal")):
            response["Cache-Control"] = "no-store"
        if response.status_code == 304:
            del response["Content-Length"]  # Django's 0 would be about the 200 that is not sent (RFC 9110, 8.6)
        return response

    @staticmethod
    def _preflight(path: str) -> HttpResponse:
        response = HttpResponse(status=204)
        changes = next((methods for start, methods in _CHANGES.items() if path.startswith(start)), "")
        response["Access-Control-Allow-Methods"] = f"GET, POST, {changes}OPTIONS"
        response["Access-Control-Allow-Headers"] = "Content-Type, Authorization, Idempotency-Key, If-None-Match, Prefer"
        if settings.SANDBOX:
            response["Access-Control-Allow-Headers"] += ", Sandbox-Answer"
        response["Access-Control-Max-Age"] = "86400"
        return response


_CHANGES = {
    "/api/public/pre-alerts/v1/webhooks/": "PATCH, DELETE, ",
    "/api/public/pre-alerts/v1/guides/": "PATCH, ",
    "/api/public/pre-alerts/v1/layouts/": "PUT, ",
}
"""Beginning of a path -> the methods that its routes have besides GET and POST."""


class Liveness(TypedDict):
    """The process lives."""

    status: Literal["ok"]


class ProbesMiddleware:
    """`GET /health`, which is constant, and `/health/ready`: before the host check, because probes use IP addresses."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path in {"/health/ready", "/health/ready/"}:
            return health.ready(request)
        if request.path not in {"/health", "/health/"}:
            return self.get_response(request)
        if request.method not in {"GET", "HEAD"}:
            body = answers.method_not_allowed(str(request.method), ["GET"])
            response: HttpResponse = JsonResponse(body, status=405)
            response["Allow"] = "GET, HEAD"
            return response
        alive: Liveness = {"status": "ok"}
        return JsonResponse(alive)


class LanguageMiddleware(LocaleMiddleware):
    """Django's, for routes that do not begin with a language: it would look for one in each path, in vain and twice."""

    def process_request(self, request: HttpRequest) -> None:
        if ";q=0" in (accepted := request.META.get("HTTP_ACCEPT_LANGUAGE", "").replace(" ", "")):
            # Django takes a language that is refused (RFC 9110, 12.4.2) for one with the lowest priority.
            wanted = [each for each in accepted.split(",") if each.partition(";q=")[2].strip("0.") or ";q=" not in each]
            request.META["HTTP_ACCEPT_LANGUAGE"] = ",".join(wanted)
        translation.activate(translation.get_language_from_request(request))
        request.LANGUAGE_CODE = translation.get_language()

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:  # noqa: ARG002  # Django's
        patch_vary_headers(response, ("Accept-Language",))
        response.headers.setdefault("Content-Language", translation.get_language())
        return response


class NulFreeQueryMiddleware(MiddlewareMixin):
    """Remove NUL characters from the query parameters of the admin's lists; PostgreSQL rejects them in any text.

    Search boxes validate them, but filters and lookups would fail. The API's endpoints parse their own parameters.
    """

    def process_request(self, request: HttpRequest) -> None:
        if is_admin_request(request):
            request.META["QUERY_STRING"] = request.META.get("QUERY_STRING", "").replace("%00", "")


API = "/api/"

_GetResponse = Callable[[HttpRequest], HttpResponseBase]


class ApiShortcutMiddleware:
    """Passes requests of the APIs to their view, without the middleware that follows in the settings: only for pages.

    The API has no cookies, sessions or pages. Two that follow below come earlier, because they also concern answers
    that others give, and skip the API by themselves. The order stays in one list, where Django's checks find it.
    """

    def __init__(self, get_response: _GetResponse) -> None:
        self._pages, self._api = get_response, _behind_middleware(get_response)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._api(request) if request.path_info.startswith(API) else self._pages(request)

    @property
    def get_response(self) -> _GetResponse:
        """What follows for pages, by the name that it has in every middleware."""
        return self._pages


def _behind_middleware(handler: Any) -> _GetResponse:  # noqa: ANN401  # as Django wraps it
    """Return what is left of `handler` without its middleware: Django's own handler, which calls the view.

    Django keeps what it wraps to convert exceptions as `__wrapped__`, and a middleware has the next one as
    `get_response`. At one that has not, the API's requests pass it and all that follow.
    """
    while hasattr(handler.__wrapped__, "get_response"):
        handler = handler.__wrapped__.get_response
    wrapped: _GetResponse = handler
    return wrapped


class _SkippedByApi:
    """Passes requests of the APIs on. Its place in the bases is before the middleware."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith(API):
            return self.get_response(request)  # type: ignore[attr-defined,no-any-return]  # the middleware's own
        return super().__call__(request)  # type: ignore[misc,no-any-return]  # as above


class WhiteNoiseMiddleware(_SkippedByApi, whitenoise.WhiteNoiseMiddleware):  # type: ignore[misc]  # has no types
    """Static files. Before the language: they have none."""


class CSPMiddleware(_SkippedByApi, csp.CSPMiddleware):
    """The content security policy, also of pages that refuse a request before it reaches the others."""
