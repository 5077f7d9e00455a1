"""Connections are used again where that is safe, and only there."""

import asyncio
import threading
from typing import Any

import pytest

from tests.webhooks.posting import DEADLINE, Post, posting, with_sender
from tests.webhooks.receivers import Authority, Receiver, raw
from tests.webhooks.running import wait_until
from webhooks import connector
from webhooks.sender import Sender
from webhooks.verdicts import Failure, Verdict


def test_a_connection_is_used_again(post: Post, receiver: Receiver) -> None:
    assert all(verdict.is_delivered for verdict in post(*[receiver.url] * 5))
    assert receiver.connections == 1
    assert len(receiver.received) == 5


def test_an_idle_connection_is_closed_by_us_before_receivers_do(
    authority: Authority, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connector, "IDLE_SECONDS", 0.1)

    async def post_twice(sender: Sender) -> tuple[Verdict, Verdict]:
        first = await sender.post(posting(receiver.url))
        await asyncio.sleep(0.2)
        return first, await sender.post(posting(receiver.url))

    assert all(verdict.is_delivered for verdict in with_sender(authority, post_twice))
    assert receiver.connections == 2


def test_a_receiver_that_closes_after_each_answer_loses_nothing(post: Post, receivers: Any) -> None:
    receiver = receivers(raw(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", then="close"))
    assert all(verdict.is_delivered for verdict in post(*[receiver.url] * 3))


def test_a_connection_that_the_receiver_let_go_without_a_word_is_not_used_again(
    authority: Authority, receivers: Any
) -> None:
    """It keeps alive, and closes after a moment of silence, as servers with a short patience do."""
    receiver = receivers(raw(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", pause=0.2, then="close"))

    async def post_thrice(sender: Sender) -> list[Verdict]:
        verdicts = []
        for _delivery in range(3):
            verdicts.append(await sender.post(posting(receiver.url)))
            await asyncio.to_thread(wait_until, lambda: receiver.ended == len(verdicts))
            await asyncio.sleep(0.2)  # to hear of it
        return verdicts

    assert all(verdict.is_delivered for verdict in with_sender(authority, post_thrice))
    assert receiver.connections == 3


def test_an_answer_that_nobody_asked_for_is_not_taken_for_the_next_ones(authority: Authority, receivers: Any) -> None:
    """Two answers to the first POST: the second POST must not be delivered by what came before it."""
    seen, answered_twice = 0, threading.Event()

    async def twice_then_never(_request: Any, writer: Any) -> None:
        nonlocal seen
        seen += 1
        if seen == 1:
            for _answer in range(2):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                await writer.drain()
                await asyncio.sleep(0.1)
            answered_twice.set()
        else:
            await asyncio.sleep(3600)

    receiver = receivers(twice_then_never)

    async def post_twice(sender: Sender) -> tuple[Verdict, Verdict]:
        first = await sender.post(posting(receiver.url))
        assert await asyncio.to_thread(answered_twice.wait, 60)
        await asyncio.sleep(0.2)  # to hear of it
        return first, await sender.post(posting(receiver.url))

    first, second = with_sender(authority, post_twice, deadline=DEADLINE)
    assert first.is_delivered
    assert second.error == Failure.TIMEOUT
