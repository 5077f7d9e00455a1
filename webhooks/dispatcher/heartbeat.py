"""That a dispatcher looks for work and gets an answer: in its metrics, and as a file's age for a container's check."""

from pathlib import Path

import structlog

from webhooks.dispatcher import instruments

log = structlog.get_logger(__name__)


class Heartbeat:
    """Tells of one dispatcher."""

    def __init__(self, file: str) -> None:
        """file: what is touched at each beat, made where there is none; empty for no file."""
        self._file = Path(file) if file else None

    def beat(self) -> None:
        """It looked for work just now. A file that cannot be touched is told in the log, once, and stops nothing."""
        instruments.HEARTBEAT.set_to_current_time()
        if self._file is None:
            return
        try:
            self._file.touch()
        except OSError:
            log.exception("heartbeat_not_written", file=str(self._file))
            self._file = None
