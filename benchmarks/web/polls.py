"""Polls of what has not changed, by ETag, against the whole answer; and the whole answer against one without a tag.

TEST_POSTGRES_URL=postgres://user@host:5432/name python -m benchmarks.web.polls
"""

import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import requests

import tests.environment  # noqa: F401  # invented secrets; before anything that reads the environment
from benchmarks import part
from benchmarks.figures import Figure, Measured
from benchmarks.scale import SCALE
from benchmarks.web.processor import Asked, Service, cost_in_turn, median, median_ratio, said, serving
from tests.books import MAWB, guide_row, workbook_bytes
from tests.live.server import BASE, WITHOUT_CHECKS, prepared

MAX_POLL = 0.7
"""Of the whole answer's processor time."""
MAX_TAG = 1.03
"""Of the processor time of the same answer without a tag."""
GUIDES = 60
JOURNEY = ("customs_processing", "customs_held", "customs_released", "in_transit", "out_for_delivery")
"""Of the guide that is polled, since it was registered."""
REQUESTS_A_ROUND = 20


class Kind(NamedTuple):
    """What is asked in turns. path: below the API's base. untagged: the same without a tag. has_bound: for its poll."""

    name: str
    path: str
    untagged: str
    has_bound: bool


def measure(url: str) -> Measured:
    """The figures, on a scratch database beside `url`."""
    with tempfile.TemporaryDirectory() as name, part.database(url, Path(name)) as database_url:
        server = prepared(
            Path(name),
            database_url,
            is_migrated=True,
            DJANGO_SETTINGS_MODULE="benchmarks.web.settings",
            GUNICORN_CMD_ARGS="--max-requests=0",  # a worker that is replaced would take its time with it
        )
        client = server.company("BENCHPOLL")
        with serving(server) as service:
            return Measured(_figures(service, client))


def _figures(service: Service, client: dict[str, str]) -> tuple[Figure, ...]:
    server, address = service.server, service.server.address
    book = workbook_bytes([guide_row(number) for number in range(1, GUIDES + 1)])
    sent = requests.post(f"{address}{BASE}/upload", files={"manifest_file": book}, headers=client, timeout=60)
    code = sent.json()["guides"][0]["tracking_code"]
    for status in JOURNEY:
        server.manage("advance_status", "--to", status, code, *WITHOUT_CHECKS)
    for number in range(49):
        other = workbook_bytes([guide_row(1)], mawb=f"045-{number:08d}")
        requests.post(f"{address}{BASE}/upload", files={"manifest_file": other}, headers=client, timeout=60)
    kinds = (
        Kind(f"MAWB of {GUIDES} guides", f"/mawbs/{MAWB}", f"/untagged/mawbs/{MAWB}", has_bound=True),
        Kind("guide", f"/guides/{code}", f"/untagged/guides/{code}", has_bound=True),
        Kind("list of 50 MAWBs", "/mawbs", "/untagged/mawbs", has_bound=False),
    )
    return tuple(figure for kind in kinds for figure in _of_kind(kind, service, client))


def _of_kind(kind: Kind, service: Service, client: dict[str, str]) -> tuple[Figure, Figure]:
    whole, untagged = Asked(service, BASE + kind.path, client), Asked(service, kind.untagged, client)
    with requests.Session() as session:
        first = session.get(whole.url, headers=client, timeout=30)
        assert first.json() == session.get(untagged.url, headers=client, timeout=30).json(), "the same answer"
        condition = whole._replace(headers={**client, "If-None-Match": first.headers["ETag"]})
        rounds = []
        for _ in range(SCALE.poll_rounds + 1):
            asked = ((condition, 304), (whole, 200), (untagged, 200))
            rounds.append([cost_in_turn(each, session, status, REQUESTS_A_ROUND) for each, status in asked])
    del rounds[0]  # the workers' first
    polls, fulls, bares = zip(*rounds, strict=True)
    polled, waited = median_ratio(polls, fulls)
    tagged = median_ratio(fulls, bares).processor
    full = said(median(fulls))
    print(f"  {kind.name}: poll {polled:.3f} (on the clock {waited:.3f}), whole with its tag {tagged:.3f}", flush=True)
    return (
        Figure(
            f"Poll of an unchanged {kind.name}, of the whole answer's processor time",
            f"{polled:.2f}",
            f"at most {MAX_POLL}" if kind.has_bound else "",
            not kind.has_bound or polled <= MAX_POLL,
            ours=f"{said(median(polls))}, whole {full}; on the clock {waited:.2f}",
        ),
        Figure(
            f"GET of a {kind.name} with its ETag, of its processor time without",
            f"{tagged:.3f}",
            f"at most {MAX_TAG}",
            tagged <= MAX_TAG,
            ours=full,
            floor=said(median(bares)),
        ),
    )


if __name__ == "__main__":
    sys.exit(part.run(measure, sys.argv[1:]))
