"""A machine in trouble: system calls that fail, a network that drops packets, small disks."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from faults.environment.tools import needed
from tests.processes import soon


@contextmanager
def injected(process: int, injection: str, directory: Path) -> Iterator[None]:
    """A running process under strace, which interferes as `injection` says (strace's inject=).

    Skips where strace is missing or may not attach. strace counts the calls of each thread separately.
    """
    call = injection.partition(":")[0]
    options = ["-f", "-p", str(process), "-o", os.devnull, "-e", f"trace={call}", "-e", f"inject={injection}"]
    log = directory / "strace.log"
    with log.open("wb") as output:
        tracer = subprocess.Popen([needed("strace"), *options], stdout=output, stderr=output)
    try:
        soon(lambda: tracer.poll() is not None or _is_traced(process), what="strace's attachment")
        if tracer.poll() is not None:
            pytest.skip(f"strace may not attach here: {log.read_text(encoding='utf-8', errors='replace')[:80]!r}")
        yield
    finally:
        # Not SIGTERM: a tracer whose process was killed with all its threads may wait for ever for one of them.
        tracer.kill()
        tracer.wait()


def _is_traced(process: int) -> bool:
    """Whether every thread of it has a tracer."""
    try:
        states = [(task / "status").read_text(encoding="utf-8") for task in Path(f"/proc/{process}/task").iterdir()]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return bool(states) and all("TracerPid:\t0\n" not in state for state in states)


@contextmanager
def swallowed(port: int) -> Iterator[None]:
    """Drop every packet to or from this port of this machine. Skips without the permission to do so."""
    iptables = needed("iptables")
    rules = [["INPUT", "-i", "lo", "-p", "tcp", side, str(port), "-j", "DROP"] for side in ("--dport", "--sport")]
    added = []
    try:
        for rule in rules:
            if subprocess.run([iptables, "-A", *rule], check=False, capture_output=True).returncode:
                pytest.skip("dropping packets requires root, and iptables")
            added.append(rule)
        yield
    finally:
        for rule in added:
            subprocess.run([iptables, "-D", *rule], check=True)


class Disk:
    """A mounted tmpfs that can be filled and emptied."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._ballast = path / "ballast"

    def fill(self, but_for: int = 0) -> None:
        """Leave `but_for` bytes free."""
        state = os.statvfs(self.path)
        with self._ballast.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, state.f_bavail * state.f_frsize - but_for)

    def empty(self) -> None:
        """Free the space again."""
        self._ballast.unlink(missing_ok=True)


@contextmanager
def small_disk(path: Path, megabytes: int, owner: str = "root") -> Iterator[Disk]:
    """Mount a disk of the given size at `path`, which is created. Skips if mounting is not allowed."""
    path.mkdir(parents=True, exist_ok=True)
    options = f"size={megabytes}m,mode=0700,uid={owner}"
    if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)], check=False).returncode:
        pytest.skip("mounting a tmpfs requires root")
    try:
        yield Disk(path)
    finally:
        subprocess.run(["umount", "-l", str(path)], check=True)
