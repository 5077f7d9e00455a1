"""What the tests of workbooks share."""

import os
import resource
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

MAY_GROW_BY_KILOBYTES = 64 * 1024


@pytest.fixture
def xlsx(tmp_path: Path) -> Path:
    """Where a test writes its workbook."""
    return tmp_path / "manifest.xlsx"


@pytest.fixture
def nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Say of a test that no process, no open file and no temporary file outlives it, and that memory stays flat."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    processes, descriptors, peak = _children(), _descriptors(), _peak_kilobytes()
    yield
    # Compared as what is new: what other tests left open may be collected meanwhile.
    assert _children() - processes == set()
    assert _descriptors() - descriptors == set()
    assert list(temporary.iterdir()) == []
    assert _peak_kilobytes() - peak < MAY_GROW_BY_KILOBYTES


def _children() -> set[str]:
    """Return the ids of this process's children, those included that ended and that nobody waited for."""
    mine = set()
    for about in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = about.read_text().rpartition(")")[2].split()[1]
        except OSError:  # it ended while we looked
            continue
        if parent == str(os.getpid()):
            mine.add(about.parent.name)
    return mine


def _descriptors() -> set[str]:
    """Return what this process has open, sockets aside: other tests' connections come and go with the collector."""
    links = (str(each.readlink()) for each in Path("/proc/self/fd").iterdir() if each.is_symlink())
    return {link for link in links if not link.startswith(("socket:", "/proc/"))}


def _peak_kilobytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
