"""Replace a carrier's secret. Standard output is one line of JSON with the new one."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from shipments.carriers.registration import rotate_secret
from shipments.management.carrier_command import CarrierCommand, as_command_error
from webhooks.management.secret_option import add_secret_option

_MOST_HOURS = 24 * 90


class Command(CarrierCommand):
    help = "Replace a carrier's secret and print one JSON line: slug, secret. The former one stays valid for a while."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="The carrier's slug.")
        parser.add_argument(
            "--overlap-hours", type=float, default=24.0, metavar="N", help="How long the former secret stays valid."
        )
        add_secret_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        hours = options["overlap_hours"]
        if not 0 <= hours <= _MOST_HOURS:
            raise CommandError(f"--overlap-hours must be from 0 to {_MOST_HOURS}.")
        carrier = self.carrier(options["slug"])
        try:
            secret = rotate_secret(carrier, options["secret"], overlap=timedelta(hours=hours))
        except ValidationError as refused:
            raise as_command_error(refused) from None
        self.say(slug=carrier.slug, secret=secret)
