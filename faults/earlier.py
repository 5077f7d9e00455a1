"""Earlier versions of the product, out of its own git history: for upgrades under the code that they replace."""

import io
import shutil
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from faults.tools import needed
from tests.live.server import ROOT

_ROOMS = ("companies", "webhooks", "shipments")
_WHOLE = ("manage.py", "gunicorn.conf.py", "prealerts/settings.py", "README.md")
"""What a version that can be served has; the history lays the first one down room by room."""


@dataclass(frozen=True, slots=True)
class Version:
    """A commit. lacking: our migrations of today that it does not know, such as "shipments/0005_anonymised"."""

    commit: str
    lacking: tuple[str, ...]

    def lay_out(self, directory: Path) -> Path:
        """Its files in a new directory, with the tests of today in place of its own; that directory."""
        archive = subprocess.run(
            ["git", "archive", "--format=tar", self.commit], cwd=ROOT, capture_output=True, check=True
        ).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(directory, filter="data")
        for ours in ("tests", "faults"):
            shutil.rmtree(directory / ours, ignore_errors=True)
            shutil.copytree(ROOT / ours, directory / ours, ignore=shutil.ignore_patterns("__pycache__"))
        return directory


def versions() -> list[Version]:
    """Whole versions whose migrations are the first ones of today's, word for word: each as it was just before one or
    more were added, the newest first. Skips where no history tells.
    """
    needed("git")
    if _git("rev-parse", "--is-inside-work-tree") != "true" or not (ROOT / ".git").exists():
        pytest.skip("no git history here: an earlier version comes out of it")
    today = _of_today()
    added = ["log", "--first-parent", "-m", "--diff-filter=A", "--format=%P"]
    parents = _git(*added, "--", *(f"{room}/migrations" for room in _ROOMS)).splitlines()
    found = []
    for commit in (line.split()[0] for line in parents if line):
        then = _migrations(commit)
        if then.items() < today.items() and _is_whole(commit):
            found.append(Version(commit, tuple(sorted(today.keys() - then.keys()))))
    if not found:
        pytest.skip("the git history here (a shallow clone?) has no whole version with fewer migrations")
    return found


def _of_today() -> dict[str, str]:
    paths = sorted(path for room in _ROOMS for path in (ROOT / room / "migrations").glob("0*.py"))
    blobs = _git("hash-object", "--", *map(str, paths)).split()
    return {f"{path.parent.parent.name}/{path.stem}": blob for path, blob in zip(paths, blobs, strict=True)}


def _migrations(commit: str) -> dict[str, str]:
    """Our migrations in a commit, each with the hash of its text."""
    lines = _git("ls-tree", "-r", commit, "--", *(f"{room}/migrations" for room in _ROOMS)).splitlines()
    entries = (line.split() for line in lines)
    return {
        f"{path.partition('/')[0]}/{Path(path).stem}": blob
        for _mode, _kind, blob, path in entries
        if Path(path).name.startswith("0")
    }


def _is_whole(commit: str) -> bool:
    return set(_WHOLE) <= set(_git("ls-tree", "-r", "--name-only", commit, "--", *_WHOLE).splitlines())


def _git(*arguments: str) -> str:
    """What git says, empty where it refuses (no repository, a commit that a shallow clone lacks)."""
    told = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return told.stdout.strip() if told.returncode == 0 else ""
