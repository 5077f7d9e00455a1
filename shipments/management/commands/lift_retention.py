"""Lift the retention of a guide."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from companies.errors import DomainError
from shipments.management.moving_command import COMPLETED_IS_KEPT, MovingCommand, text_of_refusal
from shipments.tracking.review import lift_retention


class Command(MovingCommand):
    help = "Lift the retention of a guide, so that it can be released, sent out and delivered."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("tracking_code", metavar="TRACKING_CODE")
        parser.add_argument("--reason", required=True, help="The reason, as free text; at most 255 characters.")

    def handle(self, *args: Any, **options: Any) -> None:
        guide = self.guide(options["tracking_code"])
        self._what_stands = COMPLETED_IS_KEPT
        try:
            lift_retention(guide, reason=options["reason"], actor=self.actor)
        except DomainError as refused:
            raise CommandError(f"{guide.tracking_code}: {text_of_refusal(refused)}") from refused
        self.stdout.write(f"{guide.tracking_code} is no longer under retention.")
