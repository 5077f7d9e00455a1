"""The same jobs among ten times as many guides: ten million against one, in turns, and what a guide occupies.

TEST_POSTGRES_URL=postgres://user@host:5432/name python -m benchmarks.growth [--rows 10000000] [--keep] [--report FILE]

Ten million guides take some 40 GB of disk with a backup, and an hour or more; 200,000 are the least. It is not a part
of `make bench`, whose page repeats the section that this writes.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import tests.environment  # noqa: F401  # invented secrets; imported first, because it writes the environment
from benchmarks import part
from benchmarks.growth import sizes
from benchmarks.growth.databases import DAYS_OF_THE_SMALLER, filled
from benchmarks.growth.jobs import all_jobs, medians
from benchmarks.growth.section import Growth
from benchmarks.growth.side import measured_side
from benchmarks.machine import ROOT, this_machine

TIMES = 10
SECTION = ROOT / "docs" / "benchmarks" / "growth.md"


def main(arguments: Sequence[str]) -> int:
    """Fill both, measure, write the section; 1 if a ratio is too high."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth")
    parser.add_argument("--rows", type=int, default=10_000_000, help="guides of the larger; the smaller has a tenth")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--keep", action="store_true", help="leave the databases for another run")
    parser.add_argument("--report", type=Path, default=SECTION)
    options = parser.parse_args(arguments)
    url, began = part.postgresql(), datetime.now(UTC)
    with ExitStack() as stack:
        pair, directories = [], []
        for times in (1, TIMES):
            directories.append(Path(stack.enter_context(tempfile.TemporaryDirectory())))
            rows, days = options.rows // TIMES * times, DAYS_OF_THE_SMALLER * times
            pair.append(stack.enter_context(filled(url, rows, days, directories[-1], is_kept=options.keep)))
        growth = Growth(began, this_machine(url), pair, [sizes.occupied(each) for each in pair])
        before = os.getloadavg()[0]
        with measured_side(pair[0], directories[0]) as smaller, measured_side(pair[1], directories[1]) as larger:
            growth.seconds = medians(all_jobs(), smaller, larger, options.rounds)
        growth.loads = (before, os.getloadavg()[0])
        options.report.write_text(growth.markdown(), encoding="utf-8")  # what follows takes long
        growth.whole = [sizes.of_the_whole(each, where) for each, where in zip(pair, directories, strict=True)]
    options.report.write_text(growth.markdown(), encoding="utf-8")
    print(growth.markdown())
    return 1 if growth.missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
