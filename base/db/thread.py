"""A thread that queries the database for an event loop, and reconnects whenever the connection is lost."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import structlog
from django.db import InterfaceError, InternalError, OperationalError, connection

LOST = (OperationalError, InterfaceError, InternalError)
"""Errors of a database that restarts, fails over, is locked or unreachable; only these are retried."""

_PAUSES = (0.05, 0.1, 0.25, 0.5, 1.0)

T = TypeVar("T")
log = structlog.get_logger(__name__)


class Database:
    """One thread with one Django connection; the work of one caller at a time."""

    def __init__(self, name: str) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._patience_ends: float | None = None

    def be_patient(self, seconds: float) -> None:
        """From now on, raise if the database stays unavailable for longer."""
        self._patience_ends = time.monotonic() + seconds

    async def once(self, work: Callable[..., T], *args: object) -> T:
        """Run `work(*args)` in the thread. Raises one of `LOST`, after dropping the connection, if the database is
        lost."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._attempt, work, args)

    async def run(self, work: Callable[..., T], *args: object) -> T:
        """Run `work(*args)` until it succeeds. `work` must be safe to repeat."""
        failures = 0
        while True:
            try:
                done = await self.once(work, *args)
            except LOST as error:
                if self._patience_ends is not None and time.monotonic() > self._patience_ends:
                    raise
                if failures == 0:
                    log.warning("database unavailable", work=work.__name__, exc_info=error)
                await asyncio.sleep(_PAUSES[min(failures, len(_PAUSES) - 1)])
                failures += 1
            else:
                if failures:
                    log.info("database available again", failures=failures)
                return done

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, _disconnect)
        self._thread.shutdown()

    @staticmethod
    def _attempt(work: Callable[..., T], args: tuple[object, ...]) -> T:
        try:
            return work(*args)
        except LOST:
            connection.close()
            raise


def _disconnect() -> None:
    """Runs in the thread, since `connection` is local to each."""
    connection.close()
