from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from shipments.admin.event_files import event_template
from shipments.management.moving_command import MovingCommand, add_dry_run
from shipments.management.screen import ScreenLine
from shipments.tracking.event_files.importing import import_events
from shipments.tracking.event_files.reading import read_event_file
from shipments.tracking.moves import Move, Outcome


class Command(MovingCommand):
    help = (
        "Import events from a CSV or XLSX file: tracking_code or mawb and hawb, status, occurred_at, source, "
        "internal_note, client_note. Valid rows are imported even if others are not; errors are reported by row, and "
        "the file can be sent again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, help="The file; with --template, the file to write.")
        add_dry_run(parser)
        parser.add_argument("--template", action="store_true", help="Write an empty XLSX to fill in, then exit.")

    def handle(self, *args: Any, **options: Any) -> None:
        path, dry_run = options["file"], options["dry_run"]
        if options["template"]:
            with self.files_or("The template cannot be written"), path.open("xb") as file:
                file.write(event_template().getvalue())
            self.stdout.write(f"Wrote {path}.")
            return
        with self.refusals_in_words():
            rows = read_event_file(path).rows
        imported = self.run(lambda: import_events(rows, actor=self.actor, dry_run=dry_run))
        lines = [
            ScreenLine.of(became, guide=row.guide)
            if isinstance(became, Move)
            else ScreenLine(row.guide, "", Outcome.REFUSED, became.problem, str(row.row))
            for row, became in zip(rows, imported, strict=True)
        ]
        self.report(lines, options, what="row")
