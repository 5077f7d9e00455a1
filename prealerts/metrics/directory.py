"""The directory in which gunicorn's workers keep their counts together, so that each scrape sees all of them.

prometheus-client writes a file for each process. Here the directory is made, emptied at a new start, and kept small:
what a worker that ended has counted is added to one file, for a service that renews its workers every few minutes would
else read thousands of files at each scrape. Nothing here imports prometheus-client before the directory is known: it
decides at its import whether it shares.
"""

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
_OWNER = "PREALERTS_METRICS_OWNER"
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108  # the directory in it is ours alone; counts are no use after a restart
_LOCK = ".lock"
_ENDED = "ended"


def prepare(bind: str) -> None:
    """Make the directory of the service that listens on `bind`, empty, and name it to prometheus-client.

    When gunicorn reads its configuration again (SIGHUP), the directory stays as it is: the old workers are writing.
    """
    if os.environ.get(_OWNER) == str(os.getpid()):
        return
    parent = _SHARED_MEMORY if _SHARED_MEMORY.is_dir() else Path(tempfile.gettempdir())
    place = parent / f"prealerts-metrics-{os.geteuid()}-{re.sub(r'[^0-9A-Za-z]+', '-', bind)}"
    place.mkdir(mode=0o700, exist_ok=True)
    if place.is_symlink() or place.stat().st_uid != os.geteuid():
        raise RuntimeError(f"{place} must be a directory that belongs to this user alone; remove it.")
    for file in place.glob("*.db"):
        file.unlink()
    os.environ.update({VARIABLE: str(place), _OWNER: str(os.getpid())})


def remove() -> None:
    """Remove the directory, where this process made it."""
    if os.environ.get(_OWNER) == str(os.getpid()):
        shutil.rmtree(os.environ[VARIABLE], ignore_errors=True)


def retire(pid: int) -> None:
    """Add what the worker `pid`, which has ended, counted to what all ended ones did, and forget its files."""
    from prometheus_client.mmap_dict import MmapedDict  # noqa: PLC0415  # see above
    from prometheus_client.multiprocess import mark_process_dead  # noqa: PLC0415  # as above

    place = Path(os.environ[VARIABLE])
    with locked(is_writer=True):
        for kind in ("counter", "histogram"):
            file = place / f"{kind}_{pid}.db"
            if not file.exists():
                continue
            ended = MmapedDict(str(place / f"{kind}_{_ENDED}.db"))
            for key, value, _timestamp, _position in MmapedDict.read_all_values_from_file(str(file)):
                ended.write_value(key, ended.read_value(key)[0] + value, 0.0)
            ended.close()
            file.unlink()
        mark_process_dead(pid, str(place))


@contextmanager
def locked(*, is_writer: bool = False) -> Iterator[None]:
    """Keep scrapes and `retire` apart: a sum that is seen to fall counts as a restart, and its whole as growth."""
    with (Path(os.environ[VARIABLE]) / _LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX if is_writer else fcntl.LOCK_SH)
        yield
