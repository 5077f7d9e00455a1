"""The WSGI application for gunicorn."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from gunicorn.http.errors import ParseException

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


LONGEST = 42 * 1024 * 1024
"""Bytes: two files of 20 MB and the multipart parts around them. No valid request is larger."""
SECONDS = 2.0
"""The maximum time in seconds; a proxy that has the whole body sends it in a fraction of one."""
_PIECE = 64 * 1024


def drain_body_after_response(application: "WSGIApplication") -> "WSGIApplication":
    """Read what is left of an announced body after the response has been sent, so that the response arrives.

    Many errors need no body: an invalid password, a length over the limit. Closing the connection with unread bytes
    resets it, and a reset discards responses that the client has not read yet: behind a proxy, some clients received a
    503 instead of our 400 or 401. gunicorn itself reads up to 64 KiB; our bodies are larger.
    """

    def answer_then_drain(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        # Read here: inner layers may replace the length.
        announced = environ.get("CONTENT_LENGTH") or "0"
        answer = application(environ, start_response)
        if announced.isdecimal() and 0 < int(announced) <= LONGEST:
            return _DrainingResponse(answer, environ)
        return answer

    return answer_then_drain


class _DrainingResponse:
    """A response; its `close`, called by the server once the response is sent, reads the rest of the request."""

    def __init__(self, answer: Iterable[bytes], environ: "WSGIEnvironment") -> None:
        self._answer = answer
        self._environ = environ

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._answer)

    def close(self) -> None:
        close: Callable[[], None] | None = getattr(self._answer, "close", None)
        try:
            if close is not None:
                close()
        finally:
            # The client is gone or stalls, so the response no longer matters.
            with suppress(OSError):
                _drain(self._environ["wsgi.input"], self._environ.get("gunicorn.socket"))


def _drain(body: Any, connection: Any) -> None:  # noqa: ANN401  # the server's own objects
    until = time.monotonic() + SECONDS
    usual = connection.gettimeout() if connection is not None else None
    try:
        while (left := until - time.monotonic()) > 0:
            if connection is not None:
                connection.settimeout(left)
            if not body.read(_PIECE):
                return
    finally:
        if connection is not None:
            connection.settimeout(usual)


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "prealerts.settings")

CHUNKED_ALLOWANCE = 64 * 1024 * 1024
"""Above every limit that the views set themselves; the views' own limits stop a long body."""


class _ChunkedBody:
    """A chunked body; raises `OSError` if the chunks are invalid, which Django and the views turn into a 400."""

    def __init__(self, body: IO[bytes]) -> None:
        self._body = body

    def read(self, size: int = -1) -> bytes:
        try:
            return self._body.read(size)
        except ParseException as exc:
            raise OSError("The chunks of the body cannot be read.") from exc

    def readline(self, size: int = -1) -> bytes:
        try:
            return self._body.readline(size)
        except ParseException as exc:
            raise OSError("The chunks of the body cannot be read.") from exc


def accept_chunked(application: "WSGIApplication") -> "WSGIApplication":
    """Accept bodies without a Content-Length.

    Django treats a missing length as an empty body. A chunked body is valid HTTP and gunicorn ends it correctly, so
    it is enough to claim a length that no body reaches; code that reads the body checks `prealerts.chunked` before it
    relies on that length.
    """

    def take_chunks(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        if environ.get("HTTP_TRANSFER_ENCODING", "").lower() == "chunked" and not environ.get("CONTENT_LENGTH"):
            environ["CONTENT_LENGTH"] = str(CHUNKED_ALLOWANCE)
            environ["prealerts.chunked"] = True
            environ["wsgi.input"] = _ChunkedBody(environ["wsgi.input"])
        return application(environ, start_response)

    return take_chunks


application = drain_body_after_response(accept_chunked(get_wsgi_application()))
if settings.METRICS_BIND:
    from prealerts.metrics.exposition import beside

    application = beside(application, settings.METRICS_BIND)
