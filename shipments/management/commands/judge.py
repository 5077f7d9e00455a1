from argparse import ArgumentParser
from datetime import date
from typing import Any

from companies.countries import SERVED
from shipments.management.shipments_command import ShipmentsCommand
from shipments.models import Manifest
from shipments.tracking.judging import judge


class Command(ShipmentsCommand):
    help = (
        "Say what the law of a day would find of the guides that are stored: one line for each finding that changes. "
        "Nothing is written."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--country", required=True, type=str.upper, choices=[*SERVED], help="The destination.")
        parser.add_argument("--on", required=True, type=date.fromisoformat, help="The day, such as 2027-01-01.")
        parser.add_argument("--company", help="Only guides of this client: its code.")
        parser.add_argument("--since", type=date.fromisoformat, help="Only guides that arrive on this day or later.")

    def handle(self, *args: Any, **options: Any) -> None:
        manifests = Manifest.objects.all()
        if options["company"]:
            manifests = manifests.filter(company=self.company(options["company"]))
        if options["since"]:
            manifests = manifests.filter(arrival_day__gte=options["since"])
        changes = judge(manifests, options["country"], options["on"])
        for change in changes:
            guides = "1 guide" if change.guides == 1 else f"{change.guides:,} guides"
            self.stdout.write(
                f"{change.code}: changes for {guides} "
                f"({change.own:,} by the law of their own day, {change.other:,} by that of {options['on']})"
            )
        if not changes:
            self.stderr.write("No finding changes.")
