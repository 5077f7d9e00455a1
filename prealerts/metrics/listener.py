"""`GET /metrics` on its own address, which no proxy forwards to and no client can reach.

gunicorn listens there as well as on the API's address, and its workers serve both; the address a request arrived on
decides, never a header. On the API's own address there is no /metrics.
"""

from collections.abc import Iterable
from ipaddress import ip_address
from typing import TYPE_CHECKING

from prealerts.metrics.exposition import exposition
from webhooks.dispatcher.instruments import host_and_port

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


def beside(application: "WSGIApplication", bind: str) -> "WSGIApplication":
    """Wrap `application` to serve the metrics on `bind` (host:port). Raises `ValueError` if it is invalid."""
    host, port = host_and_port(bind)
    is_every_address = ip_address(host).is_unspecified

    def by_address(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        ours = environ["gunicorn.socket"].getsockname()  # our end of the connection; a path if it is not TCP
        if isinstance(ours, tuple) and ours[1] == port and (is_every_address or ours[0] == host):
            return _answer(environ, start_response)
        return application(environ, start_response)

    return by_address


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
