"""An object store that is slow, or fails, when a test says so."""

import random
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.serving import make_server

from tests.buckets import ObjectStore

_ERROR = b"<Error><Code>SlowDown</Code><Message>Invented.</Message></Error>"


class Troubles:
    """What the store does wrong. `delay`: seconds before each request. `fails`: the share of requests, 0 to 1."""

    def __init__(self) -> None:
        self.delay, self.fails = 0.0, 0.0
        self._random = random.Random(39)  # noqa: S311  # the same failures in each run
        self._application = DomainDispatcherApplication(create_backend_app)

    def end(self) -> None:
        """From now on all is well."""
        self.delay, self.fails = 0.0, 0.0

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Serve one request (WSGI). Half of those that fail have been carried out: only their answer is lost."""
        time.sleep(self.delay)
        luck = self._random.random()
        if luck >= self.fails:
            return self._application(environ, start_response)  # type: ignore[no-any-return]  # untyped
        if luck < self.fails / 2:
            b"".join(self._application(environ, lambda *_arguments: None))
        else:
            environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        start_response("503 Slow Down", [("Content-Type", "application/xml")])
        return [_ERROR]


@contextmanager
def troubled_store() -> Iterator[tuple[ObjectStore, Troubles]]:
    """Serve an object store while the `with` lasts, without troubles at first."""
    troubles = Troubles()
    server = make_server("127.0.0.1", 0, troubles, threaded=True, request_handler=MotoRequestHandler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield ObjectStore(f"http://127.0.0.1:{server.server_port}"), troubles
    finally:
        server.shutdown()
        thread.join()
