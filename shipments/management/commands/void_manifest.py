"""Void a manifest that was sent by mistake."""

from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from shipments.management.moving_command import MovingCommand
from shipments.management.screen import Line
from shipments.tracking.results import Result
from shipments.tracking.voiding import void_manifest


class Command(MovingCommand):
    help = (
        "Void a manifest none of whose guides is under way: cancel its guides, hide it from its company and free its "
        "MAWB. Operators still find it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--company", required=True, metavar="CODE", help="The owner's client code.")
        parser.add_argument("--mawb", required=True)
        parser.add_argument("--reason", required=True, help="Why, for people; at most 255 characters.")
        parser.add_argument("--dry-run", action="store_true", help="Show what would happen, and write nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        manifest, dry_run = self.manifest(options["company"], options["mawb"]), options["dry_run"]

        def void(_after_batch: Any) -> Sequence[Result]:
            return void_manifest(manifest, reason=options["reason"], actor=self.actor, dry_run=dry_run)

        results = self.run(void, total=manifest.total_guides)
        self.report(list(map(Line.of, results)), dry_run=dry_run, no_color=options["no_color"], what="guide")
        if not dry_run:
            self.stdout.write(f"The manifest {manifest.mawb} is void; its MAWB can be sent again.")
