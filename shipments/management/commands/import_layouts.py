from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from shipments.layouts.files import MAX_FILE_BYTES, import_layouts
from shipments.management.shipments_command import ShipmentsCommand


class Command(ShipmentsCommand):
    help = (
        "Import layouts from a file of export_layouts. Those with the same headings are answered as in the file, and "
        "confirmed if they are there; others stay. All or nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("company", metavar="COMPANY", help="The client code.")
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument("--dry-run", action="store_true", help="Show what would happen; change nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        company = self.client(options["company"])
        with self.files_or("The file cannot be read"), options["file"].open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
        with self.refusals_in_words():
            imported = import_layouts(company, content, dry_run=options["dry_run"])
        for layout, outcome in imported:
            is_confirmed = ", confirmed" if layout.confirmed_at else ""
            self.stdout.write(f"{layout.country}, {len(layout.columns)} columns{is_confirmed}: {outcome}")
        dry = " (dry run: nothing was written)" if options["dry_run"] else ""
        self.stdout.write(f"{len(imported)} layouts{dry}")
