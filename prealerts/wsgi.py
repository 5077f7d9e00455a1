"""The door for the application server."""

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from prealerts.serving.lingering import heard_out

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "prealerts.settings")

CHUNKED_ALLOWANCE = 64 * 1024 * 1024
"""Above every limit the views set themselves; the views' own bounds are what stops a long body."""


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
        return application(environ, start_response)

    return chunk_taking


application = heard_out(accept_chunked(get_wsgi_application()))
if settings.METRICS_BIND:
    from prealerts.metrics.listener import beside

    application = beside(application, settings.METRICS_BIND)
