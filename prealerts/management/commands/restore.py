from argparse import ArgumentParser
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection

from companies.passwords import digest_with_pepper
from prealerts.backups import databases, media
from prealerts.backups.archives import Backup, BackupRefused, Contents, open_backup
from prealerts.management.commands.rotate_field_keys import unreadable_rows
from shipments.privacy import erasures_file


class Command(BaseCommand):
    help = (
        "Restore a file that `backup` wrote, with web servers, dispatchers and workers stopped. The database must have "
        "no company, manifest or carrier. Every digest is checked before the first row is written."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--yes", action="store_true", help="Replace the operators that are there.")
        parser.add_argument(
            "--send-waiting",
            action="store_true",
            help="Send the webhooks that waited when the backup was made. Most have been sent since: without this "
            "they are cancelled.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with open_backup(options["file"]) as backup:
                self._check(backup, is_confirmed=options["yes"])
                self._load(backup, sends_waiting=options["send_waiting"])
                contents = backup.contents
        except OSError as error:
            what = f"{error.strerror}: {error.filename or options['file']}."
            raise CommandError(f"{what} Nothing was restored.") from None
        except BackupRefused as error:
            raise CommandError(f"{error} Nothing was restored.") from None
        self.stdout.write("If this is interrupted now, run migrate, anonymise, check_totals and check_files.")
        failed = self._finish(contents.pepper)
        self._name_erasures(contents)
        if failed:
            raise CommandError("\n".join(failed))

    def _check(self, backup: Backup, *, is_confirmed: bool) -> None:
        """Raise `BackupRefused` if the backup does not belong here."""
        contents = backup.contents
        if contents.database != connection.vendor:
            raise BackupRefused(f"It is of {contents.database}, and DATABASE_URL names {connection.vendor}.")
        if contents.is_sandbox != settings.SANDBOX:
            of, here = ("a sandbox", "none") if contents.is_sandbox else ("a live service", "a sandbox")
            raise BackupRefused(f"It is of {of}, and this is {here}.")
        if unknown := databases.unknown_migrations(contents.migrations):
            raise BackupRefused(f"This version does not have its migrations: {', '.join(unknown[:5])}.")
        if backup.media and settings.S3_BUCKET:
            raise BackupRefused("It has the files, and S3_BUCKET is set: restore without, and copy them then.")
        if contents.bucket and contents.bucket != settings.S3_BUCKET:
            self.stdout.write(f"Its files are in the bucket {contents.bucket}, which S3_BUCKET does not name.")
        if operators := databases.check_is_free():
            self.stdout.write(f"The operators of this database are replaced: {', '.join(operators)}.")
            if not is_confirmed:
                raise BackupRefused("Confirm it with --yes.")

    def _load(self, backup: Backup, *, sends_waiting: bool) -> None:
        """Store the files, then the rows that speak of them; without the rows, no files."""
        placed = media.put_back(backup)
        try:
            with backup.open(backup.database) as dump:
                databases.load(dump, sends_waiting=sends_waiting)
        except BaseException:
            with suppress(BackupRefused, DatabaseError):  # it cannot be asked: the rows may be there
                databases.check_is_free()
                media.remove(placed)
            raise
        contents = backup.contents
        self.stdout.write(
            f"Restored the backup of {contents.created_at:%Y-%m-%d %H:%M} UTC, version {contents.version}, "
            f"and {len(placed):,} files that were not there."
        )

    def _finish(self, pepper: str) -> Sequence[str]:
        """Bring the database to this version, and check it. Returns what is wrong."""
        call_command("migrate", interactive=False, verbosity=0, stdout=self.stdout)
        failed = []
        if pepper != digest_with_pepper("backup", "").hex():
            failed.append("API_PASSWORD_PEPPER is another one than the backup's: no API password works. Put it back.")
        if lost := unreadable_rows():
            failed.append(f"No key in FIELD_ENCRYPTION_KEYS opens the secrets of these ({lost}). Put the old key back.")
        for command in ("anonymise", "check_totals", "check_files"):
            try:
                call_command(command, stdout=self.stdout, stderr=self.stderr)
            except CommandError as error:
                failed.append(f"{command}: {error}")
        return failed

    def _name_erasures(self, contents: Contents) -> None:
        """Name the people's erasures that the backup does not know of."""
        if not settings.ERASURES_FILE:
            self.stdout.write(
                "ERASURES_FILE is not set: which erasures of people must be repeated cannot be known from here. Look "
                f"for those after {contents.created_at:%Y-%m-%d %H:%M} UTC in your own records."
            )
            return
        try:
            again = erasures_file.newer_than(contents.created_at)
        except FileNotFoundError:
            self.stdout.write(
                "ERASURES_FILE does not exist. If anybody was ever erased, it was lost or is not mounted here: "
                "repeat the erasures since the backup."
            )
            return
        except OSError as error:
            self.stdout.write(f"ERASURES_FILE cannot be read ({error.strerror}): repeat the erasures since the backup.")
            return
        if not again:
            self.stdout.write("No person was erased after the backup.")
            return
        self.stdout.write("Erasures of people after the backup; repeat each (digest of the documents, time, case):")
        for line in again:
            self.stdout.write(f"  {line}")
