"""Lift the retention of a guide."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from companies.errors import DomainError
from shipments.management.moving_command import WHAT_STANDS, MovingCommand, told
from shipments.tracking.retention import lift_retention


class Command(MovingCommand):
    help = "Lift the retention of a guide, so that it can be released, sent out and delivered."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("tracking_code", metavar="TRACKING_CODE")
        parser.add_argument("--reason", required=True, help="Why, for people; at most 255 characters.")

    def handle(self, *args: Any, **options: Any) -> None:
        guide = self.guide(options["tracking_code"])
        self._what_stands = WHAT_STANDS
        try:
            lift_retention(guide, reason=options["reason"], actor=self.actor)
        except DomainError as refused:
            raise CommandError(f"{guide.tracking_code}: {told(refused)}") from refused
        self.stdout.write(f"{guide.tracking_code} is no longer under retention.")
