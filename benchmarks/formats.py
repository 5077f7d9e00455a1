"""Clients' own formats: uploads by one and without, validation, annotated workbooks, publishing."""

import json
import statistics
from collections.abc import Callable, Iterator
from functools import partial

from benchmarks.harness import Figure, compared, in_turns, run, seconds, size
from benchmarks.reading import FORMATS, format_file
from benchmarks.serving import UPLOAD, Headers, Service, commands, post, service
from tests.books import guide_row, workbook_bytes

ROWS = size(5_000, 200)
TURNS = size(9, 2)
KEPT_TESTS, TEST_ROWS = 10, 190
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def workbook(rows: int, mawb: str = "045-12345675") -> bytes:
    """A workbook in which every tenth row has a bad document and a bad value."""
    bad = {"RUT": "1-9", "Valor FOB USD": "?"}
    return workbook_bytes((guide_row(row, **({} if row % 10 else bad)) for row in range(rows)), mawb=mawb)


def measure(url: str) -> Iterator[Figure]:
    """The figures of formats."""
    with service(url, LOG_LEVEL="ERROR") as server:
        client, rival = server.server.company("ONBOARDED"), server.server.company("AUTOMATIC")
        yield from _publishing(server)
        yield _uploads(server, client, rival)
        validate = partial(post, server, path=f"{UPLOAD}/validate", status=200)
        book, annotated = workbook(ROWS), {**client, "Accept": XLSX}
        for what, headers, body, rounds in (
            ("validate 5,000 rows", client, book, size(3, 1)),
            ("annotated workbook of 5,000 rows", annotated, book, size(3, 1)),
            ("annotated workbook of 50,000 rows", annotated, workbook(size(50_000, 400)), 1),
        ):
            times = [seconds(partial(validate, headers, body)) for _ in range(rounds)]
            yield Figure(what, statistics.median(times), "s")


def _publishing(server: Service) -> Iterator[Figure]:
    """The format of the workbooks with as many kept tests as it may have, beside four others."""
    directory = server.server.directory
    sample, file = directory / "sample.xlsx", directory / "format.json"
    with commands(server) as command:
        for number in range(1, FORMATS):
            file.write_text(json.dumps(format_file(number)), encoding="utf-8")
            command("import_format", "ONBOARDED", str(file), "--publish")
        file.write_text(json.dumps(format_file()), encoding="utf-8")
        for number in range(KEPT_TESTS):
            sample.write_bytes(workbook_bytes(map(guide_row, range(number + 1, TEST_ROWS + number))))
            command("import_format", "ONBOARDED", str(file), "--sample", str(sample))
        taken = command("publish_format", "ONBOARDED", format_file()["name"], "--version", "1")
    yield Figure("publish a version with 10 kept tests", taken, "s")


def _uploads(server: Service, client: Headers, rival: Headers) -> Figure:
    """The same rows by a company that has the format and by one that has none."""
    books = [workbook(ROWS, mawb=f"045-{number:07d}{number % 7}") for number in range(TURNS + 1)]

    def sender(who: Headers) -> Callable[[], float]:
        left = list(books)
        post(server, who, left.pop())  # the first of each loads modules
        return lambda: seconds(partial(post, server, who, left.pop()))

    found = in_turns({"format": sender(client), "none": sender(rival)}, TURNS)
    what = "upload of 5,000 rows by a format, times one without"
    return compared(what, found["format"], found["none"], "without")


if __name__ == "__main__":
    run("formats", measure)
