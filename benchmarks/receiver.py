"""An endpoint that costs as little as can be, in a process of its own: TLS, keep-alive, and an answer at once or not.

python -m benchmarks.receiver CERTIFICATE_AND_KEY.pem: prints its port. POST /now is answered at
once, POST /hang never, POST /refuse with 503; GET /arrivals says when each
delivery id came, by the machine's monotonic clock.
"""

import asyncio
import json
import ssl
import sys
import time

import uvloop

_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
_REFUSAL = b"HTTP/1.1 503 Later\r\nContent-Length: 0\r\n\r\n"
_NAME = b"x-service-delivery-id: "

arrivals: dict[str, float] = {}


class Endpoint(asyncio.Protocol):
    """One connection. As much HTTP as our own client and `http.client` speak, and no more."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: asyncio.Transport = transport  # type: ignore[assignment]  # asyncio's hint is its base class
        self._buffer = b""

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            head = self._buffer[:end].lower()
            at = head.find(b"content-length: ")
            length = int(head[at + 16 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            if len(self._buffer) < end + 4 + length:
                return
            self._buffer = self._buffer[end + 4 + length :]
            self._answer(head)

    def _answer(self, head: bytes) -> None:
        if head.startswith(b"get /arrivals"):
            body = json.dumps(arrivals).encode()
            self._transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
            return
        at = head.find(_NAME)
        arrivals[head[at + len(_NAME) :].split(b"\r\n", 1)[0].decode()] = time.monotonic()
        if head.startswith(b"post /refuse"):
            self._transport.write(_REFUSAL)
        elif not head.startswith(b"post /hang"):
            self._transport.write(_ANSWER)


async def serve(certificate: str) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server = await asyncio.get_running_loop().create_server(Endpoint, "127.0.0.1", 0, ssl=context, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(sys.argv[1]))
