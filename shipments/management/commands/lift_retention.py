from argparse import ArgumentParser
from typing import Any

from shipments.management.moving_command import MovingCommand
from shipments.tracking.review import lift_retention


class Command(MovingCommand):
    help = "Lift the retention of a guide, so that it can be released, sent out and delivered."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("tracking_code", metavar="TRACKING_CODE")
        parser.add_argument("--reason", required=True, help="The reason, as free text; at most 255 characters.")

    def handle(self, *args: Any, **options: Any) -> None:
        guide = self.guide(options["tracking_code"])
        with self.refusals_in_words(f"{guide.tracking_code}: "):
            lift_retention(guide, reason=options["reason"], actor=self.actor)
        self.stdout.write(f"{guide.tracking_code} is no longer under retention.")
