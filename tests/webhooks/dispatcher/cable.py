"""A network cable between a dispatcher and its database, for tests to pull out and plug in again."""

import contextlib
import socket
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self


class Cable:
    """`with Cable(host, port) as cable`: what connects to `cable.port` reaches host:port, as long as it is plugged."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._ends: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._is_plugged = True
        self._lock = threading.Lock()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _break(self._listening)
        self.pull()
        for thread in self._threads:
            thread.join(10)
        self._listening.close()

    def pull(self) -> None:
        """Break every connection, and refuse new ones."""
        with self._lock:
            self._is_plugged = False
            for end in self._ends:
                _break(end)

    def plug(self) -> None:
        self._is_plugged = True

    def _start(self, work: Callable[..., None], *args: socket.socket) -> None:
        thread = threading.Thread(target=work, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _address = self._listening.accept()
                with self._lock:
                    if not self._is_plugged:
                        near.close()
                        continue
                    far = socket.create_connection(self._target)
                    self._ends += [near, far]
                self._start(_carry, near, far)


def _carry(near: socket.socket, far: socket.socket) -> None:
    """Both ways, until either end closes."""
    back = threading.Thread(target=_pump, args=(far, near), daemon=True)
    back.start()
    _pump(near, far)
    back.join()
    near.close()
    far.close()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    _break(source)
    _break(sink)


def _break(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
