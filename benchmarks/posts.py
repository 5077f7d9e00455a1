"""JSON pre-alerts against their floor: parsing the same body, and COPY of the same rows."""

import json
from functools import partial

import requests

from benchmarks.figures import Figure
from benchmarks.uploads import TIMES, copy_seconds, seconds
from benchmarks.validation import document
from tests.live.server import Server

ROWS = 5_000
MAX_RATIO = 4.0


def measure(server: Server, database_url: str) -> Figure:
    """5,000 rows with two products each, the whole request, on a server that answers from PostgreSQL."""
    client = {**server.company("BENCHJSON", "PE"), "Content-Type": "application/json"}
    ours, floors = [], []
    for number in range(1, TIMES + 2):
        body = document(ROWS, f"123-{number:07d}{number % 7}")
        ours.append(seconds(partial(_post, server, client, body)))
        floors.append(copy_seconds(partial(json.loads, body), ROWS, database_url))
    print(f"  JSON of {ROWS} rows: {min(ours):.2f} s, floor {min(floors):.2f} s", flush=True)
    ratio = min(ours) / min(floors)
    what = "JSON of 5,000 rows with two products, times the floor"
    return Figure(what, f"{ratio:.1f}", f"at most {MAX_RATIO:g}", ratio <= MAX_RATIO)


def _post(server: Server, client: dict[str, str], body: bytes) -> None:
    answer = requests.post(f"{server.api}/process-pre-alert-json", data=body, headers=client, timeout=120)
    assert answer.status_code == 201, answer.text[:500]
