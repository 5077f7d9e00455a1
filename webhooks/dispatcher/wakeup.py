"""Waking the dispatcher: PostgreSQL's NOTIFY, and polling where there is none or it was missed."""

import asyncio
from collections.abc import Callable
from typing import Never

import psycopg
import structlog
from django.conf import settings
from django.db import connection
from psycopg.sql import SQL, Identifier

from webhooks.outbox import CHANNEL

_POLL_SECONDS_LISTENING, _POLL_SECONDS_ALONE = 1.0, 0.2
"""Seconds between polls. Without notifications this is the latency of an idle system."""
_RECONNECT_SECONDS = 1.0

log = structlog.get_logger(__name__)


def is_notified() -> bool:
    """Whether notifications arrive: PgBouncer in transaction mode has no connection that could listen."""
    return connection.vendor == "postgresql" and not settings.BEHIND_PGBOUNCER


def poll_seconds() -> float:
    """Seconds to wait for a notification before looking for work anyway."""
    return _POLL_SECONDS_LISTENING if is_notified() else _POLL_SECONDS_ALONE


async def listen(wake: Callable[[], None]) -> Never:
    """Call `wake` whenever something is published, until cancelled; only where `is_notified`.

    Uses its own connection in the event loop and reconnects when it is lost.
    """
    parameters = connection.get_connection_params()
    # Django's cursors and adapters, which a listening connection does not need.
    for name in ("cursor_factory", "context"):
        parameters.pop(name, None)
    while True:
        try:
            async with await psycopg.AsyncConnection.connect(**parameters, autocommit=True) as listening:
                await listening.execute(SQL("LISTEN {}").format(Identifier(CHANNEL)))
                wake()  # for events published in the meantime
                async for _notification in listening.notifies():
                    wake()
        except psycopg.Error as error:
            log.warning("not listening; polling until reconnected", exc_info=error)
        await asyncio.sleep(_RECONNECT_SECONDS)
