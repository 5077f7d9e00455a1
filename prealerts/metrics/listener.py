"""`GET /metrics` on an address of its own, which no proxy in front passes on and no client can reach.

gunicorn listens there beside the API's address and its workers serve both; the address at which a request came in
decides, never a header. On the API's own address there is no /metrics.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from prealerts.metrics.exposition import exposition

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


def beside(application: "WSGIApplication", bind: str) -> "WSGIApplication":
    """`application`, and the metrics for what comes in at `bind` (host:port)."""
    port = int(bind.rpartition(":")[2])

    def by_address(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        if _local_port(environ) == port:
            return _answer(environ, start_response)
        return application(environ, start_response)

    return by_address


def _local_port(environ: "WSGIEnvironment") -> int:
    """The port of our end of the connection; 0 for a socket of another kind."""
    address = environ["gunicorn.socket"].getsockname()
    return int(address[1]) if isinstance(address, tuple) else 0


def _answer(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
    if environ.get("PATH_INFO") != "/metrics":
        return _plain(start_response, "404 Not Found", b"Only /metrics is here.\n")
    if environ["REQUEST_METHOD"] not in {"GET", "HEAD"}:
        return _plain(start_response, "405 Method Not Allowed", b"Only GET.\n")
    body, content_type = exposition(environ.get("HTTP_ACCEPT", ""))
    headers = [("Content-Type", content_type), ("Content-Length", str(len(body))), ("Cache-Control", "no-store")]
    start_response("200 OK", headers)
    return [body]


def _plain(start_response: "StartResponse", status: str, text: bytes) -> Iterable[bytes]:
    start_response(status, [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(text)))])
    return [text]
