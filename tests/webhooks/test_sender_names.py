"""Names that do not resolve, or not in time: told as what they are, and in nobody else's way."""

import asyncio
import socket
from collections.abc import Sequence

import uvloop

from tests.webhooks.posting import DEADLINE, Post, posting, with_sender
from tests.webhooks.receivers import Authority, Receiver
from webhooks.checks import tls_context
from webhooks.connector import CAres
from webhooks.sender import Sender
from webhooks.verdicts import Failure, Verdict


def test_an_unknown_name_is_a_dns_failure(post: Post) -> None:
    async def unknown(_host: str) -> Sequence[str]:
        raise OSError(None, "Domain name not found")

    verdict = post("https://nowhere.example/", lookup=unknown)
    assert (verdict.error, verdict.reason) == (Failure.DNS, "Domain name not found")


def test_a_name_server_that_never_answers_is_a_timeout(authority: Authority) -> None:
    async def go(server: str) -> Verdict:
        lookup = CAres(nameservers=[server])
        try:
            async with Sender(context=tls_context(authority.bundle), deadline=DEADLINE, lookup=lookup) as sender:
                return await sender.post(posting("https://hooks.example.com/"))
        finally:
            await lookup.close()

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            verdict = runner.run(go(f"127.0.0.1:{silent.getsockname()[1]}"))
        silent.settimeout(1)
        assert b"hooks" in silent.recv(512)  # it was asked
    assert verdict.error == Failure.TIMEOUT
    assert "name was not resolved" in verdict.reason


def test_stalled_look_ups_do_not_starve_a_healthy_name(authority: Authority, receiver: Receiver) -> None:
    async def lookup(host: str) -> Sequence[str]:
        if host == "receiver.test":
            return ["127.0.0.1"]
        await asyncio.sleep(3600)
        return []

    async def go(sender: Sender) -> Verdict:
        stalled = [asyncio.create_task(sender.post(posting(f"https://{n}.example/"))) for n in range(50)]
        await asyncio.sleep(0)
        verdict = await sender.post(posting(f"https://receiver.test:{receiver.port}/"))
        for task in stalled:
            task.cancel()
        await asyncio.gather(*stalled, return_exceptions=True)
        return verdict

    assert with_sender(authority, go, lookup=lookup).is_delivered
