"""Uploads and JSON beside their floor (a bare parse, and COPY of the same rows) and an upload the usual way; memory."""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from itertools import count

import psycopg
import requests
from openpyxl import Workbook

from benchmarks.harness import Curve, Figure, compared, in_turns, inverse, ms, run, seconds, size
from benchmarks.reading import document
from benchmarks.serving import JSON, RIVAL_SETTINGS, UPLOAD, Headers, Service, post, service
from tests.live.server import ROOT

RIVAL = "/rival/mawbs"
ROWS = size(5_000, 200)
SIZES = [100, size(1_000, 150), ROWS, size(50_000, 300)]
ROUNDS, FEW = size(9, 1), size(3, 1)
AT_ONCE, WRONG_ROWS = 8, size(50_000, 1_100)

HEADER = [
    "HAWB", "Consignatario", "RUT", "Dirección", "Comuna", "Región", "Código postal", "Teléfono", "Email", "Remitente",
    "Contenido", "Peso (kg)", "Bultos", "Valor FOB USD", "Código arancelario", "Tracking cliente",
]  # fmt: skip
CHILD = "import sys, python_calamine as c; c.CalamineWorkbook.from_path(sys.argv[1]).get_sheet_by_index(0).to_python()"


def manifest(rows: int, number: int = 1) -> bytes:
    """A workbook of `rows` guides and sixteen columns, its MAWB made from `number`."""
    return _workbook(
        [["MAWB", _mawb("045", number)], [], HEADER],
        (
            [
                f"BX{number:04d}{row:08d}", f"Nombre Apellido {row}", "12345678-5", f"Avenida Siempre Viva {row}",
                "Providencia", "Metropolitana", "7500000", "+56912345678", f"persona{row}@example.com", "Tienda Inc",
                "Zapatillas deportivas", 0.35 + row % 50 / 10, 1 + row % 3, 12.5 + row % 900, "6404110000",
                f"TBA{row:012d}",
            ]
            for row in range(rows)
        ),
    )  # fmt: skip


def _workbook(head: list[list[str]], rows: Iterable[Sequence[object]]) -> bytes:
    book = Workbook(write_only=True)
    sheet = book.create_sheet("Manifiesto")
    for row in [*head, *rows]:
        sheet.append(row)
    output = BytesIO()
    book.save(output)
    return output.getvalue()


def measure(url: str) -> Iterator[Figure | Curve]:
    """The figures of uploading."""
    with service(url, DJANGO_SETTINGS_MODULE=RIVAL_SETTINGS) as server:
        yield from _workbooks(server)
        yield _json(server)
    yield from _all_wrong(url)
    yield from _without_waiting(url)


def _workbooks(server: Service) -> Iterator[Figure | Curve]:
    """Each upload is another company's: the same workbook serves for all, as a MAWB is unique within a company."""
    warm, *clients = server.clients(1 + ROUNDS + 2 * len(SIZES) * FEW)

    def upload(book: bytes, path: str) -> float:
        client = clients.pop()
        return seconds(lambda: post(server, client, book, path))

    post(server, warm, manifest(10, 2))
    post(server, warm, manifest(10, 3), RIVAL)
    found: dict[int, dict[str, list[float]]] = {}
    books = {rows: manifest(rows) for rows in SIZES}
    for rows, book in books.items():
        subjects = {"ours": partial(upload, book, UPLOAD), "floor": partial(_floor, server, book, rows)}
        found[rows] = in_turns(subjects, ROUNDS if rows == ROWS else FEW)
    for rows in SIZES[:-1]:  # only then, for it leaves its traces in the workers
        found[rows]["the usual way"] = [upload(books[rows], RIVAL) for _ in range(FEW)]
    at_rows = found[ROWS]
    yield compared("upload of 5,000 rows, times its floor", at_rows["ours"], at_rows["floor"])
    what = "upload of 5,000 rows, the usual way's time by ours"
    yield inverse(compared(what, at_rows["ours"][:FEW], at_rows["the usual way"], "usual way"))
    long, short = (statistics.median(found[rows]["ours"]) / rows * 1e6 for rows in (SIZES[-1], ROWS))
    what = "time of a row at 50,000 rows, times that at 5,000"
    yield Figure(what, long / short, ours=f"{long:.0f} us", beside=f"{short:.0f} us")
    lines = {
        name: [(rows, statistics.median(each[name])) for rows, each in found.items() if name in each]
        for name in at_rows
    }
    yield Curve("An upload, to its answer, in seconds", "rows of the workbook", lines)


def _floor(server: Service, book: bytes, rows: int) -> float:
    """Seconds to parse the workbook in a child and to COPY the guides and events that an upload made of it."""
    path = server.server.directory / "floor.xlsx"
    path.write_bytes(book)
    command = [sys.executable, "-I", "-c", CHILD, str(path)]
    return copy_seconds(lambda: subprocess.run(command, check=True), rows, server.database_url)


def _json(server: Service) -> Figure:
    client = {**server.server.company("BENCHJSON", "PE"), "Content-Type": "application/json"}
    numbers, body = count(1), document(ROWS)
    post(server, client, document(10, _mawb("123", next(numbers))), JSON)

    def ours() -> float:
        body = document(ROWS, _mawb("123", next(numbers)))
        return seconds(lambda: post(server, client, body, JSON))

    def floor() -> float:
        return copy_seconds(lambda: json.loads(body), ROWS, server.database_url)

    found = in_turns({"ours": ours, "floor": floor}, ROUNDS)
    return compared("JSON of 5,000 rows with two products, times its floor", found["ours"], found["floor"])


def _mawb(airline: str, number: int) -> str:
    return f"{airline}-{number:07d}{number % 7}"


def copy_seconds(parse: Callable[[], object], rows: int, database_url: str) -> float:
    """Seconds for `parse` and for a COPY of the newest `rows` guides and their events into tables like theirs."""
    copies = {}
    with psycopg.connect(database_url) as connection, connection.cursor() as cursor:
        for table in ("shipments_guide", "shipments_guideevent"):
            cursor.execute(f"CREATE TABLE floor_{table} (LIKE {table} INCLUDING ALL)")
            with cursor.copy(f"COPY (SELECT * FROM {table} ORDER BY id DESC LIMIT {rows}) TO STDOUT") as copy:  # noqa: S608
                copies[table] = b"".join(bytes(block) for block in copy)
        connection.commit()
        started = time.perf_counter()
        parse()
        for table, data in copies.items():
            with cursor.copy(f"COPY floor_{table} FROM STDIN") as copy:
                copy.write(data)
        connection.commit()
        taken = time.perf_counter() - started
        for table in copies:
            cursor.execute(f"DROP TABLE floor_{table}")
    return taken


def _all_wrong(url: str) -> Iterator[Figure]:
    """`AT_ONCE` clients at the same moment send a workbook, nearly every cell of which gives a warning."""
    header = ["HAWB", "Consignatario", "RUT", "Contenido", "Peso (kg)", "Bultos", "Valor FOB USD", "Valor", "HS Code"]
    rows = ([f"H{row}", "A", "1-9", "x", "?", "?", "?", "?", "?"] for row in range(WRONG_ROWS))
    body = _workbook([["MAWB", "045-12345675"], header], rows)
    with service(url) as server, ThreadPoolExecutor(AT_ONCE) as pool:
        answers = list(pool.map(lambda client: post(server, client, body), server.clients(AT_ONCE)))
        memory = server.memory_mib()
    what = f"peak memory of a worker, {AT_ONCE} workbooks of 50,000 rows at once, all wrong"
    yield Figure(what, memory, "MiB", beside=f"{len(body) / 1e6:.2f} MB each")
    yield Figure("the answer to such a workbook", max(map(len, answers)) / 1e6, "MB")


def _without_waiting(url: str) -> Iterator[Figure]:
    """Uploads of 50,000 rows that the worker reads."""
    book, preference, accepted, ended = manifest(SIZES[-1]), {"Prefer": "respond-async"}, [], []
    with service(url) as server, _worker(server):
        for client in server.clients(FEW):
            started = time.perf_counter()
            job = json.loads(post(server, {**client, **preference}, book, status=202))["job_id"]
            accepted.append(time.perf_counter() - started)
            while not _has_ended(server, client, job):
                time.sleep(0.05)
            ended.append(time.perf_counter() - started)
    took = f"read after {ms(statistics.median(ended))}"
    yield Figure("202 for 50,000 rows", statistics.median(accepted) * 1000, "ms", beside=took)


def _has_ended(server: Service, client: Headers, job: str) -> bool:
    state = requests.get(f"{server.server.api}/jobs/{job}", headers=client, timeout=60).json()["status"]
    assert state != "failed"
    return bool(state == "succeeded")


@contextmanager
def _worker(server: Service) -> Iterator[None]:
    command = [sys.executable, "manage.py", "work"]
    process = subprocess.Popen(command, cwd=ROOT, env=server.server.environment)
    try:
        yield
    finally:
        process.terminate()
        process.wait(60)


if __name__ == "__main__":
    run("uploads", measure)
