"""The database of a backup: copied while the service works, and loaded as a whole or not at all."""

import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from django.apps import apps
from django.conf import settings
from django.db import connection
from django.db.backends.postgresql.client import DatabaseClient
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from companies.models import Company
from prealerts.backups.archives import BackupRefused
from shipments.models import Carrier, Manifest

_CANCEL_WAITING = """
UPDATE webhooks_delivery SET state = 'cancelled', claim_id = NULL, claimed_at = NULL, due_at = NULL,
    finished_at = CURRENT_TIMESTAMP, reason = 'Restored from a backup.'
WHERE state IN ('pending', 'waiting', 'sending');
"""


def applied_migrations() -> list[str]:
    return sorted(f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations())


def unknown_migrations(applied: Sequence[str]) -> list[str]:
    """Return those of `applied` that this version does not have."""
    known = MigrationLoader(None).disk_migrations
    replaced = {each for migration in known.values() for each in migration.replaces}
    return sorted({*applied} - {".".join(each) for each in (*known, *replaced)})


def check_is_free() -> list[str]:
    """Return the operators that a restore would replace.

    Raises `BackupRefused` if the database has a company, a manifest, a carrier, or tables that are not ours.
    """
    tables = set(connection.introspection.table_names())
    ours = {model._meta.db_table for model in apps.get_models(include_auto_created=True)}
    if foreign := sorted(tables - ours - {"django_migrations"}):
        raise BackupRefused(f"The database has tables of another program ({', '.join(foreign[:5])}): use an empty one.")
    for model in (Company, Manifest, Carrier):
        if model._meta.db_table in tables and model._base_manager.exists():  # noqa: SLF001  # Django's documented name
            raise BackupRefused(f"The database has {model._meta.verbose_name_plural}: use an empty one.")
    if "auth_user" not in tables:
        return []
    with connection.cursor() as cursor:  # its columns may be those of another version
        cursor.execute("SELECT username FROM auth_user ORDER BY username")
        return [name for (name,) in cursor.fetchall()]


def dump(place: Path) -> None:
    """Copy the database into the new file `place`. Raises `BackupRefused` with what the program says."""
    if connection.vendor == "postgresql":
        _run("pg_dump", "--format=custom", f"--file={place}")
        return
    connection.ensure_connection()
    copy = sqlite3.connect(place)
    try:
        connection.connection.backup(copy)
    finally:
        copy.close()


def load(source: IO[bytes], *, sends_waiting: bool) -> None:
    """Replace the database by a dump, in one transaction: a process that is killed has changed nothing.

    Raises `BackupRefused` with what the program says.
    """
    cancel = "" if sends_waiting else _CANCEL_WAITING
    if connection.vendor == "postgresql":
        _load_postgresql(source, cancel)
    else:
        _load_sqlite(source, cancel)


def _load_sqlite(source: IO[bytes], cancel: str) -> None:
    """Make the file beside the one that it then replaces."""
    place = Path(connection.settings_dict["NAME"])
    beside = place.with_name(f".{place.name}.restored")
    beside.unlink(missing_ok=True)  # of a process that was killed
    beside.touch(mode=0o600, exist_ok=False)
    try:
        with beside.open("wb") as file:
            shutil.copyfileobj(source, file)
        database = sqlite3.connect(beside)
        try:
            database.executescript(f"PRAGMA journal_mode = MEMORY; {cancel}")  # no journal that a crash would leave
        finally:
            database.close()
        with beside.open("rb") as file:
            os.fsync(file.fileno())
        connection.close()
        for left in ("-journal", "-wal", "-shm"):  # of the database that goes
            place.with_name(place.name + left).unlink(missing_ok=True)
        beside.replace(place)
    except sqlite3.DatabaseError as error:
        raise BackupRefused(f"SQLite: {error}") from None
    finally:
        beside.unlink(missing_ok=True)


def _load_postgresql(source: IO[bytes], cancel: str) -> None:
    """Give psql what pg_restore writes, and COMMIT only once that has ended well."""
    quoted = ", ".join(map(connection.ops.quote_name, connection.introspection.table_names()))
    connection.close()
    with tempfile.TemporaryFile() as said, tempfile.NamedTemporaryFile(dir=settings.MEDIA_ROOT, prefix=".") as dump:
        shutil.copyfileobj(source, dump)
        dump.flush()
        with (
            _start("psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", f"--output={os.devnull}",
                   stdin=subprocess.PIPE, stderr=said) as psql,
            _start("pg_restore", "--no-owner", "--no-privileges", "--file=-", dump.name, is_connected=False,
                   stdout=subprocess.PIPE, stderr=said) as restoring,
        ):  # fmt: skip
            assert psql.stdin and restoring.stdout  # noqa: PT018, S101  # both are pipes
            try:
                psql.stdin.write(f"BEGIN;\n{f'DROP TABLE {quoted} CASCADE;' if quoted else ''}\n".encode())
                shutil.copyfileobj(restoring.stdout, psql.stdin)
                if restoring.wait() == 0:
                    psql.stdin.write(f"RESET ALL;\n{cancel}ANALYZE;\nCOMMIT;\n".encode())
                psql.stdin.close()
            except BrokenPipeError:  # psql has ended, and said why
                restoring.kill()
        if psql.returncode or restoring.returncode:
            said.seek(0)
            raise BackupRefused(f"The database was not restored: {said.read().decode(errors='replace').strip()}")


def _start(program: str, *arguments: str, is_connected: bool = True, **streams: Any) -> "subprocess.Popen[bytes]":  # noqa: ANN401  # of Popen
    """Start one of PostgreSQL's programs. The password is in its environment, which process lists do not show."""
    if settings.BEHIND_PGBOUNCER:
        raise BackupRefused("Go past PgBouncer: BEHIND_PGBOUNCER=off, and DATABASE_URL of the database itself.")
    options = connection.settings_dict["OPTIONS"]
    (_psql, *whither), secrets = DatabaseClient.settings_to_cmd_args_env(connection.settings_dict, [])
    environment = {**os.environ, **(secrets or {}), "PGAPPNAME": "prealerts backup"}
    if "target_session_attrs" in options:
        environment["PGTARGETSESSIONATTRS"] = options["target_session_attrs"]
    command = [program, *arguments, *(whither if is_connected else ())]
    try:
        return subprocess.Popen(command, env=environment, **streams)  # noqa: S603  # ours
    except FileNotFoundError:
        raise BackupRefused(
            f"{program} is not installed: Debian's postgresql-client, of the server's version or a later one."
        ) from None


def _run(program: str, *arguments: str) -> None:
    with _start(program, *arguments, stderr=subprocess.PIPE) as process:
        _out, said = process.communicate()
    if process.returncode:
        raise BackupRefused(f"{program}: {said.decode(errors='replace').strip()}")
