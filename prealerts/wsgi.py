"""The WSGI application for gunicorn."""

import os
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from gunicorn.http.errors import ParseException

from prealerts.serving.lingering import heard_out

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

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

    def chunk_taking(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        if environ.get("HTTP_TRANSFER_ENCODING", "").lower() == "chunked" and not environ.get("CONTENT_LENGTH"):
            environ["CONTENT_LENGTH"] = str(CHUNKED_ALLOWANCE)
            environ["prealerts.chunked"] = True
            environ["wsgi.input"] = _ChunkedBody(environ["wsgi.input"])
        return application(environ, start_response)

    return chunk_taking


application = heard_out(accept_chunked(get_wsgi_application()))
if settings.METRICS_BIND:
    from prealerts.metrics.listener import beside

    application = beside(application, settings.METRICS_BIND)
