"""Uploads and JSON beside their floor (a bare parse, and COPY of the same rows) and an upload the usual way; memory.

TEST_POSTGRES_URL=postgres://user@host:5432/name python -m benchmarks.uploads
"""

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from io import BytesIO
from itertools import count

import psycopg
from openpyxl import Workbook
from psycopg import sql

from benchmarks.harness import Curve, Figure, in_turns, ms, ratio, run, seconds, size
from benchmarks.reading import document
from benchmarks.serving import BASE, RIVAL_SETTINGS, Headers, Service, post, service

JSON = f"{BASE}/process-pre-alert-json"
ROWS = size(5_000, 200)
SIZES = [100, 1_000, ROWS, 20_000, 50_000] if size(1, 0) else [100, ROWS, 300]
RIVAL_SIZES = [rows for rows in SIZES if rows <= ROWS]
ROUNDS = size(5, 1)
AT_ONCE = 8
WRONG_ROWS = size(50_000, 1_100)

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


def wrong_workbook(rows: int) -> bytes:
    """A workbook of `rows` guides, nearly every cell of which gives a warning."""
    header = ["HAWB", "Consignatario", "RUT", "Contenido", "Peso (kg)", "Bultos", "Valor FOB USD", "Valor", "HS Code"]
    wrong = ["A", "1-9", "x", "?", "?", "?", "?", "?"]
    return _workbook([["MAWB", "045-12345675"], header], ([f"H{row}", *wrong] for row in range(rows)))


def _workbook(head: list[list[str]], rows: Iterator[list[object]]) -> bytes:
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
        yield from _json(server)
    wrong = b'{"mawb":"045-12345675","transport_mode":"air","destination_airport":"SCL","guides":[%s]}'
    guides = b",".join([b"{}"] * WRONG_ROWS)
    yield from _all_wrong(url, "workbook", wrong_workbook(WRONG_ROWS), partial(post, status=201))
    yield from _all_wrong(url, "JSON manifest", wrong % guides, partial(post, path=JSON, status=400))


def _workbooks(server: Service) -> Iterator[Figure | Curve]:
    """Each upload is another company's: the same workbook serves for all, as a MAWB is unique within a company."""
    warm, *clients = server.clients(1 + len(SIZES) * ROUNDS + len(RIVAL_SIZES) * 2 * ROUNDS)
    post(server, warm, manifest(10, 2))
    post(server, warm, manifest(10, 3), "/rival/mawbs")
    books = {rows: manifest(rows) for rows in SIZES}
    ours: dict[int, float] = {}
    floors: dict[int, float] = {}
    ratios: dict[int, float] = {}
    for rows, book in books.items():
        subjects = {"ours": partial(_upload, server, clients, book), "floor": partial(_floor, server, book, rows)}
        found = in_turns(subjects, ROUNDS if rows <= ROWS else min(ROUNDS, 3))
        ours[rows], floors[rows] = (statistics.median(found[name]) for name in subjects)
        ratios[rows] = ratio(found["ours"], found["floor"])
    memory = server.memory_mib()  # before others than ours work in the same processes
    yield Figure(
        "upload of 5,000 rows, times its floor", ratios[ROWS], ours=ms(ours[ROWS]), beside=f"floor {ms(floors[ROWS])}"
    )
    a_row = {rows: ours[rows] / rows * 1e6 for rows in (SIZES[-1], ROWS)}
    yield Figure(
        "time of a row at 50,000 rows, times that at 5,000", a_row[SIZES[-1]] / a_row[ROWS],
        ours=f"{a_row[SIZES[-1]]:.0f} us", beside=f"{a_row[ROWS]:.0f} us",
    )  # fmt: skip
    yield Figure("peak memory of a worker after 50,000 rows", memory, "MiB")
    rivals: dict[int, float] = {}
    for rows in RIVAL_SIZES:
        subjects = {
            "ours": partial(_upload, server, clients, books[rows]),
            "rival": partial(_upload, server, clients, books[rows], "/rival/mawbs"),
        }
        found = in_turns(subjects, min(ROUNDS, 3))
        rivals[rows] = statistics.median(found["rival"])
        times = ratio(found["rival"], found["ours"])
        our_time = statistics.median(found["ours"])
    yield Figure(
        "upload of 5,000 rows, the usual way's time by ours", times, ours=ms(our_time),
        beside=f"usual way {ms(rivals[ROWS])}",
    )  # fmt: skip
    lines = {"ours": ours, "floor": floors, "the usual way": rivals}
    points = {name: list(found.items()) for name, found in lines.items()}
    yield Curve("uploads", "An upload, to its answer", "rows of the workbook", "seconds", points)


def _upload(server: Service, clients: list[Headers], book: bytes, path: str = f"{BASE}/upload") -> float:
    client = clients.pop()
    return seconds(lambda: post(server, client, book, path))


def _floor(server: Service, book: bytes, rows: int) -> float:
    """Seconds to parse the workbook in a child and to COPY the guides and events that an upload made of it."""
    path = server.server.directory / "floor.xlsx"
    path.write_bytes(book)
    command = [sys.executable, "-I", "-c", CHILD, str(path)]
    return copy_seconds(lambda: subprocess.run(command, check=True), rows, server.database_url)


def _json(server: Service) -> Iterator[Figure]:
    client = {**server.server.company("BENCHJSON", "PE"), "Content-Type": "application/json"}
    numbers, body = count(1), document(ROWS)
    post(server, client, document(10, _mawb("123", next(numbers))), JSON)

    def ours() -> float:
        body = document(ROWS, _mawb("123", next(numbers)))
        return seconds(lambda: post(server, client, body, JSON))

    subjects = {"ours": ours, "floor": lambda: copy_seconds(partial(json.loads, body), ROWS, server.database_url)}
    found = in_turns(subjects, ROUNDS)
    taken, floor = (ms(statistics.median(found[name])) for name in subjects)
    what = "JSON of 5,000 rows with two products, times its floor"
    yield Figure(what, ratio(found["ours"], found["floor"]), ours=taken, beside=f"floor {floor}")


def _mawb(airline: str, number: int) -> str:
    return f"{airline}-{number:07d}{number % 7}"


def copy_seconds(parse: Callable[[], object], rows: int, database_url: str) -> float:
    """Seconds for `parse` and for a COPY of the newest `rows` guides and their events into tables like theirs."""
    with psycopg.connect(database_url) as connection:
        copies = {table: _fetched(connection, table, rows) for table in ("shipments_guide", "shipments_guideevent")}

        def work() -> None:
            parse()
            for table, data in copies.items():
                target = sql.Identifier(f"floor_{table}")
                with connection.cursor() as cursor, cursor.copy(sql.SQL("COPY {} FROM STDIN").format(target)) as copy:
                    copy.write(data)
            connection.commit()

        taken = seconds(work)
        for table in copies:
            connection.execute(sql.SQL("DROP TABLE {}").format(sql.Identifier(f"floor_{table}")))
    return taken


def _fetched(connection: "psycopg.Connection[tuple[object, ...]]", table: str, rows: int) -> bytes:
    """The newest `rows` of a table as COPY gives them, and an empty table like it, indexes and all, to take them."""
    source, target = sql.Identifier(table), sql.Identifier(f"floor_{table}")
    connection.execute(sql.SQL("CREATE TABLE {} (LIKE {} INCLUDING ALL)").format(target, source))
    query = sql.SQL("COPY (SELECT * FROM {} ORDER BY id DESC LIMIT {}) TO STDOUT").format(source, sql.Literal(rows))
    with connection.cursor() as cursor, cursor.copy(query) as copy:
        data = b"".join(bytes(block) for block in copy)
    connection.commit()
    return data


def _all_wrong(url: str, kind: str, body: bytes, send: Callable[[Service, Headers, bytes], bytes]) -> Iterator[Figure]:
    """`AT_ONCE` clients at the same moment, on a server of their own, so that memory peaks are separate."""
    with service(url) as server, ThreadPoolExecutor(AT_ONCE) as pool:
        clients = server.clients(AT_ONCE)
        if kind == "JSON manifest":
            clients = [{**client, "Content-Type": "application/json"} for client in clients]
        answers = list(pool.map(lambda client: send(server, client, body), clients))
        memory = server.memory_mib()
    what = f"{AT_ONCE} {kind}s of 50,000 rows at once, all wrong"
    yield Figure(f"peak memory of a worker, {what}", memory, "MiB", beside=f"{len(body) / 1e6:.2f} MB each")
    yield Figure(f"the answer to such a {kind}", max(map(len, answers)) / 1e6, "MB")


if __name__ == "__main__":
    run("uploads", measure)
