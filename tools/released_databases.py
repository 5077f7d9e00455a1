"""Keep a database of this version under `tests/upgrade/`, of each kind, and the digests of its migrations.

python -m tools.released_databases

is a step of each release. What it keeps is never changed again: later versions are tested on how they migrate it.
The databases are those of `manage.py demo`, with invented people and the secrets of the tests. Needs PostgreSQL and
its client programs: TEST_POSTGRES_URL, or postgres://postgres@127.0.0.1:5432/postgres.
"""

import hashlib
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import tests.environment  # noqa: F401  # invented secrets, for this process and those that it starts
from prealerts.version import VERSION
from tests.live.databases import migrate, scratch_database

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "tests" / "upgrade"
FROZEN = KEPT / "migrations.json"
APPS = ("base", "companies", "webhooks", "shipments")
_SIZE = ("--manifests", "12", "--guides", "10")


def fill(url: str, media: Path) -> None:
    migrate(url)
    subprocess.run(
        [sys.executable, "manage.py", "demo", "--skip-checks", *_SIZE],
        cwd=ROOT, env={**os.environ, "DATABASE_URL": url, "MEDIA_ROOT": str(media)}, check=True,
        stdout=subprocess.DEVNULL,  # the passwords of its operators
    )  # fmt: skip


def keep_sqlite(directory: Path) -> Path:
    kept = KEPT / f"{VERSION}.sqlite3"
    kept.unlink(missing_ok=True)
    with scratch_database("sqlite://", directory) as url:
        fill(url, directory)
        database = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
        database.execute("PRAGMA journal_mode = DELETE")
        database.execute("PRAGMA page_size = 512")  # half of what it has are tables and indexes without a row
        database.execute("VACUUM INTO ?", [str(kept)])
        database.close()
    return kept


def keep_postgresql(directory: Path) -> Path:
    kept = KEPT / f"{VERSION}.dump"
    server = os.environ.get("TEST_POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/postgres")
    with scratch_database(server, directory) as url:
        fill(url, directory)
        options = ("--format=custom", "--compress=9", "--no-owner", "--no-privileges")
        subprocess.run(["pg_dump", *options, f"--file={kept}", url], check=True)
    return kept


def digests() -> dict[str, str]:
    """Path -> the digest of each migration that this version has."""
    paths = sorted(path for app in APPS for path in (ROOT / app / "migrations").glob("0*.py"))
    return {path.relative_to(ROOT).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


if __name__ == "__main__":
    for keep in (keep_sqlite, keep_postgresql):
        with TemporaryDirectory(prefix="released-") as place:
            made = keep(Path(place))
        sys.stdout.write(f"{made.relative_to(ROOT)}: {made.stat().st_size:,} bytes\n")
    FROZEN.write_text(json.dumps(digests(), indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"{FROZEN.relative_to(ROOT)}: {len(digests())} migrations\n")
