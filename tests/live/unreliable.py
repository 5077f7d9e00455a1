"""A network that fails when a test says so, between a client and a service."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

Mishap = Callable[[socket.socket, bytes], None]
"""Gets the connection to the service and the request; what it does not send, never arrives. Nothing comes back."""


class Network:
    """Passes requests on, one for each connection; a POST meets the next of `mishaps`, while there are any."""

    def __init__(self, service: tuple[str, int], mishaps: list[Mishap]) -> None:
        self.asked: list[str] = []
        """The method of each request, in their order."""
        self._service, self.mishaps = service, mishaps
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(timeout=60)

    def _serve(self) -> None:
        while True:
            try:
                client, _address = self._listener.accept()
            except OSError:
                return
            with client, suppress(OSError):
                self._pass_on(client)

    def _pass_on(self, client: socket.socket) -> None:
        client.settimeout(30)
        request = _whole_request(client)
        self.asked.append(request.partition(b" ")[0].decode())
        with socket.create_connection(self._service, timeout=60) as service:
            if self.asked[-1] == "POST" and self.mishaps:
                self.mishaps.pop(0)(service, request)
                return
            service.sendall(request)
            while answer := service.recv(65536):
                client.sendall(answer)


def _whole_request(client: socket.socket) -> bytes:
    """A request with the length of its body announced; it asks the service to close after its answer."""
    request = b""
    while b"\r\n\r\n" not in request:
        request += client.recv(65536)
    head, _, body = request.partition(b"\r\n\r\n")
    lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
    lengths = [int(line.partition(b":")[2]) for line in lines if line.lower().startswith(b"content-length:")]
    while lengths and len(body) < lengths[0]:
        body += client.recv(65536)
    return b"\r\n".join([*lines, b"Connection: close", b"", body])


def lost_on_the_way(service: socket.socket, request: bytes) -> None:
    """Half of the request arrives."""
    service.sendall(request[: len(request) // 2])


def answer_lost(service: socket.socket, request: bytes) -> None:
    """The service does its work, and nobody hears of it."""
    service.sendall(request)
    while service.recv(65536):
        pass


@contextmanager
def network(service: tuple[str, int], *mishaps: Mishap) -> Iterator[Network]:
    """A network in front of `service`, gone afterwards."""
    made = Network(service, list(mishaps))
    try:
        yield made
    finally:
        made.close()
