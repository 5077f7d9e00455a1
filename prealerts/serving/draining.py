"""gunicorn's threaded worker, with a quicker shutdown and the API's own answers to requests that gunicorn refuses."""

import json
import socket
import time
import traceback
import uuid
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from gunicorn.glogging import Logger
from gunicorn.http.errors import (
    InvalidResponseHeader,
    InvalidResponseHeaderName,
    LimitRequestHeaders,
    LimitRequestLine,
    ParseException,
)
from gunicorn.workers.gthread import ThreadWorker

_UNREAD_SECONDS = 1.0
"""How long the rest of a refused request is read: closing with unread bytes would discard the answer."""


class DrainingWorker(ThreadWorker):  # type: ignore[misc]  # untyped in its library
    """Close the listening socket in time, and answer in the API's envelope what gunicorn itself refuses."""

    def set_accept_enabled(self, enabled: bool) -> None:  # noqa: FBT001  # the signature is gunicorn's
        """Close the listening socket as soon as no new requests are accepted: with False, once `alive` is over.

        gunicorn's own worker keeps it open until the last request has finished. Until then the kernel accepts
        connections that are never read: a proxy would wait for them, up to `graceful_timeout`, instead of being refused
        at once and trying another replica.
        """
        super().set_accept_enabled(enabled)
        if not enabled and not self.alive:
            for listener in self.sockets:
                listener.close()

    def handle_error(self, req: object, client: socket.socket, addr: object, exc: Exception) -> None:  # noqa: ARG002  # gunicorn's
        """Answer what gunicorn refuses before the application is called: too many headers, an invalid request line.

        gunicorn would answer in HTML, with statuses that the API does not have (414, 417, 431, 501), and log what was
        sent. Carriers have an envelope of their own.
        """
        request_id = uuid.uuid4().hex
        if _is_the_clients(exc):
            self.log.warning("Request %s refused: %s", request_id, type(exc).__name__)
        else:
            self.log.error("Request %s failed", request_id, exc_info=exc)
        with suppress(OSError):
            client.settimeout(_UNREAD_SECONDS)
            client.sendall(_refusal(exc, request_id))
            client.shutdown(socket.SHUT_WR)
            until = time.monotonic() + _UNREAD_SECONDS
            while client.recv(65536) and time.monotonic() < until:
                pass


def _refusal(exc: Exception, request_id: str) -> bytes:
    # gunicorn loads this module before the application, which is loaded by the time a request arrives.
    from prealerts.middleware import api_headers  # noqa: PLC0415  # as above
    from shipments.carriers import views as carriers  # noqa: PLC0415  # as above
    from shipments.wording.envelope import envelope, unexpected  # noqa: PLC0415  # as above

    is_carriers = _path_of(exc).lower().startswith(carriers.ROOT)
    if is_carriers:
        answer = carriers.unreadable() if _is_the_clients(exc) else carriers.unavailable()
        status, body = HTTPStatus(answer.status_code), json.loads(answer.content)
    elif not _is_the_clients(exc):
        status, body = HTTPStatus.INTERNAL_SERVER_ERROR, unexpected(request_id)
    elif isinstance(exc, LimitRequestLine | LimitRequestHeaders):
        message = "The request's address is too long, or it has too many or too long headers."
        status, body = HTTPStatus.BAD_REQUEST, envelope("validation_failed", message)
    else:
        status, body = HTTPStatus.BAD_REQUEST, envelope("validation_failed", "The request cannot be read.")
    content = json.dumps(body).encode()
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\n"
        "Connection: close\r\n"
        "Content-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\n"
        "Cache-Control: no-store\r\n"
        "Content-Language: en\r\n"
        "Vary: Accept-Language\r\n"
        f"X-Request-Id: {request_id}\r\n"
    )
    head += "".join(f"{name}: {value}\r\n" for name, value in api_headers(is_open=not is_carriers).items())
    return f"{head}\r\n".encode() + content


def _path_of(exc: Exception) -> str:
    """Return the path of a request whose headers were refused; empty if its first line was.

    gunicorn drops what it has parsed so far: only the frames of its parser still have it.
    """
    parsers = (frame.f_locals.get("self") for frame, _line in traceback.walk_tb(exc.__traceback__))
    return next((str(path) for parser in parsers if (path := getattr(parser, "path", None))), "")


def _is_the_clients(exc: Exception) -> bool:
    """Whether the request is at fault, and not a header that the application wrote."""
    is_ours = isinstance(exc, InvalidResponseHeader | InvalidResponseHeaderName)
    return isinstance(exc, ParseException) and not is_ours


class ErrorLog(Logger):  # type: ignore[misc]  # untyped in its library
    """gunicorn's own composes an access line for every request if it has a `logconfig_dict`, and drops it if nothing
    wants it: 3 % of the samples of a busy worker (decision 0027). The application writes its own line.
    """

    def access(self, *_request_and_response: Any) -> None:  # noqa: ANN401  # gunicorn's objects
        """Write nothing."""
