"""Which address a request came in at decides whether it is for the metrics; nothing a caller sends does."""

from types import SimpleNamespace
from typing import Any

import pytest

from prealerts.metrics import exposition


@pytest.mark.parametrize(
    ("bind", "address", "is_for_metrics"),
    [
        ("127.0.0.1:9108", ("127.0.0.1", 9108), True),
        ("127.0.0.1:9108", ("127.0.0.1", 8000), False),
        ("10.0.0.1:8000", ("10.0.0.2", 8000), False),  # the API on the same port of another interface
        ("0.0.0.0:9108", ("10.0.0.2", 9108), True),
        ("[::1]:9108", ("::1", 9108, 0, 0), True),
        ("127.0.0.1:9108", "/run/prealerts.sock", False),
        ("127.0.0.1:9108", "", False),
    ],
)
def test_the_local_end_of_the_connection_decides(
    monkeypatch: pytest.MonkeyPatch, bind: str, address: Any, is_for_metrics: object
) -> None:
    monkeypatch.setattr(exposition, "exposition", lambda _accept: (b"metrics", "text/plain"))
    both = exposition.beside(lambda _environ, _start_response: [b"api"], bind)
    environ = {
        "gunicorn.socket": SimpleNamespace(getsockname=lambda: address),
        "PATH_INFO": "/metrics",
        "REQUEST_METHOD": "GET",
        "SERVER_PORT": "9108",
        "HTTP_HOST": bind,
    }
    answer = b"".join(both(environ, lambda *_: None))  # type: ignore[arg-type]  # nobody reads the head
    assert answer == (b"metrics" if is_for_metrics else b"api")


@pytest.mark.parametrize("bind", ["9108", "localhost:9108", "127.0.0.1:", "127.0.0.1:99999"])
def test_what_is_not_an_address_and_port_does_not_start(bind: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # three libraries say so, each in its own words
        exposition.beside(lambda _environ, _start_response: [], bind)
