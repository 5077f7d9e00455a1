"""Error reports to Sentry, if SENTRY_DSN is set; otherwise sentry_sdk is not even imported.

Events are rebuilt from what is known to be harmless instead of cleaned of what is known to be harmful: the type and
the frames of each exception, never its message (messages quote values; PostgreSQL's DETAIL quotes whole rows); the
request's id, method and route, never its path, query, headers or body; no local variables, breadcrumbs or user. Only
the integrations that report the end of a process or a thread are enabled: no other data is collected.
"""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.signals import got_request_exception
from django.http import HttpRequest

_EVENT = ("event_id", "timestamp", "level", "platform", "release", "environment", "tags", "transaction", "sdk")
_FRAME = (
    "filename", "abs_path", "function", "module", "lineno", "in_app", "context_line", "pre_context", "post_context",
)  # fmt: skip


def configure() -> None:
    if not settings.SENTRY_DSN:
        return
    import sentry_sdk  # noqa: PLC0415  # costs time and memory, and most installations do without
    from sentry_sdk.integrations.excepthook import ExcepthookIntegration  # noqa: PLC0415  # as above
    from sentry_sdk.integrations.threading import ThreadingIntegration  # noqa: PLC0415  # as above

    sentry_sdk.init(
        dsn=settings.SENTRY_DSN,
        environment="sandbox" if settings.SANDBOX else None,
        default_integrations=False,
        auto_enabling_integrations=False,
        integrations=[ExcepthookIntegration(), ThreadingIntegration(propagate_scope=False)],
        include_local_variables=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        send_client_reports=False,
        auto_session_tracking=False,
        before_send=scrub,  # type: ignore[arg-type]  # an event is a mapping; the hint is a TypedDict of all its keys
    )
    got_request_exception.connect(_report_unhandled, dispatch_uid="prealerts.sentry")


def _report_unhandled(request: HttpRequest | None = None, **_kwargs: object) -> None:
    """Report an error outside the API's views, with the exception being handled."""
    report(None, request)


def report(fault: BaseException | None, request: HttpRequest | None) -> None:
    """Report an exception; None: the one being handled. Does not block."""
    if not settings.SENTRY_DSN:
        return
    import sentry_sdk  # noqa: PLC0415  # as above

    with sentry_sdk.new_scope() as scope:
        if request is not None:
            match = request.resolver_match
            scope.set_tag("request_id", getattr(request, "request_id", ""))
            scope.set_tag("method", request.method)
            scope.set_tag("route", match.route if match else "unknown")
        sentry_sdk.capture_exception(fault)


def scrub(event: Mapping[str, Any], _hint: object) -> dict[str, Any]:
    kept = {name: event[name] for name in _EVENT if name in event}
    values = event.get("exception", {}).get("values", [])
    kept["exception"] = {"values": [_exception(value) for value in values]}
    return kept


def _exception(value: Mapping[str, Any]) -> dict[str, Any]:
    frames = (value.get("stacktrace") or {}).get("frames", [])
    mechanism = {name: part for name, part in (value.get("mechanism") or {}).items() if name in {"type", "handled"}}
    return {
        "type": value.get("type"),
        "module": value.get("module"),
        "mechanism": mechanism,
        "stacktrace": {"frames": [{name: frame[name] for name in _FRAME if name in frame} for frame in frames]},
    }
