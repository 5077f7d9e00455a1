"""A server that answers by a script, and pauses that take no time: for the Python client."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from prealerts_client import Client

_SECONDS_TO_STOP = 0.01
"""How soon a script that was played to its end is noticed; the library's half a second adds up."""

Answer = tuple[int, dict[str, str], str]


@dataclass(frozen=True)
class SeenRequest:
    """A request that a script saw."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Pauses(list[float]):
    """Instead of sleeping: how long it would have been."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


@contextmanager
def scripted(*answers: Answer) -> Iterator[tuple[str, list[SeenRequest]]]:
    """A server that gives these answers in turn; its address, and the requests it saw."""
    left: list[Answer] = list(answers)
    seen: list[SeenRequest] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            seen.append(SeenRequest(self.command, self.path, dict(self.headers), body))
            status, headers, answered = left.pop(0)
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answered.encode())))
            self.end_headers()
            self.wfile.write(answered.encode())

        do_POST = do_PATCH = do_DELETE = do_GET  # noqa: N815  # the library's own spelling

        def log_message(self, *_arguments: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listener:
        thread = threading.Thread(target=listener.serve_forever, args=(_SECONDS_TO_STOP,))
        thread.start()
        yield f"http://127.0.0.1:{listener.server_address[1]}", seen
        listener.shutdown()
        thread.join()


def scripted_client(address: str, pauses: Pauses) -> Client:
    return Client(address, "pa_live_x", sleep=pauses)
