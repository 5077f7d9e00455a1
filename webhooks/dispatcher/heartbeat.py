"""Shows that a dispatcher reaches the database: in its metrics, and as a file's age for a container's health check."""

from pathlib import Path

import structlog

from webhooks.dispatcher import instruments

log = structlog.get_logger(__name__)


class Heartbeat:
    """The heartbeat of one dispatcher."""

    def __init__(self, file: str) -> None:
        """file: touched at each beat, created if missing; empty for none."""
        self._file = Path(file) if file else None

    def beat(self) -> None:
        """Record that it just looked for work. A file that cannot be touched is logged once and ignored."""
        instruments.HEARTBEAT.set_to_current_time()
        if self._file is None:
            return
        try:
            self._file.touch()
        except OSError:
            log.exception("heartbeat_not_written", file=str(self._file))
            self._file = None
