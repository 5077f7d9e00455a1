"""`make bench`: run the parts, write docs/benchmarks.md.

python -m benchmarks [--short] [--parts uploads reads] [--report FILE]
"""

import argparse
import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import tests.environment  # noqa: F401  # invented secrets; imported first, because it writes the environment
from benchmarks.bounds import BOUNDS
from benchmarks.harness import FIGURES, SHORT, Measured, postgresql
from benchmarks.report import Outcome, Run, this_machine, write
from tests.live.databases import ROOT, share

PARTS = tuple(BOUNDS)
"""Each is a module and a separate program, so that one failure does not affect the others."""


def measured(part: str, environment: Mapping[str, str]) -> Outcome:
    """Run one part. It has failed if it hands over no figures; a missed bound is not a failure."""
    print(f"{part}:", flush=True)
    with tempfile.TemporaryDirectory() as name:
        figures, errors = Path(name) / "figures", Path(name) / "errors"
        load, started = os.getloadavg()[0], time.monotonic()
        command, handing_over = [sys.executable, "-m", f"benchmarks.{part}"], {**environment, FIGURES: str(figures)}
        with errors.open("wb") as said:
            code = subprocess.run(command, cwd=ROOT, env=handing_over, stderr=said, check=False).returncode
        complaint = errors.read_text(encoding="utf-8", errors="replace")
        print(complaint, end="", file=sys.stderr, flush=True)
        found: Measured | None = pickle.loads(figures.read_bytes()) if figures.exists() else None  # noqa: S301  # ours
        failure = "" if found else _last_words(complaint) or f"it exited with {code} without output."
        return Outcome(part, load, os.getloadavg()[0], time.monotonic() - started, found, failure)


def _last_words(complaint: str) -> str:
    """The last line of a part's error output, which names the error; without local paths."""
    lines = [line.strip() for line in complaint.splitlines() if line.strip()]
    words = lines[-1] if lines else ""
    return words.replace(sys.executable, "python").replace(str(ROOT), ".").replace(tempfile.gettempdir(), "(scratch)")


def main(arguments: Sequence[str]) -> int:
    """Run the parts and write the report; its exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("--short", action="store_true", help="three minutes: few rows, few rounds")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--report", type=Path, default=ROOT / "docs" / "benchmarks.md", help="the page to write")
    options = parser.parse_args(arguments)
    share(postgresql())  # one migrated database for all parts
    environment = {name: value for name, value in os.environ.items() if name != SHORT}
    if options.short:
        environment[SHORT] = "1"
    at, machine = datetime.now(UTC), this_machine(postgresql())
    outcomes = tuple(measured(part, environment) for part in options.parts)
    run = Run(at, machine, outcomes, is_short=options.short)
    write(run, options.report)
    print(f"{options.report}: {len(run.missed)} bounds missed, {len(run.failed)} parts failed.")
    return run.exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
