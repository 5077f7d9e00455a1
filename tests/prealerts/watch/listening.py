"""Everything that leaves the service for those who run it: its log in both formats, its metrics, its Sentry."""

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from prometheus_client import generate_latest

from prealerts import logs, sentry
from tests.prealerts.watch.sentry_receiver import SentryReceiver

_OWN_HANDLERS = ("gunicorn.error", "django.server")
"""Loggers that pass nothing on to the root."""


@dataclass
class Listener:
    """What was written so far, and the answers a test adds to it."""

    receiver: SentryReceiver
    streams: dict[str, io.StringIO] = field(default_factory=lambda: {"json": io.StringIO(), "console": io.StringIO()})
    answers: list[str] = field(default_factory=list)

    def keep(self, response: Any) -> Any:
        """Remember an answer that must not quote anybody; gives it back."""
        body = b"".join(response.streaming_content) if response.streaming else response.content
        self.answers.append(f"{response.status_code} {dict(response.headers)} {body.decode()}")
        return response

    def heard(self) -> dict[str, str]:
        """Channel -> everything that went there."""
        written = {f"log ({style})": stream.getvalue() for style, stream in self.streams.items()}
        told = {"metrics": generate_latest().decode(), "sentry": self.receiver.raw()}
        return {**written, **told, "answers": "\n".join(self.answers)}


@contextmanager
def listening(settings: Any) -> Iterator[Listener]:
    """Metrics and Sentry on, and a second pair of ears on every logger, also for what is less than INFO."""
    settings.METRICS_BIND = "127.0.0.1:9108"
    with SentryReceiver() as receiver:
        settings.SENTRY_DSN = receiver.dsn
        sentry.configure()
        listener = Listener(receiver)
        loggers = [logging.getLogger(name) for name in ("", *_OWN_HANDLERS)]
        handlers = []
        for style, stream in listener.streams.items():
            handler = logging.StreamHandler(stream)
            handler.setFormatter(logs.formatter(style))
            handlers.append(handler)
        logging.getLogger("django.template").setLevel(logging.INFO)  # says thousands of times what is not there
        level = logging.getLogger().level
        logging.getLogger().setLevel(logging.DEBUG)
        for logger in loggers:
            for handler in handlers:
                logger.addHandler(handler)
        try:
            yield listener
        finally:
            logging.getLogger().setLevel(level)
            logging.getLogger("django.template").setLevel(logging.NOTSET)
            for logger in loggers:
                for handler in handlers:
                    logger.removeHandler(handler)
