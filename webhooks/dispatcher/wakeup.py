"""What wakes the dispatcher: PostgreSQL's NOTIFY, and a look at the clock where there is none or it was missed."""

import asyncio
from collections.abc import Callable
from typing import Never

import psycopg
import structlog
from django.db import connection
from psycopg.sql import SQL, Identifier

from webhooks.outbox import CHANNEL

POLL_SECONDS = {"postgresql": 1.0, "sqlite": 0.2}
"""How often to look without being woken. On SQLite this is what an idle system's latency is made of."""
_RECONNECT_SECONDS = 1.0

log = structlog.get_logger(__name__)


async def listen(wake: Callable[[], None]) -> Never:
    """Call `wake` whenever something was published, until cancelled; PostgreSQL only.

    A connection of its own, in the event loop, made anew whenever it is lost. Behind a pooler that hands out a
    connection for one transaction only nothing is heard; polling remains.
    """
    parameters = connection.get_connection_params()
    # Django's own cursors and adapters: of no use to a connection that only listens.
    for name in ("cursor_factory", "context"):
        parameters.pop(name, None)
    while True:
        try:
            async with await psycopg.AsyncConnection.connect(**parameters, autocommit=True) as listening:
                await listening.execute(SQL("LISTEN {}").format(Identifier(CHANNEL)))
                wake()  # for what was published while nobody listened
                async for _notification in listening.notifies():
                    wake()
        except psycopg.Error as error:
            log.warning("not listening; polling until the connection is back", exc_info=error)
        await asyncio.sleep(_RECONNECT_SECONDS)
