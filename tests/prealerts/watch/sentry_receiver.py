"""A Sentry of one's own on loopback: takes envelopes as the SDK sends them and keeps what was in them."""

import gzip
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

import sentry_sdk

_SECONDS_TO_STOP = 0.01
"""How soon the server sees that it is to stop; the library's half a second, once a test, adds up."""


class SentryReceiver:
    """`with SentryReceiver() as receiver`: `receiver.dsn` to send to, `receiver.events()` for what came."""

    def __init__(self) -> None:
        bodies: list[bytes] = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                bodies.append(gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body)
                self.send_response(200)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the signature is the library's
                pass

        self._bodies = bodies
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.dsn = f"http://public@127.0.0.1:{self._server.server_address[1]}/1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(_SECONDS_TO_STOP,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sentry_sdk.get_client().close(timeout=5)
        sentry_sdk.get_global_scope().set_client(None)
        self._server.shutdown()
        self._server.server_close()

    def raw(self) -> str:
        """Everything that came, once everything that was to be sent is sent."""
        sentry_sdk.flush(timeout=5)
        return "\n".join(body.decode() for body in self._bodies)

    def events(self) -> list[dict[str, Any]]:
        """The events that came: the last line of each envelope."""
        self.raw()
        return [json.loads(body.splitlines()[2]) for body in self._bodies]
