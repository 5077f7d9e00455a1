from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from shipments.management.moving_command import MovingCommand, add_dry_run
from shipments.management.screen import ScreenLine
from shipments.tracking.batches import Result
from shipments.tracking.voiding import void_manifest


class Command(MovingCommand):
    help = (
        "Void a manifest whose guides have not moved: cancel its guides, hide it from its company and free its "
        "MAWB. Operators still find it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--company", required=True, metavar="CODE", help="The owner's client code.")
        parser.add_argument("--mawb", required=True)
        parser.add_argument("--reason", required=True, help="The reason, for operators only; at most 255 characters.")
        parser.add_argument("--client-note", default="", help="What is sent to the client; at most 255 characters.")
        add_dry_run(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        manifest, dry_run = self.manifest(options["company"], options["mawb"]), options["dry_run"]

        def void(_after_batch: Any) -> Sequence[Result]:
            return void_manifest(
                manifest,
                reason=options["reason"],
                client_note=options["client_note"],
                actor=self.actor,
                dry_run=dry_run,
            )

        results = self.run(void, total=manifest.total_guides)
        self.report(list(map(ScreenLine.of, results)), options)
        if not dry_run:
            self.stdout.write(f"The manifest {manifest.mawb} is void; its MAWB can be sent again.")
