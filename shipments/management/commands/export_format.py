from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from shipments.formats.format_files import export_format
from shipments.management.shipments_command import ShipmentsCommand


class Command(ShipmentsCommand):
    help = "Print a company's workbook format as JSON, for import_format here or in another installation."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("company", metavar="COMPANY", help="The client code.")
        parser.add_argument("name", metavar="NAME")
        parser.add_argument("--version", dest="number", type=int, help="Default: the one in use, else the newest.")

    def handle(self, *args: Any, **options: Any) -> None:
        form = self.format(options["company"], options["name"])
        number = options["number"]
        version = form.versions.filter(number=number).first() if number else form.in_use or form.versions.first()
        if version is None:
            raise CommandError(f"The format has no version {number}.")
        self.stdout.write(export_format(version).decode(), ending="")
