"""Take back a wrong status of guides, given one by one or by their MAWB."""

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
from shipments.statuses import GuideStatus
from shipments.tracking.batches import Result
from shipments.tracking.taking_back import take_back
from shipments.tracking.withdrawals import REINSTATED, Withdrawal

# Plain strings, because argparse shows the choices by their repr in its errors.
_WRONG = [status.value for status in GuideStatus if status is not GuideStatus.REGISTERED]
_REINSTATED = [status.value for status in REINSTATED]


class Command(MovingCommand):
    help = (
        "Take back a wrong status, also a final one: the wrong event leaves the client's timeline, and the client is "
        "sent the status that holds instead. Guides with another status are refused."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_guide_arguments(parser)
        parser.add_argument("--wrong", required=True, choices=_WRONG, metavar="STATUS", help="The status to take back.")
        parser.add_argument(
            "--to",
            choices=_REINSTATED,
            metavar="STATUS",
            help=f"What holds instead (default: what follows from the other events): {', '.join(_REINSTATED)}",
        )
        parser.add_argument("--at", metavar="ISO", help="When that happened, with an offset; default: see the guide.")
        parser.add_argument("--reason", required=True, help="The reason, for operators only; at most 255 characters.")
        parser.add_argument("--client-note", default="", help="What is sent to the client; at most 255 characters.")
        parser.add_argument("--dry-run", action="store_true", help="Show what would happen; change nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        codes = in_order_of_first_mention(options["tracking_codes"])
        wrong, dry_run = GuideStatus(options["wrong"]), options["dry_run"]
        withdrawal = Withdrawal(
            wrong,
            GuideStatus(options["to"]) if options["to"] else None,
            moment_argument(options["at"]),
            options["reason"],
            options["client_note"],
        )
        guides, missing = self.guides(codes, options["company"], options["mawb"])

        def move(after_batch: Any) -> Sequence[Result]:
            return take_back(guides, withdrawal, actor=self.actor, dry_run=dry_run, after_batch=after_batch)

        results = self.run(move, total=guides.count())
        lines = [*map(ScreenLine.of, results), *(ScreenLine.not_found(code, wrong) for code in missing)]
        self.report(lines, dry_run=dry_run, no_color=options["no_color"], what="guide")
