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

from base.buckets import forget_idle
from companies.models.company import sweep_ended
from companies.operators.tokens.sessions import forget_sessions
from shipments.carriers.forgetting import blank_old_bodies, forget_unmatched
from shipments.files.storage import recent_directories, unknown_files
from shipments.intake.drafts import sweep_manifest_drafts
from shipments.intake.refusals import forget_refusals
from shipments.layouts.reading import sweep_layouts
from shipments.sandbox.deletion import sweep_sandbox
from shipments.tracking.forgetting import sweep_moves

SANDBOX_KEEPS = timedelta(days=30)
"""A sandbox deletes older manifests."""

UNFINISHED_AFTER_SECONDS = 60 * 60
"""No upload takes an hour. An older temporary file was left by a process that died."""


class Command(BaseCommand):
    help = (
        "Delete stored files without a row, temporary files of unfinished uploads, and bulk moves that were never "
        "confirmed; empty the results by guide of old ones; delete drafts of manifests that operators never confirmed "
        "and, after 7 days, refused workbooks that waited for them, layouts unconfirmed and unseen for 90 days, "
        "refused requests and ended sessions of the operators' API after 30 days, events and scans without a guide "
        "after RETENTION_DAYS_UNMATCHED_EVENTS, rate limits that were not used for a day, and API passwords that ended "
        "after a rotation; in a sandbox manifests after 30 days."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--older-than-hours",
            type=float,
            default=24,
            help="Keep files younger than this, whose row may not be written yet (default 24).",
        )
        parser.add_argument(
            "--months",
            type=int,
            metavar="N",
            help="Check only files stored in this month and the N - 1 before it: enough for a daily run, and quick "
            "with years of files. Default: all.",
        )
        parser.add_argument("--dry-run", action="store_true", help="Report what would be deleted; delete nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["older_than_hours"] < 0:
            raise CommandError("--older-than-hours must be at least 0.")
        if options["months"] is not None and options["months"] < 1:
            raise CommandError("--months must be at least 1.")
        now = timezone.now()
        places = recent_directories(options["months"], now) if options["months"] else [""]
        older_than = now - timedelta(hours=options["older_than_hours"])
        is_dry = options["dry_run"]
        moves = sweep_moves(older_than, dry_run=is_dry)
        manifests = sweep_manifest_drafts(older_than, dry_run=is_dry)
        in_sandbox = sweep_sandbox(now - SANDBOX_KEEPS, dry_run=is_dry)
        stored = 0
        for name in unknown_files(older_than, places):
            stored += 1
            self.stdout.write(f"stored      {name}")
            if not is_dry:
                default_storage.delete(name)
        unfinished = self._find_unfinished_uploads()
        for path in unfinished:
            self.stdout.write(f"unfinished  {path.name}")
            if not is_dry:
                path.unlink(missing_ok=True)
        verb = "Would delete" if is_dry else "Deleted"
        for count, sentence in (
            (forget_refusals(dry_run=is_dry), f"{verb} {{:,}} refused requests."),
            (forget_sessions(dry_run=is_dry), f"{verb} {{:,}} sessions of the operators' API."),
            (forget_idle(dry_run=is_dry), f"{verb} {{:,}} idle rate limits."),
            (sweep_ended(dry_run=is_dry), f"{verb} {{:,}} ended API passwords."),
            (blank_old_bodies(dry_run=is_dry), f"{verb} the bodies of {{:,}} receipts of carriers."),
            (forget_unmatched(dry_run=is_dry), f"{verb} {{:,}} events and scans without a guide."),
            (in_sandbox, f"{verb} {{}} manifests of the sandbox."),
            (moves, f"{'Would empty' if is_dry else 'Emptied'} {{}} bulk moves."),
            (manifests, f"{verb} {{}} drafts of manifests."),
            (sweep_layouts(now, dry_run=is_dry), f"{verb} {{}} layouts that nobody confirmed."),
        ):
            if count:
                self.stdout.write(sentence.format(count))
        self.stdout.write(f"{verb} {stored} stored and {len(unfinished)} unfinished files.")

    @staticmethod
    def _find_unfinished_uploads() -> list[Path]:
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
