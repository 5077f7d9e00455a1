"""Metrics of requests by route and status, and of pre-alerts by outcome."""

from functools import cache

from django.http import HttpRequest, HttpResponse
from prometheus_client import Counter, Histogram

REQUEST_SECONDS = Histogram(
    "prealerts_http_request_duration_seconds",
    "Time from the request's headers to the answer, by route (never by path) and status.",
    ["method", "route", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
PRE_ALERTS = Counter(
    "prealerts_pre_alerts",
    "Pre-alerts received, by endpoint and outcome: created, or the error's code.",
    ["endpoint", "outcome"],
)

_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
_ENDPOINTS = {"upload": "upload", "process-pre-alert-json": "json"}


@cache
def _series(method: str, route: str, status: int) -> Histogram:
    """Return one labelled series, without prometheus-client's own lookup and lock; there are at most a few hundred."""
    return REQUEST_SECONDS.labels(method, route, str(status))


def count(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    """Count a request. Called by the middleware that already measures its time: another layer would cost more."""
    match = request.resolver_match
    # Unknown routes share one series, and so do unknown methods: clients cannot create new ones.
    route = match.route if match else "health" if request.path.startswith("/health") else "unknown"
    method = request.method if request.method in _METHODS else "other"
    _series(method, route, response.status_code).observe(seconds)
    if method == "POST" and match and match.url_name in _ENDPOINTS:
        PRE_ALERTS.labels(_ENDPOINTS[match.url_name], _outcome(response)).inc()


def _outcome(response: HttpResponse) -> str:
    """`created`, or the error code of the response; other errors outside the views have no code."""
    if response.status_code == 201:
        return "created"
    data = getattr(response, "data", None)
    return str(data["error"]) if isinstance(data, dict) else f"http_{response.status_code}"
