"""The directory in which gunicorn's workers keep their counts together, so that each scrape sees all of them.

prometheus-client writes a file for each process, named by its process id. A service that renews its workers every few
minutes would read thousands of them at each scrape: here they are named by the worker's place among its colleagues, and
whoever takes the place of a worker that ended counts on in its file. Nothing here imports prometheus-client before the
directory is known: it decides at its import whether it shares.
Source: prometheus.github.io/client_python/multiprocess, "values.MultiProcessValue(process_identifier=...)".
"""

import os
import re
import shutil
import tempfile
from collections.abc import Iterable
from itertools import count
from pathlib import Path

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108  # the directory in it is ours alone; counts are no use after a restart

_prepared_by = 0  # a process id: gunicorn's workers inherit what its master prepared


def prepare(bind: str) -> None:
    """Make the directory of the service that listens on `bind`, empty, and name it to prometheus-client.

    When gunicorn reads its configuration again (SIGHUP), the directory stays as it is: the old workers are writing.
    """
    global _prepared_by  # noqa: PLW0603  # gunicorn reads its configuration anew, and this module once
    if _prepared_by == os.getpid():
        return
    parent = _SHARED_MEMORY if _SHARED_MEMORY.is_dir() else Path(tempfile.gettempdir())
    place = parent / f"prealerts-metrics-{os.geteuid()}-{re.sub(r'[^0-9A-Za-z]+', '-', bind)}"
    place.mkdir(mode=0o700, exist_ok=True)
    if place.is_symlink() or place.stat().st_uid != os.geteuid():
        raise RuntimeError(f"{place} must be a directory that belongs to this user alone; remove it.")
    for file in place.glob("*.db"):
        file.unlink()
    os.environ[VARIABLE] = str(place)
    _prepared_by = os.getpid()


def remove() -> None:
    """Remove the directory, where this process made it."""
    if _prepared_by == os.getpid():
        shutil.rmtree(os.environ[VARIABLE], ignore_errors=True)


def free_place(taken: Iterable[int]) -> int:
    """The place of a worker that is about to begin. taken: the places of those that have not ended."""
    others = set(taken)
    return next(place for place in count() if place not in others)


def take_place(place: int) -> None:
    """Count in the file of this place, from where it stands. Called in the worker, before it loads the application."""
    from prometheus_client import values  # noqa: PLC0415  # see above

    values.ValueClass = values.MultiProcessValue(process_identifier=lambda: place)
