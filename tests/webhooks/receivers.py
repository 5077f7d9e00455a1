"""Endpoints as clients have them, and as they ought not to: real sockets, real TLS, in a thread of their own."""

import asyncio
import contextlib
import functools
import socket
import ssl
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import trustme

Connection = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Received:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    at: float = field(default_factory=time.monotonic)


Behaviour = Callable[[Received, asyncio.StreamWriter], Awaitable[None]]


class Authority:
    """A certificate authority made for the tests, and certificates of every kind."""

    def __init__(self, directory: Path) -> None:
        self._ca = trustme.CA()
        self.bundle = str(directory / "ca.pem")
        self._ca.cert_pem.write_to_path(self.bundle)

    @functools.cache  # noqa: B019  # one authority a session
    def server(self, *names: str, **validity: Any) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._ca.issue_cert(*(names or ("localhost", "127.0.0.1", "receiver.test")), **validity).configure_cert(context)
        return context

    def certificate(self, directory: Path) -> str:
        """A file with a key and a certificate for this machine, for receivers in processes of their own."""
        file = directory / "server.pem"
        self._ca.issue_cert("127.0.0.1", "localhost").private_key_and_cert_chain_pem.write_to_path(str(file))
        return str(file)

    def client(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        self._ca.configure_trust(context)
        return context


class Receiver:
    """`with Receiver(context) as receiver`: listens on 127.0.0.1, keeps what it received, answers as told."""

    def __init__(self, context: ssl.SSLContext | None, behave: Behaviour | None = None, **options: Any) -> None:
        """behave: one request; `connection=` in options takes the whole connection over instead."""
        self.received: list[Received] = []
        self.connections = 0
        self.ended = 0
        self.behave = behave or answer()
        self._connection: Connection = options.pop("connection", self._http)
        self._context = context
        self._options = options

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}/hook"

    def wait_for(self, count: int, seconds: float = 60) -> list[Received]:
        """What was received, once it is at least `count` requests."""
        until = time.monotonic() + seconds
        while len(self.received) < count and time.monotonic() < until:
            time.sleep(0.01)
        assert len(self.received) >= count, f"only {len(self.received)} of {count} requests came"
        return list(self.received)

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(started,), daemon=True)
        self._thread.start()
        assert started.wait(60)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(60)
        assert not self._thread.is_alive()

    def _run(self, started: threading.Event) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve(started))

    async def _serve(self, started: threading.Event) -> None:
        self._stop = asyncio.Event()
        # A client that breaks off mid-handshake is what many of the tests are about.
        asyncio.get_running_loop().set_exception_handler(lambda _loop, _context: None)
        server = await asyncio.start_server(
            self._accept, "127.0.0.1", 0, ssl=self._context, backlog=1024, **self._options
        )
        self.port = server.sockets[0].getsockname()[1]
        started.set()
        await self._stop.wait()
        server.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            with contextlib.suppress(ConnectionError, ssl.SSLError, asyncio.IncompleteReadError):
                await self._connection(reader, writer)
        finally:
            writer.transport.abort()
            self.ended += 1

    async def _http(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async for request in requests(reader):
            self.received.append(request)
            await self.behave(request, writer)


@contextlib.contextmanager
def opened(authority: Authority) -> Iterator[Callable[..., Receiver]]:
    """`make(behave, context, ...)`: receivers, trusted unless `context` says otherwise; they stop with the `with`."""
    with contextlib.ExitStack() as stack:

        def make(behave: Behaviour | None = None, context: Any = "trusted", **options: Any) -> Receiver:
            tls = authority.server() if context == "trusted" else context
            return stack.enter_context(Receiver(tls, behave, **options))

        yield make


async def requests(reader: asyncio.StreamReader) -> AsyncIterator[Received]:
    """The requests on one connection, one after the other."""
    while True:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        except asyncio.IncompleteReadError:
            return
        line, *lines = head.rstrip("\r\n").split("\r\n")
        method, path, _version = line.split(" ")
        headers = {name.lower(): value.strip() for name, _colon, value in (text.partition(":") for text in lines)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        yield Received(method, path, headers, body)


def answer(status: int = 200, body: bytes = b"ok", *, after: float = 0.0, **headers: str) -> Behaviour:
    """A plain answer, after so many seconds."""

    async def behave(_request: Received, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(after)
        extra = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
        writer.write(f"HTTP/1.1 {status} Told\r\nContent-Length: {len(body)}\r\n{extra}\r\n".encode() + body)
        await writer.drain()

    return behave


async def hang(_request: Received, _writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(3600)


def raw(*pieces: bytes, pause: float = 0.0, then: str = "stall") -> Behaviour:
    """These bytes, a pause between them; then "stall", "close" or "reset"."""

    async def behave(_request: Received, writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)
        if then == "stall":
            await asyncio.sleep(3600)
        if then == "close":
            writer.close()
        raise ConnectionResetError

    return behave


def forever(head: bytes, piece: bytes, pause: float = 0.0) -> Behaviour:
    """A head, then the same piece without end."""

    async def behave(_request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        while not writer.transport.is_closing():
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)

    return behave


@contextlib.contextmanager
def unheard_port() -> Iterator[int]:
    """A port on which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        yield free.getsockname()[1]
