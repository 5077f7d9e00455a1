"""Structured logs: one line an event, JSON for machines or coloured for people, no personal data in either.

What makes a line safe is done here once, for our own loggers and every library's: an exception is told by its type
and its frames, never by its message, because messages quote values (PostgreSQL's DETAIL quotes whole rows); a
request is told by its route, never by its path or its query.
"""

import logging
import logging.config
import sys
import traceback
from typing import Any

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger


def _frames_without_messages(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
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
    """Django's request logger quotes the path that was asked for; a person's document number may stand in it."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        match = getattr(request, "resolver_match", None)
        record.msg = "Django answered with an error"
        record.args = ()
        record.route = getattr(match, "route", None) or "unknown"
        return True


def _without_the_callers_words(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """What Django says of refused requests quotes hosts and paths; the logger's name says why, and is enough."""
    if str(event.get("logger", "")).startswith("django.security."):
        match = getattr(getattr(event["_record"], "request", None), "resolver_match", None)
        event["event"] = "Django refused a request"
        event["route"] = getattr(match, "route", None) or "unknown"
    return event


_SHARED: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    _frames_without_messages,
]


def formatter(style: str) -> logging.Formatter:
    """The one formatter of the house, also for gunicorn's own lines. `style`: "json" or "console"."""
    renderer: Processor
    if style == "console":
        renderer = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    else:
        renderer = structlog.processors.JSONRenderer()
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            *_SHARED,
            structlog.stdlib.ExtraAdder(allow=["route", "status_code"]),
            _without_the_callers_words,
        ],
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        # The frames are in the event already; the standard library would append the message too.
        use_get_message=True,
        keep_exc_info=False,
        keep_stack_info=False,
    )


def logging_config(*, level: str, style: str) -> dict[str, Any]:
    """The standard library's half, as `logging.config.dictConfig` wants it."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"house": {"()": "prealerts.logs.formatter", "style": style}},
        "filters": {"route": {"()": "prealerts.logs.RouteInsteadOfPath"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "house"}},
        "root": {"level": level, "handlers": ["stderr"]},
        "loggers": {
            # 4xx answers are in our own access line; what is left are faults.
            "django.request": {"level": "ERROR", "filters": ["route"]},
            # Its DEBUG lines are whole SQL statements with their parameters.
            "django.db.backends": {"level": "WARNING"},
            "gunicorn.error": {"level": "INFO", "handlers": ["stderr"], "propagate": False},
        },
    }


def configure(*, level: str, style: str) -> None:
    """Set up both halves: structlog for our own lines, the standard library for everybody else's."""
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level]),
        cache_logger_on_first_use=True,
    )
    logging.config.dictConfig(logging_config(level=level, style=style))
