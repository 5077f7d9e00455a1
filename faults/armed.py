"""gunicorn's configuration for the fault matrix: the service's own, with the fault points put into each worker."""

import os
import runpy
from pathlib import Path

from faults import points

_own = runpy.run_path(str(Path(__file__).resolve().parents[1] / "gunicorn.conf.py"))
globals().update({name: value for name, value in _own.items() if not name.startswith("_")})

max_requests = int(os.environ.get("TEST_MAX_REQUESTS", _own["max_requests"]))
max_requests_jitter = max_requests // 10
threads = int(os.environ.get("TEST_THREADS", _own["threads"]))


def post_worker_init(_worker: object) -> None:
    """Install the points once the worker has loaded the application."""
    points.install("upload", "json", "advance", "carrier")
