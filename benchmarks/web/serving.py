"""Uploads, JSON and reads, on one server, beside the floor and beside what a project would usually write.

TEST_POSTGRES_URL=postgres://user@host:5432/name python -m benchmarks.web.serving; needs the program wrk.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import tests.environment  # noqa: F401  # invented secrets; imported first, because it writes the environment
from benchmarks import part
from benchmarks.figures import Measured
from benchmarks.web import costs, posts, reads, uploads, validation
from benchmarks.web.floor import floor
from tests.live.server import running


def measure(url: str) -> Measured:
    """The figures of the API, on a scratch database beside `url`."""
    if not shutil.which("wrk"):
        raise SystemExit("Needs the program wrk (Debian: wrk).")
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        with (
            part.database(url, directory) as database_url,
            running(
                directory,
                database_url,
                is_migrated=True,
                DJANGO_SETTINGS_MODULE="benchmarks.web.settings",
                LOG_LEVEL="INFO",
                # A worker that is replaced after so many requests would be missing in one figure and not in the other.
                GUNICORN_CMD_ARGS="--max-requests=0",
            ) as server,
            floor(directory, database_url) as bare,
        ):
            return (
                uploads.measure(server, database_url)
                + posts.measure(server, database_url)
                + validation.measure()
                + reads.measure(server, bare.server, database_url)
                + costs.measure(url)
            )


if __name__ == "__main__":
    sys.exit(part.run(measure, sys.argv[1:]))
