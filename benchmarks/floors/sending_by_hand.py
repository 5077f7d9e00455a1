"""The floor of deliveries: the same work by hand, with aiohttp and two statements for each lot.

It has no lease, no limit of a subscription, no check of the address, no retry and no log line.
"""

import asyncio
import ssl
import time
from typing import Any

import aiohttp
import psycopg
import uvloop

LOT = 500
"""Rows of a claim, and POSTs in flight."""
SECRET = "s3cret-of-the-benchmark"  # noqa: S105  # invented

CLAIM = """
    UPDATE webhooks_delivery d SET state = 'sending', claim_id = gen_random_uuid(),
        claimed_at = statement_timestamp(), attempts = attempts + 1
    FROM webhooks_subscription s
    WHERE s.id = d.subscription_id AND d.id IN (
        SELECT id FROM webhooks_delivery WHERE state = 'pending' ORDER BY id LIMIT %s FOR UPDATE SKIP LOCKED
    )
    RETURNING d.id, s.url, d.uuid, d.body
"""
RECORD = """
    UPDATE webhooks_delivery d SET state = 'delivered', finished_at = statement_timestamp(), attempted_at = claimed_at,
        http_status = found.status, duration_ms = found.milliseconds, excerpt = found.excerpt
    FROM unnest(%s::bigint[], %s::int[], %s::int[], %s::text[]) AS found(id, status, milliseconds, excerpt)
    WHERE d.id = found.id
"""


async def _sent(session: aiohttp.ClientSession, row: tuple[Any, ...]) -> tuple[int, int, int, str]:
    number, url, uuid, body = row
    headers = {
        "Content-Type": "application/json",
        "Authorization": f"Bearer {SECRET}",
        "X-Service-Delivery-Id": str(uuid),
    }
    began = time.perf_counter()
    async with session.post(url, data=body, headers=headers) as response:
        text = await response.text()
    return number, response.status, round((time.perf_counter() - began) * 1000), text


def send_all(url: str, bundle: str) -> tuple[float, int]:
    """Send all pending deliveries of a database; seconds, and how many. bundle: the certificates to trust."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_send_all(url, bundle))


async def _send_all(url: str, bundle: str) -> tuple[float, int]:
    context = ssl.create_default_context(cafile=bundle)
    done = 0
    async with (
        await psycopg.AsyncConnection.connect(url, autocommit=True) as connection,
        aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=LOT, ssl=context)) as session,
    ):
        began = time.perf_counter()
        while rows := await (await connection.execute(CLAIM, [LOT])).fetchall():
            results = await asyncio.gather(*(_sent(session, row) for row in rows))
            await connection.execute(RECORD, [list(column) for column in zip(*results, strict=True)])
            done += len(rows)
        return time.perf_counter() - began, done
