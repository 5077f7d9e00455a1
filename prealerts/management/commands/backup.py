import fcntl
import os
import shutil
import tarfile
import tempfile
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.utils import timezone

from companies.passwords import digest_with_pepper
from prealerts.backups.archives import DATABASES, BackupRefused, Writer
from prealerts.backups.databases import applied_migrations, dump
from prealerts.backups.media import add_files, add_versions
from shipments.errors import StorageUnavailable

_UNFINISHED = ".prealerts-backup-"


class Command(BaseCommand):
    help = (
        "Write a backup of the database and the received files into a directory, as one file; the service keeps "
        "running. With a bucket, the file has the list of its versions instead of the files. Keys are never in it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("directory", type=Path, metavar="DIR", help="Made if it is missing.")
        parser.add_argument("--without-files", action="store_true", help="The database alone.")

    def handle(self, *args: Any, **options: Any) -> None:
        directory, has_files = options["directory"].resolve(), not options["without_files"]
        for served in (settings.MEDIA_ROOT, settings.STATIC_ROOT):
            if directory.is_relative_to(Path(served).resolve()):
                raise CommandError(f"{directory} is below {served}: choose another directory.")
        try:
            directory.mkdir(mode=0o700, exist_ok=True)
            with _work_place(directory) as place:
                now = timezone.now()
                written, files = self._write(place, now, has_files=has_files)
                target = written.rename(directory / f"prealerts-{now:%Y%m%dT%H%M%SZ}.tar")
        except OSError as error:
            raise CommandError(f"{error.strerror}: {error.filename or directory}. Nothing was written.") from None
        except (BackupRefused, StorageUnavailable) as error:
            raise CommandError(f"{error} Nothing was written.") from None
        self._report(target, files, has_files=has_files)

    def _write(self, place: Path, now: datetime, *, has_files: bool) -> tuple[Path, int]:
        """Write the archive into `place`. The database comes first: a file is stored before its row."""
        written, database = place / "backup.tar", DATABASES[connection.vendor]
        applied = applied_migrations()
        dump(place / database)
        written.touch(mode=0o600, exist_ok=False)
        with written.open("wb") as file:
            with tarfile.open(fileobj=file, mode="w") as archive:
                writer = Writer(archive)
                with (place / database).open("rb") as source:
                    writer.add(database, source)
                (place / database).unlink()
                if has_files and settings.S3_BUCKET:
                    add_versions(writer, place)
                elif has_files:
                    add_files(writer)
                files = len(writer.files) - 1
                writer.finish(
                    place, created_at=now, database=connection.vendor, is_sandbox=settings.SANDBOX, migrations=applied,
                    pepper=digest_with_pepper("backup", "").hex(), bucket=settings.S3_BUCKET, has_files=has_files,
                )  # fmt: skip
            file.flush()
            os.fsync(file.fileno())
        return written, files

    def _report(self, target: Path, files: int, *, has_files: bool) -> None:
        if not has_files:
            what = "the database alone"
        elif settings.S3_BUCKET:
            what = f"the database, and the versions of what is in the bucket {settings.S3_BUCKET}: keep those there"
        else:
            what = f"the database and {files:,} {'file' if files == 1 else 'files'}"
        self.stdout.write(f"{target}: {what}; {target.stat().st_size:,} bytes.")
        self.stdout.write(
            "The keys are not in it: keep FIELD_ENCRYPTION_KEYS, API_PASSWORD_PEPPER and SECRET_KEY elsewhere. "
            "Without them the backup cannot be used."
        )


@contextmanager
def _work_place(directory: Path) -> Iterator[Path]:
    """A directory of this process in `directory`. Those that killed ones left behind are deleted first."""
    for left in directory.glob(f"{_UNFINISHED}*"):
        if (descriptor := _hold(left)) is not None:
            shutil.rmtree(left)
            os.close(descriptor)
    with tempfile.TemporaryDirectory(prefix=_UNFINISHED, dir=directory) as made:
        descriptor = _hold(Path(made))
        try:
            yield Path(made)
        finally:
            if descriptor is not None:
                os.close(descriptor)


def _hold(directory: Path) -> int | None:
    """Lock a directory until the descriptor is closed, or the process ends; None if another one has it."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor
