"""Marked people and marked secrets are sent in every way, valid and invalid; none may appear in logs or errors.

Aside: logs as they are written, JSON and console, DEBUG lines included; answers that refuse; pages that say something
broke; metrics; what Sentry receives; webhooks' bodies.
"""

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import Caller
from tests.leaks.marked import PEOPLE, SECRETS
from tests.prealerts.watch.listening import Listener, listening
from tests.webhooks.conftest import authority, receivers, shared_database

__all__ = ["authority", "receivers", "shared_database"]


@pytest.fixture
def ears(settings: Any, acme: Caller, rival: Caller) -> Iterator[Listener]:
    """Listens to a test, and holds everything heard against the marks."""
    with listening(settings) as listener:
        yield listener
        heard = listener.heard()
    marks = (*PEOPLE, *SECRETS, acme.password, rival.password)
    leaks = [(channel, mark) for channel, text in heard.items() for mark in marks if mark.lower() in text.lower()]
    for channel, mark in leaks:
        line = next(line for line in heard[channel].splitlines() if mark.lower() in line.lower())
        sys.stdout.write(f"{channel}: {mark}: {line[:2000]}\n")
    assert leaks == []
    assert "request" in heard["log (json)"], "nothing was heard at all"
    assert "request" in heard["log (console)"]
    assert "prealerts_http_request_duration_seconds" in heard["metrics"]
