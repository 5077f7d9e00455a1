"""Apply one event to guides, given one by one or by their MAWB."""

from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from shipments.management.moving_command import (
    MovingCommand,
    add_guide_arguments,
    in_order_of_first_mention,
    moment_argument,
)
from shipments.management.screen import ScreenLine
from shipments.statuses import GuideStatus, Source
from shipments.tracking.advancing import advance
from shipments.tracking.batches import Result
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
        parser.add_argument("--dry-run", action="store_true", help="Show what would happen; change nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        codes = in_order_of_first_mention(options["tracking_codes"])
        reported = ReportedEvent(
            GuideStatus(options["to"]),
            Source(options["source"]),
            moment_argument(options["at"]),
            options["internal_note"].strip(),
            options["client_note"].strip(),
        )
        guides, missing = self.guides(codes, options["company"], options["mawb"])
        dry_run = options["dry_run"]

        def move(after_batch: Any) -> Sequence[Result]:
            return advance(guides, reported, actor=self.actor, dry_run=dry_run, after_batch=after_batch)

        results = self.run(move, total=guides.count())
        lines = [*map(ScreenLine.of, results), *(ScreenLine.not_found(code, reported.status) for code in missing)]
        self.report(lines, dry_run=dry_run, no_color=options["no_color"], what="guide")
