"""Hear a client out whose request was answered before all of it was read.

A refusal often needs no body: a wrong password, a length over the limit. To close the connection then, with bytes of
the body still unread, resets it, and a reset takes answers that the client has not read yet along: a proxy told some
of its clients 503 where we had said 400 or 401. The server itself reads on for 64 KiB; our bodies are larger.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

LONGEST = 42 * 1024 * 1024
"""Bytes: two files of 20 MB and what stands around them. Who announces more is no client of ours."""
SECONDS = 2.0
"""How long at most; a proxy that has the whole body sends it in a fraction of one."""
_PIECE = 64 * 1024


def heard_out(application: "WSGIApplication") -> "WSGIApplication":
    """Read what is left of an announced body once the answer is out, so that the answer arrives."""

    def hearing_out(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        # Asked for here: what stands inside may write another length for itself.
        announced = environ.get("CONTENT_LENGTH") or "0"
        answer = application(environ, start_response)
        if announced.isdecimal() and 0 < int(announced) <= LONGEST:
            return _HeardOut(answer, environ)
        return answer

    return hearing_out


class _HeardOut:
    """An answer; its `close`, which the server calls once the answer is written, reads the rest of the request."""

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
            # Who is gone or stalls has nothing to hear any more.
            with suppress(OSError):
                _read_on(self._environ["wsgi.input"], self._environ.get("gunicorn.socket"))


def _read_on(body: Any, connection: Any) -> None:  # noqa: ANN401  # the server's own objects
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
