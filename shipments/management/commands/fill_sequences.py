"""Number the events that earlier versions wrote, and store since when customs has guides, and manifests' status."""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand

from shipments.sequence_filling import fill_guides, fill_manifests


class Command(BaseCommand):
    help = (
        "Number the events of guides that an earlier version wrote, and store since when customs has them, the status "
        "of its manifests and when they changed. Run it once after the upgrade, while the service runs; an interrupted "
        "run is completed by the next one."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="Count what is missing, and write nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        dry_run = options["dry_run"]
        guides, parts = self._run("guides", fill_guides(dry_run=dry_run), options["verbosity"])
        manifests, more = self._run("manifests", fill_manifests(dry_run=dry_run), options["verbosity"])
        if not guides and not manifests:
            self.stdout.write("Nothing is missing.")
            return
        verb = "Would fill" if dry_run else "Filled"
        self.stdout.write(f"{verb} {guides:,} guides and {manifests:,} manifests, in {parts + more:,} parts.")

    def _run(self, what: str, filled: Iterator[int], verbosity: int) -> tuple[int, int]:
        total = parts = 0
        for number in filled:
            total, parts = total + number, parts + 1
            if verbosity > 1 and parts % 100 == 0:
                self.stdout.write(f"{total:,} {what}")
        return total, parts
