"""Completely invalid manifests, eight at once: responses and worker memory must stay small.

TEST_POSTGRES_URL=postgres://user@host:5432/name python -m benchmarks.web.findings
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from itertools import islice
from pathlib import Path

import requests
from openpyxl import Workbook

import tests.environment  # noqa: F401  # invented secrets; imported first, because it writes the environment
from benchmarks import part
from benchmarks.figures import Figure, Measured
from benchmarks.scale import SCALE
from benchmarks.web.uploads import peak_memory_mib
from shipments.manifests.findings import MAX_REPORTED
from tests.live.newcomers import newcomers
from tests.live.server import Server, running

AT_ONCE = 8
MAX_MEMORY_MIB = 300
MAX_ANSWER_MB = 4
"""The answer to 50,000 guides without a warning has 2.9 MB of HAWBs and tracking codes."""

HEADER = ["HAWB", "Consignatario", "RUT", "Contenido", "Peso (kg)", "Bultos", "Valor FOB USD", "Valor", "HS Code"]
WRONG = ["A", "1-9", "x", "?", "?", "?", "?", "?"]


def workbook(rows: int) -> bytes:
    """A workbook of `rows` guides, nearly every cell of which gives a warning; it has one MAWB, each client its own."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet("Manifiesto")
    sheet.append(["MAWB", "045-12345675"])
    sheet.append(HEADER)
    for row in range(rows):
        sheet.append([f"H{row}", *WRONG])
    output = BytesIO()
    book.save(output)
    return output.getvalue()


def json_manifest(rows: int) -> bytes:
    """A manifest of `rows` guides without a single field."""
    head = {"mawb": "045-12345675", "transport_mode": "air", "destination_airport": "SCL"}
    return json.dumps({**head, "guides": [{}] * rows}, separators=(",", ":")).encode()


def measure(url: str) -> Measured:
    """The figures; each kind of manifest has its own server, so that memory peaks are separate."""
    rows = SCALE.wrong_rows
    return _measured(url, "workbooks", workbook(rows), _upload) + _measured(
        url, "JSON manifests", json_manifest(rows), _post
    )


def _measured(url: str, kind: str, body: bytes, send: Callable[[Server, dict[str, str], bytes], int]) -> Measured:
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        with (
            part.database(url, directory) as database_url,
            running(directory, database_url, is_migrated=True, GUNICORN_CMD_ARGS="--max-requests=0") as server,
        ):
            clients = list(islice(newcomers(server), AT_ONCE))
            with ThreadPoolExecutor(AT_ONCE) as pool:
                sizes = list(pool.map(lambda client: send(server, client, body), clients))
            memory = peak_memory_mib(server)
    megabytes = max(sizes) / 1e6
    what = f"{AT_ONCE} {kind} at once, all wrong ({len(body) / 1e6:.2f} MB each)"
    return Measured(
        (
            Figure(
                f"peak memory of a worker, MiB: {what}",
                f"{memory:.0f}",
                f"under {MAX_MEMORY_MIB}",
                memory < MAX_MEMORY_MIB,
            ),
            Figure(f"the answer, MB: {what}", f"{megabytes:.1f}", f"under {MAX_ANSWER_MB}", megabytes < MAX_ANSWER_MB),
        )
    )


def _upload(server: Server, client: dict[str, str], body: bytes) -> int:
    while True:
        answer = requests.post(f"{server.api}/upload", files={"manifest_file": body}, headers=client, timeout=600)
        if answer.status_code != 503:  # all parse slots were taken for as long as an upload waits
            break
        time.sleep(float(answer.headers["Retry-After"]))
    assert answer.status_code == 201, answer.text[:500]
    assert len(answer.json()["warnings"]) == MAX_REPORTED
    return len(answer.content)


def _post(server: Server, client: dict[str, str], body: bytes) -> int:
    headers = {**client, "Content-Type": "application/json"}
    answer = requests.post(f"{server.api}/process-pre-alert-json", data=body, headers=headers, timeout=600)
    assert answer.status_code == 400, answer.text[:500]
    assert len(answer.json()["invalid_rows"]) == MAX_REPORTED
    return len(answer.content)


if __name__ == "__main__":
    sys.exit(part.run(measure, sys.argv[1:]))
