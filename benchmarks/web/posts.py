"""JSON pre-alerts against their floor: parsing the same body, and COPY of the same rows; and against the usual way."""

import json
from functools import partial
from itertools import count

import requests

from benchmarks.figures import Figure, Measured
from benchmarks.scale import SCALE
from benchmarks.web.uploads import copy_seconds, seconds
from benchmarks.web.validation import document
from tests.live.server import BASE, Server

OURS, USUAL = f"{BASE}/process-pre-alert-json", "/usual/process-pre-alert-json"
ROWS = max(SCALE.compared_rows)
MAX_RATIO = 2.5


def measure(server: Server, database_url: str) -> Measured:
    """`ROWS` rows with two products each, the whole request, on a server that answers from PostgreSQL."""
    client = {**server.company("BENCHJSON", "PE"), "Content-Type": "application/json"}
    numbers = count(1)
    for route in (OURS, USUAL):  # the first of each loads modules
        _post(server, client, _body(next(numbers), rows=10), route)
    ours, floors, theirs = [], [], []
    for turn in range(SCALE.upload_times):
        body = _body(next(numbers))
        ours.append(seconds(partial(_post, server, client, body, OURS)))
        floors.append(copy_seconds(partial(json.loads, body), ROWS, database_url))
        if turn < SCALE.usual_times:
            theirs.append(seconds(partial(_post, server, client, _body(next(numbers)), USUAL)))
    usual = min(theirs)
    print(f"  JSON of {ROWS:,} rows: {min(ours):.2f} s, floor {min(floors):.2f} s, usual {usual:.2f} s", flush=True)
    return Measured(_figures(min(ours), min(floors), usual))


def _figures(ours: float, floor: float, usual: float) -> tuple[Figure, Figure]:
    ratio = ours / floor
    what = f"JSON of {ROWS:,} rows with two products"
    took = f"{ours:.2f} s"
    return (
        Figure(
            f"{what}, times the floor",
            f"{ratio:.1f}",
            f"at most {MAX_RATIO:g}",
            ratio <= MAX_RATIO,
            ours=took,
            floor=f"{floor:.2f} s",
        ),
        Figure(
            f"{what}, the usual way's time by ours",
            f"{usual / ours:.1f}",
            "",
            is_reached=True,
            ours=took,
            usual=f"{usual:.2f} s",
        ),
    )


def _body(number: int, rows: int = ROWS) -> bytes:
    return document(rows, f"123-{number:07d}{number % 7}")


def _post(server: Server, client: dict[str, str], body: bytes, route: str) -> None:
    answer = requests.post(server.address + route, data=body, headers=client, timeout=300)
    assert answer.status_code == 201, answer.text[:500]
