"""Backups of a database in use, as docs/operations.md takes them."""

import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from faults.environment import own_postgres
from faults.observation.records import Records


def backup(records: Records, directory: Path) -> str:
    """Take a backup of a database in use and restore it elsewhere; the URL of the copy."""
    if records.is_sqlite:
        copy = directory / "copy.sqlite3"
        with closing(sqlite3.connect(records.path, timeout=30)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        return f"sqlite:///{copy}"
    folder, name = own_postgres.binaries(), f"restored_{os.urandom(4).hex()}"
    assert folder is not None
    url, archive = records.url.rpartition("/")[0] + f"/{name}", directory / "archive"
    commands = [
        [str(folder / "pg_dump"), "-Fc", "-f", str(archive), records.url],
        [str(folder / "createdb"), "--maintenance-db", records.url, name],
        [str(folder / "pg_restore"), "-d", url, str(archive)],
    ]
    for command in commands:
        subprocess.run(command, check=True, timeout=120)
    return url
