"""Workbook formats: uploads by a format and without, recognition, validation, and the pages that make a format.

TEST_POSTGRES_URL=postgres://user@host:5432/name python -m benchmarks.onboarded
"""

import json
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import requests
from psycopg.types.json import Jsonb

import tests.environment  # noqa: F401  # invented secrets; imported first, because it writes the environment
from benchmarks import part
from benchmarks.figures import Figure, Measured
from benchmarks.scale import SCALE
from shipments.manifests.mapped.made_up import made_up
from shipments.manifests.mapped.recognise import recognise
from shipments.manifests.mapped.spec import MAX_TESTS, FormatInUse, from_json
from shipments.manifests.xlsx import opening
from tests.books import HEADER, guide_row, workbook_bytes
from tests.live.server import Server, running

MAX_UPLOAD_RATIO = 1.05
MAX_RECOGNITION_MS = 10
MAX_VALIDATION_SECONDS = 1
MAX_ANNOTATED_SECONDS, MAX_LONG_ANNOTATED_SECONDS = 2.5, 10
MAX_PAGE_SECONDS = 1.5
MAX_PUBLISH_SECONDS = 2

ROWS = SCALE.format_rows
FORMATS = 5
EVERY = 10
"""Each tenth row has problems."""
RECOGNITIONS = 25
NAME = "Benchmark"
PASSWORD = "only-for-the-benchmark"  # noqa: S105  # of a database that is gone a minute later
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

PAGES = {"where": "where things are", "columns": "columns", "reading": "how it would be read"}
FIELDS = (
    "hawb", "consignee_name", "consignee_document", "consignee_address", "consignee_city", "consignee_phone",
    "description_original", "weight_kg", "packages_count", "fob_usd",
)  # fmt: skip
PUBLISH = """
import time
from pathlib import Path
from companies.models import Company
from shipments.formats.format_files import import_format
from shipments.formats.publishing import publish
company = Company.objects.get(client_code="ONBOARDED")
for file in sorted(Path({directory!r}).glob("format-*.json"), reverse=True):
    saved = import_format(company, file.read_bytes(), actor="bench")
    started = time.perf_counter()
    publish(saved.version.format, 1, actor="bench")
print(time.perf_counter() - started)
"""
"""The format with kept tests is published last, beside the four others."""


def content(number: int = 0) -> dict[str, Any]:
    """The file of a format. number: 0 for the layout of the workbooks, others for layouts that have other headings."""
    columns = [
        {"heading": heading if not number or place % 3 else f"{heading} {number}", "field": field}
        | ({"unit": "kg"} if field == "weight_kg" else {})
        for place, (heading, field) in enumerate(zip(HEADER, FIELDS, strict=True))
    ]
    return {
        "prealerts_format": 1, "name": f"{NAME} {number}", "country": "CL", "header_rows": 1, "columns": columns,
        "mawb": {"label": "MAWB"}, "destination": {"label": "Destino"},
    }  # fmt: skip


def workbook(rows: int, mawb: str = "045-12345675") -> bytes:
    """A workbook in which every tenth row has a bad document and a bad value."""
    bad = {"RUT": "1-9", "Valor FOB USD": "?"}
    return workbook_bytes((guide_row(row, **({} if row % EVERY else bad)) for row in range(rows)), mawb=mawb)


def measure(url: str) -> Measured:
    """The figures, on a scratch database beside `url`."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        (directory / "sample.xlsx").write_bytes(workbook(ROWS))
        with (
            part.database(url, directory) as database_url,
            running(directory, database_url, is_migrated=True, LOG_LEVEL="ERROR",
                    GUNICORN_CMD_ARGS="--max-requests=0") as server,
        ):  # fmt: skip
            client, rival = server.company("ONBOARDED"), server.company("AUTOMATIC")
            publishing = _publish(server, directory)
            return Measured(
                (
                    _uploads(server, client, rival),
                    _recognition(directory / "sample.xlsx"),
                    *_validations(server, client),
                    *_pages(server, database_url, directory / "sample.xlsx"),
                    publishing,
                )
            )


# --- clients ---------------------------------------------------------------------------------------------------------


def _uploads(server: Server, client: dict[str, str], rival: dict[str, str]) -> Figure:
    """The same rows in turns by a company that has the format and by one that has none; the fastest of each."""
    seconds: dict[str, list[float]] = {"ours": [], "usual": []}
    for turn in range(SCALE.format_uploads):
        body = workbook(ROWS, mawb=_mawb(turn))
        turns = [("ours", client), ("usual", rival)]
        for whose, headers in turns if turn % 2 else reversed(turns):
            seconds[whose].append(_seconds(partial(_send, f"{server.api}/upload", body, headers, 201)))
    ours, usual = (min(each) for each in seconds.values())
    what = f"upload of {ROWS:,} rows by a format, times one without"
    return Figure(
        what, f"{ours / usual:.2f}", f"at most {MAX_UPLOAD_RATIO}", ours <= usual * MAX_UPLOAD_RATIO,
        ours=f"{ours:.2f} s", floor=f"{usual:.2f} s",
    )  # fmt: skip


def _mawb(turn: int) -> str:
    digits = f"{1_000_000 + turn:07}"
    return f"045-{digits}{int(digits) % 7}"


def _recognition(path: Path) -> Figure:
    formats = [FormatInUse(number, NAME, 1, from_json(content(number))) for number in range(FORMATS)]
    with opening.reading(path) as book:
        times = [_seconds(partial(recognise, book, formats)) * 1000 for _ in range(RECOGNITIONS)]
    milliseconds = statistics.median(times)
    what = f"recognise one of five formats in {ROWS:,} rows"
    return Figure(
        what, f"{milliseconds:.1f} ms", f"at most {MAX_RECOGNITION_MS} ms", milliseconds <= MAX_RECOGNITION_MS
    )


def _validations(server: Server, client: dict[str, str]) -> list[Figure]:
    address = f"{server.api}/upload/validate"
    body = workbook(ROWS)
    seconds = _median(partial(_send, address, body, client, 200))
    figures = [_bound(f"validate {ROWS:,} rows", seconds, MAX_VALIDATION_SECONDS)]
    for rows in SCALE.annotated_rows:
        body = workbook(rows)
        seconds = _median(partial(_send, address, body, {**client, "Accept": XLSX}, 200))
        most = MAX_ANNOTATED_SECONDS if rows <= ROWS else MAX_LONG_ANNOTATED_SECONDS
        figures.append(_bound(f"annotated workbook of {rows:,} rows", seconds, most))
    return figures


def _send(address: str, body: bytes, headers: dict[str, str], status: int) -> None:
    answer = requests.post(address, files={"manifest_file": body}, headers=headers, timeout=300)
    assert answer.status_code == status, answer.text[:200]


# --- operators -------------------------------------------------------------------------------------------------------


def _publish(server: Server, directory: Path) -> Figure:
    """Publishing with as many kept tests as a format may have."""
    test = msgspec.to_builtins(made_up(from_json(content())))
    kept = [{**test, "name": f"test {number}"} for number in range(MAX_TESTS)]
    for number in range(FORMATS):
        file = directory / f"format-{number}.json"
        file.write_text(json.dumps(content(number) | ({} if number else {"tests": kept})), encoding="utf-8")
    seconds = float(server.manage("shell", "--no-imports", "-c", PUBLISH.format(directory=str(directory))))
    return _bound(f"publish a version with {MAX_TESTS} kept tests", seconds, MAX_PUBLISH_SECONDS)


def _pages(server: Server, database_url: str, sample: Path) -> list[Figure]:
    """The pages of a draft whose places and columns are chosen."""
    server.operator("bench", PASSWORD)
    with requests.Session() as session:
        _log_in(session, server)
        draft = _draft(session, server, database_url, sample)
        seconds = {title: _median(partial(_get, session, f"{draft}{step}/")) for step, title in PAGES.items()}
    return [_bound(f"page: {title}, {ROWS:,} rows", each, MAX_PAGE_SECONDS) for title, each in seconds.items()]


def _log_in(session: requests.Session, server: Server) -> None:
    _post(session, f"{server.address}/admin/login/", {"username": "bench", "password": PASSWORD, "next": "/admin/"})


def _draft(session: requests.Session, server: Server, database_url: str, sample: Path) -> str:
    """Upload the sample, then choose everything in the database; returns the address of the draft."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        (company,) = (
            connection.execute("SELECT id FROM companies_company WHERE client_code = 'ONBOARDED'").fetchone() or ()
        )
        address = f"{server.address}/admin/shipments/workbookformat/new/"
        where = _post(session, address, {"company": str(company), "country": "CL"}, file=sample.read_bytes())
        connection.execute(
            "UPDATE shipments_formatdraft SET sheet = 'Sheet', header_row = 3, content = %s", [Jsonb(content())]
        )
    return f"{server.address}{where.removesuffix('where/')}"


def _post(session: requests.Session, address: str, form: dict[str, str], *, file: bytes = b"") -> str:
    """Send a form of the admin; where it leads."""
    found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', session.get(address, timeout=30).text)
    assert found
    files = {"file": ("sample.xlsx", file)} if file else None
    data = {"csrfmiddlewaretoken": found[1], **form}
    answer = session.post(address, data, files=files, headers={"Referer": address}, timeout=60, allow_redirects=False)
    assert answer.status_code == 302, answer.text
    return answer.headers["Location"]


def _get(session: requests.Session, address: str) -> None:
    answer = session.get(address, timeout=60, allow_redirects=False)
    assert answer.status_code == 200, answer.status_code


# --- figures ---------------------------------------------------------------------------------------------------------


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _median(work: Callable[[], object]) -> float:
    """Seconds; once more beforehand, because the first request of a worker loads templates."""
    return statistics.median([_seconds(work) for _ in range(SCALE.format_rounds + 1)][1:])


def _bound(what: str, seconds: float, most: float) -> Figure:
    print(f"  {what}: {seconds:.2f} s", flush=True)
    return Figure(what, f"{seconds:.2f} s", f"at most {most} s", seconds <= most)


if __name__ == "__main__":
    sys.exit(part.run(measure, sys.argv[1:]))
