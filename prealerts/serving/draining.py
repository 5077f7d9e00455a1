"""gunicorn's threaded worker, with a quicker shutdown, and quicker for clients that ask one thing after another."""

import select
from typing import TYPE_CHECKING, Any

from gunicorn.workers.gthread import ThreadWorker

if TYPE_CHECKING:
    from gunicorn.workers.gthread import TConn

_NEXT_REQUEST_MS = 5
"""How long a thread waits for the next request of a kept connection: longer than a client on the same network takes."""


class DrainingWorker(ThreadWorker):  # type: ignore[misc]  # untyped in its library
    """Serve the requests of a kept connection by one thread, and close the listening socket in time.

    gunicorn's own worker hands a kept connection to its main thread after each response, and the main thread hands it
    to another one with the next request, which costs some twenty system calls on locks.
    """

    def set_accept_enabled(self, enabled: bool) -> None:  # noqa: FBT001  # the signature is gunicorn's
        """Close the listening socket as soon as no new requests are accepted: with False, once `alive` is over.

        gunicorn's own worker keeps it open until the last request has finished. Until then the kernel accepts
        connections that are never read: a proxy would wait for them, up to `graceful_timeout`, instead of being refused
        at once and trying another replica.
        """
        super().set_accept_enabled(enabled)
        if not enabled and not self.alive:
            for listener in self.sockets:
                listener.close()

    def handle(self, conn: "TConn") -> Any:  # noqa: ANN401  # gunicorn's: whether the connection is kept, or a sentinel
        """Answer a request, and the next ones that arrive at once, unless other connections wait for a thread."""
        answered = super().handle(conn)
        while answered is True and self.alive and not self._has_waiting() and _has_data(conn):
            answered = super().handle(conn)
        return answered

    def _has_waiting(self) -> bool:
        in_hand = self.nr_conns - len(self.keepalived_conns) - len(self.pending_conns)
        return bool(in_hand > self.cfg.threads)


def _has_data(conn: "TConn") -> bool:
    poll = select.poll()
    poll.register(conn.sock, select.POLLIN)
    return bool(poll.poll(_NEXT_REQUEST_MS))
