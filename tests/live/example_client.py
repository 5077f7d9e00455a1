"""The client that the documentation gives away, loaded from its file, and a server that answers it by a script."""

import importlib.util
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tools.integration_page import EXAMPLES


def _load() -> Any:
    spec = importlib.util.spec_from_file_location("example_client", EXAMPLES / "client.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for their annotations
    spec.loader.exec_module(module)
    return module


example = _load()

_SECONDS_TO_STOP = 0.01
"""How soon a script that was played to its end is noticed; the library's half a second adds up."""


class Pauses(list[float]):
    """Instead of sleeping: how long it would have been."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


@contextmanager
def scripted(*answers: tuple[int, dict[str, str], str]) -> Iterator[tuple[str, list[str]]]:
    """A server that gives these answers in turn; its address, and the requests it saw."""
    left, seen = list(answers), []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            seen.append(f"{self.command} {self.path}")
            status, headers, body = left.pop(0)
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

        do_POST = do_GET  # noqa: N815  # the library's own spelling

        def log_message(self, *_arguments: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listener:
        thread = threading.Thread(target=listener.serve_forever, args=(_SECONDS_TO_STOP,))
        thread.start()
        yield f"http://127.0.0.1:{listener.server_address[1]}", seen
        listener.shutdown()
        thread.join()


def scripted_client(address: str, pauses: Pauses) -> Any:
    return example.PreAlerts(address, "pa_live_x", sleep=pauses)
