"""Posts for the tests of the sender: what is sent, how long it may take, and names that resolve as a test wants."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import uvloop

from tests.webhooks.receivers import Authority
from webhooks.addresses import parse_networks
from webhooks.checks import tls_context
from webhooks.sender import Posting, Sender

DEADLINE = 0.8
"""Of a POST that is meant to run into it."""
PATIENCE = 60.0
"""Of every other: a busy machine takes seconds for a handshake."""
BODY = b'{"id":"evt_1"}'


def posting(url: str, **changes: Any) -> Posting:
    fields = {"delivery_id": "evt_1", "event_type": "guide.delivered", "body": BODY, "url": url, "secret": "s3cret"}
    return Posting(**{**fields, **changes})


Post = Callable[..., Any]


def with_sender(authority: Authority, work: Callable[[Sender], Awaitable[Any]], **options: Any) -> Any:
    """Run `work` with a sender that may reach this machine. options: the sender's."""

    async def run() -> Any:
        usual: dict[str, Any] = {
            "allowed": parse_networks(["127.0.0.0/8"]),
            "context": tls_context(authority.bundle),
            "deadline": PATIENCE,
        }
        async with Sender(**usual | options) as sender:
            return await work(sender)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(run())


def looked_up(*answers: Sequence[str]) -> Callable[[str], Awaitable[Sequence[str]]]:
    """A resolver that gives each of these answers in turn, the last one for ever."""
    left = list(answers)

    async def lookup(_host: str) -> Sequence[str]:
        return left.pop(0) if len(left) > 1 else left[0]

    return lookup
