"""The directory where gunicorn's workers share their metrics, so that each scrape covers all of them.

prometheus-client writes one file per process, named by process id. As workers are replaced every few minutes, a scrape
would soon read thousands of files. Here they are named by the worker's slot, and the worker that replaces another one
continues its file. gunicorn's master has a file as well: it loads the application, and metrics without labels with it.
Nothing here imports prometheus-client before the directory is set: whether metrics are shared is decided at its import.
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
_file_of_this_process = "master"


def prepare(bind: str) -> None:
    """Create an empty directory for the service that listens on `bind`, and set it for prometheus-client.

    When gunicorn reloads its configuration (SIGHUP), the directory is kept: the old workers are still writing to it.
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
    from prometheus_client import values  # noqa: PLC0415  # see above

    values.ValueClass = values.MultiProcessValue(process_identifier=lambda: _file_of_this_process)


def remove() -> None:
    if _prepared_by == os.getpid():
        shutil.rmtree(os.environ[VARIABLE], ignore_errors=True)


def free_place(taken: Iterable[int]) -> int:
    """Return the slot of a new worker. taken: the slots of the running ones."""
    others = set(taken)
    return next(place for place in count() if place not in others)


def take_place(place: int) -> None:
    """Use and continue the file of this slot. Called in the worker."""
    global _file_of_this_process  # noqa: PLW0603  # of this process alone
    _file_of_this_process = str(place)
