"""A TCP proxy between the service and its database that simulates network failures."""

import asyncio
import socket
import struct
import threading
from types import TracebackType
from typing import Self

_BLOCK = 65536
LOST_AFTER_SECONDS = 0.5
"""Time for the server to act on what it received, before the connection is reset."""


class Proxy:
    """`with Proxy(port) as proxy`: listens on `proxy.port` of 127.0.0.1 and forwards to `port`.

    delay: seconds that each piece waits, in both directions.
    cut_after: bytes from the server after which a connection is reset; None for never.
    loses_answer_to: once the client has said these bytes, they are passed on, nothing of the server's comes back, and
        the connection is reset a moment later; once, then it is forgotten.
    of_those_who_said: only on connections whose client has said these bytes before, as a dispatcher commits too.
    """

    def __init__(self, to_port: int) -> None:
        self._to_port = to_port
        self.delay = 0.0
        self.cut_after: int | None = None
        self.loses_answer_to = b""
        self.of_those_who_said = b""
        self.answers_lost = 0
        self.connections: set[asyncio.StreamWriter] = set()

    def reset_all(self) -> None:
        """End every connection with RST."""
        self._loop.call_soon_threadsafe(self._reset_all)

    def _reset_all(self) -> None:
        for writer in list(self.connections):
            _reset(writer)

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        listening = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(listening,), daemon=True)
        self._thread.start()
        assert listening.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(10)
        assert not self._thread.is_alive()

    def _run(self, listening: threading.Event) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve(listening))

    async def _serve(self, listening: threading.Event) -> None:
        self._end = asyncio.Event()
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = int(server.sockets[0].getsockname()[1])
        listening.set()
        await self._end.wait()
        server.close()
        self._reset_all()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections.add(writer)
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._to_port)
        except OSError:
            _reset(writer)
            self.connections.discard(writer)
            return
        link = _Link(writer)
        ways = [
            asyncio.create_task(self._pass_on(reader, far_writer, link, is_client=True)),
            asyncio.create_task(self._pass_on(far_reader, writer, link, is_client=False)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)  # if one of them ends, the connection ends
            self.connections.discard(writer)
            far_writer.close()
            _reset(writer)

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, link: "_Link", *, is_client: bool
    ) -> None:
        passed = 0
        while piece := await reader.read(_BLOCK):
            await asyncio.sleep(self.delay)
            if is_client and self.of_those_who_said and self.of_those_who_said in piece:
                link.is_meant = True
            if is_client and self._loses_answer(piece, link):
                self.loses_answer_to = b""
                link.is_deaf = True
                asyncio.get_running_loop().call_later(LOST_AFTER_SECONDS, self._lose, link)
            passed += len(piece)
            if not is_client and self.cut_after is not None and passed > self.cut_after:
                return
            if is_client or not link.is_deaf:
                writer.write(piece)
                await writer.drain()

    def _loses_answer(self, piece: bytes, link: "_Link") -> bool:
        is_meant = link.is_meant or not self.of_those_who_said
        return is_meant and bool(self.loses_answer_to) and self.loses_answer_to in piece

    def _lose(self, link: "_Link") -> None:
        self.answers_lost += 1
        _reset(link.client)


class _Link:
    """One connection: its client's side, whether it said `of_those_who_said`, and whether answers are dropped."""

    def __init__(self, client: asyncio.StreamWriter) -> None:
        self.client = client
        self.is_meant = False
        self.is_deaf = False


def _reset(writer: asyncio.StreamWriter) -> None:
    """Send RST instead of FIN, as when the network has lost a connection."""
    raw = writer.get_extra_info("socket")
    if raw is not None and not writer.transport.is_closing():
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
