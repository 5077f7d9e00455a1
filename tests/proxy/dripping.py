"""One address that begins many uploads and goes on with each byte by byte."""

import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from tests.proxy.nginx import Proxy

UPLOAD = "/api/public/pre-alerts/v1/upload"
LENGTH = 40 * 1024 * 1024
"""Bytes that each body announces: it never ends while a test lasts."""
FIRST = b"x" * 200_000
"""What comes of each at once: more than nginx keeps in memory."""


def connected(proxy: Proxy, address: str = "127.0.0.1") -> ssl.SSLSocket:
    """A connection over TLS that comes from `address`, one of the loopback's, to be written to by hand."""
    context = ssl.create_default_context(cafile=proxy.authority)
    plain = socket.create_connection(("127.0.0.1", proxy.https_port), timeout=60, source_address=(address, 0))
    return context.wrap_socket(plain, server_hostname="localhost", suppress_ragged_eofs=True)


@dataclass(frozen=True)
class Drips:
    """The connections, open while the `with` lasts."""

    connections: list[ssl.SSLSocket]

    def drip(self) -> None:
        """One more byte of each body; who was let go is passed over."""
        for connection in self.connections:
            try:
                connection.sendall(b"x")
            except OSError:
                continue

    def answers(self, number: int) -> list[bytes]:
        """The first `number` answers that there are, with their bodies; waits for them."""
        found: list[bytes] = []
        for connection in self.connections:
            connection.settimeout(0.2)
        while len(found) < number:
            for connection in list(self.connections):
                try:
                    answer = connection.recv(65536)
                except TimeoutError:
                    continue
                except OSError:
                    answer = b""
                self.connections.remove(connection)
                found += [answer] if answer else []
            assert self.connections or len(found) >= number, f"{len(found)} answers, and no more to come"
        return found


@contextmanager
def dripping(
    proxy: Proxy, number: int, address: str, headers: Mapping[str, str], path: str = UPLOAD, length: int = LENGTH,
    method: str = "POST",
) -> Iterator[Drips]:  # fmt: skip
    """`number` uploads from `address` whose heads are sent, and the first 200 kB of their bodies."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{lines}"
        f"Content-Type: multipart/form-data; boundary=BOUNDARY\r\nContent-Length: {length}\r\n\r\n"
    ).encode()
    with ExitStack() as stack:
        connections = [stack.enter_context(connected(proxy, address)) for _ in range(number)]
        for connection in connections:
            connection.sendall(head + FIRST)
        yield Drips(list(connections))
