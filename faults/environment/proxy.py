"""A TCP proxy between the service and its database that simulates network failures."""

import asyncio
import socket
import struct

from tests.webhooks.receivers import Receiver

_BLOCK = 65536
_LOST_AFTER_SECONDS = 0.5
"""Time for the server to act on what it received, before the connection is reset."""
_RESET = struct.pack("ii", 1, 0)
"""SO_LINGER: a connection that is closed sends RST instead of FIN, as when the network has lost it."""


class Proxy(Receiver):
    """`with Proxy(port) as proxy`: listens on `proxy.port` of 127.0.0.1 and forwards to `port`.

    loses_commit_after: on the next connection whose client has said these bytes and then COMMIT, the COMMIT is passed
        on, nothing of the server's comes back, and the connection is reset a moment later. Once; b"" for never.
    """

    def __init__(self, to_port: int) -> None:
        super().__init__(None, connection=self._forward)
        self._to_port = to_port
        self._clients: set[asyncio.StreamWriter] = set()
        self.loses_commit_after = b""
        self.commits_lost = 0

    def reset_all(self) -> None:
        """End every connection with RST."""
        for client in list(self._clients):
            self._loop.call_soon_threadsafe(client.transport.abort)

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass both directions on until one of them ends."""
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._to_port)
        self._clients.add(writer)
        is_deaf = asyncio.Event()
        directions = [
            asyncio.create_task(self._to_server(reader, far_writer, is_deaf, writer)),
            asyncio.create_task(self._to_client(far_reader, writer, is_deaf)),
        ]
        try:
            await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for direction in directions:
                direction.cancel()
            await asyncio.gather(*directions, return_exceptions=True)
            self._clients.discard(writer)
            far_writer.close()

    async def _to_server(
        self,
        reader: asyncio.StreamReader,
        server: asyncio.StreamWriter,
        is_deaf: asyncio.Event,
        client: asyncio.StreamWriter,
    ) -> None:
        has_said_it = False
        while piece := await reader.read(_BLOCK):
            has_said_it |= bool(self.loses_commit_after) and self.loses_commit_after in piece
            if has_said_it and self.loses_commit_after and b"COMMIT" in piece:
                self.loses_commit_after = b""
                self.commits_lost += 1
                is_deaf.set()
                asyncio.get_running_loop().call_later(_LOST_AFTER_SECONDS, client.transport.abort)
            server.write(piece)
            await server.drain()

    async def _to_client(
        self, reader: asyncio.StreamReader, client: asyncio.StreamWriter, is_deaf: asyncio.Event
    ) -> None:
        while piece := await reader.read(_BLOCK):
            if not is_deaf.is_set():
                client.write(piece)
                await client.drain()
