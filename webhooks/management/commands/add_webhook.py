from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from companies.countries import SERVED
from companies.management.company_command import CompanyCommand
from webhooks import destinations, subscriptions
from webhooks.errors import AlreadySubscribed, DestinationRefused
from webhooks.events import EventType
from webhooks.management.secret_option import add_secret_option
from webhooks.management.subscription_command import SubscriptionCommand, parse_list


class Command(SubscriptionCommand, CompanyCommand):
    help = "Subscribe an endpoint to a company's events and print one JSON line: subscription_id, secret."

    def add_arguments(self, parser: ArgumentParser) -> None:
        CompanyCommand.add_arguments(self, parser)
        parser.add_argument("url", metavar="URL", help="The client's https endpoint.")
        add_secret_option(parser)
        parser.add_argument("--v2", action="store_true", help="Signed, filtered, up to ten attempts.")
        parser.add_argument("--events", metavar="TYPES", help="With --v2: only these event types, separated by commas.")
        parser.add_argument("--countries", metavar="CODES", help="With --v2: only these countries, such as CL,PE.")

    def handle(self, *args: Any, **options: Any) -> None:
        company = self.company(options["client_code"])
        event_types = parse_list("--events", options["events"], [kind.value for kind in EventType])
        countries = parse_list("--countries", options["countries"], SERVED)
        if not options["v2"] and (event_types or countries):
            raise CommandError("Only webhooks of version 2 have filters: add --v2.")
        if options["v2"] and options["secret"] is not None:
            raise CommandError("Secrets of version 2 are generated: leave out --secret.")
        secret = self.usable_secret(options["secret"])
        try:
            remark = destinations.inspect_name(options["url"])
            if options["v2"]:
                subscription, clear = subscriptions.register_signed(
                    company, options["url"], event_types=event_types, countries=countries
                )
            else:
                subscription, clear = subscriptions.register(company, options["url"], secret)
        except (DestinationRefused, AlreadySubscribed) as refused:
            raise CommandError(refused.message) from None
        self.say_secret(subscription, clear)
        if remark:
            self.stderr.write(self.style.WARNING(remark))
