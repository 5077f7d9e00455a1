"""The dispatcher's loop: wake, claim, send, record; reap; stop gracefully."""

import asyncio
import time
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import count
from typing import Never
from uuid import uuid4

import psycopg
import structlog
from django.conf import settings
from django.db import connection
from prometheus_client import Counter, Gauge, Histogram
from psycopg.sql import SQL, Identifier

from base import encryption
from base.db.thread import LOST, Database
from base.encryption import SecretUnreadable
from base.exposition import Heartbeat
from webhooks.dispatcher import endpoint_health
from webhooks.dispatcher.claims import Claimed, claim, count_waiting, promote, put_back
from webhooks.dispatcher.reaper import Reaper, cancel_undeliverable
from webhooks.dispatcher.results import Result, record
from webhooks.dispatcher.seats import CLAIMED_AHEAD, PER_SUBSCRIPTION, Pace, Seats
from webhooks.events import delivery_id
from webhooks.models import Version
from webhooks.outbox import CHANNEL, is_notified
from webhooks.sender import DEADLINE_SECONDS, Posting, Sender
from webhooks.verdicts import Failure, Verdict

_POLL_SECONDS_LISTENING, _POLL_SECONDS_ALONE = 1.0, 0.2
"""Seconds between polls. Without notifications this is the latency of an idle system."""
_RECONNECT_SECONDS = 1.0


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


_BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600)

DELIVERIES = Counter(
    "prealerts_webhook_deliveries",
    "Deliveries finished, by outcome: delivered, cancelled, abandoned, or why it failed.",
    ["outcome"],
)
LATENCY_SECONDS = Histogram(
    "prealerts_webhook_latency_seconds",
    "Time from the event's row, written in the transaction of the change, to its POST.",
    buckets=_BUCKETS,
)
POST_SECONDS = Histogram(
    "prealerts_webhook_post_seconds", "Duration of POSTs, end to end, whatever the outcome.", buckets=_BUCKETS[:10]
)
IN_FLIGHT = Gauge("prealerts_dispatcher_held_deliveries", "Deliveries claimed but not finished by this dispatcher.")
HEARTBEAT = Gauge(
    "prealerts_dispatcher_heartbeat_timestamp_seconds", "When this dispatcher last looked for work successfully."
)


def _count(verdict: Verdict, name: str, created_at: datetime, attempted_at: datetime) -> None:
    """Record a POST. name: the delivery's public id, which leads from a slow bucket to its log line and its row."""
    exemplar = {"delivery": name}
    DELIVERIES.labels(verdict.error.value if verdict.error else "delivered").inc(exemplar=exemplar)
    # The clocks of two machines may differ.
    LATENCY_SECONDS.observe(max(0.0, (attempted_at - created_at).total_seconds()), exemplar=exemplar)
    POST_SECONDS.observe(verdict.duration_ms / 1000, exemplar=exemplar)


GATHER_SECONDS = 0.005
"""Pause between claims that found something, so that one claim fills all the seats that were freed in the meantime."""
STOP_SECONDS = 2 * DEADLINE_SECONDS
"""How long a stopping dispatcher waits for an unavailable database: two deadlines, one of them for POSTs in flight."""
DUE_SECONDS = 1.0
"""How often to look for due retries."""
REAP_EVERY, CANCEL_EVERY = 5, 60
"""After this many looks, finish the rows of dead dispatchers and end those of closed subscriptions."""

log = structlog.get_logger(__name__)


class Dispatcher:
    """Sends waiting deliveries until stopped; with `once`, until none is left.

    Rows go pending -> (claim, committed) sending -> one POST -> (record, guarded by the claim) delivered or failed, or
    waiting for the next attempt (version 2). If a dispatcher dies in between, the row stays `sending`: the reaper
    abandons it or schedules its next attempt. No row is ever sent twice at the same time.
    """

    def __init__(self, sender: Sender, *, concurrency: int, once: bool = False) -> None:
        self._sender = sender
        self._seats = Seats(concurrency)
        self._once = once
        self._is_stopping = False
        self._is_drained = False
        self._woken = asyncio.Event()
        self._has_left_over = False
        self._ahead: defaultdict[int, deque[Claimed]] = defaultdict(deque)
        self._mine: set[int] = set()
        self._results: list[Result] = []
        self._unbegun: list[Claimed] = []
        self._is_to_record = asyncio.Event()
        self._claims = Database("claims")
        # SQLite has one writer: a second thread would only wait for the lock.
        self._records = Database("records") if connection.vendor == "postgresql" else self._claims
        self._reaper = Reaper()
        self._heartbeat = Heartbeat(settings.DISPATCHER_HEARTBEAT_FILE, HEARTBEAT)
        IN_FLIGHT.set_function(lambda: self._seats.held)

    def stop(self) -> None:
        """Stop claiming, put back rows that are not started, wait for POSTs in flight, then return from `run`."""
        self._is_stopping = True
        self._woken.set()
        for database in (self._claims, self._records):
            database.be_patient(STOP_SECONDS)

    async def run(self) -> None:
        """Run until stopped or drained. Raises the database's error if it stays unavailable while stopping."""
        async with asyncio.TaskGroup() as group:
            if self._once:
                await self._tidy()
                await self._promote()
            recording = group.create_task(self._record())
            companions = [group.create_task(self._reap())]
            if is_notified() and not self._once:
                companions.append(group.create_task(listen(self._woken.set)))
            async with asyncio.TaskGroup() as self._deliveries:
                await self._claim()
                self._let_go(list(self._ahead))
            self._is_drained = True
            self._is_to_record.set()
            await recording
            for companion in companions:
                companion.cancel()
        for database in {self._claims, self._records}:
            await database.close()

    async def _claim(self) -> None:
        seconds = poll_seconds()
        while not self._is_stopping:
            self._woken.clear()
            try:
                claimed = await self._claim_turn()
            except LOST:
                return  # gave up while stopping; POSTs in flight may still finish
            if claimed:
                await asyncio.sleep(GATHER_SECONDS)
                continue
            if self._once and not self._mine and not self._has_left_over:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._woken.wait()

    async def _claim_turn(self) -> int:
        """Fill the free seats; return how many rows were claimed."""
        if self._seats.are_taken:
            self._has_left_over = True
            return 0
        full = self._seats.full()
        found, failing = await self._claims.run(count_waiting, full, PER_SUBSCRIPTION + CLAIMED_AHEAD)
        self._heartbeat.beat()
        rooms = self._seats.allot(found, failing)
        self._has_left_over = bool(full) or any(rooms.get(key, 0) < rows for key, rows in found.items())
        rows = await self._claim_rows(rooms) if rooms and not self._is_stopping else []
        for row in rows:
            self._mine.add(row.id)
            self._seats.claim(row.subscription_id)
            self._ahead[row.subscription_id].append(row)
        for key in {row.subscription_id for row in rows}:
            self._begin(key)
        return len(rows)

    async def _claim_rows(self, rooms: dict[int, int]) -> Sequence[Claimed]:
        claim_id = uuid4()
        try:
            return await self._claims.once(claim, rooms, claim_id)
        except LOST as error:
            # It may have been committed anyway. None of it was started, and no other process has this claim.
            log.warning("claim lost; putting it back", exc_info=error)
            await self._claims.run(put_back, [claim_id])
            self._has_left_over = True
            self._woken.set()
            return []

    def _begin(self, key: int) -> None:
        ahead = self._ahead[key]
        while ahead and not self._is_stopping and self._seats.may_begin(key):
            self._seats.begin(key)
            self._deliveries.create_task(self._deliver(ahead.popleft()))

    async def _deliver(self, row: Claimed) -> None:
        # The database's clock, continued by the monotonic one: this machine's clock may be wrong or be changed.
        attempted_at = row.claimed_at + timedelta(seconds=time.monotonic() - row.taken_at)
        verdict = await self._send(row, attempted_at)
        _count(verdict, delivery_id(row.uuid), row.created_at, attempted_at)
        finished_at = attempted_at + timedelta(milliseconds=verdict.duration_ms)
        self._results.append(Result(row, attempted_at, finished_at, verdict))
        self._is_to_record.set()
        key = row.subscription_id
        pace = self._seats.finish(
            key,
            duration_ms=verdict.duration_ms,
            has_timed_out=verdict.error is Failure.TIMEOUT,
            has_failed=row.is_retried and not verdict.is_delivered,
        )
        if pace is Pace.HANGING or (key in self._ahead and not all(ahead.is_fresh for ahead in self._ahead[key])):
            self._let_go([key])
        self._begin(key)
        if self._has_left_over or self._once:
            self._woken.set()

    async def _send(self, row: Claimed, attempted_at: datetime) -> Verdict:
        name = delivery_id(row.uuid)
        try:
            posting = _posting(name, row, attempted_at)
        except SecretUnreadable as unreadable:
            verdict = Verdict(duration_ms=0, error=Failure.SECRET_UNREADABLE, reason=unreadable.message)
        else:
            verdict = await self._sender.post(posting)
        if not verdict.is_delivered:
            log.info(
                "a delivery failed", delivery=name, attempt=row.attempt, subscription=row.subscription_id,
                error=verdict.error, http_status=verdict.http_status, duration_ms=verdict.duration_ms,
            )  # fmt: skip
        return verdict

    def _let_go(self, keys: Sequence[int]) -> None:
        """Put back rows of these that were claimed ahead but are not started."""
        for key in keys:
            rows = self._ahead.pop(key, ())
            if rows:
                self._unbegun += rows
                self._seats.put_back(key, len(rows))
                self._is_to_record.set()

    async def _record(self) -> None:
        while not self._is_drained or self._results or self._unbegun:
            await self._is_to_record.wait()
            self._is_to_record.clear()
            results, self._results = self._results, []
            unbegun, self._unbegun = self._unbegun, []
            if results:
                written = await self._records.run(record, results)
                await self._records.run(endpoint_health.note, results)
                if late := len(results) - written:
                    log.warning("results came too late; another process has finished the rows", rows=late)
            if unbegun:
                await self._records.run(put_back, {row.claim_id for row in unbegun}, {row.id for row in unbegun})
            self._mine.difference_update(result.row.id for result in results)
            self._mine.difference_update(row.id for row in unbegun)
            if unbegun or self._once:
                self._woken.set()

    async def _reap(self) -> None:
        for turn in count():
            if turn % CANCEL_EVERY == 0:
                await self._tidy()
            elif turn % REAP_EVERY == 0:
                await self._abandon()
            await self._promote()
            await asyncio.sleep(DUE_SECONDS)

    async def _tidy(self) -> None:
        # In parts, so that results are recorded in between. If they waited for 30 s, another dispatcher would treat
        # rows that were sent long ago as those of a dead one.
        cancelled = 0
        while part := await self._records.run(cancel_undeliverable):
            cancelled += part
        if cancelled:
            log.info("cancelled deliveries of closed subscriptions", rows=cancelled)
            DELIVERIES.labels("cancelled").inc(cancelled)
        await self._abandon()

    async def _abandon(self) -> None:
        if abandoned := await self._records.run(self._reaper.abandon, list(self._mine)):
            log.warning("abandoned deliveries of a dead dispatcher; the outcome is unknown", rows=abandoned)
            DELIVERIES.labels("abandoned").inc(abandoned)
        if sent_again := await self._records.run(self._reaper.send_again, list(self._mine)):
            log.warning("retrying deliveries of a dead dispatcher; the outcome is unknown", rows=sent_again)

    async def _promote(self) -> None:
        if await self._records.run(promote):
            self._woken.set()


def _posting(name: str, row: Claimed, attempted_at: datetime) -> Posting:
    """Return what to send. Raises `SecretUnreadable`."""
    secret = _unseal(row.sealed_secret)
    if row.version == Version.V1:
        return Posting(name, row.event_type, row.body, row.url, secret)
    before = _unseal(row.sealed_previous_secret).split() if row.sealed_previous_secret else ()
    began = int(attempted_at.timestamp())
    return Posting(name, row.event_type, row.body, row.url, signing_secrets=(secret, *before), timestamp=began)


@lru_cache(maxsize=4096)
def _unseal(sealed: str) -> str:
    """Cached, because decrypting costs more than the rest of a claim; a rotated secret is a new ciphertext."""
    return encryption.unseal(sealed)
