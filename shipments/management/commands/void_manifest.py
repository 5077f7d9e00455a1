from argparse import ArgumentParser
from typing import Any

from shipments.management.moving_command import MovingCommand, add_dry_run
from shipments.management.screen import ScreenLine
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
        manifest = self.manifest(options["company"], options["mawb"])
        named = {name: options[name] for name in ("reason", "client_note", "dry_run")}
        results = self.run(lambda: void_manifest(manifest, **named, actor=self.actor))
        self.report(list(map(ScreenLine.of, results)), options)
        if not options["dry_run"]:
            self.stdout.write(f"The manifest {manifest.mawb} is void; its MAWB can be sent again.")
