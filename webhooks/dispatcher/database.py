"""A thread that talks to the database for an event loop, and comes back after every loss of it."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import structlog
from django.db import InterfaceError, InternalError, OperationalError, connection

LOST = (OperationalError, InterfaceError, InternalError)
"""What a database raises that restarts, fails over, is locked or unreachable: worth another try, and only these."""

_PAUSES = (0.05, 0.1, 0.25, 0.5, 1.0)

T = TypeVar("T")
log = structlog.get_logger(__name__)


class Database:
    """One thread with one Django connection; the work of one caller at a time."""

    def __init__(self, name: str) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._patience_ends: float | None = None

    def be_patient(self, seconds: float) -> None:
        """From now on give up, and raise, when the database stays away for longer."""
        self._patience_ends = time.monotonic() + seconds

    async def once(self, work: Callable[..., T], *args: object) -> T:
        """`work(*args)` in the thread. Raises one of `LOST`, after dropping the connection, when the database is."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._attempt, work, args)

    async def run(self, work: Callable[..., T], *args: object) -> T:
        """`work(*args)`, again and again until the database takes it: `work` must not mind being done twice."""
        failures = 0
        while True:
            try:
                done = await self.once(work, *args)
            except LOST as error:
                if self._patience_ends is not None and time.monotonic() > self._patience_ends:
                    raise
                if failures == 0:
                    log.warning("the database is away", work=work.__name__, exc_info=error)
                await asyncio.sleep(_PAUSES[min(failures, len(_PAUSES) - 1)])
                failures += 1
            else:
                if failures:
                    log.info("the database is back", failures=failures)
                return done

    async def close(self) -> None:
        """Close the connection and end the thread."""
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
    """In the thread: `connection` is another one in each."""
    connection.close()
