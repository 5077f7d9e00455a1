"""`make bench`: every figure as a ratio or a bound, measured on PostgreSQL, printed as tables.

All parts, or those that are named: `python -m benchmarks requests moving lists webhooks`.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import tests.environment  # noqa: F401  # invented secrets; imported first, because it writes the environment
from benchmarks import posts, reads, uploads, validation
from benchmarks.figures import table
from tests.live.server import running, scratch_database

OTHERS = {"moving": "benchmarks.moving", "lists": "benchmarks.admin_lists", "webhooks": "benchmarks.webhooks"}
"""Parts that measure in processes of their own."""


def requests_part(url: str) -> bool:
    """Uploads, JSON and reads, on one server; whether every figure is reached."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        with (
            scratch_database(url, directory) as database_url,
            running(directory, database_url, DJANGO_SETTINGS_MODULE="benchmarks.settings", LOG_LEVEL="INFO") as server,
        ):
            figures = [
                *uploads.measure(server, database_url),
                posts.measure(server, database_url),
                validation.measure(),
                *reads.measure(server, database_url),
            ]
    print("\n" + table(figures) + "\n", flush=True)
    return all(figure.is_reached for figure in figures)


def main(parts: list[str]) -> int:
    """Run the parts; 1 when a figure is missed, 2 when something is missing to measure at all."""
    url = os.environ.get("TEST_POSTGRES_URL", "")
    if not url or not shutil.which("wrk"):
        print("Needs TEST_POSTGRES_URL=postgres://user@host:5432/name and the program wrk.")
        return 2
    chosen = parts or ["requests", *OTHERS]
    reached = [requests_part(url)] if "requests" in chosen else []
    for part, module in OTHERS.items():
        if part in chosen:
            finished = subprocess.run([sys.executable, "-m", module], check=False)
            reached.append(finished.returncode == 0)
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
