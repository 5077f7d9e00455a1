from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from shipments.tracking.totals import check_totals


class Command(BaseCommand):
    help = "Recount every manifest's totals and guides by status, and report differences from the stored values."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--fix", action="store_true", help="Correct the stored values.")

    def handle(self, *args: Any, **options: Any) -> None:
        differences = 0
        for difference in check_totals(fix=options["fix"]):
            differences += 1
            self.stdout.write(
                f"{difference.client_code} {difference.mawb} {difference.manifest_id} {difference.total}: "
                f"stored {difference.kept}, counted {difference.counted}"
            )
        if differences and not options["fix"]:
            summary = (
                "1 total differs; --fix makes it"
                if differences == 1
                else f"{differences:,} totals differ; --fix makes them"
            )
            raise CommandError(f"{summary} correct.")
        summary = "1 total was" if differences == 1 else f"{differences:,} totals were"
        self.stdout.write(f"{summary} corrected." if differences else "All totals agree.")
