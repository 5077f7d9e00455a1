"""Information about processes on Linux: children, command lines, memory."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def children(process: int) -> list[int]:
    """The processes that `process` started and that still run."""
    found: list[int] = []
    try:
        for task in Path(f"/proc/{process}/task").iterdir():
            found += map(int, (task / "children").read_text(encoding="ascii").split())
    except (FileNotFoundError, ProcessLookupError):
        pass
    return found


def descendants(process: int) -> list[int]:
    """Its children, theirs, and so on."""
    below = children(process)
    for child in list(below):
        below += descendants(child)
    return below


def command_line(process: int) -> str:
    """Its command line; empty if it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def resident_megabytes(process: int) -> float:
    """Memory it occupies."""
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024 / 1024


def soon(look: Callable[[], T], seconds: float = 20, what: str = "it") -> T:
    """Wait until `look` returns something true, and return it."""
    until = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < until, f"{what} did not happen within {seconds} s"
        time.sleep(0.01)
    return found
