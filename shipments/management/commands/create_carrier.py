from argparse import ArgumentParser
from typing import Any

from companies.countries import SERVED
from shipments.carriers.registration import register
from shipments.management.shipments_command import ShipmentsCommand
from shipments.models import Adapter, Carrier, Scheme
from shipments.models.carriers import SOURCES, Encoding
from webhooks.management.secret_option import add_secret_option
from webhooks.management.subscription_command import parse_list


class Command(ShipmentsCommand):
    help = "Make a carrier that sends its events to us and print one JSON line: slug, secret."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="Part of the address that it posts to.")
        parser.add_argument("--name", required=True, help="As operators know it.")
        parser.add_argument("--adapter", required=True, choices=Adapter.values, help="Whose bodies it sends.")
        parser.add_argument("--scheme", required=True, choices=Scheme.values, help="How it proves who it is.")
        parser.add_argument("--source", required=True, choices=[source.value for source in SOURCES])
        parser.add_argument("--countries", required=True, metavar="CODES", help="Such as CL,PE.")
        parser.add_argument("--time-zone", default="", help="Of times without an offset; default: refuse them.")
        parser.add_argument("--signature-header", default="", help="Default: as the adapter's documentation says.")
        parser.add_argument("--signature-encoding", choices=Encoding.values, default=Encoding.HEX)
        parser.add_argument("--signature-prefix", default="")
        parser.add_argument("--number-key", default="", help="Key of extra_data under which clients send its number.")
        parser.add_argument("--inactive", action="store_true", help="Refuse its requests until it is made active.")
        add_secret_option(parser)
        add_secret_option(parser, "--api-key", "Its key for asking it ourselves.")

    def handle(self, *args: Any, **options: Any) -> None:
        options["countries"] = parse_list("--countries", options["countries"], SERVED)
        fields = (
            "slug", "name", "adapter", "scheme", "source", "countries", "time_zone", "signature_header",
            "signature_encoding", "signature_prefix", "number_key",
        )  # fmt: skip
        carrier = Carrier(**{name: options[name] for name in fields}, is_active=not options["inactive"])
        with self.refusals_in_words():
            secret = register(carrier, options["secret"], options["api_key"] or "")
        self.say(slug=carrier.slug, secret=secret)
