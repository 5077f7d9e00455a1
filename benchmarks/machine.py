"""The machine and versions of a run, without which figures are meaningless."""

import os
import platform
import subprocess
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import psycopg

ROOT = Path(__file__).resolve().parent.parent
LIBRARIES = ("Django", "djangorestframework", "psycopg", "gunicorn", "python-calamine", "openpyxl", "celery")


@dataclass(frozen=True)
class Machine:
    """cpu: the model; memory in GiB; versions: each with its name; commit: and whether the files differed from it."""

    cpu: str
    cores: int
    memory_gib: float
    system: str
    commit: str
    versions: tuple[str, ...]


def this_machine(url: str) -> Machine:
    """This one, with the PostgreSQL server behind `url`; unknown values are reported as such."""
    return Machine(
        cpu=_field("/proc/cpuinfo", "model name") or platform.processor() or "unknown",
        cores=os.cpu_count() or 1,
        memory_gib=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30,
        system=f"{platform.system()} {platform.release()}",
        commit=_commit(),
        versions=(
            f"Python {platform.python_version()}",
            f"PostgreSQL {_postgresql(url)}",
            *(f"{library} {version(library)}" for library in LIBRARIES),
        ),
    )


def _field(path: str, name: str) -> str:
    """The first line of a file of /proc that says `name`; empty where there is none."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(name)), "")


def _postgresql(url: str) -> str:
    try:
        with psycopg.connect(url, connect_timeout=5) as connection:
            return str(connection.info.parameter_status("server_version"))
    except psycopg.OperationalError:
        return "did not answer"


def _commit() -> str:
    """The commit, and whether there are uncommitted changes, not counting the report that a run rewrites."""
    command = ["git", "-C", str(ROOT)]
    try:
        head = subprocess.run([*command, "rev-parse", "--short=12", "HEAD"], check=True, capture_output=True, text=True)
        others = ["status", "--porcelain", "--", ".", ":!docs/benchmarks", ":!docs/benchmarks.md"]
        changes = subprocess.run([*command, *others], check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return head.stdout.strip() + (", with uncommitted changes" if changes else "")
