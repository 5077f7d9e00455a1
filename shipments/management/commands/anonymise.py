from argparse import ArgumentParser
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from base.models import forget_searches
from shipments.files.stored_files import erase_older_files, older_files
from shipments.management.document_option import add_document_arguments, person_given, similar_sentence
from shipments.privacy.anonymise import Tally, anonymise_older
from shipments.privacy.erasing import count_person, erase_person, unread_uploads
from shipments.privacy.mentions import forget_headings
from shipments.privacy.person import Person
from shipments.tracking.bulk import forget_moves

_ACTOR = "manage.py anonymise"


class Command(BaseCommand):
    help = (
        "Blank personal fields and erase stored files; guides, their events and the totals stay. Without arguments: "
        "as set by RETENTION_DAYS_PERSONAL_DATA and RETENTION_DAYS_FILES; run that daily. This cannot be undone."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--older-than", type=int, metavar="DAYS", help="Those received longer ago, regardless of the settings."
        )
        add_document_arguments(parser, required=False)
        parser.add_argument("--reference", default="–", help="With --document: the case, for the receipt. Not a name.")
        parser.add_argument("--dry-run", action="store_true", help="Report what would be erased; erase nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        before, dry_run = _before(options["older_than"]), options["dry_run"]
        if options["document"] is not None:
            person = person_given(options)._replace(before=before)
            tally = self._person(person, options["reference"], dry_run=dry_run)
        elif options["country"] or options["guide"]:
            raise CommandError("--country and --guide require --document.")
        elif before:
            tally = anonymise_older(before, dry_run=dry_run)
            tally += _beside_the_guides(before, dry_run=dry_run)
        else:
            tally = self._as_set(dry_run=dry_run)
        self._report(tally, dry_run=dry_run)

    def _as_set(self, *, dry_run: bool) -> Tally:
        """Anonymise what is due by the two settings, and report a setting that is off."""
        tally = Tally()
        personal, files = settings.RETENTION_DAYS_PERSONAL_DATA, settings.RETENTION_DAYS_FILES
        if personal is None:
            self.stdout.write("RETENTION_DAYS_PERSONAL_DATA is off: personal data is kept.")
        else:
            tally += anonymise_older(_ago(personal), dry_run=dry_run)
            tally += _beside_the_guides(_ago(personal), dry_run=dry_run)
        if files is None:
            self.stdout.write("RETENTION_DAYS_FILES is off: files are kept as long as the personal data.")
        elif dry_run:
            tally["files"] = max(tally["files"], older_files(_ago(files)))
        else:
            for erased, undeleted in erase_older_files(_ago(files)):
                tally += Tally(files=erased, undeleted=undeleted)
        return tally

    def _person(self, person: Person, reference: str, *, dry_run: bool) -> Tally:
        """Erase a person, and leave a receipt; the worker runs it once more if uploads wait to be read."""
        if sentence := similar_sentence(person):
            self.stdout.write(sentence)
        if dry_run:
            return count_person(person)
        receipt, tally = erase_person(person, reference=reference, actor=_ACTOR)
        for draft in receipt.drafts:
            self.stdout.write(
                f"Ended an unconfirmed draft: {draft['company']}, uploaded by {draft['operator']} at "
                f"{draft['uploaded_at']}. Ask for the workbook again, without this person."
            )
        if receipt.finished_at is None:
            unread = unread_uploads(receipt).count()
            self.stdout.write(
                f"Uploads that are not read yet, and may name this person: {unread:,}. The worker erases once more "
                "after them."
            )
        return tally

    def _report(self, tally: Tally, *, dry_run: bool) -> None:
        verb = "Would anonymise" if dry_run else "Anonymised"
        logs = f", activity log entries: {tally['log_entries']:,}, deliveries: {tally['deliveries']:,}"
        self.stdout.write(
            f"{verb} {tally['guides']:,} guides of {tally['manifests']:,} manifests; files: {tally['files']:,}, "
            f"reasons of events: {tally['reasons']:,}{'' if dry_run else logs}."
        )
        deleted, erased = ("to delete", "to erase") if dry_run else ("deleted", "erased")
        for count, what in (
            (tally["imports"], "Event imports whose file names and results are blanked"),
            (tally["views"], f"Saved views that search for something {deleted}"),
            (tally["carriers"], "Bodies and descriptions of carriers that were erased"),
            (tally["headings"], f"Headings of refused workbooks {erased}"),
            (tally["mentions"], f"Texts elsewhere {erased}"),
            (tally["ended"], f"Unconfirmed drafts {'to end' if dry_run else 'ended'}"),
        ):
            if count:
                self.stdout.write(f"{what}: {count:,}.")
        if tally["undeleted"]:
            raise CommandError(
                f"{tally['undeleted']:,} files could not be deleted; the log lists them. No row refers to them any "
                "more: repair the storage, then run sweep_files."
            )


def _beside_the_guides(before: datetime, *, dry_run: bool) -> Tally:
    """Erase by age what may name people outside their guides."""
    return Tally(
        imports=forget_moves(before, dry_run=dry_run),
        views=forget_searches(before, dry_run=dry_run),
        headings=forget_headings(before, dry_run=dry_run),
    )


def _before(days: int | None) -> datetime | None:
    if days is None:
        return None
    if days < 1:
        raise CommandError("--older-than must be at least 1 day.")
    return _ago(days)


def _ago(days: int) -> datetime:
    try:
        return timezone.now() - timedelta(days=days)
    except OverflowError:
        raise CommandError("--older-than is too large.") from None
