"""The web server's worker: gunicorn's threads, and one thing more when it stops."""

from gunicorn.workers.gthread import ThreadWorker


class DrainingWorker(ThreadWorker):  # type: ignore[misc]  # untyped in its library
    """Let go of the listening socket as soon as no new request is to be taken.

    gunicorn's own worker keeps it open until the last request under way is answered. Until then the kernel goes on
    accepting connections that nobody will ever read: a proxy would wait on them, up to `graceful_timeout`, where it
    should hear "refused" at once and turn to another replica.
    """

    def set_accept_enabled(self, enabled: bool) -> None:  # noqa: FBT001  # the signature is gunicorn's
        """Called with False for good once `alive` is over."""
        super().set_accept_enabled(enabled)
        if not enabled and not self.alive:
            for listener in self.sockets:
                listener.close()
