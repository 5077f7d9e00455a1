"""Structured logs: one line per event, as JSON or coloured for the console, without personal data.

Lines are made safe here, for our own loggers and for every library's. An exception is logged by its type and its
frames, never its message, because messages quote values (PostgreSQL's DETAIL quotes whole rows). A request is logged
by its route, never its path or query.
"""

import logging
import logging.config
import sys
import traceback
from typing import Any

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger


def _drop_messages(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    exc_info = event.pop("exc_info", None)
    if exc_info is True:
        exc_info = sys.exc_info()
    elif isinstance(exc_info, BaseException):
        exc_info = (type(exc_info), exc_info, exc_info.__traceback__)
    if not exc_info or exc_info[1] is None:
        return event
    chain: list[dict[str, object]] = []
    error: BaseException | None = exc_info[1]
    while error is not None and len(chain) < 5:
        frames = traceback.extract_tb(error.__traceback__)[-12:]
        chain.append(
            {
                "type": f"{type(error).__module__}.{type(error).__qualname__}",
                "frames": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
            }
        )
        error = error.__cause__ or error.__context__
    event["exception"] = chain
    return event


class RouteInsteadOfPath(logging.Filter):
    """Remove the path that Django's request logger quotes; it may contain a person's document number."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        match = getattr(request, "resolver_match", None)
        record.msg = "Django answered with an error"
        record.args = ()
        record.route = getattr(match, "route", None) or "unknown"
        return True


def _drop_callers_words(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Remove the hosts and paths that Django quotes for rejected requests; the logger's name gives the reason."""
    if str(event.get("logger", "")).startswith("django.security."):
        match = getattr(getattr(event["_record"], "request", None), "resolver_match", None)
        event["event"] = "Django refused a request"
        event["route"] = getattr(match, "route", None) or "unknown"
    return event


_constants: dict[str, object] = {}
"""What each line has besides: `sandbox` in a sandbox."""


def _add_constants(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    event.update(_constants)
    return event


_SHARED: list[Processor] = [
    _add_constants,
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    _drop_messages,
]


def _exception_as_text(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """For the console, whose renderer prints an exception as text."""
    if chain := event.get("exception"):
        event["exception"] = "\n".join(line for error in chain for line in (error["type"], *error["frames"]))
    return event


def formatter(style: str) -> logging.Formatter:
    """The formatter of every log line, gunicorn's included. `style`: "json" or "console"."""
    processors: list[Processor] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta]
    if style == "console":
        processors += [_exception_as_text, structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())]
    else:
        processors.append(structlog.processors.JSONRenderer())
    return structlog.stdlib.ProcessorFormatter(
        processors=processors,
        foreign_pre_chain=[
            *_SHARED,
            structlog.stdlib.ExtraAdder(allow=["route", "status_code"]),
            _drop_callers_words,
        ],
        # The event already contains the frames; the standard library would append the message too.
        use_get_message=True,
        keep_exc_info=False,
        keep_stack_info=False,
    )


def logging_config(*, level: str, style: str) -> dict[str, Any]:
    """The configuration of the standard library's logging, for `logging.config.dictConfig`."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"house": {"()": "prealerts.logs.formatter", "style": style}},
        "filters": {"route": {"()": "prealerts.logs.RouteInsteadOfPath"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "house"}},
        "root": {"level": level, "handlers": ["stderr"]},
        "loggers": {
            # 4xx responses are in our own access log; only errors remain.
            "django.request": {"level": "ERROR", "filters": ["route"]},
            # At DEBUG it logs whole SQL statements with their parameters.
            "django.db.backends": {"level": "WARNING"},
            # At its import it says that it lacks Pillow, which only its images need; ours are SVG.
            "pyBarcode": {"level": "WARNING"},
            "gunicorn.error": {"level": "INFO", "handlers": ["stderr"], "propagate": False},
        },
    }


def configure(*, level: str, style: str, is_sandbox: bool = False) -> None:
    """Configure structlog for our own lines and the standard library for all others."""
    _constants.update({"sandbox": True} if is_sandbox else {})
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level]),
        cache_logger_on_first_use=True,
    )
    logging.config.dictConfig(logging_config(level=level, style=style))
