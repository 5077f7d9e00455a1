"""The door for the application server."""

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
"""Above every limit the views set themselves; the views' own bounds are what stops a long body."""


class _ChunkedBody:
    """A chunked body; `OSError` where its chunks cannot be read, which Django and the views answer as the client's."""

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
    """Let bodies without a Content-Length through.

    Django takes a missing length for an empty body. A chunked body is legal HTTP and the application server ends it
    correctly by itself, so it is enough to claim a length that no body reaches; whoever reads the body asks
    `prealerts.chunked` before holding it to that length.
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
