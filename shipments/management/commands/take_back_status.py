from argparse import ArgumentParser
from typing import Any

from shipments.management.moving_command import MovingCommand, add_dry_run, add_guide_arguments, moment_argument
from shipments.statuses import GuideStatus
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
        add_dry_run(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        wrong = GuideStatus(options["wrong"])
        withdrawal = Withdrawal(
            wrong,
            GuideStatus(options["to"]) if options["to"] else None,
            moment_argument(options["at"]),
            options["reason"],
            options["client_note"],
        )
        self.move_named(options, wrong, take_back, withdrawal)
