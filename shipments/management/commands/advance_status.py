from argparse import ArgumentParser
from typing import Any

from shipments.management.moving_command import MovingCommand, add_dry_run, add_guide_arguments, moment_argument
from shipments.statuses import GuideStatus, Source
from shipments.tracking.advancing import advance
from shipments.tracking.moves import ReportedEvent

# Plain strings, because argparse shows the choices by their repr in its errors.
_STATUSES = [status.value for status in GuideStatus]
_SOURCES = [source.value for source in Source]


class Command(MovingCommand):
    help = "Advance guides to a status: the given tracking codes, or all guides of a company's MAWB."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_guide_arguments(parser)
        parser.add_argument("--to", required=True, choices=_STATUSES, metavar="STATUS", help=", ".join(_STATUSES))
        parser.add_argument(
            "--source", default=Source.OPERATOR.value, choices=_SOURCES, help="Who reports it (default: operator)."
        )
        parser.add_argument("--at", metavar="ISO", help="When it happened, with an offset; default: now.")
        parser.add_argument(
            "--internal-note", "--reason", default="", help="For operators only; at most 255 characters."
        )
        parser.add_argument("--client-note", default="", help="What is sent to the client; at most 255 characters.")
        add_dry_run(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        reported = ReportedEvent(
            GuideStatus(options["to"]),
            Source(options["source"]),
            moment_argument(options["at"]),
            options["internal_note"].strip(),
            options["client_note"].strip(),
        )
        self.move_named(options, reported.status, advance, reported)
