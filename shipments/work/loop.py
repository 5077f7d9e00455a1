"""What the worker does: one piece of each queue in turn, so that a long one delays no other."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import structlog
from django.db import connection
from prometheus_client import Gauge

from base.db.thread import LOST
from base.exposition import Heartbeat
from shipments.carriers import parking, processing
from shipments.intake import jobs
from shipments.privacy import erasing
from shipments.tracking import bulk


@dataclass(frozen=True, slots=True)
class Queue:
    """work: does one piece, and returns whether there may be more. pause_seconds: the least pause after the last."""

    name: str
    pause_seconds: float
    work: Callable[[], bool]


def queues(*, chores: Callable[[], bool]) -> Sequence[Queue]:
    """chores: looks after those that are done by the clock."""
    return (
        Queue("upload_jobs", 1, jobs.read_next),
        Queue("bulk_moves", 1, bulk.work),
        Queue("erasures", 0, erasing.go_on),  # after the uploads of the same turn
        Queue("carrier_receipts", 1, processing.repeat_next),
        Queue("carrier_parking", 5, parking.joiner()),
        Queue("chores", 5, chores),
    )


HEARTBEAT = Gauge("prealerts_worker_heartbeat_timestamp_seconds", "When this worker last looked for work successfully.")
_PAUSE_SECONDS = 1.0

log = structlog.get_logger(__name__)


class Worker:
    """Works on the queues until stopped; with `once`, until nothing is left."""

    def __init__(
        self, queues: Sequence[Queue], *, once: bool = False, heartbeat_file: str = "", is_watched: bool = True
    ) -> None:
        """is_watched: whether its turns are the heartbeat of the process. Only one of several in a process is."""
        self._queues = queues
        self._once = once
        self._due_at = dict.fromkeys((queue.name for queue in queues), 0.0)
        self._stopping = threading.Event()
        self._heartbeat = Heartbeat(heartbeat_file, HEARTBEAT) if is_watched else None
        self._is_lost = False

    def stop(self) -> None:
        """Finish the piece in hand, begin nothing new, then return from `run`."""
        self._stopping.set()

    def run(self) -> None:
        """Work until stopped. Raises the database's error if it is unavailable when stopped."""
        while not self._stopping.is_set():
            try:
                has_more = self._turn()
            except LOST as error:
                self._handle_loss(error)
                continue
            if self._is_lost:
                log.info("database available again")
                self._is_lost = False
            if has_more:
                continue
            if self._once:
                return
            self._stopping.wait(_PAUSE_SECONDS)

    def _turn(self) -> bool:
        """Do one piece of each queue that is due. Returns whether any may have more."""
        has_more = False
        for queue in self._queues:
            if self._stopping.is_set() or time.monotonic() < self._due_at[queue.name]:
                continue
            if queue.work():
                has_more = True
            else:
                self._due_at[queue.name] = time.monotonic() + queue.pause_seconds
            if self._heartbeat:
                self._heartbeat.beat()
        return has_more

    def _handle_loss(self, error: Exception) -> None:
        connection.close()
        if not self._is_lost:
            log.warning("database unavailable", exc_info=error)
            self._is_lost = True
        if self._stopping.wait(_PAUSE_SECONDS):
            raise error
