from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from companies.countries import SERVED
from companies.scope import EVERYWHERE
from shipments.errors import ManifestValidationFailed
from shipments.intake.moving_files import read_moving_file
from shipments.intake.moving_in import MovedIn, move_in
from shipments.management.moving_command import add_dry_run
from shipments.management.shipments_command import ShipmentsCommand
from shipments.statuses import GuideStatus
from shipments.v1.answers import findings
from shipments.wording.stored import render_invalid_rows

_NAMED = 100


class Command(ShipmentsCommand):
    help = (
        "Move in a client's parcels from another system, with their tracking codes and past events, from a canonical "
        "JSON manifest or a workbook. All or nothing; the same file a second time changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("company", metavar="COMPANY", help="The client code.")
        parser.add_argument("file", metavar="FILE", type=Path, help="A .json or .xlsx file.")
        parser.add_argument("--country", required=True, type=str.upper, choices=[*SERVED], help="The destination.")
        add_dry_run(parser)
        parser.add_argument(
            "--announce", action="store_true", help="Send the webhooks of the manifest and of its past events."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        company, country = self.company(options["company"]), options["country"]

        with self.files_or("The file cannot be read"), self.refusals_in_words():
            try:
                file = read_moving_file(company, options["file"], EVERYWHERE, country)
            except ManifestValidationFailed as refused:  # for example, duplicate guides
                rows: Any = refused.extras["invalid_rows"]
                problems = [
                    f"guides[{row['row_index']}] {row['hawb']}: {row['field']}: {row['message']}"
                    for row in render_invalid_rows(rows[:_NAMED])
                ]
                raise CommandError("\n".join([refused.message, *problems])) from refused
            moved = move_in(
                company, file, actor=self.actor, dry_run=options["dry_run"], is_announced=options["announce"]
            )
        self.stdout.write(_summary(moved, dry_run=options["dry_run"]))


def _summary(moved: MovedIn, *, dry_run: bool) -> str:
    manifest = moved.manifest
    guides = f"MAWB {manifest.mawb}: {moved.guides:,} guides"
    if moved.is_unchanged:
        return f"{guides}, unchanged; nothing was written."
    counts = manifest.guides_by_status
    statuses = ", ".join(f"{status} {counts[status]:,}" for status in GuideStatus if status in counts)
    told = f"{guides}, {moved.events:,} events; {statuses}; warnings {manifest.warnings_count:,}."
    found = findings(manifest)
    lines = [f"{each['hawb']} {each['field']}: {each['message']}" for each in found["warnings"][:_NAMED]]
    lines += [f"{each['hawb'] or manifest.mawb}: {each['message']}" for each in found["notices"][:_NAMED]]
    return "\n".join([f"Dry run, nothing was written. {told}" if dry_run else told, *lines])
