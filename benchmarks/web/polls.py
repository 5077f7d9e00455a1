"""Polls of what has not changed, by ETag, against the whole answer; and the whole answer against one without a tag.

TEST_POSTGRES_URL=postgres://user@host:5432/name python -m benchmarks.web.polls
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import requests

import tests.environment  # noqa: F401  # invented secrets; before anything that reads the environment
from benchmarks import part
from benchmarks.figures import Figure, Measured
from benchmarks.scale import SCALE
from tests.books import MAWB, guide_row, workbook_bytes
from tests.live.server import BASE, Server, prepared, scratch_database, started

MAX_POLL = 0.7
"""Of the whole answer's processor time."""
MAX_TAG = 1.03
"""Of the processor time of the same answer without a tag."""
GUIDES = 60
JOURNEY = ("customs_processing", "customs_held", "customs_released", "in_transit", "out_for_delivery")
"""Of the guide that is polled, since it was registered."""
REQUESTS_A_ROUND = 20


class Cost(NamedTuple):
    """Of one request: seconds of the workers' processor time, and seconds on the clock."""

    processor: float
    clock: float


class Kind(NamedTuple):
    """What is asked in turns. path: below the API's base. untagged: the same without a tag. has_bound: for its poll."""

    name: str
    path: str
    untagged: str
    has_bound: bool


def measure(url: str) -> Measured:
    """The figures, on a scratch database beside `url`."""
    with tempfile.TemporaryDirectory() as name, scratch_database(url, Path(name)) as database_url:
        server = prepared(
            Path(name),
            database_url,
            DJANGO_SETTINGS_MODULE="benchmarks.web.settings",
            GUNICORN_CMD_ARGS="--max-requests=0",  # a worker that is replaced would take its time with it
        )
        client = server.company("BENCHPOLL")
        process = started(server)
        try:
            return Measured(_figures(server, client, process.pid))
        finally:
            process.terminate()
            process.wait(60)


def _figures(server: Server, client: dict[str, str], master: int) -> tuple[Figure, ...]:
    address = server.address
    book = workbook_bytes([guide_row(number) for number in range(1, GUIDES + 1)])
    sent = requests.post(f"{address}{BASE}/upload", files={"manifest_file": book}, headers=client, timeout=60)
    code = sent.json()["guides"][0]["tracking_code"]
    for status in JOURNEY:
        server.manage("advance_status", "--to", status, code)
    for number in range(49):
        other = workbook_bytes([guide_row(1)], mawb=f"045-{number:08d}")
        requests.post(f"{address}{BASE}/upload", files={"manifest_file": other}, headers=client, timeout=60)
    kinds = (
        Kind(f"MAWB of {GUIDES} guides", f"/mawbs/{MAWB}", f"/untagged/mawbs/{MAWB}", has_bound=True),
        Kind("guide", f"/guides/{code}", f"/untagged/guides/{code}", has_bound=True),
        Kind("list of 50 MAWBs", "/mawbs", "/untagged/mawbs", has_bound=False),
    )
    workers = [int(each) for each in Path(f"/proc/{master}/task/{master}/children").read_text("ascii").split()]
    return tuple(figure for kind in kinds for figure in _of_kind(kind, address, client, workers))


def _of_kind(kind: Kind, address: str, client: dict[str, str], workers: Sequence[int]) -> tuple[Figure, Figure]:
    whole, untagged = address + BASE + kind.path, address + kind.untagged
    with requests.Session() as session:
        first = session.get(whole, headers=client, timeout=30)
        assert first.json() == session.get(untagged, headers=client, timeout=30).json(), "the same answer"
        condition = {**client, "If-None-Match": first.headers["ETag"]}
        rounds = []
        for _ in range(SCALE.poll_rounds + 1):
            asked = ((whole, condition, 304), (whole, client, 200), (untagged, client, 200))
            rounds.append([_cost(session, *each, workers) for each in asked])
    del rounds[0]  # the workers' first
    poll, full, bare = (Cost(*map(statistics.median, zip(*costs, strict=True))) for costs in zip(*rounds, strict=True))
    polled = statistics.median(each[0].processor / each[1].processor for each in rounds)
    waited = statistics.median(each[0].clock / each[1].clock for each in rounds)
    tagged = statistics.median(each[1].processor / each[2].processor for each in rounds)
    print(f"  {kind.name}: poll {polled:.3f} (on the clock {waited:.3f}), whole with its tag {tagged:.3f}", flush=True)
    return (
        Figure(
            f"Poll of an unchanged {kind.name}, of the whole answer's processor time",
            f"{polled:.2f}",
            f"at most {MAX_POLL}" if kind.has_bound else "",
            not kind.has_bound or polled <= MAX_POLL,
            ours=f"{_said(poll)}, whole {_said(full)}; on the clock {waited:.2f}",
        ),
        Figure(
            f"GET of a {kind.name} with its ETag, of its processor time without",
            f"{tagged:.3f}",
            f"at most {MAX_TAG}",
            tagged <= MAX_TAG,
            ours=_said(full),
            floor=_said(bare),
        ),
    )


def _said(cost: Cost) -> str:
    return f"{cost.processor * 1000:.2f} ms"


def _cost(session: requests.Session, url: str, headers: dict[str, str], status: int, workers: Sequence[int]) -> Cost:
    """What one of a round of requests costs."""
    began, used = time.perf_counter(), _processor_seconds(workers)
    for _ in range(REQUESTS_A_ROUND):
        assert session.get(url, headers=headers, timeout=30).status_code == status
    clock = time.perf_counter() - began
    time.sleep(0.02)  # what a worker does after its answer is part of it
    return Cost((_processor_seconds(workers) - used) / REQUESTS_A_ROUND, clock / REQUESTS_A_ROUND)


def _processor_seconds(workers: Sequence[int]) -> float:
    """Processor time of processes, to the nanosecond: the ticks of /proc/PID/stat are as long as several requests."""
    threads = (task / "schedstat" for worker in workers for task in Path(f"/proc/{worker}/task").iterdir())
    return sum(int(each.read_text("ascii").split()[0]) for each in threads) / 1e9


if __name__ == "__main__":
    sys.exit(part.run(measure, sys.argv[1:]))
