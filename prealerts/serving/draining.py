"""gunicorn's threaded worker, with a quicker shutdown."""

from gunicorn.workers.gthread import ThreadWorker


class DrainingWorker(ThreadWorker):  # type: ignore[misc]  # untyped in its library
    """Close the listening socket as soon as no new requests are accepted.

    gunicorn's own worker keeps it open until the last request has finished. Until then the kernel accepts connections
    that are never read: a proxy would wait for them, up to `graceful_timeout`, instead of being refused at once and
    trying another replica.
    """

    def set_accept_enabled(self, enabled: bool) -> None:  # noqa: FBT001  # the signature is gunicorn's
        """Called with False once `alive` is over."""
        super().set_accept_enabled(enabled)
        if not enabled and not self.alive:
            for listener in self.sockets:
                listener.close()
