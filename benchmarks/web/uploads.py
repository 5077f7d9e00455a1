"""Uploads against their floor (calamine in a bare child process, and COPY of the same rows) and the usual way.

One server, one database, one run; each time is the best of several, so that a ratio shows the code and not the time of
day.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO
from itertools import count
from pathlib import Path

import psycopg
import requests
from openpyxl import Workbook
from psycopg import sql

from benchmarks.figures import Curve, Figure, Measured, Series
from benchmarks.scale import SCALE
from tests.live.server import BASE, Server

OURS, USUAL = f"{BASE}/upload", "/usual/upload"
FLOOR = "floor.xlsx"
COMPARED = SCALE.compared_rows
"""Rows at which ours is compared with the usual implementation."""
MAX_RATIO = 2.0
MAX_MEMORY_MIB = 300

HEADER = [
    "HAWB", "Consignatario", "RUT", "Dirección", "Comuna", "Región", "Código postal", "Teléfono", "Email", "Remitente",
    "Contenido", "Peso (kg)", "Bultos", "Valor FOB USD", "Código arancelario", "Tracking cliente",
]  # fmt: skip
CHILD = "import sys, python_calamine as c; c.CalamineWorkbook.from_path(sys.argv[1]).get_sheet_by_index(0).to_python()"


def manifest(rows: int, number: int) -> bytes:
    """A workbook of `rows` guides and sixteen columns, its MAWB made from `number`."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet("Manifiesto")
    sheet.append(["MAWB", f"045-{number:07d}{number % 7}"])
    sheet.append([])
    sheet.append(HEADER)
    for row in range(rows):
        sheet.append(
            [
                f"BX{number:04d}{row:08d}", f"Nombre Apellido {row}", "12345678-5", f"Avenida Siempre Viva {row}",
                "Providencia", "Metropolitana", "7500000", "+56912345678", f"persona{row}@example.com", "Tienda Inc",
                "Zapatillas deportivas", 0.35 + row % 50 / 10, 1 + row % 3, 12.5 + row % 900, "6404110000",
                f"TBA{row:012d}",
            ]
        )  # fmt: skip
    output = BytesIO()
    book.save(output)
    return output.getvalue()


def measure(server: Server, database_url: str) -> Measured:
    """The figures of uploading, on a server that answers from PostgreSQL."""
    client = server.company("BENCHUPLOAD")
    numbers = count(1)
    _upload(server, client, manifest(10, next(numbers)), OURS)
    upload = partial(_seconds_of_upload, server, client, numbers)
    times = {}
    for rows in SCALE.upload_rows:
        turns = [
            (upload(rows, OURS), _floor(rows, server.directory, database_url)) for _turn in range(SCALE.upload_times)
        ]
        times[rows] = _best(turns)
        print(f"  upload of {rows:>6} rows: {times[rows][0]:6.2f} s, floor {times[rows][1]:6.2f} s", flush=True)
    memory = peak_memory_mib(server)  # before others than ours work in the same processes
    _upload(server, client, manifest(10, next(numbers)), USUAL)
    usual = {}
    for rows in (rows for rows in SCALE.upload_rows if rows <= max(COMPARED)):
        usual[rows] = _best([(upload(rows, OURS), upload(rows, USUAL)) for _turn in range(SCALE.usual_times)])
        print(f"  upload of {rows:>6} rows: {usual[rows][0]:6.2f} s, the usual way {usual[rows][1]:6.2f} s", flush=True)
    figures = (
        _against_floor(times[max(COMPARED)]),
        _growth(times),
        Figure("peak memory of a worker, MiB", f"{memory:.0f}", f"under {MAX_MEMORY_MIB}", memory < MAX_MEMORY_MIB),
        *(_against_usual(rows, usual[rows]) for rows in COMPARED),
    )
    return Measured(figures, (_curve(times, usual),))


Pair = tuple[float, float]
"""Seconds: ours, and what it is compared with."""


def _best(turns: list[Pair]) -> Pair:
    return min(ours for ours, _other in turns), min(other for _ours, other in turns)


def _seconds_of_upload(server: Server, client: dict[str, str], numbers: Iterator[int], rows: int, route: str) -> float:
    """Of a workbook that nobody has sent before; it stays for the floor."""
    book = manifest(rows, next(numbers))
    (server.directory / FLOOR).write_bytes(book)
    return seconds(partial(_upload, server, client, book, route))


def _against_floor(times: Pair) -> Figure:
    ratio = times[0] / times[1]
    return Figure(
        f"upload of {max(COMPARED):,} rows, times the floor",
        f"{ratio:.1f}",
        f"at most {MAX_RATIO:g}",
        ratio <= MAX_RATIO,
        ours=f"{times[0]:.2f} s",
        floor=f"{times[1]:.2f} s",
    )


def _against_usual(rows: int, times: Pair) -> Figure:
    return Figure(
        f"upload of {rows:,} rows, the usual way's time by ours",
        f"{times[1] / times[0]:.1f}",
        "",
        is_reached=True,
        ours=f"{times[0]:.2f} s",
        usual=f"{times[1]:.2f} s",
    )


def _growth(times: dict[int, Pair]) -> Figure:
    some, most = max(COMPARED), max(times)
    per_row = {rows: times[rows][0] / rows * 1e6 for rows in (some, most)}
    growth = per_row[most] / per_row[some]
    return Figure(
        f"time a row at {most:,} rows against {some:,}",
        f"{growth:.2f}",
        "at most 1.25 (linear)",
        growth <= 1.25,
        ours=f"{per_row[most]:.0f} us and {per_row[some]:.0f} us",
    )


def _curve(times: dict[int, Pair], usual: dict[int, Pair]) -> Curve:
    series = (
        Series("ours", tuple((rows, ours) for rows, (ours, _floor) in times.items())),
        Series("floor", tuple((rows, floor) for rows, (_ours, floor) in times.items())),
        Series("the usual way", tuple((rows, theirs) for rows, (_ours, theirs) in usual.items())),
    )
    return Curve("uploads", "An upload, to its answer", "rows of the workbook", "seconds", series, has_log_y=True)


def _upload(server: Server, client: dict[str, str], book: bytes, route: str) -> None:
    answer = requests.post(server.address + route, files={"manifest_file": book}, headers=client, timeout=300)
    assert answer.status_code == 201, answer.text[:500]
    assert not answer.json().get("warnings")


def seconds(action: Callable[[], None]) -> float:
    """How long `action` takes, by the wall's clock."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def _floor(rows: int, directory: Path, database_url: str) -> float:
    """Seconds to parse the last workbook in a child and to COPY the guides and events that its upload made of it."""
    command = [sys.executable, "-I", "-c", CHILD, str(directory / FLOOR)]
    return copy_seconds(lambda: subprocess.run(command, check=True), rows, database_url)


def copy_seconds(parse: Callable[[], object], rows: int, database_url: str) -> float:
    """Seconds for `parse` and for a COPY of the newest `rows` guides and their events into tables like theirs."""
    with psycopg.connect(database_url) as connection:
        copies = {table: _fetched(connection, table, rows) for table in ("shipments_guide", "shipments_guideevent")}
        started = time.perf_counter()
        parse()
        for table, data in copies.items():
            target = sql.Identifier(f"floor_{table}")
            with connection.cursor() as cursor, cursor.copy(sql.SQL("COPY {} FROM STDIN").format(target)) as copy:
                for block in data:
                    copy.write(block)
        connection.commit()
        seconds = time.perf_counter() - started
        for table in copies:
            connection.execute(sql.SQL("DROP TABLE {}").format(sql.Identifier(f"floor_{table}")))
    return seconds


def _fetched(connection: "psycopg.Connection[tuple[object, ...]]", table: str, rows: int) -> list[bytes]:
    """The newest `rows` of a table as COPY gives them, and an empty table like it, indexes and all, to take them."""
    source, target = sql.Identifier(table), sql.Identifier(f"floor_{table}")
    connection.execute(sql.SQL("CREATE TABLE {} (LIKE {} INCLUDING ALL)").format(target, source))
    query = sql.SQL("COPY (SELECT * FROM {} ORDER BY id DESC LIMIT {}) TO STDOUT").format(source, sql.Literal(rows))
    with connection.cursor() as cursor, cursor.copy(query) as copy:
        data = [bytes(block) for block in copy]
    connection.commit()
    return data


def peak_memory_mib(server: Server) -> float:
    """The highest resident memory that any of the server's workers ever had."""
    port = server.host_and_port[1]
    peaks = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            if f"127.0.0.1:{port}".encode() not in (status.parent / "environ").read_bytes():
                continue
            fields = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        except OSError:  # the process ended while we looked
            continue
        peaks.append(int(fields["VmHWM"].split()[0]) / 1024)
    return max(peaks)
