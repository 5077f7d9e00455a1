"""A real SMTP server on this machine that keeps what it takes, and does with it what a test says."""

import asyncio
import email
import email.policy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

TAKEN = "250 OK"


@dataclass
class Post:
    """taken: what the server took, by its readers. refused: its answers to readers. data: its answer to a message.

    delay: seconds before that answer. seen: how many messages it got, taken or not.
    """

    taken: list[EmailMessage] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    data: str = TAKEN
    delay: float = 0
    seen: int = 0
    port: int = 0

    async def handle_RCPT(  # noqa: N802  # aiosmtpd's names
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        if address in self.refused:
            return self.refused[address]
        envelope.rcpt_tos.append(address)
        return TAKEN

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802  # as above
        self.seen += 1
        answer = self.data
        if self.delay:
            await asyncio.sleep(self.delay)
        if answer == TAKEN:
            message: Any = email.message_from_bytes(
                bytes(envelope.original_content or b""), policy=email.policy.default
            )
            self.taken.append(message)
        return answer

    @property
    def settings(self) -> dict[str, Any]:
        return {"host": "127.0.0.1", "port": self.port, "username": "", "password": "", "use_tls": False,
                "use_ssl": False}  # fmt: skip

    @property
    def readers(self) -> list[str]:
        return [str(message["To"]) for message in self.taken]


class _OnFreePort(Controller):
    """Of one that the system chooses."""

    def _trigger_server(self) -> None:
        self.port = self.server.sockets[0].getsockname()[1]  # type: ignore[union-attr]  # it is started
        super()._trigger_server()  # type: ignore[no-untyped-call]  # aiosmtpd has few types


@contextmanager
def post_office(port: int = 0, **options: Any) -> Iterator[Post]:
    """options: the controller's, such as `ssl_context` for TLS from the first byte."""
    post = Post()
    controller = _OnFreePort(post, hostname="127.0.0.1", port=port, **options)
    controller.start()
    try:
        post.port = controller.port
        yield post
    finally:
        controller.stop()


def text_of(message: EmailMessage, kind: str = "plain") -> str:
    part = message.get_body((kind,))
    assert part is not None
    return str(part.get_content())


def link_in(message: EmailMessage, part: str) -> str:
    """The path of the link whose path contains `part`."""
    (link,) = {word for word in text_of(message).split() if word.startswith("http") and part in word}
    return link.partition("://")[2].partition("/")[1] + link.partition("://")[2].partition("/")[2]
