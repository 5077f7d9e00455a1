"""Earlier versions of the service from its git history, to test upgrades while they still run."""

import io
import shutil
import subprocess
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from faults.environment.tools import needed
from tests.live.server import ROOT

_APPS = ("companies", "webhooks", "shipments")
_WHOLE = ("manage.py", "gunicorn.conf.py", "prealerts/settings.py", "README.md")
"""The apps of a complete version; the first commits add them one by one."""


@dataclass(frozen=True, slots=True)
class Version:
    """A commit. lacking: our migrations of today that it does not know, such as "shipments/0005_anonymised"."""

    commit: str
    lacking: tuple[str, ...]

    def lay_out(self, directory: Path) -> Path:
        """Its files in a new directory, with the tests of today in place of its own; that directory."""
        archive = subprocess.run(
            ["git", "archive", "--format=zip", self.commit], cwd=ROOT, capture_output=True, check=True
        ).stdout
        with zipfile.ZipFile(io.BytesIO(archive)) as files:
            files.extractall(directory)
        for ours in ("tests", "faults"):
            shutil.rmtree(directory / ours, ignore_errors=True)
            shutil.copytree(ROOT / ours, directory / ours, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
        return directory


def versions() -> list[Version]:
    """Whole versions whose migrations are the first ones of today's, word for word: each as it was just before one or
    more were added, the newest first. Skips where no history tells.
    """
    needed("git")
    if _git("rev-parse", "--is-inside-work-tree") != "true" or not (ROOT / ".git").exists():
        pytest.skip("no git history, which has the earlier versions")
    today = _of_today()
    added = ["log", "--first-parent", "-m", "--diff-filter=A", "--format=%P"]
    parents = _git(*added, "--", *(f"{app}/migrations" for app in _APPS)).splitlines()
    found = []
    for commit in (line.split()[0] for line in parents if line):
        then = _migrations(commit)
        if then.items() < today.items() and _is_whole(commit):
            found.append(Version(commit, tuple(sorted(today.keys() - then.keys()))))
    if not found:
        pytest.skip("the git history here (a shallow clone?) has no whole version with fewer migrations")
    return found


def _of_today() -> dict[str, str]:
    paths = sorted(path for app in _APPS for path in (ROOT / app / "migrations").glob("0*.py"))
    blobs = _git("hash-object", "--", *map(str, paths)).split()
    return {f"{path.parent.parent.name}/{path.stem}": blob for path, blob in zip(paths, blobs, strict=True)}


def _migrations(commit: str) -> dict[str, str]:
    """Our migrations in a commit, each with the hash of its text."""
    lines = _git("ls-tree", "-r", commit, "--", *(f"{app}/migrations" for app in _APPS)).splitlines()
    entries = (line.split() for line in lines)
    return {
        f"{path.partition('/')[0]}/{Path(path).stem}": blob
        for _mode, _kind, blob, path in entries
        if Path(path).name.startswith("0")
    }


def _is_whole(commit: str) -> bool:
    return set(_WHOLE) <= set(_git("ls-tree", "-r", "--name-only", commit, "--", *_WHOLE).splitlines())


def _git(*arguments: str) -> str:
    """git's output; empty if it fails (no repository, a commit missing from a shallow clone)."""
    output = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return output.stdout.strip() if output.returncode == 0 else ""
