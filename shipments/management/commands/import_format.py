from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.db import transaction

from shipments.formats.format_files import house_format, import_format
from shipments.formats.publishing import publish
from shipments.management.shipments_command import ShipmentsCommand
from shipments.manifests.mapped.house.house_layouts import LAYOUTS
from shipments.manifests.mapped.spec import MAX_FILE_BYTES


class Command(ShipmentsCommand):
    help = (
        "Import a workbook format from a JSON file, or the house template's with --house. It is saved without being "
        "used until it is published. The same name makes the next version; the same content changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("company", metavar="COMPANY", help="The client code.")
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("file", metavar="FILE", type=Path, nargs="?")
        source.add_argument("--house", choices=[*LAYOUTS], help="The format of the house template for this country.")
        parser.add_argument(
            "--sample",
            metavar="SAMPLE.xlsx",
            type=Path,
            help="A workbook in this format. A test of made-up guides, written as its guides are, is kept.",
        )
        parser.add_argument(
            "--despite-headings",
            action="store_true",
            help="Also if it has fewer than half of the last version's headings, as another layout has.",
        )
        parser.add_argument("--publish", action="store_true", help="Use it for uploads from now on.")
        parser.add_argument("--note", default="", help="What changed, for people.")
        parser.add_argument("--dry-run", action="store_true", help="Show what would happen; change nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        company = self.company(options["company"])
        content = house_format(options["house"]) if options["house"] else self._content(options["file"])
        with self.files_or("The sample cannot be read"), self.refusals_in_words(), transaction.atomic():
            saved = import_format(
                company,
                content,
                actor=self.actor,
                note=options["note"][:255],
                sample=options["sample"],
                despite_headings=options["despite_headings"],
            )
            version = saved.version
            if options["publish"]:
                publish(version.format, version.number, actor=self.actor)
            transaction.set_rollback(options["dry_run"])
        what = "saved" if saved.is_new else "unchanged"
        used = ", in use from now on" if options["publish"] else ""
        dry = " (dry run: nothing was written)" if options["dry_run"] else ""
        self.stdout.write(f"{version.format.name} version {version.number}: {what}{used}{dry}")
        if saved.unread:
            self.stdout.write(f"No test is kept. Made-up guides are read differently: {', '.join(saved.unread)}")

    def _content(self, path: Path) -> bytes:
        with self.files_or("The file cannot be read"), path.open("rb") as file:
            return file.read(MAX_FILE_BYTES + 1)
