"""Limit how many workbooks are read at once on one machine to the number of cores, and share these slots fairly.

Reading one takes a core and up to 1 GiB. The limit holds across threads and across every process of the same user with
the same temporary directory, so more web workers do not raise it. A slot is a lock (`flock`) on one of as many files as
there are cores; its content names the holder. Who waits holds a shared lock on a file of its own. When a process ends
for any reason, the kernel releases its locks.

One company holds at most half of the slots, and at least one. Of those who wait for a slot, the one who had its last
one longest ago goes first: with a single slot, the company that just had it lets the others pass.
"""

import fcntl
import os
import stat
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from shipments.errors import ParserBusy

POLL_SECONDS = 0.025
DIRECTORY = "prealerts-parse-slots"

_FORGOTTEN_AFTER_SECONDS = 60
"""Who had its last slot longer ago counts as one that never had any."""


def usable_cores() -> int:
    """Return how many processors this process may run on. `taskset` and containers may lower the number."""
    return len(os.sched_getaffinity(0))


@contextmanager
def parse_slot(for_company: int | None = None, wait_seconds: float = 30, *, is_upload: bool = False) -> Iterator[None]:
    """Hold one of the machine's slots for reading a workbook, waiting for it if necessary.

    for_company: the id of the company that asked for the reading; None for operators, who share as one company does.
    is_upload: may use every slot. Any other reading leaves one to uploads, unless there is only one.

    Raises ParserBusy when no slot was released within `wait_seconds`, and PermissionError when the directory of the
    slots belongs to another user.
    """
    count = usable_cores()
    reader = "operators" if for_company is None else str(for_company)
    usable = count if is_upload else max(1, count - 1)
    waiting = _directory() / f"{reader}-{usable}.waiting"
    give_up_at = time.monotonic() + wait_seconds
    with _announce(waiting):
        while (slot := _take(waiting, count)) is None:
            left = give_up_at - time.monotonic()
            if left <= 0:
                raise ParserBusy
            time.sleep(min(POLL_SECONDS, left))
    try:
        yield
    finally:
        _release(slot)


def _directory() -> Path:
    directory = Path(tempfile.gettempdir(), f"{DIRECTORY}-{os.geteuid()}")
    with suppress(FileExistsError):
        directory.mkdir(mode=0o700)
    about = directory.lstat()
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.geteuid() or about.st_mode & 0o077:
        raise PermissionError(
            f"{directory} must be a directory that belongs to this user alone; remove it or set TMPDIR to another place"
        )
    return directory


@dataclass(slots=True)
class _Reader:
    """usable: how many slots, from 0, its waiting readings may use. had_at: when it last had a slot, in seconds."""

    usable: int = 0
    had_at: float = 0


@contextmanager
def _announce(waiting: Path) -> Iterator[None]:
    """Be seen as waiting. The file's time is when its reader last had a slot: 1970 if it never had one."""
    with _alone_in(waiting.parent):
        is_new = not waiting.exists()
        file = _open(waiting)
        fcntl.flock(file, fcntl.LOCK_SH)
        if is_new:
            os.utime(waiting, (0, 0))
    try:
        yield
    finally:
        _release(file)


def _take(waiting: Path, count: int) -> int | None:
    """Lock a free slot if it is this reader's turn, and return its descriptor, or None."""
    name, usable = _split_name(waiting)
    most = max(1, count // 2)
    with _alone_in(waiting.parent):
        free, held = _slots(waiting.parent, count)
        # Uploads begin with the slot that others leave to them.
        number = max((number for number in free if number < usable), default=None)
        taken = None
        if number is not None and held[name] < most:
            readers = _readers(waiting.parent)
            had_at = readers[name].had_at
            if not any(
                other.had_at < had_at and number < other.usable and held[each] < most for each, other in readers.items()
            ):
                taken = free.pop(number)
                os.truncate(taken, 0)
                os.pwrite(taken, name.encode(), 0)
                os.utime(waiting)
        for slot in free.values():
            _release(slot)
        return taken


def _slots(directory: Path, count: int) -> tuple[dict[int, int], Counter[str]]:
    """Lock all free slots; return their descriptors by number, and how many of the others each reader holds."""
    free: dict[int, int] = {}
    held: Counter[str] = Counter()
    for number in range(count):
        slot = _open(directory / f"{number}.lock")
        if _lock(slot):
            free[number] = slot
        else:
            held[os.pread(slot, 100, 0).decode()] += 1
            os.close(slot)
    return free, held


def _readers(directory: Path) -> dict[str, _Reader]:
    """Return who waits, or had a slot a short time ago. The files of all others go."""
    readers: dict[str, _Reader] = {}
    for path in directory.glob("*.waiting"):
        name, usable = _split_name(path)
        file, had_at = _open(path), path.stat().st_mtime
        is_waiting = not _lock(file)
        _release(file)
        if not is_waiting and had_at < time.time() - _FORGOTTEN_AFTER_SECONDS:
            path.unlink()
            continue
        reader = readers.setdefault(name, _Reader())
        reader.had_at = max(reader.had_at, had_at)
        reader.usable = max(reader.usable, usable if is_waiting else 0)
    return readers


def _split_name(waiting: Path) -> tuple[str, int]:
    name, _, usable = waiting.stem.partition("-")
    return name, int(usable)


@contextmanager
def _alone_in(directory: Path) -> Iterator[None]:
    gate = _open(directory / "gate.lock")
    try:
        fcntl.flock(gate, fcntl.LOCK_EX)
        yield
    finally:
        _release(gate)


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _lock(file: int) -> bool:
    """Lock a file unless somebody else has, and return whether it is locked now."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _release(file: int) -> None:
    # Unlock as well as close: a process forked in the meantime shares this lock and would keep it.
    fcntl.flock(file, fcntl.LOCK_UN)
    os.close(file)
