"""Clients that keep sending requests, and the responses they get."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

from faults.observation.witness import Witness, status


@dataclass
class Responses:
    """The clients' responses: (time received, status or None for a broken connection, duration in seconds)."""

    heard: list[tuple[float, int | None, float]] = field(default_factory=list)

    def statuses(self, since: float = 0.0) -> Counter[int | None]:
        """Counts by status of the requests sent after `since` (monotonic)."""
        return Counter(each for at, each, took in self.heard if at - took >= since)

    def last_failure(self, since: float) -> float:
        """When the last request that failed was answered; `since` if none was after that."""
        return max((at for at, code, _took in self.heard if code not in {200, 201} and at > since), default=since)

    def is_calm(self, since: float, seconds: float = 2) -> bool:
        """Whether for so long after the last failure since then reads and uploads succeeded."""
        calm = self.last_failure(since) + seconds
        return {200, 201} <= {code for at, code, _took in self.heard if at > calm}

    def slowest(self, since: float = 0.0) -> float:
        return max((took for at, _status, took in self.heard if at - took >= since), default=0.0)


@contextmanager
def load(witness: Witness, *, readers: int = 3, uploaders: int = 1) -> Iterator[Responses]:
    """Clients read the list and upload new manifests until the block ends; `witness` records them."""
    responses, end = Responses(), threading.Event()

    def client(ask: Callable[[], object]) -> None:
        while not end.is_set():
            started = time.monotonic()
            heard = status(ask())  # type: ignore[arg-type]  # both give a response or None
            now = time.monotonic()
            responses.heard.append((now, heard, now - started))
            if heard is None:
                time.sleep(0.02)  # a refused connection comes back at once

    asked: list[Callable[[], object]] = [lambda: witness.get("/mawbs")] * readers + [witness.upload] * uploaders
    with ThreadPoolExecutor(len(asked)) as pool:
        running: list[Future[None]] = [pool.submit(client, ask) for ask in asked]
        try:
            yield responses
        finally:
            end.set()
        for each in running:
            each.result()
