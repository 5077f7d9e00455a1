"""Delete stored files without a row and unfinished uploads, and clean up old event imports."""

import stat
import time
from argparse import ArgumentParser
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.storage import default_storage
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from shipments.event_files.event_imports import sweep_imports
from shipments.files.storage import recent_directories, unknown_files

UNFINISHED_AFTER_SECONDS = 60 * 60
"""No upload takes an hour. An older temporary file was left by a process that died."""


class Command(BaseCommand):
    help = (
        "Delete stored files without a row and temporary files of uploads that never finished; delete files of events "
        "that nobody imported, and what is kept of each row of those that were."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--older-than-hours",
            type=float,
            default=24,
            help="Leave younger files alone: their row may be on its way (default 24).",
        )
        parser.add_argument(
            "--months",
            type=int,
            metavar="N",
            help="Look only at files stored in this month and the N - 1 before it, and at files of "
            "events: enough every day, and a bucket with years of files answers in seconds. Everywhere when left out.",
        )
        parser.add_argument("--dry-run", action="store_true", help="Say what would be deleted, and delete nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["older_than_hours"] < 0:
            raise CommandError("--older-than-hours counts hours, from 0.")
        if options["months"] is not None and options["months"] < 1:
            raise CommandError("--months counts months, from 1.")
        now = timezone.now()
        places = recent_directories(options["months"], now) if options["months"] else [""]
        older_than = now - timedelta(hours=options["older_than_hours"])
        is_dry = options["dry_run"]
        imports = sweep_imports(older_than, dry_run=is_dry)
        stored = 0
        for name in unknown_files(older_than, places):
            stored += 1
            self.stdout.write(f"stored      {name}")
            if not is_dry:
                default_storage.delete(name)
        unfinished = self._unfinished_uploads()
        for path in unfinished:
            self.stdout.write(f"unfinished  {path.name}")
            if not is_dry:
                path.unlink(missing_ok=True)
        verb = "Would delete" if is_dry else "Deleted"
        if imports:
            self.stdout.write(f"{'Would empty' if is_dry else 'Emptied'} {imports} imports of events.")
        self.stdout.write(f"{verb} {stored} stored and {len(unfinished)} unfinished files.")

    @staticmethod
    def _unfinished_uploads() -> list[Path]:
        directory = Path(settings.FILE_UPLOAD_TEMP_DIR)
        limit = time.time() - UNFINISHED_AFTER_SECONDS
        if not directory.is_dir():
            return []
        return sorted(path for path in directory.iterdir() if _is_older(path, limit))


def _is_older(path: Path, limit: float) -> bool:
    """Return whether `path` is a file last changed before `limit`. The file may be removed in the meantime."""
    try:
        about = path.stat()
    except FileNotFoundError:
        return False
    return stat.S_ISREG(about.st_mode) and about.st_mtime < limit
