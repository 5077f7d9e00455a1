"""`fill_sequences` over guides of an earlier version, while the service is read and written.

TEST_POSTGRES_URL=postgres://user@host:5432/name python -m benchmarks.filling [--guides 1000000] [--sqlite]
"""

import argparse
import random
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import requests

import tests.environment  # noqa: F401  # invented secrets; imported first, because it writes the environment
from benchmarks import part
from benchmarks.guide_sql import insert_guides
from tests.live.databases import scratch_database
from tests.live.server import ROOT, Server, running

GUIDES_OF_EACH = 50
_DIGITS = "SELECT 0 AS d" + "".join(f" UNION ALL SELECT {digit}" for digit in range(1, 10))
_NUMBERS = f"""
    SELECT * FROM (
        SELECT a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d + 100000 * g.d AS n
        FROM ({_DIGITS}) a, ({_DIGITS}) b, ({_DIGITS}) c, ({_DIGITS}) e, ({_DIGITS}) f, ({_DIGITS}) g
    ) numbers WHERE n < %(count)s ORDER BY n
"""  # noqa: S608  # ours
_MANIFESTS = f"""
INSERT INTO shipments_manifest (id, company_id, posted_by_id, channel, mawb, country, transport_mode, flight_id,
    total_guides, total_weight_kg, total_pieces, total_fob_usd, guides_by_status, rut_invalid_count, warnings, notices,
    created_at)
SELECT %(uuid)s, f.company_id, f.company_id, 'json', '045-' || (10000000 + n), 'CL', 'air', f.id,
    {GUIDES_OF_EACH}, 0, {GUIDES_OF_EACH}, 0, '{{"in_transit": {GUIDES_OF_EACH}}}', 0, '[]', '[]', %(now)s
FROM shipments_flight f, ({_NUMBERS}) numbers
"""  # noqa: S608  # ours
_FLIGHT = """
INSERT INTO shipments_flight (id, company_id, flight_number, origin_airport, origin_country, destination_airport,
    created_at)
SELECT %(uuid)s, id, '', '', '', 'SCL', %(now)s FROM companies_company
"""
_GUIDES = (
    insert_guides(
        {
            "manifest_id": "m.id",
            "hawb": "'H' || n",
            "tracking_code": "'B' || substr(m.mawb, 5) || '-' || n",
            "status": "'in_transit'",
            "consignee_name": "'Nombre ' || n",
            "created_at": "m.created_at",
        }
    )
    + f"FROM shipments_manifest m, ({_NUMBERS}) numbers"
)
_EVENTS = """
INSERT INTO shipments_guideevent (guide_id, status, occurred_at, recorded_at, source, reason, actor)
SELECT id, %(status)s, %(at)s, %(at)s, %(source)s, '', 'bench' FROM shipments_guide ORDER BY id
"""
_JOURNEY = [
    ("registered", "pre_alert", 0), ("customs_processing", "customs", 2), ("customs_processing", "customs", 3),
    ("in_transit", "carrier", 4), ("customs_held", "customs", 1),
]  # fmt: skip
"""Status, source, hour. The third is a repeated scan and the last one history."""
_LEFT = """
SELECT (SELECT count(*) FROM shipments_guideevent WHERE sequence IS NULL),
    (SELECT count(*) FROM shipments_manifest WHERE status IS NULL),
    (SELECT count(*) FROM shipments_guide g WHERE sequence IS NULL OR sequence <>
        (SELECT count(*) FROM shipments_guideevent e WHERE e.guide_id = g.id AND e.sequence > 0))
"""


@dataclass(frozen=True)
class Filled:
    """seconds: of the whole command. said: what it printed. waits: kind of request -> seconds of each.

    refused: what was not answered as it should be. left: rows without a number, a status or the right sequence.
    """

    seconds: float
    said: str
    waits: Mapping[str, Sequence[float]]
    refused: Sequence[str]
    left: tuple[int, ...]


def fill_beside(server: Server, database_url: str, guides: int) -> Filled:
    """Make `guides` guides of an earlier version, and fill them in while clients read, post and guides move."""
    client = server.company("BENCH")
    with connected(database_url) as execute:
        make(execute, guides, is_sqlite=database_url.startswith("sqlite"))
        codes = [code for (code,) in execute("SELECT tracking_code FROM shipments_guide ORDER BY id LIMIT 100000")]
    codes = random.sample(codes, min(2_000, len(codes)))
    waits: dict[str, list[float]] = defaultdict(list)
    refused: list[str] = []
    is_over = threading.Event()
    threads = [
        threading.Thread(target=_until, args=(is_over, work, waits, refused))
        for work in (_reads(server, client, codes), _posts(server, client), _moves(server, codes))
    ]
    for thread in threads:
        thread.start()
    started = time.perf_counter()
    command = [sys.executable, "manage.py", "fill_sequences"]
    finished = subprocess.run(command, cwd=ROOT, env=server.environment, capture_output=True, text=True)  # noqa: PLW1510  # judged below
    seconds = time.perf_counter() - started
    is_over.set()
    for thread in threads:
        thread.join()
    if finished.returncode:
        refused.append(finished.stderr[-500:])
    with connected(database_url) as execute:
        left = tuple(execute(_LEFT)[0])
    return Filled(seconds, finished.stdout.strip(), waits, refused, left)


_Execute = Callable[..., list[tuple[Any, ...]]]


@contextmanager
def connected(database_url: str) -> Iterator[_Execute]:
    """Give a function that executes a statement in psycopg's spelling and returns its rows."""
    if database_url.startswith("sqlite"):
        connection = sqlite3.connect(database_url.removeprefix("sqlite:///"), timeout=60)

        def execute(statement: str, **values: object) -> list[tuple[Any, ...]]:
            with connection:
                return connection.execute(re.sub(r"%\((\w+)\)s", r":\1", statement), values).fetchall()

        yield execute
        connection.close()
    else:
        with psycopg.connect(database_url, autocommit=True) as server, psycopg.ClientCursor(server) as cursor:

            def execute_there(statement: str, **values: object) -> list[tuple[Any, ...]]:
                cursor.execute(statement, values or None)
                return cursor.fetchall() if cursor.description else []

            yield execute_there


def make(execute: _Execute, guides: int, *, is_sqlite: bool) -> None:
    """Write guides as an earlier version left them: five events each, nothing numbered."""

    def written(statement: str, **values: object) -> None:
        uuid = "lower(hex(randomblob(16)))" if is_sqlite else "gen_random_uuid()"
        execute(statement.replace("%(uuid)s", uuid), **values)

    written(_FLIGHT, now=_at(0))
    written(_MANIFESTS, now=_at(0), count=guides // GUIDES_OF_EACH)
    written(_GUIDES, count=GUIDES_OF_EACH)
    for status, source, hour in _JOURNEY:
        written(_EVENTS, status=status, source=source, at=_at(hour))
    execute("ANALYZE")


def _at(hour: int) -> str:
    return f"2026-03-02 {hour:02}:00:00.000000"


# --- what goes on meanwhile ---------------------------------------------------------------------------------------

_Step = tuple[str, Callable[[], str]]


def _until(
    is_over: threading.Event, work: Iterator[_Step], waits: Mapping[str, list[float]], refused: list[str]
) -> None:
    """Do one step after another. A step returns what went wrong."""
    while not is_over.is_set():
        name, step = next(work)
        started = time.perf_counter()
        wrong = step()
        waits[name].append(time.perf_counter() - started)
        if wrong:
            refused.append(f"{name}: {wrong}")
        time.sleep(0.02)


def _reads(server: Server, client: Mapping[str, str], codes: Sequence[str]) -> Iterator[_Step]:
    while True:
        code = random.choice(codes)  # noqa: S311  # no secret
        for name, route in [("guide", f"guides/{code}"), ("MAWB", f"mawbs/045-{code[1:9]}"), ("list", "mawbs")]:
            yield f"GET {name}", partial(_get, f"{server.api}/{route}", client)


def _posts(server: Server, client: Mapping[str, str]) -> Iterator[_Step]:
    number = 0
    while True:
        number += 1
        guide = {
            "hawb": "H1", "consignee_name": "Ana Rojas", "consignee_document": "12345678-5", "weight_kg": 1,
            "fob_usd": 10, "description_original": "Libros",
        }  # fmt: skip
        body = {
            "mawb": f"180-{number:08}", "transport_mode": "air", "destination_airport": "SCL", "guides": [guide],
        }  # fmt: skip
        yield "POST", partial(_post, f"{server.api}/process-pre-alert-json", client, body)


def _moves(server: Server, codes: Sequence[str]) -> Iterator[_Step]:
    """Move a hundred guides by the command, whose start takes a second or two of its time."""
    for start in range(0, len(codes) * 100, 100):
        first = start % len(codes)
        some = codes[first : first + 100]
        status = ("customs_released", "out_for_delivery")[start // len(codes) % 2]
        yield "advance_status of 100 guides", partial(_move, server, status, some)


def _get(address: str, client: Mapping[str, str]) -> str:
    return _wrong(requests.get(address, headers=client, timeout=60), 200)


def _post(address: str, client: Mapping[str, str], body: object) -> str:
    return _wrong(requests.post(address, json=body, headers=client, timeout=60), 201)


def _wrong(answer: requests.Response, expected: int) -> str:
    return "" if answer.status_code == expected else f"{answer.status_code} {answer.text[:200]}"


def _move(server: Server, status: str, codes: Sequence[str]) -> str:
    try:
        server.manage("advance_status", "--to", status, *codes)
    except subprocess.CalledProcessError as failed:
        return str(failed.stderr or failed.stdout)[-300:]
    return ""


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--guides", type=int, default=1_000_000)
    parser.add_argument("--sqlite", action="store_true")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        with (
            scratch_database("sqlite" if options.sqlite else part.postgresql(), directory) as database_url,
            running(directory, database_url, LOG_LEVEL="WARNING") as server,
        ):
            filled = fill_beside(server, database_url, options.guides)
    print(f"{filled.said}\n{filled.seconds:.0f} s; left: {filled.left}")
    for kind, waits in sorted(filled.waits.items()):
        print(
            f"{kind}: {len(waits):,} times, median {statistics.median(waits) * 1000:.0f} ms, "
            f"longest {max(waits) * 1000:.0f} ms"
        )
    print(*filled.refused[:20], sep="\n")
    return 1 if filled.refused or any(filled.left) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
