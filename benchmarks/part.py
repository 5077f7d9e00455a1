"""The entry point of all parts: each is a program that prints its figures and passes them to its parent process."""

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.figures import Measured, table
from tests.live.databases import migrated_database, scratch_database

TEMPLATE = "BENCH_TEMPLATE"
"""The environment variable with the URL of a PostgreSQL database to copy: migrations take longer than some parts."""


def run(measure: Callable[[str], Measured], arguments: Sequence[str]) -> int:
    """Measure, print the table, write the figures as JSON to the file given by `--figures`; 1 if a target is missed.

    measure: takes the URL of the PostgreSQL server. Raises SystemExit with a sentence when there is none.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("--figures", type=Path, help="write the figures here, as JSON")
    options = parser.parse_args(arguments)
    measured = measure(postgresql())
    print("\n" + table(measured.figures) + "\n", flush=True)
    if options.figures:
        options.figures.write_text(measured.to_json(), encoding="utf-8")
    return 0 if measured.is_reached else 1


def postgresql() -> str:
    """The URL of the PostgreSQL server to measure on. Raises SystemExit with a message if none is set."""
    url = os.environ.get("TEST_POSTGRES_URL", "")
    if not url:
        raise SystemExit("Needs TEST_POSTGRES_URL=postgres://user@host:5432/name.")
    return url


@contextmanager
def database(url: str, directory: Path) -> Iterator[str]:
    """The URL of a scratch database of the same kind as `url`, with all its tables; gone afterwards."""
    given = os.environ.get(TEMPLATE, "") if url.startswith("postgres") else ""
    with scratch_database(url, directory, template=given or migrated_database(url)) as scratch:
        yield scratch
