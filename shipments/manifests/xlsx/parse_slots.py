"""Limit how many workbooks are read at once on one machine to the number of cores.

Reading one takes a core and up to 1 GiB. The limit holds across threads and across every process of the same user with
the same temporary directory, so more web workers do not raise it. A slot is a lock (`flock`) on one of as many files as
there are cores. When a process ends for any reason, the kernel releases its slot.
"""

import fcntl
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from shipments.errors import ParserBusy

POLL_SECONDS = 0.025

TRIAL_SECONDS = 5
"""How long a trial waits for a slot: less than an upload, and its sender can simply repeat it."""


def usable_cores() -> int:
    """Return how many processors this process may run on. `taskset` and containers may lower the number."""
    return len(os.sched_getaffinity(0))


@contextmanager
def parse_slot(wait_seconds: float = 30, *, is_trial: bool = False) -> Iterator[None]:
    """Hold one of the machine's slots for reading a workbook, waiting for it if necessary.

    is_trial: leave one slot to uploads, unless there is only one.

    Raises ParserBusy when no slot was released within `wait_seconds`, and PermissionError when the directory of the
    slots belongs to another user.
    """
    slots = _slot_files()
    # Uploads try the slot that trials do not use first.
    slots = slots[: max(1, len(slots) - 1)] if is_trial else slots[::-1]
    give_up_at = time.monotonic() + wait_seconds
    while (slot := _take_any(slots)) is None:
        left = give_up_at - time.monotonic()
        if left <= 0:
            raise ParserBusy
        time.sleep(min(POLL_SECONDS, left))
    try:
        yield
    finally:
        # Unlock as well as close: a process forked in the meantime shares this lock and would keep it.
        fcntl.flock(slot, fcntl.LOCK_UN)
        os.close(slot)


def _slot_files() -> list[Path]:
    directory = Path(tempfile.gettempdir(), f"prealerts-parse-slots-{os.geteuid()}")
    with suppress(FileExistsError):
        directory.mkdir(mode=0o700)
    about = directory.lstat()
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.geteuid() or about.st_mode & 0o077:
        raise PermissionError(
            f"{directory} must be a directory that belongs to this user alone; remove it or set TMPDIR to another place"
        )
    return [directory / f"{number}.lock" for number in range(usable_cores())]


def _take_any(slots: list[Path]) -> int | None:
    """Lock a free slot and return its descriptor, or None."""
    for path in slots:
        slot = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(slot, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(slot)
            if not isinstance(error, BlockingIOError):
                raise
        else:
            return slot
    return None
