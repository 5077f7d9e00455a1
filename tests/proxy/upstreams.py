"""Applications behind the proxy that are not ours: one that notes what reaches it, one that behaves badly."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Upstream:
    """Listens on `address`; `heads` are the heads of the requests that came, in lower case."""

    address: str
    heads: list[str] = field(default_factory=list)

    def header(self, name: str) -> list[str]:
        """All values of a header in the last request."""
        lines = (line.partition(": ") for line in self.heads[-1].split("\r\n")[1:])
        return [value for key, _, value in lines if key == name.lower()]


def answer(connection: socket.socket) -> None:
    """A good answer."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: text/plain\r\n\r\nok")


def hang_up(_connection: socket.socket) -> None:
    """The connection ends without a word, as when a worker dies."""


def never_answer(connection: socket.socket) -> None:
    """Until the other side has had enough."""
    connection.recv(1)


@contextmanager
def upstream(behave: Callable[[socket.socket], None] = answer) -> Iterator[Upstream]:
    """Listen while the `with` lasts; each connection carries one request."""
    listener = socket.create_server(("127.0.0.1", 0))
    found = Upstream(f"127.0.0.1:{listener.getsockname()[1]}")

    def serve(connection: socket.socket) -> None:
        with connection:
            head = b""
            while b"\r\n\r\n" not in head:
                piece = connection.recv(65536)
                if not piece:
                    return
                head += piece
            text = head.partition(b"\r\n\r\n")[0].decode()
            found.heads.append("\r\n".join(line if ": " not in line else _lower(line) for line in text.split("\r\n")))
            behave(connection)

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:  # closed: the test is over
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield found
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def _lower(line: str) -> str:
    name, _, value = line.partition(": ")
    return f"{name.lower()}: {value}"
