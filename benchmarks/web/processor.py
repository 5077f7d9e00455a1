"""What requests cost a server: processor time of its workers, and time on the clock."""

import re
import statistics
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import requests

from tests.live.server import Server, started

AT_ONCE = 16
"""Connections of wrk."""


class Cost(NamedTuple):
    """Of one request, in seconds: the workers' processor time (user and system), and time on the clock."""

    processor: float
    clock: float


class Service(NamedTuple):
    """A running server. master: the process id of its gunicorn."""

    server: Server
    master: int

    @property
    def workers(self) -> list[int]:
        """The process ids of its workers at this moment."""
        children = Path(f"/proc/{self.master}/task/{self.master}/children")
        return [int(each) for each in children.read_text("ascii").split()]

    def processor_seconds(self) -> float:
        """Of the workers, to the nanosecond: the ticks of /proc/PID/stat are as long as several requests."""
        time.sleep(0.02)  # what a worker does after its answer is part of it
        threads = (task / "schedstat" for worker in self.workers for task in Path(f"/proc/{worker}/task").iterdir())
        return sum(int(each.read_text("ascii").split()[0]) for each in threads) / 1e9


class Asked(NamedTuple):
    """A request. path: of the service."""

    service: Service
    path: str
    headers: Mapping[str, str]

    @property
    def url(self) -> str:
        return self.service.server.address + self.path


@contextmanager
def serving(server: Server, *, configuration: str = "gunicorn.conf.py") -> Iterator[Service]:
    """Start a prepared server, and stop it afterwards."""
    process = started(server, configuration=configuration)
    try:
        yield Service(server, process.pid)
    finally:
        process.terminate()
        process.wait(60)


def cost_with_wrk(asked: Asked, seconds: int, *, is_kept: bool) -> Cost:
    """Ask as often as `AT_ONCE` connections can. is_kept: they stay open; otherwise each request opens its own."""
    headers = asked.headers if is_kept else {**asked.headers, "Connection": "close"}
    used = asked.service.processor_seconds()
    answered, rate = wrk(asked.url, headers, seconds)
    return Cost((asked.service.processor_seconds() - used) / answered, 1 / rate)


def wrk(url: str, headers: Mapping[str, str], seconds: int) -> tuple[int, float]:
    """Ask with wrk; the number of requests, and requests a second."""
    options = [option for name, value in headers.items() for option in ("-H", f"{name}: {value}")]
    command = ["wrk", "-t1", f"-c{AT_ONCE}", f"-d{seconds}s", *options, url]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "Non-2xx" not in output, output
    answered, rate = re.search(r"(\d+) requests in", output), re.search(r"Requests/sec:\s+([\d.]+)", output)
    assert answered, output
    assert rate, output
    return int(answered[1]), float(rate[1])


def cost_in_turn(asked: Asked, session: requests.Session, status: int, times: int) -> Cost:
    """Ask one after another. status: of each answer."""
    used, began = asked.service.processor_seconds(), time.perf_counter()
    for _ in range(times):
        assert session.get(asked.url, headers=asked.headers, timeout=30).status_code == status
    clock = time.perf_counter() - began
    return Cost((asked.service.processor_seconds() - used) / times, clock / times)


def median(costs: Sequence[Cost]) -> Cost:
    """Return the median of each."""
    return Cost(*map(statistics.median, zip(*costs, strict=True)))


def median_ratio(costs: Sequence[Cost], others: Sequence[Cost]) -> Cost:
    """Return the medians of `costs` by `others`, round by round."""
    return median([Cost(a.processor / b.processor, a.clock / b.clock) for a, b in zip(costs, others, strict=True)])


def said(cost: Cost) -> str:
    """Return the processor time in words."""
    return f"{cost.processor * 1000:.2f} ms"
