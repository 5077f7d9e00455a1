from argparse import ArgumentParser
from typing import Any

from shipments.formats.publishing import publish
from shipments.management.shipments_command import ShipmentsCommand


class Command(ShipmentsCommand):
    help = "Use a version of a company's workbook format for uploads from now on: a new one, or an earlier one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("company", metavar="COMPANY", help="The client code.")
        parser.add_argument("name", metavar="NAME")
        parser.add_argument("--version", dest="number", type=int, required=True)
        parser.add_argument(
            "--despite-tests", action="store_true", help="Also if kept tests are read differently than expected."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        form = self.format(options["company"], options["name"])
        with self.refusals_in_words():
            version = publish(form, options["number"], actor=self.actor, despite_tests=options["despite_tests"])
        self.stdout.write(f"{form.name} version {version.number} is in use.")
