"""Validation and annotated workbooks."""

import statistics
from collections.abc import Iterator
from functools import partial

from benchmarks.harness import Figure, run, seconds, size
from benchmarks.serving import UPLOAD, post, service
from tests.books import guide_row, workbook_bytes

ROWS = size(5_000, 200)
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def workbook(rows: int) -> bytes:
    """A workbook in which every tenth row has a bad document and a bad value."""
    bad = {"RUT": "1-9", "Valor FOB USD": "?"}
    return workbook_bytes(guide_row(row, **({} if row % 10 else bad)) for row in range(rows))


def measure(url: str) -> Iterator[Figure]:
    """The figures of validation."""
    with service(url, LOG_LEVEL="ERROR") as server:
        client = server.server.company("ONBOARDED")
        validate = partial(post, server, path=f"{UPLOAD}/validate", status=200)
        book, annotated = workbook(ROWS), {**client, "Accept": XLSX}
        for what, headers, body, rounds in (
            ("validate 5,000 rows", client, book, size(3, 1)),
            ("annotated workbook of 5,000 rows", annotated, book, size(3, 1)),
            ("annotated workbook of 50,000 rows", annotated, workbook(size(50_000, 400)), 1),
        ):
            times = [seconds(partial(validate, headers, body)) for _ in range(rounds)]
            yield Figure(what, statistics.median(times), "s")


if __name__ == "__main__":
    run("validating", measure)
