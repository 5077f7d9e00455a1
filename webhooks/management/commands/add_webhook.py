"""Subscribe an endpoint; the only line on standard output is its id and secret, as JSON."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from companies.management.company_command import CompanyCommand
from webhooks import destinations, subscriptions
from webhooks.errors import AlreadySubscribed, DestinationRefused
from webhooks.management.secret_option import add_secret_option
from webhooks.management.subscription_command import SubscriptionCommand


class Command(SubscriptionCommand, CompanyCommand):
    help = "Subscribe an endpoint to a company's events and print one JSON line: subscription_id, secret."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("client_code", metavar="CODE", help="The company's client code.")
        parser.add_argument("url", metavar="URL", help="The client's https endpoint.")
        add_secret_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        company = self.company(options["client_code"])
        secret = self.usable_secret(options["secret"])
        try:
            remark = destinations.inspect_name(options["url"])
            subscription, clear = subscriptions.register(company, options["url"], secret)
        except (DestinationRefused, AlreadySubscribed) as refused:
            raise CommandError(refused.message) from None
        self.say_secret(subscription, clear)
        if remark:
            self.stderr.write(self.style.WARNING(remark))
