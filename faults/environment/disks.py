"""Small disks that can be filled and emptied, as tmpfs; only root may mount them."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_BLOCK = 4096


class Disk:
    """A mounted tmpfs."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._ballast = path / "ballast"

    def fill(self, but_for: int = 0) -> None:
        """Leave `but_for` bytes free."""
        state = os.statvfs(self.path)
        size = max(0, state.f_bavail * state.f_frsize - but_for)
        with self._ballast.open("ab") as file:
            for _ in range(size // _BLOCK):
                file.write(bytes(_BLOCK))

    def empty(self) -> None:
        """Free the space again."""
        self._ballast.unlink(missing_ok=True)


@contextmanager
def small_disk(path: Path, megabytes: int, owner: str = "") -> Iterator[Disk]:
    """Mount a disk of the given size at `path`, which is created. Skips if mounting is not allowed."""
    path.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0700", "tmpfs", str(path)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("mounting a tmpfs requires root")
    try:
        if owner:
            subprocess.run(["chown", f"{owner}:{owner}", str(path)], check=True)
        yield Disk(path)
    finally:
        subprocess.run(["umount", "-l", str(path)], check=True)
