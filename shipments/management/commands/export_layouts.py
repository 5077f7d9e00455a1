import json
from argparse import ArgumentParser
from typing import Any

from shipments.layouts.files import export_layouts
from shipments.management.shipments_command import ShipmentsCommand


class Command(ShipmentsCommand):
    help = (
        "Print the layouts of a company's workbooks, and what was said of their columns, as JSON, for import_layouts "
        "here or in another installation. No value of a row is in it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("company", metavar="COMPANY", help="The client code.")

    def handle(self, *args: Any, **options: Any) -> None:
        content = export_layouts(self.client(options["company"]))
        self.stdout.write(json.dumps(content, ensure_ascii=False, indent=1))
