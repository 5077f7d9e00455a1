from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import CommandError

from shipments.carriers.registration import rotate_secret
from shipments.management.shipments_command import ShipmentsCommand
from webhooks.management.secret_option import add_secret_option

_MOST_HOURS = 24 * 90


class Command(ShipmentsCommand):
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
        with self.refusals_in_words():
            secret = rotate_secret(carrier, options["secret"], overlap=timedelta(hours=hours))
        self.say(slug=carrier.slug, secret=secret)
